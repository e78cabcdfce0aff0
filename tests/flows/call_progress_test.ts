import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import { report as reportSchema } from "../../core/protocol/companion.ts";
import { startApp } from "../support/service/app.ts";
import { companionOf, made } from "../support/service/hand_companion.ts";

const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
const at = (ms: number) => new Date(ms).toISOString();

Deno.test("GET /Calls/{Sid}/Progress has when a call rang, was answered and ended, and by whom", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const begunAt = app.clock.now;
  const { sid } = await made(app.root, "Calls", form);
  const read = async () => (await app.root.get(`Calls/${sid}/Progress.json`)).json();
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
  app.clock.now += 500;
  await leg.report({ type: "ringing" });
  assert.deepEqual(
    [(await read()).date_ringing, (await read()).ring_duration],
    [at(begunAt + 500), null],
  );
  app.clock.now += 2_250;
  await leg.report({ type: "answered" });
  app.clock.now += 12_000;
  const disconnection = { by: "remote", cause: "bye", text: "Q.850;cause=16" } as const;
  await leg.report({ type: "ended", outcome: "completed", disconnection });

  assert.deepEqual(await read(), {
    call_sid: sid,
    status: "completed",
    date_created: at(begunAt),
    date_ringing: at(begunAt + 500),
    date_answered: at(begunAt + 2_750),
    date_ended: at(begunAt + 14_750),
    ring_duration: 2.25,
    disconnected_by: "callee",
    disconnect_cause: "bye",
    disconnect_text: "Q.850;cause=16",
    sip_response_code: null,
  });
  const sibling = await app.subAccount(app.root, "sibling");
  assert.equal((await sibling.get(`Calls/${sid}/Progress.json`)).status, 404);
});

Deno.test("a companion of an older program leaves the cause out, and one of a newer may name another", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const endOf = async (event: LegEvent) => {
    const { sid } = await made(app.root, "Calls", form);
    await app.runJobs();
    const leg = companionOf(app, sid);
    await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
    await leg.report(event);
    const { disconnected_by, disconnect_cause, status } =
      (await app.root.get(`Calls/${sid}/Progress.json`)).json();
    return [disconnected_by, disconnect_cause, status];
  };
  assert.deepEqual(
    await endOf({ type: "ended", outcome: "busy", sipStatus: 486 }),
    [null, null, "busy"],
  );

  const sent = {
    companion: { id: "a", runId: "b" },
    leg: `CA${"0".repeat(32)}`,
    accountSid: "AC",
    seq: 0,
    at: 0,
    wantsScript: false,
    event: { type: "ended", outcome: "busy", disconnection: { by: "moon", cause: "eclipse" } },
  };
  const { event } = reportSchema.parse(sent);
  assert.deepEqual(await endOf(event), [null, null, "busy"]);
});

Deno.test("a call that is canceled before it is placed was ended by a request", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const { sid } = await made(app.root, "Calls", form);
  await app.root.post(`Calls/${sid}.json`, { Status: "canceled" });
  const progress = (await app.root.get(`Calls/${sid}/Progress.json`)).json();
  assert.deepEqual(
    [progress.disconnected_by, progress.disconnect_cause, progress.date_answered],
    ["service", "request", null],
  );
});

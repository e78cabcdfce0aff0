import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import { report as reportSchema } from "../../core/protocol/companion.ts";
import type { Disconnection } from "../../core/protocol/disconnection.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";
import { companionOf, made } from "../support/service/hand_companion.ts";

const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
const at = (ms: number) => new Date(ms).toISOString();

Deno.test("GET /Calls/{Sid}/Progress has the times of ringing, answer and end, and the side that ended", async () => {
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
    requested_by_sid: null,
    requested_by_name: null,
    requested_by_path: null,
    gateway_sid: null,
    gateway_name: null,
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

Deno.test("a call that a request ended names the account or API key, and the way the request came", async () => {
  using app = await startApp();
  const dev = await app.subAccount(app.root, "dev");
  await made(dev, "Clients", { Login: "alice", Password: "secret" });
  const key = await made(dev, "Keys", { FriendlyName: "deploy" });
  const byKey = dev.with({ user: key.sid, token: key.secret });
  const byParent = app.root.with({ sid: dev.sid });
  const requested = { by: "service", cause: "request" } as const;
  const read = async (sid: string) => (await dev.get(`Calls/${sid}/Progress.json`)).json();

  /** Has an answered call hung up, and reports its end. */
  async function endBy(
    hangUp: (sid: string) => Promise<{ status: number }>,
    disconnection: Disconnection | undefined,
  ) {
    const { sid } = await made(dev, "Calls", form);
    await app.runJobs();
    const leg = companionOf(app, sid, dev.sid);
    await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
    await leg.report({ type: "answered" });
    assert.equal((await hangUp(sid)).status, 200);
    const before = await read(sid);
    assert.deepEqual([before.disconnected_by, before.requested_by_sid], [null, null]);
    const outcome = "completed";
    await leg.report({ type: "ended", outcome, ...disconnection && { disconnection } });
    const { status, disconnect_cause, ...found } = await read(sid);
    assert.equal(status, "completed");
    const { requested_by_sid, requested_by_name, requested_by_path } = found;
    return [disconnect_cause, requested_by_sid, requested_by_name, requested_by_path];
  }

  const Status = "completed";
  const ofKey = ["request", key.sid, "deploy", "interface"];
  const complete = (client: ApiClient) => (sid: string) =>
    client.post(`Calls/${sid}.json`, { Status });
  assert.deepEqual(await endBy(complete(byKey), requested), ofKey);
  assert.deepEqual(await endBy(complete(byKey), undefined), ofKey, "an older companion");
  assert.deepEqual(
    await endBy(complete(byParent), requested),
    ["request", app.root.sid, null, "interface"],
  );
  const twilio = (sid: string) =>
    dev.post(`/2010-04-01/Accounts/${dev.sid}/Calls/${sid}.json`, { Status });
  assert.deepEqual(
    await endBy(twilio, requested),
    ["request", dev.sid, "dev@example.com", "twilio-interface"],
  );
  const byBoth = async (sid: string) => {
    assert.equal((await complete(byKey)(sid)).status, 200);
    return await complete(byParent)(sid);
  };
  assert.deepEqual(await endBy(byBoth, requested), ofKey, "the first of two requests");
  assert.deepEqual(
    await endBy(complete(byKey), { by: "remote", cause: "bye" }),
    ["bye", null, null, null],
    "the callee was quicker",
  );
});

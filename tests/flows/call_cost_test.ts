import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { liveCompanions } from "../../core/companions/companions.ts";
import { handlers } from "../../core/jobs/mod.ts";
import { companionClient } from "../../core/companions/client.ts";
import { answerOf } from "../../core/base/outgoing.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { type App, startApp } from "../support/service/app.ts";
import { eventually } from "../support/process/eventually.ts";
import { countStore } from "../support/service/count_store.ts";
import { companionOf, xml } from "../support/service/hand_companion.ts";

const companion = { id: "companion", runId: "run" };
const other = { id: "other", runId: "run" };

/** A service with two live companions, each of which takes every script. */
async function startService() {
  const app = await startApp();
  const { companions } = app.ports;
  for (const state of [other, companion]) {
    const bridgeUrl = `http://${state.id}.test`;
    const sipUri = `sip:${state.id}.test;transport=ws`;
    const seenAt = app.clock.now++;
    await companions.beat({ ...state, bridgeUrl, sipUri, seenAt, registered: 1 });
    const presence = { seq: 0, whole: true, came: ["alice"], went: [], registered: 1 };
    await companions.takePresence({ companion: state, ...presence });
  }
  app.ports.control = companionClient({
    url: "http://expected.test",
    companions,
    secret: "secret",
    now: () => app.clock.now,
    steadyNow: () => app.clock.steady,
    timeoutMs: 1_000,
    fetch: () => Promise.resolve(answerOf(Response.json({ companion }))),
  });
  const made = await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  assert.equal(made.status, 200, made.text);
  await liveCompanions(app.ports); // A busy service has read lately whether companions drain.
  return app;
}

/** The names of the reads of companions from now on. */
function watchCompanions(ports: Ports): string[] {
  const reads: string[] = [];
  const { list, get } = ports.companions;
  Object.assign(ports.companions, {
    list: () => (reads.push("list"), list()),
    get: (id: string) => (reads.push(`get ${id}`), get(id)),
  });
  return reads;
}

async function postCall(app: App): Promise<string> {
  const created = await app.root.post("Calls.json", {
    From: "+15550001",
    To: "client:alice",
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/events",
    StatusCallbackEvent: "initiated ringing answered completed",
  });
  return created.json().sid;
}

Deno.test("from POST Calls to the INVITE the companions are read once, and stored once in the call", async () => {
  using app = await startService();
  const reads = watchCompanions(app.ports);
  const { calls } = app.ports.records;
  const reported: unknown[] = [];
  const { update } = calls;
  calls.update = async (account, sid, change) => {
    const before = await calls.get(account, sid);
    const after = await update(account, sid, change);
    if (!isDeepStrictEqual(after.companion, before?.companion)) reported.push(after.companion);
    return after;
  };

  const sid = await postCall(app);
  await app.runJobs();
  const placed = await calls.get(app.root.sid, sid);
  await companionOf(app, sid).report({
    type: "inviting",
    from: "+15550001",
    to: "client:alice",
    sipCallId: "1",
  });

  assert.deepEqual(reads, ["list"]);
  assert.deepEqual(placed?.companion, companion);
  assert.deepEqual(reported, []);
});

/** The commits and reads of an answered call with four callbacks, in a service of its own. */
async function costOfCall(): Promise<{ commits: number; reads: number }> {
  using app = await startService();
  const { companions } = app.ports;
  const state = await companions.get(other.id);
  await companions.forget(state!); // As most services have it, with one companion.
  app.answers = ({ url }) =>
    url === "https://app.test/voice" ? xml("<Pause length='1'/>") : new Response();
  const placed = Promise.withResolvers<void>();
  const { run } = app.ports.control;
  app.ports.control.run = async (...order) => {
    const at = await run(...order);
    placed.resolve();
    return at;
  };
  const told = () => app.fetched.filter(({ url }) => url === "https://app.test/events").length;
  const worker = await app.worker(handlers);
  worker.start();
  using counts = countStore();

  const sid = await postCall(app);
  await placed.promise;
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: "+15550001", to: "client:alice", sipCallId: "1" });
  await leg.report({ type: "ringing" });
  await leg.report({ type: "answered" });
  await leg.report({ type: "ended", outcome: "completed" });
  await eventually("it was told of four times", () => told() === 4);
  await worker.stop(1_000);
  return { commits: counts.commits, reads: counts.reads };
}

Deno.test("an answered call with four callbacks takes at most six commits and five reads", async () => {
  // Ends within 50 ms share a commit: a busy machine needs some tries.
  let [commits, reads] = [Infinity, Infinity];
  for (let tries = 0; tries < 10 && (commits > 6 || reads > 5); tries++) {
    const cost = await costOfCall();
    [commits, reads] = [Math.min(commits, cost.commits), Math.min(reads, cost.reads)];
  }

  assert.ok(commits <= 6, `${commits} commits`);
  assert.ok(reads <= 5, `${reads} reads`);
});

import assert from "node:assert/strict";
import { removeOldRecords } from "../../../core/usage/remove_old.ts";
import { type RetentionKind, retentionKinds } from "../../../core/model/values/retention.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { type App, startApp } from "../../support/service/app.ts";
import { makeSample, type SampledName } from "../../support/service/samples.ts";

const day = 86_400_000;
const { signal } = new AbortController();

/** The lists that each setting is about. */
const listsOf: Record<RetentionKind, SampledName[]> = {
  calls: ["calls", "conferences"],
  messages: ["messages"],
  notifications: ["notifications"],
  recordings: ["recordings", "transcriptions"],
  deliveries: ["deliveries", "documentRequests"],
  audit: ["auditEntries"],
};
const names = Object.values(listsOf).flat();

/** The ports of an app that keeps one kind of records for ten days, and the others for ever. */
function keeping(app: App, kind: RetentionKind): Ports {
  const forEver = Object.fromEntries(retentionKinds.map((one) => [one, Infinity]));
  const keptMs = { ...forEver, [kind]: 10 * day } as Ports["settings"]["keptMs"];
  return { ...app.ports, settings: { ...app.ports.settings, keptMs } };
}

async function countOf(app: App, name: SampledName): Promise<number> {
  const query = { where: [], skip: 0, limit: 1 };
  return (await app.ports.records[name].list(app.root.sid, query)).total;
}

/** A record of each kind that nothing waits for. */
async function makeEnded(app: App): Promise<void> {
  for (const name of names) {
    const sid = await makeSample(app, app.root, { name });
    const status =
      { calls: "completed", conferences: "completed", messages: "sent" }[name as string];
    if (status === undefined) continue;
    await app.ports.records[name].update(app.root.sid, sid, (record) => ({
      record: { ...record, status } as never,
    }));
  }
}

for (const kind of retentionKinds) {
  Deno.test(`removeOldRecords() removes old ${kind}, and nothing that is kept for ever`, async () => {
    using app = await startApp({ madeUpWebhooks: true });
    await makeEnded(app);
    app.clock.now += 9 * day;
    await removeOldRecords(keeping(app, kind), signal);
    for (const name of names) assert.equal(await countOf(app, name), 1, `${name} after 9 days`);

    app.clock.now += 2 * day;
    await makeEnded(app);
    await removeOldRecords(keeping(app, kind), signal);

    for (const name of names) {
      const expected = listsOf[kind].includes(name) ? 1 : 2;
      assert.equal(await countOf(app, name), expected, `${name} after 11 days`);
    }
  });
}

Deno.test("removeOldRecords() keeps live calls and queued messages whatever their age", async () => {
  using app = await startApp();
  const call = await makeSample(app, app.root, { name: "calls" });
  const message = await makeSample(app, app.root, { name: "messages" });
  app.clock.now += 100 * day;

  await removeOldRecords(keeping(app, "calls"), signal);
  await removeOldRecords(keeping(app, "messages"), signal);

  assert.notEqual(await app.ports.records.calls.get(app.root.sid, call), null);
  assert.notEqual(await app.ports.records.messages.get(app.root.sid, message), null);
});

Deno.test("removeOldRecords() removes the audio of a recording with it", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "recordings" });
  const removed: string[] = [];
  const remove = app.ports.blobs.remove;
  app.ports.blobs.remove = async (accountSid, recording) => {
    removed.push(recording);
    await remove(accountSid, recording);
  };
  app.clock.now += 11 * day;

  await removeOldRecords(keeping(app, "recordings"), signal);
  await app.runJobs();

  assert.deepEqual(removed, [sid]);
});

Deno.test("removeOldRecords() ends where its signal aborts, after a batch at most", async () => {
  using app = await startApp();
  for (let n = 0; n < 3; n++) await makeSample(app, app.root, { name: "notifications", n });
  app.clock.now += 11 * day;

  await removeOldRecords(keeping(app, "notifications"), AbortSignal.abort());

  assert.equal(await countOf(app, "notifications"), 3);
});

Deno.test("removeOldRecords() removes nothing by a wall clock that is years ahead", async () => {
  using app = await startApp({ madeUpWebhooks: true });
  await makeEnded(app);
  app.clock.step(3 * 365 * day);
  for (const kind of retentionKinds) await removeOldRecords(keeping(app, kind), signal);

  for (const name of names) assert.equal(await countOf(app, name), 1, name);
});

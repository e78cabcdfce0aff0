import assert from "node:assert/strict";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { claimed, requestTaker } from "../../core/conferences/queue_membership.ts";
import { companion, companionOf } from "../support/service/hand_companion.ts";
import { startTwilioLab, type TwilioLab } from "../support/service/twilio_lab.ts";

/** A call that is answered and waits in a queue. */
async function waits({ app, client }: TwilioLab, queueSid: string): Promise<string> {
  const call = { from: "client:bob", to: "client:alice", twiml: "<Response><Pause/></Response>" };
  const { sid } = await client.calls.create(call);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "answered" });
  const { queues } = app.ports.records;
  await queues.update(app.root.sid, queueSid, (queue) => ({
    record: {
      ...queue,
      members: [...queue.members, { callSid: sid, at: app.clock.now, companion, taken: null }],
    },
  }));
  return sid;
}

Deno.test("npm twilio makes a Queue, changes, lists and removes it", async () => {
  await using lab = await startTwilioLab();
  const { queues } = lab.client;

  const made = await queues.create({ friendlyName: "support", maxSize: 20 });
  assert.equal(made.maxSize, 20);
  assert.equal(made.currentSize, 0);
  await assert.rejects(queues.create({ friendlyName: "support" }), { status: 409, code: 20409 });
  const changed = await queues(made.sid).update({ friendlyName: "sales", maxSize: 30 });
  assert.equal(changed.friendlyName, "sales");
  assert.equal((await queues(made.sid).fetch()).maxSize, 30);
  assert.equal((await queues.create({ friendlyName: "support" })).maxSize, 250);
  assert.equal((await queues.list({ pageSize: 1 })).length, 2);
  assert.equal(await queues(made.sid).remove(), true);
  await assert.rejects(queues(made.sid).fetch(), { status: 404 });
});

Deno.test("npm twilio lists waiting calls, and sends the first, or a named one, to a Url", async () => {
  await using lab = await startTwilioLab();
  const { client, app } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { sid } = await client.queues.create({ friendlyName: "support" });
  const first = await waits(lab, sid);
  app.clock.now += 10_000;
  const second = await waits(lab, sid);
  app.clock.now += 4_000;

  const queue = await client.queues(sid).fetch();
  assert.deepEqual([queue.currentSize, queue.averageWaitTime], [2, 9]);
  const all = await client.queues(sid).members.list({ pageSize: 1 });
  assert.deepEqual(
    all.map(({ callSid, position, waitTime }) => [callSid, position, waitTime]),
    [[first, 1, 14], [second, 2, 4]],
  );
  assert.equal((await client.queues(sid).members("Front").fetch()).callSid, first);
  assert.equal((await client.queues(sid).members(second).fetch()).position, 2);
  await assert.rejects(client.queues(sid).remove(), { status: 400, code: 21223 });

  const url = "https://app.test/agent";
  const taken = await client.queues(sid).members("Front").update({ url, method: "GET" });
  assert.equal(taken.callSid, first);
  await app.runJobs();
  assert.equal(app.scripts.at(-1)!.leg, first);
  assert.match(app.fetched.at(-1)!.url, /^https:\/\/app\.test\/agent\?/);
  await assert.rejects(client.queues(sid).members("CA" + "0".repeat(32)).fetch(), { status: 404 });
});

Deno.test("of requests for a waiting call at once, and one after the other, one gets it", async () => {
  await using lab = await startTwilioLab();
  const { client, app } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { sid } = await client.queues.create({ friendlyName: "support" });
  const [first, second, third] = [
    await waits(lab, sid),
    await waits(lab, sid),
    await waits(lab, sid),
  ];
  const { members } = client.queues(sid);
  const take = async (member: string, agent: number) => {
    const url = `https://app.test/agent/${agent}`;
    return await members(member).update({ url }).then(
      ({ callSid }) => callSid,
      ({ status }) => status,
    );
  };
  const { queues } = app.ports.records;
  const left = async () =>
    (await queues.get(app.root.sid, sid))!.members.map(({ callSid }) => callSid);

  const atOnce = await Promise.all([1, 2].map((agent) => take("Front", agent)));
  assert.deepEqual(atOnce.toSorted(), [first, second].toSorted());
  assert.deepEqual(await left(), [third]);
  const named = await Promise.all([3, 4, 5, 6].map((agent) => take(third, agent)));
  assert.deepEqual(named.toSorted(), [404, 404, 404, third]);
  assert.deepEqual([await take("Front", 7), await take(third, 8)], [404, 404]);

  await app.runJobs();
  const asked = app.fetched.map(({ url }) => new URL(url).pathname)
    .filter((path) => path.startsWith("/agent"));
  assert.equal(new Set(asked).size, 3);
  assert.equal(asked.length, 3);
});

Deno.test("a caller who hangs up while a request takes it leaves the next one to that request", async () => {
  await using lab = await startTwilioLab();
  const { client, app } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { sid } = await client.queues.create({ friendlyName: "support" });
  const [first, second] = [await waits(lab, sid), await waits(lab, sid)];
  const { calls } = app.ports.records;
  const { get } = calls;
  calls.get = async (accountSid, callSid) => {
    const call = await get(accountSid, callSid);
    if (callSid !== first) return call;
    calls.get = get;
    await calls.update(accountSid, callSid, (record) => ({
      record: { ...record, status: "completed" },
    }));
    return call; // As it was read before.
  };
  const taken = await client.queues(sid).members("Front").update({ url: "https://app.test/agent" });
  assert.equal(taken.callSid, second);
  await assert.rejects(client.queues(sid).members("Front").update({ url: "https://app.test/" }), {
    status: 404,
  });
});

Deno.test("a call that a request has claimed goes to no Dial, and back when its redirection fails", async () => {
  await using lab = await startTwilioLab();
  const { client, app } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { sid } = await client.queues.create({ friendlyName: "support" });
  const waiting = await waits(lab, sid);
  const { calls, queues } = app.ports.records;
  const update = calls.update;
  const url = "https://app.test/agent";
  calls.update = () => Promise.reject(new Fault("unavailable", "the store is away"));
  await assert.rejects(client.queues(sid).members("Front").update({ url }), { status: 503 });
  calls.update = update;
  assert.deepEqual((await queues.get(app.root.sid, sid))!.members.map(({ taken }) => taken), [
    null,
  ]);

  const { taken } = claimed((await queues.get(app.root.sid, sid))!, {
    by: requestTaker("1"),
    at: app.clock.now,
  }).change.record.members[0]!;
  await queues.update(app.root.sid, sid, (queue) => ({
    record: { ...queue, members: queue.members.map((one) => ({ ...one, taken })) },
  }));
  const twiml = "<Response><Dial><Queue>support</Queue></Dial></Response>";
  const agent = await client.calls.create({ from: "client:bob", to: "client:alice", twiml });
  await app.runJobs();
  const leg = companionOf(app, agent.sid);
  const consult = async () => {
    const [step] = await leg.report({ type: "answered" });
    assert.ok(step?.type === "consult");
    return await leg.report({ type: "consulting", serviceContext: step.serviceContext });
  };
  const script = await consult();
  assert.ok(!script.some(({ type }) => type === "pickup"));
  app.clock.now += limits.queueTakingMs + 1;
  const [look] = script.filter(({ type }) => type === "consult");
  assert.ok(look?.type === "consult");
  const [given] = await leg.report({ type: "consulting", serviceContext: look.serviceContext });
  assert.equal(given?.type === "pickup" && given.leg, waiting);
});

Deno.test("a Queue takes no more calls than its MaxSize", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { sid } = await client.queues.create({ friendlyName: "support", maxSize: 1 });
  const enters = async () => {
    const twiml = "<Response><Enqueue>support</Enqueue></Response>";
    const call = await client.calls.create({ from: "client:bob", to: "client:alice", twiml });
    await app.runJobs();
    const leg = companionOf(app, call.sid);
    const [step] = await leg.report({ type: "answered" });
    assert.ok(step?.type === "consult");
    return await leg.report({ type: "consulting", serviceContext: step.serviceContext });
  };

  const [step] = await enters();
  assert.equal(step?.type === "queue" && step.queueSid, sid);
  await waits(lab, sid);
  assert.deepEqual(await enters(), []);
});

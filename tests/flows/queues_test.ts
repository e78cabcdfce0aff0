import assert from "node:assert/strict";
import type { QueueStep } from "../../core/protocol/conferences.ts";
import { takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companion, notifications, xml } from "../support/service/hand_companion.ts";
import { type Caller, caller, consult, leg } from "../support/sip/conference_callers.ts";

const enqueue = (attributes = "") => `<Enqueue ${attributes}>help</Enqueue>`;
const dequeue = (dial = "") => `<Dial ${dial}><Queue>help</Queue></Dial>`;

/** Has a call wait in the queue. */
async function wait(app: App, digit: string, attributes = "", at = companion) {
  const hand = await caller(app, digit, enqueue(attributes), at);
  assert.equal(hand.script[0]?.type, "answer");
  const [step] = await consult(hand, hand.script, at);
  assert.ok(step?.type === "queue", Deno.inspect(step));
  await hand.report({ type: "answered" }, { wantsScript: false, companion: at });
  await hand.report({ type: "queued", queueSid: step.queueSid }, { companion: at });
  app.clock.now += 1_000;
  return { ...hand, step };
}

const leave = (
  { report }: Caller,
  { queueSid, action }: QueueStep,
  result: "bridged" | "leave" | "hangup",
) =>
  report({ type: "dequeued", queueSid, result, waitedS: 3, ...action && { action } }, {
    wantsScript: result !== "hangup",
  });

/** Call that a taker is given; undefined when it is to ask again. */
async function taken(hand: Caller, script = hand.script): Promise<string | undefined> {
  const [step] = await consult(hand, script);
  return step?.type === "pickup" ? step.leg : undefined;
}

const lastForm = async (app: App) =>
  Object.fromEntries(new URLSearchParams(await app.fetched.at(-1)!.clone().text()));

Deno.test("calls are taken in the order in which they came, each by one", async () => {
  using app = await startApp();
  for (const digit of ["1", "2", "3"]) await wait(app, digit);
  const takers = [];
  for (const digit of ["a", "b", "c", "d"]) takers.push(await caller(app, digit, dequeue()));

  assert.equal(await taken(takers[0]!), leg("1"));
  const others = await Promise.all(takers.slice(1).map((taker) => taken(taker)));
  assert.deepEqual(others.toSorted(), [leg("2"), leg("3"), undefined]);
});

Deno.test("a taker that repeats its request is given the same call, until that one waits no longer", async () => {
  using app = await startApp();
  for (const digit of ["1", "2"]) await wait(app, digit);
  const taker = await caller(app, "a", dequeue());
  const [step] = await consult(taker, taker.script);
  assert.ok(step?.type === "pickup" && step.leg === leg("1"));
  const [again] = await taker.repeat();
  assert.deepEqual(again, step);

  const serviceContext = { ...step.serviceContext, gone: leg("1") };
  assert.equal(await taken(taker, [{ type: "consult", serviceContext }]), leg("2"));
});

Deno.test("a waiting call that was assigned and not taken is assigned to another taker after a while", async () => {
  using app = await startApp();
  await wait(app, "1");
  const [one, two] = [await caller(app, "a", dequeue()), await caller(app, "b", dequeue())];
  assert.equal(await taken(one), leg("1"));
  assert.equal(await taken(two), undefined);
  app.clock.now += limits.queueTakingMs + 1;
  assert.equal(await taken(two), leg("1"));
});

Deno.test("a waiting call that was assigned to an ended call is assigned to another taker at once", async () => {
  using app = await startApp();
  await wait(app, "1");
  const [one, two] = [await caller(app, "a", dequeue()), await caller(app, "b", dequeue())];
  assert.equal(await taken(one), leg("1"));
  await one.report({ type: "ended", outcome: "completed" });
  assert.equal(await taken(two), leg("1"));
});

Deno.test("an empty queue is looked at again each second, until Dial's timeout", async () => {
  using app = await startApp();
  const taker = await caller(app, "a", dequeue(`timeout="2" action="/after"`));
  const first = await consult(taker, taker.script);
  assert.deepEqual(first.map(({ type }) => type), ["silence", "consult"]);
  app.clock.now += 1_000;
  const second = await consult(taker, first);
  assert.deepEqual(second.map(({ type }) => type), ["silence", "consult"]);
  app.clock.now += 1_000;
  app.answers = () => xml("<Hangup/>");

  assert.deepEqual((await consult(taker, second)).at(-1), { type: "hangup" });
  const { DialCallStatus, DialCallDuration } = await lastForm(app);
  assert.deepEqual([DialCallStatus, DialCallDuration], ["no-answer", "0"]);

  const patient = await caller(app, "b", dequeue());
  const asked = await consult(patient, patient.script);
  await wait(app, "1");
  assert.equal(await taken(patient, asked), leg("1"));
});

Deno.test("Enqueue's action gets the result and the time of a call in the queue", async () => {
  for (const result of ["bridged", "leave", "hangup"] as const) {
    using app = await startApp();
    const one = await wait(app, "1", `action="/after" method="GET"`);
    app.answers = () => xml("<Hangup/>");
    app.fetched.length = 0;

    await leave(one, one.step, result);
    await app.runJobs();

    const { searchParams, pathname } = new URL(app.fetched[0]!.url);
    assert.equal(pathname, "/after");
    assert.deepEqual(
      ["QueueResult", "QueueTime", "QueueSid"].map((name) => searchParams.get(name)),
      [result, "3", one.step.queueSid],
    );
    const queue = await app.ports.records.queues.get(app.root.sid, one.step.queueSid);
    assert.deepEqual(queue?.members, []);
  }
});

Deno.test("a queue that is full sends the action queue-full, but counts no calls that ended", async () => {
  using app = await startApp();
  const one = await wait(app, "1");
  const { queues } = app.ports.records;
  const fill = (callSid: (at: number) => string) =>
    queues.update(app.root.sid, one.step.queueSid, (queue) => ({
      record: {
        ...queue,
        members: Array.from({ length: limits.queueMembers }, (_, at) => ({
          callSid: callSid(at),
          at: 0,
          companion,
          taken: null,
        })),
      },
    }));
  await fill(() => one.leg);
  const two = await caller(app, "2", enqueue(`action="/after"`));
  app.answers = () => xml("<Hangup/>");
  await consult(two, two.script);
  assert.equal((await lastForm(app)).QueueResult, "queue-full");
  const three = await caller(app, "3", enqueue());
  assert.deepEqual(await consult(three, three.script), []);

  await fill((at) => leg("e").slice(0, -3) + String(at).padStart(3, "0"));
  const four = await caller(app, "4", enqueue());
  const [step] = await consult(four, four.script);
  assert.equal(step?.type, "queue");
});

Deno.test("a call that ended, or was lost with a companion, waits no longer", async () => {
  using app = await startApp();
  await takeHeartbeat({ companion, legs: [], registered: 0 }, app.ports);
  const one = await wait(app, "1");
  const members = async () =>
    (await app.ports.records.queues.get(app.root.sid, one.step.queueSid))!.members.length;
  await one.report({ type: "ended", outcome: "completed" });
  assert.equal(await members(), 0);

  const two = await wait(app, "2");
  await two.report({ type: "queued", queueSid: two.step.queueSid }, { seq: 2 });
  assert.equal(await members(), 1, "news that come again change nothing");
  const again = { ...companion, runId: "another" };
  await takeHeartbeat({ companion: again, legs: [], registered: 0 }, app.ports);
  assert.equal(await members(), 0);

  const three = await wait(app, "3");
  await leave(three, three.step, "leave");
  await three.report({ type: "queued", queueSid: three.step.queueSid }, { seq: 2 });
  assert.equal(await members(), 0, "nor do late ones");
});

Deno.test("the wait document of a queue gets the place in it", async () => {
  using app = await startApp();
  await wait(app, "1");
  const two = await wait(app, "2", `waitUrl="/wait"`);
  assert.deepEqual(two.step.wait, { url: "https://app.test/wait", method: "POST", hops: 0 });
  app.answers = () => xml(`<Play>/a.wav</Play><Redirect>/more</Redirect>`);

  const script = await two.report({
    type: "waiting",
    action: two.step.wait!,
    queueSid: two.step.queueSid,
  });
  assert.deepEqual(script.map(({ type }) => type), ["play", "next"]);
  const { QueueSid, QueuePosition, CurrentQueueSize, QueueTime } = await lastForm(app);
  assert.deepEqual(
    [QueueSid, QueuePosition, CurrentQueueSize, QueueTime],
    [two.step.queueSid, "2", "2", "1"],
  );
  app.answers = () => xml(`<Pause/><Leave/><Play>/never.wav</Play>`);
  const left = await two.report({ type: "waiting", action: two.step.wait! });
  assert.deepEqual(left.map(({ type }) => type), ["silence", "leave", "play"]);
  assert.deepEqual(await notifications(app), []);
});

Deno.test("a Gather in a wait document requests its action with the input and the place", async () => {
  using app = await startApp();
  const one = await wait(app, "1", `waitUrl="/wait"`);
  app.answers = () =>
    xml(`<Gather numDigits="1" action="key"><Play>/a.wav</Play></Gather><Pause/>`);
  const { queueSid } = one.step;
  const [step] = await one.report({ type: "waiting", action: one.step.wait!, queueSid });
  assert.ok(step?.type === "gather" && step.action, Deno.inspect(step));

  app.answers = () => xml("<Leave/>");
  const gathered = { digits: "1" };
  const script = await one.report({ type: "waiting", action: step.action, queueSid, gathered });
  assert.deepEqual(script, [{ type: "leave" }]);
  assert.equal(app.fetched.at(-1)!.url, "https://app.test/key");
  const { Digits, QueueSid } = await lastForm(app);
  assert.deepEqual([Digits, QueueSid], ["1", queueSid]);

  // Digits that were typed without an action go along with the next request.
  const action = { ...one.step.wait!, digits: "42" };
  await one.report({ type: "waiting", action, queueSid });
  assert.equal((await lastForm(app)).Digits, "42");
  assert.deepEqual(await notifications(app), []);
});

const far = { id: "far", runId: "run" };
const sipUri = "sip:127.0.0.1:5062;transport=ws";

/** Has the service hear of both companions. */
async function beat(app: App) {
  for (const one of [companion, far]) {
    await takeHeartbeat({ companion: one, sipUri, legs: [], registered: 0 }, app.ports);
  }
}

Deno.test("the longest-waiting call is taken, at whichever companion it waits", async () => {
  using app = await startApp();
  await beat(app);
  await wait(app, "1", "", far);
  await wait(app, "2");
  const takers = [];
  for (const digit of ["a", "b"]) takers.push(await caller(app, digit, dequeue()));

  const [[first], [second]] = [
    await consult(takers[0]!, takers[0]!.script),
    await consult(takers[1]!, takers[1]!.script),
  ];
  assert.ok(first?.type === "pickup" && second?.type === "pickup");
  assert.deepEqual([first.leg, first.at], [leg("1"), { sipUri, runId: far.runId }]);
  assert.deepEqual([second.leg, second.at], [leg("2"), undefined]);
});

Deno.test("one whose companion is out of reach keeps its place, and the next is taken", async () => {
  using app = await startApp();
  await beat(app);
  const waiting = await wait(app, "1", "", far);
  await wait(app, "2");
  const taker = await caller(app, "a", dequeue(`timeout="1" action="/after"`));
  const [step] = await consult(taker, taker.script);
  assert.ok(step?.type === "pickup" && step.leg === leg("1"));

  const serviceContext = { ...step.serviceContext, unreached: leg("1") };
  const [next] = await consult(taker, [{ type: "consult", serviceContext, action: step.action! }]);
  assert.ok(next?.type === "pickup" && next.leg === leg("2"), Deno.inspect(next));
  assert.deepEqual(await notifications(app), [
    `Cannot take a call from the queue: ${
      leg("1")
    } waits in "help" at a companion that is unreachable`,
  ]);
  const [another] = [await caller(app, "b", dequeue())];
  const [free] = await consult(another, another.script);
  assert.ok(free?.type === "pickup" && free.leg === leg("1"), "it is given to another at once");

  const gone = { ...next.serviceContext, gone: leg("2") };
  const asked = await consult(taker, [{
    type: "consult",
    serviceContext: gone,
    action: next.action!,
  }]);
  assert.deepEqual(asked.map(({ type }) => type), ["silence", "consult"], "it is passed over");
  app.clock.now += 1_000;
  app.answers = () => xml("<Hangup/>");
  await consult(taker, asked);
  assert.equal((await lastForm(app)).DialCallStatus, "no-answer");
  const queue = await app.ports.records.queues.get(app.root.sid, waiting.step.queueSid);
  assert.deepEqual(queue?.members.map(({ callSid }) => callSid), [leg("1")]);
});

Deno.test("one whose companion is lost is not taken", async () => {
  using app = await startApp();
  await beat(app);
  await wait(app, "1", "", far);
  app.clock.now += limits.companionLostMs + 1;
  await takeHeartbeat({ companion, sipUri, legs: [], registered: 0 }, app.ports);
  const taker = await caller(app, "a", dequeue());
  assert.equal(await taken(taker), undefined);
});

Deno.test("queues are not shown at the interface", async () => {
  using app = await startApp();
  const { step } = await wait(app, "1");

  for (const path of ["Queues.json", `Queues/${step.queueSid}.json`]) {
    assert.equal((await app.root.get(path)).status, 404);
  }
});

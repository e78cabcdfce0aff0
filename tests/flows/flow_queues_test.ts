import assert from "node:assert/strict";
import { flowTemplates } from "../../core/trials/flow_templates.ts";
import type { QueueStep } from "../../core/protocol/conferences.ts";
import type { Script } from "../../core/protocol/script.ts";
import { newBase, withDefaults } from "../../core/model/resource.ts";
import { type Queue, queues } from "../../core/model/resources/queues.ts";
import { type App, startApp } from "../support/service/app.ts";
import { actionOf, calledFlow, flowOf } from "../support/service/flow_lab.ts";
import { companionOf, made, notifications } from "../support/service/hand_companion.ts";
import { consult } from "../support/sip/conference_callers.ts";

const say = (text: string) => ({ type: "say", text });

/** A flow whose caller waits in a queue, with a step for each way on. */
const waiting = (more: object = {}) =>
  flowOf({
    wait: {
      type: "enqueue",
      queue: "$line",
      onLeave: "left",
      onFull: "full",
      onError: "wrong",
      next: "after",
      ...more,
    },
    left: say("left $QueueResult after $QueueTime"),
    full: say("full"),
    wrong: say("wrong"),
    after: say("after $QueueResult"),
  }, { variables: { line: "help" } });

const spoken = (script: Script) => script.flatMap((one) => one.type === "say" ? [one.text] : []);

/** A call that waits in the queue of a flow. */
async function wait(app: App, flow: unknown) {
  const { leg, script, callSid, applicationSid } = await calledFlow(app, flow);
  const [step] = await consult(leg, script);
  assert.ok(step?.type === "queue", Deno.inspect(step));
  await leg.report({ type: "answered" }, { wantsScript: false });
  await leg.report({ type: "queued", queueSid: step.queueSid });
  const hear = (action = step.wait!, gathered?: { digits: string }) =>
    leg.report({ type: "waiting", action, queueSid: step.queueSid, ...gathered && { gathered } });
  return { leg, step, hear, callSid, applicationSid };
}

const leave = (
  { leg, step }: { leg: ReturnType<typeof companionOf>; step: QueueStep },
  result: "bridged" | "leave" | "hangup" | "error",
) => {
  const { queueSid, action } = step;
  return leg.report({ type: "dequeued", queueSid, result, waitedS: 7, ...action && { action } }, {
    wantsScript: result !== "hangup",
  });
};

Deno.test("a flow's enqueue without announcements has the music of Enqueue, in the queue it names", async () => {
  using app = await startApp();
  const { step } = await wait(app, waiting());
  assert.equal(step.wait, undefined);
  const queue = await app.ports.records.queues.get(app.root.sid, step.queueSid);
  assert.deepEqual([queue?.friendlyName, queue?.members.length], ["help", 1]);
  assert.deepEqual(await notifications(app), []);
});

for (
  const [result, words] of [
    ["bridged", "after bridged"],
    ["leave", "left leave after 7"],
    ["error", "wrong"],
  ] as const
) {
  Deno.test(`a flow's enqueue goes on where it says after ${result}`, async () => {
    using app = await startApp();
    const waits = await wait(app, waiting());
    assert.deepEqual(spoken(await leave(waits, result)), [words]);
  });

  Deno.test(`a flow's enqueue goes on at next after ${result} where it says nothing else`, async () => {
    using app = await startApp();
    const none = { onLeave: undefined, onFull: undefined, onError: undefined };
    const waits = await wait(app, waiting(none));
    assert.deepEqual(spoken(await leave(waits, result)), [`after ${result}`]);
  });
}

Deno.test("a flow's enqueue goes on at onFull when its queue is full, and at onError for a long name", async () => {
  for (
    const [flow, words] of [
      [waiting({ maxSize: 1 }), "full"],
      [{ ...waiting(), variables: { line: "x".repeat(65) } }, "wrong"],
    ] as const
  ) {
    using app = await startApp();
    const member = { callSid: app.ports.newSid("CA"), at: app.ports.steadyNow() };
    const known = { friendlyName: "help", ownName: `${app.root.sid}/help`, arriving: [member] };
    const fields = withDefaults(queues, known);
    const record = { ...newBase(queues, app.root.sid, app.ports), ...fields } as Queue;
    await app.ports.records.queues.insert({ record });
    const { leg, script } = await calledFlow(app, flow);
    const answer = script.some(({ type }) => type === "consult")
      ? await consult(leg, script)
      : await leg.report({ type: "next", action: actionOf(script) });
    assert.deepEqual(spoken(answer), [words]);
  }
});

Deno.test("after a hang-up in the queue of a flow the steps without a caller run", async () => {
  using app = await startApp();
  const flow = waiting({ onLeave: "mail" });
  const mail = {
    type: "email",
    from: "a@app.test",
    to: "b@app.test",
    subject: "Missed call of $From",
    text: "$QueueResult after $QueueTime s",
    next: "left",
  };
  const waits = await wait(app, { ...flow, steps: { ...flow.steps, mail } });
  await leave(waits, "hangup");
  await waits.leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();

  const [email] = app.mailed;
  assert.deepEqual([email?.subject, email?.body], [
    "Missed call of +12025550199",
    "hangup after 7 s",
  ]);
});

const place = "You are number $QueuePosition of $CurrentQueueSize after $QueueTime s";

Deno.test("a flow's enqueue announces the place, again and again, with music in between", async () => {
  using app = await startApp();
  const prompts = [{ say: place }, { play: "https://app.test/$QueueSid.wav" }];
  const { hear, step } = await wait(app, waiting({ prompts, musicS: 12 }));
  app.clock.now += 20_000;
  for (let round = 0; round < 2; round++) {
    assert.deepEqual((await hear()).slice(0, 3), [
      {
        type: "say",
        text: `You are number 1 of 1 after ${20 + round * 10} s`,
        voice: "woman",
        language: "en-US",
        loop: 1,
      },
      { type: "play", url: `https://app.test/${step.queueSid}.wav`, loop: 1 },
      { type: "silence", seconds: 12, music: true },
    ]);
    app.clock.now += 10_000;
  }
  assert.deepEqual(await notifications(app), []);
});

Deno.test("the key of a flow's enqueue leaves the queue, and a key of a menu before does not", async () => {
  using app = await startApp();
  const flow = waiting({ leaveKey: "1", prompts: [{ say: "Press 1 to leave." }] });
  const menu = { type: "gather", next: "wait" };
  const { leg, script } = await calledFlow(app, {
    ...flow,
    start: "menu",
    steps: { menu, ...flow.steps },
  });
  await leg.report({ type: "answered" }, { wantsScript: false });
  const [gather] = script.filter(({ type }) => type === "gather");
  assert.ok(gather?.type === "gather");
  const entered = await leg.report({ type: "gathered", digits: "1", action: gather.action! });
  const [step] = await consult(leg, entered);
  assert.ok(step?.type === "queue");
  const { queueSid } = step;
  await leg.report({ type: "queued", queueSid });

  const [heard] = await leg.report({ type: "waiting", queueSid, action: step.wait! });
  assert.ok(heard?.type === "gather");
  assert.deepEqual(heard.keys, { start: "1", finish: "", most: 1 });
  assert.deepEqual(heard.prompts.map(({ type }) => type), ["say", "silence"]);
  const pressed = { type: "waiting", queueSid, action: heard.action!, gathered: { digits: "1" } };
  const [left] = await leg.report(pressed as Parameters<typeof leg.report>[0]);
  assert.deepEqual(left, { type: "leave" });
});

Deno.test("a flow's enqueue is left after its longest wait, which bounds the music too", async () => {
  using app = await startApp();
  const { hear } = await wait(app, waiting({ maxWait: 45 }));
  const seconds = async () => {
    const [step] = await hear();
    return step?.type === "silence" && step.music ? step.seconds : step?.type;
  };
  assert.equal(await seconds(), 30);
  app.clock.now += 30_000;
  assert.equal(await seconds(), 15);
  app.clock.now += 15_000;
  assert.equal(await seconds(), "leave");
});

Deno.test("a flow's enqueue takes the sounds of a waitUrl in place of its own", async () => {
  using app = await startApp();
  const { step } = await wait(app, waiting({ waitUrl: "https://app.test/$line" }));
  assert.equal(step.wait?.url, "https://app.test/help");
});

Deno.test("a flow whose enqueue was removed meanwhile leaves its callers with the music", async () => {
  using app = await startApp();
  const { hear, applicationSid } = await wait(app, waiting({ prompts: [{ say: place }] }));
  const Flow = JSON.stringify(flowOf({ bye: { type: "hangup" } }));
  await app.root.post(`Applications/${applicationSid}.json`, { Flow });
  assert.deepEqual(spoken(await hear()), []);
});

Deno.test("the queue template: a caller waits, and a Client of the same application takes the call", async () => {
  using app = await startApp();
  const { flow } = flowTemplates.find(({ id }) => id === "queue")!;
  const { callSid, applicationSid, leg, script } = await calledFlow(app, flow);
  assert.deepEqual(spoken(script), ["Welcome. The next free agent takes your call."]);
  const [step] = await consult(leg, script);
  assert.ok(step?.type === "queue");
  await leg.report({ type: "answered" }, { wantsScript: false });
  await leg.report({ type: "queued", queueSid: step.queueSid });

  const { sid: clientSid } = await made(app.root, "Clients", {
    Login: "agent",
    Password: "secret",
    VoiceApplicationSid: applicationSid,
  });
  const agent = companionOf(app, app.ports.newSid("CA"));
  const calling = { login: "agent", clientSid, uri: "sip:queue@sip.test", sipCallId: "a" };
  const begun = await agent.report({ type: "incoming", headers: {}, ...calling });
  await agent.report({ type: "answered" }, { wantsScript: false });
  const [taken] = await consult(agent, begun);
  assert.ok(taken?.type === "pickup", Deno.inspect(taken));
  assert.equal(taken.leg, callSid);

  await leave({ leg, step }, "bridged");
  const dialled = { type: "dialled", outcome: "completed", durationS: 9, ringS: 0 } as const;
  const again = await agent.report({ ...dialled, leg: callSid, action: taken.action! });
  const [silence, next] = await consult(agent, again);
  assert.equal(silence?.type, "silence");
  app.clock.now += 300_000;
  const nobody = await consult(agent, [next!]);
  assert.deepEqual(spoken(nobody), ["Nobody is waiting."]);
});

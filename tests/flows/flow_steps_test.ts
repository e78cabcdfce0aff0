import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import type { Script } from "../../core/protocol/script.ts";
import { startApp } from "../support/service/app.ts";
import { actionOf, calledFlow, flowOf, nextOf, plain } from "../support/service/flow_lab.ts";
import { made, notifications, xml } from "../support/service/hand_companion.ts";

/** Every kind of step that calls have, as the script that it becomes after the answer. */
const becomes: Record<string, { step: object; script: unknown[] }> = {
  "say": {
    step: { type: "say", text: "Hello $From", voice: "man", language: "de", loop: 2 },
    script: [{ type: "say", text: "Hello +12025550199", voice: "man", language: "de", loop: 2 }, {
      type: "hangup",
      cause: "end-of-markup",
    }],
  },
  "play": {
    step: { type: "play", url: "https://app.test/$To.wav", loop: 0 },
    script: [{ type: "play", url: "https://app.test/%2B14155550150.wav", loop: 0 }, {
      type: "hangup",
      cause: "end-of-markup",
    }],
  },
  "gather": {
    step: {
      type: "gather",
      prompts: [
        { say: "Type $known", voice: "man" },
        { pauseS: 2 },
        { play: "https://app.test/a.wav" },
      ],
      numDigits: 4,
      timeout: 7,
      finishOnKey: "*",
      input: ["dtmf", "speech"],
      language: "de-DE",
      hints: ["ja", "nein"],
    },
    script: [{
      type: "gather",
      prompts: [
        { type: "say", text: "Type it", voice: "man", language: "en-US", loop: 1 },
        { type: "silence", seconds: 2 },
        { type: "play", url: "https://app.test/a.wav", loop: 1 },
      ],
      timeoutS: 7,
      keys: { start: "0123456789*#", finish: "*", most: 4 },
      speech: { language: "de-DE", hints: ["ja", "nein"] },
    }],
  },
  "record": {
    step: { type: "record", timeout: 3, finishOnKey: "#", maxLength: 9, playBeep: false },
    script: [{
      type: "record",
      timeoutS: 3,
      finishOnKey: "#",
      maxLengthS: 9,
      playBeep: false,
      trim: true,
    }],
  },
  "enqueue": {
    step: { type: "enqueue", queue: "$known", waitUrl: "https://app.test/$known", maxSize: 9 },
    script: [{
      type: "consult",
      serviceContext: {
        kind: "enqueue",
        name: "it",
        most: 9,
        wait: { url: "https://app.test/it", method: "POST", hops: 0 },
      },
    }, { type: "hangup", cause: "end-of-markup" }],
  },
  "sms": {
    step: { type: "sms", to: "+12025550111", from: "$To", text: "Call $From" },
    script: [{
      type: "note",
      serviceContext: {
        kind: "sms",
        from: "+14155550150",
        to: "+12025550111",
        body: "Call +12025550199",
        statusCallbackMethod: "POST",
      },
    }, { type: "hangup", cause: "end-of-markup" }],
  },
  "email": {
    step: {
      type: "email",
      from: "a@app.test",
      to: "$known@app.test",
      cc: "c@app.test",
      bcc: "d@app.test",
      subject: "From $From",
      text: "Hi",
    },
    script: [{
      type: "note",
      serviceContext: {
        kind: "email",
        from: "a@app.test",
        to: "it@app.test",
        cc: "c@app.test",
        bcc: "d@app.test",
        subject: "From +12025550199",
        body: "Hi",
      },
    }, { type: "hangup", cause: "end-of-markup" }],
  },
  "hangup": { step: { type: "hangup" }, script: [{ type: "hangup" }] },
};

for (const [what, { step, script }] of Object.entries(becomes)) {
  Deno.test(`a flow's ${what} does the same as the verb`, async () => {
    using app = await startApp();
    const called = await calledFlow(app, flowOf({ a: step }, { variables: { known: "it" } }));

    const [answer, ...steps] = plain(called.script);
    const withoutSid = steps.map(({ recording: _, ...rest }: Record<string, unknown>) => rest);

    assert.deepEqual(answer, { type: "answer" });
    assert.deepEqual(withoutSid, script);
    assert.deepEqual(await notifications(app), []);
  });
}

Deno.test("a flow's dial calls its parties, with variables expanded", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const dial = {
    type: "dial",
    to: [{ client: "$who" }, { sip: "alice@sip.test" }, { number: "+14155550150" }],
    callerId: "$To",
    timeout: 9,
    timeLimit: 60,
    record: true,
  };
  const { script } = await calledFlow(app, flowOf({ a: dial }, { variables: { who: "alice" } }));

  const [step] = script;
  assert.ok(step?.type === "dial");
  assert.deepEqual(step.legs.map(({ to, from }) => [to, from]), [
    ["client:alice", "+14155550150"],
    ["client:alice", "+14155550150"],
    ["+14155550150", "+14155550150"],
  ]);
  assert.deepEqual([step.timeoutS, step.timeLimitS, step.record !== undefined], [9, 60, true]);
});

Deno.test("a flow's dial takes the next caller of the queue that it names", async () => {
  using app = await startApp();
  const dial = { type: "dial", to: [{ queue: "$line" }], timeout: 9, timeLimit: 60 };
  const { script } = await calledFlow(app, flowOf({ a: dial }, { variables: { line: "help" } }));

  const [step] = script;
  assert.ok(step?.type === "consult");
  const manner = { timeoutS: 9, timeLimitS: 60, hangupOnStar: false };
  assert.deepEqual(step.serviceContext, { kind: "dequeue", name: "help", ...manner });
});

Deno.test("a flow's redirect leaves it for the markup of a server", async () => {
  using app = await startApp();
  app.answers = () => xml("<Reject/>");
  const redirect = { type: "redirect", url: "https://app.test/$From", method: "GET" };
  const { leg, script } = await calledFlow(app, flowOf({ a: redirect }));

  const [step] = script;
  assert.ok(step?.type === "next");
  const url = "https://app.test/%2B12025550199";
  assert.deepEqual([step.action.url, step.action.method], [url, "GET"]);
  assert.deepEqual(await leg.report({ type: "next", action: step.action }), [
    { type: "reject", status: 603 },
  ]);
});

const pressed = (script: Script, digits: string, text?: string): LegEvent => ({
  type: "gathered",
  digits,
  ...text !== undefined && { speech: { text, confidence: 1 } },
  action: actionOf(script),
});

const menu = {
  menu: {
    type: "gather",
    input: ["dtmf", "speech"],
    branches: [
      { digits: "1", next: "one" },
      { speech: "the sales", next: "two" },
    ],
    noInput: "nothing",
    next: "other",
  },
  one: { type: "say", text: "one $Digits" },
  two: { type: "say", text: "two $SpeechResult$Digits" },
  nothing: { type: "say", text: "nothing $Digits" },
  other: { type: "say", text: "other $Digits" },
};

for (
  const [digits, said, speech] of [
    ["1", "one 1"],
    ["12", "other 12"],
    ["", "two To the Sales, please!", "To the Sales, please!"],
    ["", "other", "the salesman"],
  ] as const
) {
  Deno.test(`a gather goes on by its branches: "${digits}" ${speech ?? ""}`, async () => {
    using app = await startApp();
    const { leg, script } = await calledFlow(app, flowOf(menu));
    await leg.report({ type: "answered" }, { wantsScript: false });

    const [step] = await leg.report(pressed(script, digits, speech));

    assert.ok(step?.type === "say", JSON.stringify(step));
    assert.equal(step.text, said);
  });
}

Deno.test("a gather without input goes on at noInput, without the digits of one before", async () => {
  using app = await startApp();
  const again = {
    first: { type: "gather", next: "menu" },
    ...menu,
  };
  const { leg, script } = await calledFlow(app, flowOf(again));
  await leg.report({ type: "answered" }, { wantsScript: false });
  const second = await leg.report(pressed(script, "7"));

  const [step] = await leg.report({ type: "next", action: nextOf(second) });

  assert.ok(step?.type === "say");
  assert.equal(step.text, "nothing");
});

const dialled = (script: Script, outcome: "completed" | "busy"): LegEvent => ({
  type: "dialled",
  outcome,
  leg: `CA${"1".repeat(32)}`,
  durationS: 0,
  ringS: 0,
  action: actionOf(script),
});

for (const [outcome, said] of [["completed", "bye"], ["busy", "sorry, busy"]] as const) {
  Deno.test(`a dial that came to ${outcome} goes on where it says`, async () => {
    using app = await startApp();
    await made(app.root, "Clients", { Login: "alice", Password: "secret" });
    const { leg, script } = await calledFlow(
      app,
      flowOf({
        call: { type: "dial", to: [{ client: "alice" }], next: "bye", onFailure: "sorry" },
        bye: { type: "say", text: "bye" },
        sorry: { type: "say", text: "sorry, $DialCallStatus" },
      }),
    );
    const next = await leg.report(dialled(script, outcome));
    assert.deepEqual(next.flatMap((step) => step.type === "say" ? [step.text] : []), [said]);
  });
}

Deno.test("control sets variables and goes by its conditions", async () => {
  for (
    const [condition, holds] of [
      [{ variable: "n", is: "equal", value: "10.0" }, true],
      [{ variable: "n", is: "equal", value: "$m" }, false],
      [{ variable: "n", is: "notEqual", value: "ten" }, true],
      [{ variable: "n", is: "greater", value: "9" }, true],
      [{ variable: "n", is: "less", value: "9" }, false],
      [{ variable: "From", is: "startingWith", value: "+1202" }, true],
      [{ variable: "From", is: "containing", value: "555" }, true],
      [{ variable: "nobody", is: "empty" }, true],
      [{ variable: "constructor", is: "notEmpty" }, false],
    ] as const
  ) {
    using app = await startApp();
    const { script } = await calledFlow(
      app,
      flowOf({
        a: { type: "control", set: { n: "1$zero" }, next: "b" },
        b: { type: "control", conditions: [{ ...condition, next: "yes" }], next: "no" },
        yes: { type: "say", text: "yes" },
        no: { type: "say", text: "no" },
      }, { variables: { zero: "0", m: "11" } }),
    );
    const said = script.flatMap((step) => step.type === "say" ? [step.text] : []);
    assert.deepEqual(said, [holds ? "yes" : "no"], JSON.stringify(condition));
  }
});

import assert from "node:assert/strict";
import { stepKinds } from "../../core/model/flows/steps.ts";
import { startApp } from "../support/service/app.ts";
import { said, tried, way } from "../support/service/dry_run_lab.ts";
import { actionOf, calledFlow, flowOf, nextOf } from "../support/service/flow_lab.ts";
import { callCentre } from "../support/service/flow_samples.ts";
import { made } from "../support/service/hand_companion.ts";
import type { DryRunInput } from "../../core/trials/dry_run_inputs.ts";

const end = { type: "say", text: "end" };

/** Every kind of step: its verbs, what it takes, and where the input leads. */
const kinds: Record<string, {
  Kind?: string;
  step: object;
  /** The first verb. */
  verb?: object;
  takes?: string[];
  input?: DryRunInput;
  result?: Record<string, unknown>;
  to: string[];
}> = {
  say: {
    step: { type: "say", text: "Hello $From", language: "de", next: "end" },
    verb: { verb: "Say", attributes: { language: "de" }, text: "Hello +12025550123", verbs: [] },
    to: ["end"],
  },
  play: {
    step: { type: "play", url: "https://app.test/$To.wav", next: "end" },
    verb: { verb: "Play", attributes: {}, text: "https://app.test/%2B12025550145.wav", verbs: [] },
    to: ["end"],
  },
  gather: {
    step: {
      type: "gather",
      input: ["dtmf", "speech"],
      prompts: [{ say: "Press" }],
      branches: [{ speech: "sales", next: "end" }],
    },
    verb: {
      verb: "Gather",
      attributes: { input: "dtmf speech" },
      text: "",
      verbs: [{ verb: "Say", attributes: {}, text: "Press", verbs: [] }],
    },
    takes: ["keys", "speech", "nothing", "hangup"],
    input: { type: "speech", text: "To the Sales, please", confidence: 0.5 },
    result: { SpeechResult: "To the Sales, please", Confidence: "0.5" },
    to: ["end"],
  },
  record: {
    step: { type: "record", maxLength: 9, next: "end" },
    takes: ["recording", "nothing", "hangup"],
    input: { type: "recording", seconds: 20, key: "#" },
    result: { RecordingDuration: "9", Digits: "#" },
    to: ["end"],
  },
  dial: {
    step: { type: "dial", to: [{ client: "alice" }], onFailure: "end" },
    verb: {
      verb: "Dial",
      attributes: {},
      text: "",
      verbs: [{ verb: "Client", attributes: {}, text: "alice", verbs: [] }],
    },
    takes: ["call", "hangup"],
    input: { type: "call", status: "no-answer" },
    result: { DialCallStatus: "no-answer", DialCallDuration: "0" },
    to: ["end"],
  },
  enqueue: {
    step: {
      type: "enqueue",
      queue: "of $To",
      prompts: [{ say: "You are number $QueuePosition." }],
      leaveKey: "*",
      onFull: "end",
    },
    verb: { verb: "Enqueue", attributes: {}, text: "of +12025550145", verbs: [] },
    takes: ["queue", "hangup"],
    input: { type: "queue", result: "queue-full" },
    result: { QueueResult: "queue-full", QueueTime: "0" },
    to: ["end"],
  },
  sms: {
    step: { type: "sms", to: "+12025550111", text: "Hi $From", next: "end" },
    verb: {
      verb: "Sms",
      attributes: { to: "+12025550111" },
      text: "Hi +12025550123",
      verbs: [],
    },
    result: { SmsStatus: "sending" },
    to: ["end"],
  },
  email: {
    step: {
      type: "email",
      from: "a@app.test",
      to: "b@app.test",
      subject: "Of $From",
      text: "Hi",
      next: "end",
    },
    verb: {
      verb: "Email",
      attributes: { from: "a@app.test", to: "b@app.test", subject: "Of +12025550123" },
      text: "Hi",
      verbs: [],
    },
    to: ["end"],
  },
  externalService: {
    step: {
      type: "externalService",
      url: "https://crm.test/$From",
      extract: { name: "user.name" },
      onRemoteError: "end",
    },
    takes: ["response", "noResponse"],
    input: { type: "response", status: 404, body: "{}" },
    result: { ServiceStatus: "404" },
    to: ["end"],
  },
  control: {
    step: {
      type: "control",
      set: { who: "$From" },
      conditions: [{ variable: "who", is: "startingWith", value: "+1", next: "end" }],
    },
    to: ["end"],
  },
  redirect: { step: { type: "redirect", url: "https://app.test/$To" }, to: [] },
  hangup: { step: { type: "hangup" }, to: [] },
  ussdMessage: {
    Kind: "ussd",
    step: { type: "ussdMessage", text: "You are $From", next: "shown" },
    verb: { verb: "UssdMessage", attributes: {}, text: "You are +12025550123", verbs: [] },
    to: ["shown"],
  },
  ussdCollect: {
    Kind: "ussd",
    step: { type: "ussdCollect", text: "1?", branches: [{ digits: "1", next: "shown" }] },
    takes: ["reply", "nothing", "hangup"],
    input: { type: "reply", text: "1" },
    result: { Digits: "1" },
    to: ["shown"],
  },
};

Deno.test("the dry run is tried with every kind of step", () => {
  assert.deepEqual(Object.keys(kinds).sort(), Object.keys(stepKinds).sort());
});

for (
  const [type, { Kind = "voice", step, verb, takes, input, result, to }] of Object.entries(kinds)
) {
  Deno.test(`a dry run performs ${type}: its markup, its inputs, its results`, async () => {
    using app = await startApp();
    await made(app.root, "Clients", { Login: "alice", Password: "secret" });
    const last = Kind === "ussd" ? { shown: { type: "ussdMessage", text: "end" } } : { end };
    const flow = flowOf({ a: step, ...last });

    const first = await tried(app, flow, [], { Kind });
    assert.deepEqual(first.awaits?.inputs, takes);
    assert.deepEqual([first.steps[0]?.step, first.steps[0]?.type], ["a", type]);
    if (verb !== undefined) assert.deepEqual(first.steps[0]?.verbs[0], verb);
    const whole = await tried(app, flow, input === undefined ? [] : [input], { Kind });
    assert.deepEqual(way(whole), ["a", ...to]);
    assert.equal(whole.awaits, null);
    assert.equal(whole.end?.reason, type === "redirect" ? "redirect" : "hangup");
    const [{ result: brought, notes }] = whole.steps as [(typeof whole.steps)[0]];
    for (const [name, value] of Object.entries(result ?? {})) {
      assert.equal(brought[name], value, name);
      assert.equal(whole.variables[name], value, name);
    }
    assert.deepEqual(notes, type === "externalService" ? ['step "a": it answered 404'] : []);
    const { records } = app.ports;
    for (const kept of [records.calls, records.messages, records.emails, records.notifications]) {
      const { total } = await kept.list(app.root.sid, { where: [], skip: 0, limit: 1 });
      assert.equal(total, 0);
    }
    assert.deepEqual(app.scripts, []);
  });
}

Deno.test("a dry run waits in a queue, shows what the caller hears, and goes on by the result", async () => {
  using app = await startApp();
  const flow = flowOf({
    wait: {
      type: "enqueue",
      queue: "help",
      prompts: [{ say: "You are number $QueuePosition." }],
      musicS: 10,
      leaveKey: "*",
      onLeave: "left",
      next: "met",
    },
    left: { type: "say", text: "left after $QueueTime" },
    met: { type: "say", text: "met after $QueueTime" },
  });
  const waits = await tried(app, flow);
  assert.deepEqual(said(waits), ["You are number 1."]);
  assert.match(JSON.stringify(waits.steps[0]?.verbs), /"music":"true"/);
  for (const [result, words] of [["leave", "left after 7"], ["bridged", "met after 7"]] as const) {
    const trace = await tried(app, flow, [{ type: "queue", result, seconds: 7 }]);
    assert.equal(said(trace).at(-1), words);
  }
  const gone = await tried(app, flow, [{ type: "hangup" }]);
  assert.deepEqual([gone.steps.at(-1)?.result.QueueResult, gone.end?.reason], ["hangup", "caller"]);
});

Deno.test("a dry run takes the next caller of a queue, or finds it empty", async () => {
  using app = await startApp();
  const flow = flowOf({
    take: { type: "dial", to: [{ queue: "help" }], onFailure: "empty", next: "met" },
    empty: { type: "say", text: "empty: $DialCallStatus" },
    met: { type: "say", text: "met for $DialCallDuration" },
  });
  const taken = await tried(app, flow, [{ type: "call", status: "completed", seconds: 9 }]);
  assert.deepEqual(said(taken), ["met for 9"]);
  const empty = await tried(app, flow, [{ type: "call", status: "no-answer" }]);
  assert.deepEqual(said(empty), ["empty: no-answer"]);
});

Deno.test("a dry run speaks the same texts as a call, by the same inputs", async () => {
  using app = await startApp({ ports: { mailer: null } });
  await made(app.root, "Clients", { Login: "bob", Password: "secret" });
  const customer = { customer: { name: "Ada", agents: ["bob"] } };
  const inputs: DryRunInput[] = [
    { type: "nothing" },
    { type: "keys", digits: "1234" },
    {
      type: "response",
      status: 200,
      body: JSON.stringify(customer),
    },
    { type: "call", status: "busy" },
    { type: "recording", seconds: 5, hangup: true },
  ];
  app.answers = () => Response.json(customer);
  const trace = await tried(app, callCentre, inputs, { From: "+12025550199", To: "+14155550150" });

  const { script, leg } = await calledFlow(app, callCentre);
  const texts: string[] = [];
  const hear = (steps: typeof script) => {
    for (const step of steps) {
      if (step.type === "say") texts.push(step.text);
      if (step.type === "gather") {
        for (const one of step.prompts) if (one.type === "say") texts.push(one.text);
      }
    }
    return steps;
  };
  hear(script);
  await leg.report({ type: "answered" }, { wantsScript: false });
  const again = hear(await leg.report({ type: "next", action: nextOf(script) }));
  const found = hear(
    await leg.report({ type: "gathered", digits: "1234", action: actionOf(again) }),
  );
  const legs = found.flatMap((step) => step.type === "dial" ? step.legs : []);

  assert.deepEqual(said(trace).map((text) => text.trim()), texts);
  assert.equal(texts.at(-1), "Hello Ada");
  assert.deepEqual(way(trace), [
    "ask",
    "ask",
    "lookUp",
    "greet",
    "known",
    "connect",
    "message",
    "mail",
  ]);
  assert.equal(legs[0]?.to, "client:bob");
  assert.deepEqual(trace.steps[5]?.verbs[0]?.verbs[0]?.text, "bob");
  const mail = trace.steps.at(-1)!;
  assert.equal(mail.variables.RecordingDuration, "5");
  assert.equal(mail.variables.name, "Ada");
  assert.match(mail.notes.join(), /SMTP_URL/);
  assert.equal(trace.end?.reason, "caller");
});

Deno.test("a request of a dry run is shown with its variables, and none is sent", async () => {
  using app = await startApp();
  app.answers = () => assert.fail("a request was sent");
  const step = {
    type: "externalService",
    url: "https://crm.test/find",
    method: "POST",
    parameters: [{ name: "who", value: "$From" }],
    username: "me",
    password: "hidden-password",
    onRemoteError: "failed",
    extract: { name: "user" },
    next: "found",
  };
  const flow = flowOf({
    a: step,
    found: { type: "say", text: "$name" },
    failed: { type: "say", text: "$ServiceStatus!" },
  });
  const waits = await tried(app, flow);
  assert.deepEqual(waits.steps[0]?.request, {
    method: "POST",
    url: "https://crm.test/find",
    body: "who=%2B12025550123",
  });
  assert.doesNotMatch(JSON.stringify(waits), /hidden-password/);
  const answered = await tried(app, flow, [{
    type: "response",
    status: 200,
    body: '{"user":"Ada"}',
  }]);
  assert.deepEqual(said(answered), ["Ada"]);
  const silent = await tried(app, flow, [{ type: "noResponse" }]);
  assert.deepEqual(said(silent), ["!"]);
  assert.match(silent.steps[0]!.notes.join(), /step "a": .*no response in time/);
  const broken = await tried(app, flow, [{ type: "response", status: 200, body: "<html>" }]);
  assert.match(broken.steps[0]!.notes.join(), /no JSON/);
  const empty = await tried(app, flow, [{ type: "response", status: 204 }]);
  assert.match(empty.steps[0]!.notes.join(), /no JSON/);
});

const menu = flowOf({
  menu: {
    type: "gather",
    numDigits: 2,
    prompts: [{ say: "Which?" }],
    branches: [{ digits: "12", next: "one" }],
    noInput: "nothing",
    next: "menu",
  },
  one: { type: "say", text: "One", loop: 0, next: "never" },
  never: { type: "say", text: "Never" },
  nothing: { type: "say", text: "Nothing" },
});

Deno.test("keys of a dry run end an input as on a call; further keys are noted", async () => {
  using app = await startApp();
  const trace = await tried(app, menu, [{ type: "keys", digits: "129" }]);
  assert.deepEqual(way(trace), ["menu", "one"]);
  assert.match(trace.steps[0]!.notes.join(), /keys 9 come after/);
  assert.deepEqual(trace.awaits?.inputs, ["hangup"]);
  const left = await tried(app, menu, [{ type: "keys", digits: "12" }, { type: "hangup" }]);
  assert.equal(left.end?.reason, "caller");
  const none = await tried(app, menu, [{ type: "nothing" }]);
  assert.deepEqual(said(none), ["Which?", "Nothing"]);
  const finished = await tried(app, menu, [{ type: "keys", digits: "#" }]);
  assert.deepEqual(way(finished), ["menu", "nothing"]);
});

Deno.test("a dry run stops at an input that does not fit, and says why", async () => {
  using app = await startApp();
  const trace = await tried(app, menu, [{ type: "keys", digits: "3" }, {
    type: "reply",
    text: "a",
  }]);
  assert.equal(trace.used, 1);
  assert.deepEqual(way(trace), ["menu", "menu"]);
  assert.equal(
    trace.awaits?.problem,
    'Input 2 is "reply", and step "menu" takes keys, nothing, hangup',
  );
});

Deno.test("a dry run of a flow without end stops", async () => {
  using app = await startApp();
  const said = flowOf({
    a: { type: "say", text: "a", next: "b" },
    b: { type: "say", text: "b", next: "a" },
  });
  assert.equal((await tried(app, said)).end?.reason, "limit");
  const silent = flowOf({ a: { type: "control", next: "a" } });
  assert.equal((await tried(app, silent)).end?.reason, "failed");
  const texts = flowOf({ a: { type: "sms", to: "+12025550111", text: "a", next: "a" } });
  const { end } = await tried(app, texts, [], { Kind: "sms", Body: "hi" });
  assert.equal(end?.reason, "failed");
});

Deno.test("a dry run notes callees that cannot be called", async () => {
  using app = await startApp();
  const flow = flowOf({ a: { type: "dial", to: [{ client: "nobody" }], onFailure: "b" }, b: end });
  const trace = await tried(app, flow);
  assert.deepEqual(way(trace), ["a", "b"]);
  assert.match(trace.steps[0]!.notes.join(), /Cannot route the call: .*: client:nobody/);
  assert.equal(trace.steps[0]!.result.DialCallStatus, "failed");
});

Deno.test("a dry run of a message has its text, and performs the steps that need no call", async () => {
  using app = await startApp();
  const flow = flowOf({
    a: {
      type: "control",
      conditions: [{ variable: "Body", is: "startingWith", value: "help", next: "b" }],
    },
    b: { type: "sms", text: "You wrote $Body", next: "c" },
    c: { type: "hangup" },
  });
  const trace = await tried(app, flow, [], { Kind: "sms", Body: "help me" });
  assert.deepEqual(way(trace), ["a", "b"]);
  assert.equal(trace.steps[1]!.verbs[0]!.text, "You wrote help me");
  assert.equal(trace.end?.reason, "hangup");
});

Deno.test("after a hang-up in a Dial the steps without a caller still run", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const flow = flowOf({
    a: { type: "dial", to: [{ client: "alice" }], next: "b" },
    b: { type: "sms", to: "+12025550111", text: "$DialCallStatus", next: "c" },
    c: { type: "say", text: "Not heard", next: "d" },
    d: { type: "sms", to: "+12025550111", text: "Not sent" },
  });
  for (
    const [input, status] of [
      [{ type: "hangup" }, "canceled"],
      [{ type: "call", status: "completed", seconds: 7, hangup: true }, "completed"],
    ] as const
  ) {
    const trace = await tried(app, flow, [input]);
    assert.deepEqual(way(trace), ["a", "b"]);
    assert.equal(trace.steps[1]!.verbs[0]!.text, status);
    assert.equal(trace.end?.reason, "caller");
  }
});

Deno.test("POST /Applications/DryRuns refuses invalid flows, inputs and JSON", async () => {
  using app = await startApp();
  const Flow = JSON.stringify(flowOf({ a: end }));
  const post = (form: Record<string, string>, path = "Applications/DryRuns.json") =>
    app.root.post(path, form);
  for (
    const [form, message] of [
      [{}, /Flow/],
      [{ Flow: "{" }, /must be JSON/],
      [{ Flow: JSON.stringify(flowOf({ a: { type: "say" } })) }, /step "a": text: is required/],
      [{ Flow, Kind: "ussd" }, /say is none of those of Kind ussd/],
      [{ Flow, Inputs: "[" }, /Inputs.*must be JSON/],
      [{ Flow, Inputs: "{}" }, /Inputs.*must be a list/],
      [{ Flow, Inputs: '[{"type":"dance"}]' }, /Inputs.*0.*must be one of keys, speech/],
      [{ Flow, Inputs: '[{"type":"keys","digits":"x"}]' }, /Inputs.*0\.digits: must be keys/],
    ] as const
  ) {
    const response = await post(form as Record<string, string>);
    assert.equal(response.status, 400, response.text);
    assert.match(response.json().message, message);
  }
  assert.equal((await post({ Flow }, "Applications/DryRuns")).status, 406);
  assert.equal((await app.root.get("Applications/DryRuns.json")).status, 404);
});

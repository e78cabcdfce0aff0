import assert from "node:assert/strict";
import { flowErrors } from "../../../../core/model/flows/check_flow.ts";
import { limits } from "../../../../core/base/limits.ts";
import { callCentre } from "../../../support/service/flow_samples.ts";
import { assertFits, document } from "../../../support/service/openapi.ts";

/** A flow of one step `a`, beside a step `b` that hangs up. */
const flowOf = (step: unknown) =>
  JSON.stringify({ start: "a", steps: { a: step, b: { type: "hangup" } } });

const service = { type: "externalService", url: "https://app.test/" };

/** What is wrong with a step, and the whole of what is told. */
const wrongSteps: Record<string, [step: unknown, error: string]> = {
  "no object": ["say", 'step "a": must be an object'],
  "no type": [
    {},
    'step "a": type: must be one of say, play, gather, record, dial, enqueue, ussdMessage, ' +
    "ussdCollect, sms, email, externalService, control, redirect, hangup",
  ],
  "an unknown type": [
    { type: "sing" },
    'step "a": type: must be one of say, play, gather, ' +
    "record, dial, enqueue, ussdMessage, ussdCollect, sms, email, externalService, control, redirect, " +
    "hangup",
  ],
  "an unknown field": [
    { type: "hangup", reason: "busy" },
    'step "a": "reason" is unknown here',
  ],
  "a missing field": [{ type: "say" }, 'step "a": text: is required'],
  "an empty text": [{ type: "say", text: "" }, 'step "a": text: must not be empty'],
  "a long text": [
    { type: "sms", text: "x".repeat(10_001) },
    'step "a": text: must have at most 10000 characters',
  ],
  "a loop below 0": [{ type: "say", text: "x", loop: -1 }, 'step "a": loop: must be at least 0'],
  "a loop above 1000": [
    { type: "say", text: "x", loop: 1001 },
    'step "a": loop: must be at most 1000',
  ],
  "a loop of text": [{ type: "say", text: "x", loop: "2" }, 'step "a": loop: must be a number'],
  "a language": [
    { type: "say", text: "x", language: "english please" },
    'step "a": language: must be a language tag like en-US',
  ],
  "an address of another kind": [
    { type: "play", url: "ftp://app.test/a.wav" },
    'step "a": url: must be an absolute http or https URL, or begin with a variable',
  ],
  "an address of this service alone": [
    { type: "redirect", url: `flow:AP${"0".repeat(32)}` },
    'step "a": url: must be an absolute http or https URL, or begin with a variable',
  ],
  "keys": [
    { type: "gather", finishOnKey: "x" },
    'step "a": finishOnKey: must be keys of a telephone',
  ],
  "a prompt of two": [
    { type: "gather", prompts: [{ say: "x", pauseS: 1 }] },
    'step "a": prompts.0: needs one of say, play and pauseS',
  ],
  "a branch for nothing": [
    { type: "gather", branches: [{ next: "b" }] },
    'step "a": branches.0: needs either digits or speech',
  ],
  "a branch to nowhere": [
    { type: "gather", branches: [{ digits: "1", next: "b" }, { digits: "2", next: "c" }] },
    'step "a": branches.1.next: there is no step "c"',
  ],
  "a hint that is two": [
    { type: "gather", hints: ["a,b"] },
    'step "a": hints.0: must hold no comma',
  ],
  "nobody to dial": [{ type: "dial", to: [] }, 'step "a": to: needs at least 1'],
  "a callee of two": [
    { type: "dial", to: [{ number: "1", client: "bob" }] },
    'step "a": to.0: needs one of number, client, sip, conference and queue',
  ],
  "a queue beside another callee": [
    { type: "dial", to: [{ client: "bob" }, { queue: "help" }] },
    'step "a": to.1.queue: a queue is dialled alone',
  ],
  "no queue to enter": [{ type: "enqueue" }, 'step "a": queue: is required'],
  "a long name of a queue": [
    { type: "enqueue", queue: "x".repeat(65) },
    'step "a": queue: must have at most 64 characters',
  ],
  "two keys that leave a queue": [
    { type: "enqueue", queue: "x", leaveKey: "12" },
    'step "a": leaveKey: must be a key of a telephone',
  ],
  "a full queue that leads to nowhere": [
    { type: "enqueue", queue: "x", onFull: "c" },
    'step "a": onFull: there is no step "c"',
  ],
  "two kinds of sounds of a queue": [
    { type: "enqueue", queue: "x", waitUrl: "https://app.test/", leaveKey: "*" },
    'step "a": leaveKey: is not possible with waitUrl, whose server decides what is heard',
  ],
  "a next step that is not there": [
    { type: "say", text: "x", next: "prototype" },
    'step "a": next: there is no step "prototype"',
  ],
  "an error handler that is not there": [
    { ...service, onRemoteError: "c" },
    'step "a": onRemoteError: there is no step "c"',
  ],
  "a condition without a value": [
    { type: "control", conditions: [{ variable: "x", is: "equal", next: "b" }] },
    'step "a": conditions.0: needs a value, unless it is about empty or notEmpty, which has none',
  ],
  "a comparison": [
    { type: "control", conditions: [{ variable: "x", is: "like", value: "", next: "b" }] },
    'step "a": conditions.0.is: must be one of equal, notEqual, containing, startingWith, ' +
    "greater, less, empty, notEmpty",
  ],
  "a name of a variable": [
    { type: "control", set: { "a b": "1" } },
    'step "a": set.a b: must be a letter or _ and at most 63 letters, digits and _',
  ],
  "a method": [{ ...service, method: "PUT" }, 'step "a": method: must be one of GET, POST'],
  "a content type of a GET": [
    { ...service, contentType: "form" },
    'step "a": contentType: is of a POST only',
  ],
  "a body of a GET": [{ ...service, body: "x" }, 'step "a": body: is of a POST only'],
  "a population of a GET": [
    { ...service, population: "auto" },
    'step "a": population: is of a POST only',
  ],
  "JSON populated by itself": [
    { ...service, method: "POST", contentType: "json", population: "auto", body: "{}" },
    'step "a": population: must be manual for JSON, whose body is written by hand',
  ],
  "JSON of parameters": [
    {
      ...service,
      method: "POST",
      contentType: "json",
      body: "{}",
      parameters: [{ name: "a", value: "b" }],
    },
    'step "a": parameters: a JSON body is written by hand, in body',
  ],
  "JSON without a body": [
    { ...service, method: "POST", contentType: "json" },
    'step "a": body: is required',
  ],
  "a manual form without a body": [
    { ...service, method: "POST", population: "manual" },
    'step "a": body: is required',
  ],
  "a body that nobody asked for": [
    { ...service, method: "POST", body: "a=b" },
    'step "a": body: needs population to be manual',
  ],
  "a user without a password": [
    { ...service, username: "u" },
    'step "a": password: is required with the other',
  ],
};

for (const [what, [step, error]] of Object.entries(wrongSteps)) {
  Deno.test(`flowErrors() names the step and the rule: ${what}`, () => {
    assert.deepEqual(flowErrors(flowOf(step)), [error]);
  });
}

const hangup = { type: "hangup" };
const wrongFlows: Record<string, [flow: unknown, error: RegExp]> = {
  "no object": [[], /^must be an object$/],
  "no steps": [{ start: "a" }, /^steps: is required$/],
  "a start that is no step": [
    { start: "x", steps: { a: hangup } },
    /^start: there is no step "x"$/,
  ],
  "an unknown field": [{ start: "a", steps: { a: hangup }, end: 1 }, /^"end" is unknown here$/],
  "a name of a step": [
    { start: "a", steps: { a: hangup, "b c": hangup } },
    /^step "b c": must be a letter and at most 63 letters, digits and _$/,
  ],
  "too many steps": [
    {
      start: "a0",
      steps: Object.fromEntries(
        Array.from({ length: limits.flowSteps + 1 }, (_, at) => [`a${at}`, hangup]),
      ),
    },
    /^must have at most 200 steps$/,
  ],
};

for (const [what, [flow, error]] of Object.entries(wrongFlows)) {
  Deno.test(`flowErrors() tells what is wrong with a flow: ${what}`, () => {
    const [first, ...others] = flowErrors(JSON.stringify(flow));
    assert.match(first ?? "", error);
    assert.deepEqual(others, []);
  });
}

Deno.test("flowErrors() bounds the bytes of a flow, and wants JSON", () => {
  const padded = flowOf({ type: "say", text: "語" }).padEnd(limits.flowBytes - 2);
  assert.deepEqual(flowErrors(padded), []);
  assert.match(flowErrors(`${padded} `)[0]!, /^must have at most 40960 bytes, and has 40961$/);
  assert.match(flowErrors('{"start":')[0]!, /^must be JSON: /);
});

Deno.test("a flow is as the description of the interface says", () => {
  assert.deepEqual(flowErrors(JSON.stringify(callCentre)), []);
  assertFits("Flow", callCentre);
  const kinds = Object.keys(document.components.schemas!).filter((name) => /^Flow/.test(name));
  assert.ok(kinds.includes("FlowExternalService") && kinds.includes("FlowBranch"), kinds.join());
});

Deno.test("the flow that docs/reference/flows.md shows is one", async () => {
  const text = await Deno.readTextFile(
    new URL("../../../../docs/reference/flows.md", import.meta.url),
  );
  const [, shown] = /```json\n(\{"start"[^`]*)```/.exec(text)!;
  assert.deepEqual(flowErrors(shown!), []);
});

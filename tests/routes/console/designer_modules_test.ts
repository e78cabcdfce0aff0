import assert from "node:assert/strict";
import {
  addStep,
  connect,
  moveStep,
  removeStep,
  renameStep,
} from "../../../routes/console/assets/designer/edits.js";
import { placeOf, ruleOf, valueOf } from "../../../routes/console/assets/designer/dom.js";
import { heightOf, layoutOf, nodeWidth } from "../../../routes/console/assets/designer/layout.js";
import { orderOf, readSchemas } from "../../../routes/console/assets/designer/links.js";
import { createModel } from "../../../routes/console/assets/designer/model.js";
import { readText } from "../../../routes/console/assets/designer/text.js";
import { flowSchemas } from "../../../core/openapi/flow_schemas.ts";
import { flowErrors } from "../../../core/model/flows/check_flow.ts";
import { stepKinds } from "../../../core/model/flows/steps.ts";
import { callCentre } from "../../support/service/flow_samples.ts";

/** The modules of the page that touch no page. */

const schemas = readSchemas({ schemas: flowSchemas, kinds: { voice: Object.keys(stepKinds) } });
const { portsOf } = schemas;
// deno-lint-ignore no-explicit-any -- The modules of the page are JavaScript.
const fresh = (): any => structuredClone(callCentre);

Deno.test("every field of the schemas that leads to a step is a port", () => {
  assert.deepEqual(
    portsOf(fresh().steps.ask).map(({ id, label, target }) => [id, label, target]),
    [
      ["branches.0.next", "0", "operator"],
      ["noInput", "no input", "ask"],
      ["next", "otherwise", "lookUp"],
    ],
  );
  const kinds = Object.keys(stepKinds).map((type) => [type, portsOf({ type }).map(({ id }) => id)]);
  assert.deepEqual(Object.fromEntries(kinds), {
    say: ["next"],
    play: ["next"],
    gather: ["noInput", "next"],
    record: ["noRecording", "next"],
    dial: ["onFailure", "next"],
    enqueue: ["onLeave", "onFull", "onError", "next"],
    ussdMessage: ["next"],
    ussdCollect: ["next"],
    sms: ["next"],
    email: ["next"],
    externalService: ["onRemoteError", "next"],
    control: ["next"],
    redirect: [],
    hangup: [],
  });
  assert.deepEqual(portsOf({ type: "nothing" }), []);
  assert.deepEqual(portsOf({ type: "gather", branches: [null, "x"] }).length, 4);
});

Deno.test("the place of a problem has the words of the form", () => {
  const places = {
    "": "",
    numDigits: "Number of keys",
    "branches.0.next": "Branch 1, Next step",
    "to.1": "Callee 2",
    "prompts.2.say": "Prompt 3, Say",
    "conditions.0.is": "Condition 1, Comparison",
    method: "Method",
  };
  for (const [field, words] of Object.entries(places)) assert.equal(placeOf(field), words);
});

Deno.test("a rule has the words of the form, and names as they are", () => {
  const rules = {
    "needs one of say, play and pauseS": "needs one of Say, Play and Pause (s)",
    "needs either digits or speech": "needs either Keys pressed or Speech",
    "is not possible with waitUrl, whose server decides what is heard":
      "is not possible with URL of other sounds, whose server decides what is heard",
    'there is no step "onCall"': 'there is no step "onCall"',
    "must have at most 64 characters": "must have at most 64 characters",
    "must be keys of a telephone": "must be keys of a telephone",
  };
  for (const [rule, words] of Object.entries(rules)) assert.equal(ruleOf(rule), words);
});

Deno.test("every value that a form offers has words of its own, or says enough", () => {
  const codes = new Set<string>();
  JSON.stringify(flowSchemas, (_, value) => {
    for (const one of value?.enum ?? []) if (/[a-z][A-Z]|-/.test(one)) codes.add(one);
    return value;
  });
  assert.ok(codes.has("startingWith"));
  assert.deepEqual([...codes].filter((one) => valueOf(one) === one), []);
});

/** Pairs of steps whose cards cover each other. */
function covered(flow: ReturnType<typeof fresh>): string[] {
  const placed = layoutOf(flow, portsOf);
  const names = Object.keys(flow.steps);
  return names.flatMap((one, at) =>
    names.slice(at + 1).filter((other) => {
      const [a, b] = [placed.get(one), placed.get(other)];
      return Math.abs(a.x - b.x) < nodeWidth && a.y < b.y + heightOf(flow.steps[other], portsOf) &&
        b.y < a.y + heightOf(flow.steps[one], portsOf);
    }).map((other) => `${one} ${other}`)
  );
}

Deno.test("the layout covers no step by another, also of flows with loops and steps that are not reached", () => {
  assert.deepEqual(covered(fresh()), []);
  const steps: Record<string, unknown> = {};
  for (let n = 0; n < 200; n++) {
    const next = (at: number) => `s${(at * 7 + 3) % 190}`;
    steps[`s${n}`] = {
      type: "gather",
      branches: Array.from({ length: n % 5 }, (_, at) => ({ digits: `${at}`, next: next(n + at) })),
      next: next(n),
      noInput: `s${n}`,
    };
  }
  assert.deepEqual(covered({ start: "s0", steps }), []);
  assert.deepEqual(covered({ start: "gone", steps }), []);
  assert.equal(layoutOf({ start: "", steps: {} }, portsOf).size, 0);
});

Deno.test("positions of the flow come before the layout, and a first move keeps all others", () => {
  const flow = fresh();
  const before = layoutOf(flow, portsOf);
  moveStep(flow, "greet", { x: 10.4, y: -5 }, schemas);
  assert.deepEqual(flow.positions.greet, { x: 10, y: 0 });
  assert.deepEqual(layoutOf(flow, portsOf).get("ask"), before.get("ask"));
  assert.deepEqual(flowErrors(JSON.stringify(flow)), []);
});

Deno.test("a renamed step is led to by its new name, a removed one by none", () => {
  const flow = fresh();
  renameStep(flow, "operator", "desk", schemas);
  assert.equal(flow.steps.ask.branches[0].next, "desk");
  assert.equal(flow.steps.known.next, "desk");
  assert.deepEqual(
    Object.keys(flow.steps),
    Object.keys(callCentre.steps).map((name) => name === "operator" ? "desk" : name),
  );
  assert.deepEqual(flowErrors(JSON.stringify(flow)), []);
  assert.throws(() => renameStep(flow, "desk", "bye", schemas), /already/);
  assert.throws(() => renameStep(flow, "desk", "1 x", schemas), /letter/);
  renameStep(flow, "ask", "begin", schemas);
  assert.deepEqual([flow.start, flow.steps.begin.noInput], ["begin", "begin"]);

  removeStep(flow, "desk", schemas);
  assert.deepEqual(flow.steps.begin.branches, [{ digits: "0" }]);
  assert.equal(flow.steps.known.next, undefined);
  removeStep(flow, "begin", schemas);
  assert.equal(flow.start, "lookUp");
});

Deno.test("a new step follows the one that was selected, by its first free way on", () => {
  // deno-lint-ignore no-explicit-any -- The modules of the page are JavaScript.
  const flow: any = { start: "", steps: {} };
  const add = (type: string, after: string | null) => addStep(flow, type, { after, schemas });
  assert.equal(add("gather", null), "gather");
  assert.equal(add("say", "gather"), "say");
  assert.equal(add("say", "gather"), "say2");
  assert.equal(add("hangup", "gather"), "hangup");
  assert.equal(add("dial", "hangup"), "dial");
  assert.deepEqual(flow, {
    start: "gather",
    steps: {
      gather: { type: "gather", next: "say", noInput: "say2" },
      say: { type: "say" },
      say2: { type: "say" },
      hangup: { type: "hangup" },
      dial: { type: "dial", to: [{}] },
    },
  });
  connect(flow, "gather", "next", undefined);
  assert.deepEqual(orderOf(flow, portsOf), {
    reached: ["gather", "say2"],
    unreached: ["say", "hangup", "dial"],
  });
  moveStep(flow, "gather", { x: 40, y: 40 }, schemas);
  add("play", "gather");
  assert.deepEqual(covered(flow), []);
});

Deno.test("a new step takes the branch that has none, before the plain way on", () => {
  const branches: Record<string, string>[] = [{ digits: "1", next: "bye" }, { digits: "2" }];
  // deno-lint-ignore no-explicit-any -- The modules of the page are JavaScript.
  const flow: any = {
    start: "gather",
    steps: { gather: { type: "gather", branches }, bye: { type: "hangup" } },
  };
  const add = (type: string) => addStep(flow, type, { after: "gather", schemas });
  assert.equal(add("say"), "say");
  assert.deepEqual(branches, [{ digits: "1", next: "bye" }, { digits: "2", next: "say" }]);
  assert.equal(flow.steps.gather.next, undefined);
  assert.equal(add("pause"), "pause");
  assert.equal(flow.steps.gather.next, "pause");
});

Deno.test("undo goes back change by change, and letters of one field together", () => {
  const model = createModel(fresh());
  const say = (text: string) =>
    model.change(
      (flow: ReturnType<typeof fresh>) => void (flow.steps.greet.text = text),
      "greet text",
    );
  say("H");
  say("Hi");
  model.change((flow: ReturnType<typeof fresh>) => removeStep(flow, "bye", schemas));
  assert.deepEqual([model.canUndo, model.canRedo], [true, false]);
  model.undo();
  assert.equal(model.flow.steps.bye.type, "hangup");
  assert.equal(model.flow.steps.greet.text, "Hi");
  model.undo();
  assert.deepEqual(model.flow, fresh());
  assert.equal(model.undo(), false);
  model.redo();
  assert.equal(model.flow.steps.greet.text, "Hi");
  say("Ho");
  assert.equal(model.canRedo, false);
  model.change(() => undefined);
  model.undo();
  assert.equal(model.flow.steps.greet.text, "Hi");
});

Deno.test("a text that is no flow is not taken over, and the reason is given", () => {
  assert.match(readText("{").reason!, /cannot be read/);
  assert.match(readText("[]").reason!, /object with start and steps/);
  assert.match(readText('{"steps":[]}').reason!, /object with start and steps/);
  assert.match(readText('{"steps":{"a":1}}').reason!, /Step "a" is no object/);
  assert.deepEqual(readText('{"steps":{}}').flow, { start: "", steps: {} });
});

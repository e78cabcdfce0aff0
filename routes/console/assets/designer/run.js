import { el, later } from "./dom.js";
import { fieldsOf } from "./fields.js";

/** Labels of the buttons of inputs, by type. */
const acts = {
  keys: "Press",
  speech: "Say",
  nothing: "Do nothing",
  hangup: "Hang up",
  recording: "Record",
  call: "End the call",
  queue: "Leave the queue",
  response: "Respond",
  noResponse: "Do not respond",
  reply: "Reply",
};

/**
 * The dry run: the steps that a simulated caller came through, and forms of what may come next. The
 * server performs it anew for each input, by the code that performs calls.
 */
export function createRun({ model, schemas, kindOf, send, say, ends, redraw, show, panel }) {
  const state = { inputs: [], trace: null, turn: 0, way: { has: () => false, at: null } };
  const list = el("ol", { class: "trace" });
  const next = el("div", { class: "trace-next" });
  const status = el("p", { class: "hidden", role: "status" });
  const start = el("button", { type: "button", class: "main", onclick: () => begin() }, "Start");
  const back = el("button", { type: "button", onclick: () => stepBack() }, "Step back");
  const stop = el("button", { type: "button", class: "quiet", onclick: () => close() }, "Close");
  panel.append(el("div", { class: "actions" }, start, back, stop), list, next, status);

  async function perform(focuses = false) {
    const before = withoutSids(state.trace);
    const turn = ++state.turn;
    try {
      const trace = await send("/dry-run", {
        Flow: JSON.stringify(model.flow),
        Kind: kindOf(),
        Inputs: JSON.stringify(state.inputs),
        ...ends(),
      });
      if (turn !== state.turn) return; // A later run shows more.
      state.trace = trace;
      if (state.trace.awaits?.problem) state.inputs.length = state.trace.used;
    } catch ({ message }) {
      state.trace = null;
      say(message);
      next.replaceChildren(el("p", { class: "problem", role: "alert" }, `${message}.`));
      list.replaceChildren();
    }
    // Text that is being typed for the next input stays where the change had no effect.
    if (!focuses && before === withoutSids(state.trace)) return;
    state.way = wayOf(state.trace);
    draw(focuses);
    redraw();
    if (state.way.at !== null) show(state.way.at);
  }

  const begin = () => {
    state.inputs = [];
    return perform(true);
  };
  const stepBack = () => {
    state.inputs.pop();
    return perform(true);
  };
  function close() {
    state.turn++;
    state.trace = null;
    state.inputs = [];
    state.way = wayOf(null);
    list.replaceChildren();
    next.replaceChildren();
    draw(false);
    redraw();
  }
  const give = (input) => {
    state.inputs.push(input);
    return perform(true);
  };

  function draw(focuses) {
    const { trace } = state;
    start.textContent = trace === null ? "Start" : "Start again";
    back.disabled = trace === null || state.inputs.length === 0;
    stop.hidden = trace === null;
    if (trace === null) return;
    const open = [...list.querySelectorAll("details")].map((one) => one.open);
    list.replaceChildren(
      ...trace.steps.map((step, at) => entryOf(step, trace.steps[at - 1], model)),
    );
    list.querySelectorAll("details").forEach((one, at) => one.open = open[at] ?? false);
    next.replaceChildren(...nextOf(trace));
    status.textContent = trace.end?.detail ?? `Step ${trace.awaits.step} waits`;
    if (focuses) (next.querySelector("input, select, textarea, button") ?? next).focus();
    list.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  function nextOf({ awaits, end, variables }) {
    const known = variablesOf("All variables", variables, {});
    if (end !== null) {
      return [el("p", { class: "trace-end", tabindex: "-1" }, el("strong", {}, end.detail)), known];
    }
    return [
      el("h2", {}, `${awaits.step} waits`),
      awaits.problem ? el("p", { class: "problem" }, awaits.problem) : null,
      ...awaits.inputs.map((type) => inputForm(type)),
      known,
    ].filter((one) => one !== null);
  }

  function inputForm(type) {
    const schema = schemas.schemas.DryRunInput.oneOf.find((one) =>
      one.properties.type.const === type
    );
    const input = { type };
    const shape = { schemas, problemSlots: [], stepNames: () => [] };
    const change = ([name], value) => {
      if (value === undefined) delete input[name];
      else input[name] = value;
    };
    const fields = fieldsOf(withFirst(schema, input), input, {
      path: [],
      skip: ["type"],
      shape,
      change,
    });
    return el(
      "form",
      {
        class: "input-form",
        onsubmit(event) {
          event.preventDefault();
          give(input);
        },
      },
      fields,
      el("button", { type: "submit" }, acts[type] ?? type),
    );
  }

  return {
    trail: () => state.way,
    /** Performs it again with the same inputs, once the flow is quiet. */
    again: later(400, () => {
      if (state.trace !== null) perform();
    }),
  };
}

/** Required choices and numbers begin with a value. */
function withFirst(schema, input) {
  for (const name of schema.required ?? []) {
    const { enum: options, type } = schema.properties[name];
    if (options) input[name] = options[0];
    if (type === "integer") input[name] = name === "status" ? 200 : 5;
  }
  return schema;
}

/** A trace as a text that is the same for the same run: each one has Sids and times of its own. */
const withoutSids = (trace) =>
  JSON.stringify(trace)?.replaceAll(/[A-Z]{2}[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");

/** The steps that a run came through, the pairs that followed each other, and where it waits. */
function wayOf(trace) {
  const names = trace?.steps.map(({ step }) => step) ?? [];
  const pairs = new Set(names.slice(1).map((name, at) => `${names[at]} ${name}`));
  return {
    has: (name) => names.includes(name),
    pairs,
    at: trace?.awaits?.step ?? names.at(-1) ?? null,
  };
}

/** One step of the trace. */
function entryOf({ step, type, variables, verbs, request, input, result, notes }, before, model) {
  return el(
    "li",
    {},
    el(
      "p",
      { class: "trace-step" },
      el("button", { type: "button", class: "link", onclick: () => model.select(step) }, step),
      el("span", { class: "soft" }, ` ${type}`),
    ),
    verbs.flatMap(wordsOf).map((text) => el("p", { class: "trace-verb" }, text)),
    request ? el("p", { class: "trace-verb" }, `Requests ${request.method} ${request.url}`) : null,
    request?.body ? el("pre", {}, request.body) : null,
    notes.map((text) => el("p", { class: "advice" }, text)),
    input ? el("p", { class: "trace-input" }, inputWords(input)) : null,
    variablesOf("Variables", variables, before?.variables ?? null, result),
  );
}

/** A verb as people read it. */
function wordsOf({ verb, text, attributes, verbs }) {
  const more = Object.entries(attributes).map(([name, value]) => `${name} ${value}`).join(", ");
  const inside = verbs.flatMap(wordsOf);
  return [`${verb}${text ? ` “${text}”` : ""}${more ? ` (${more})` : ""}`, ...inside];
}

const inputWords = ({ type, ...more }) =>
  `${acts[type] ?? type}${
    Object.values(more).length > 0 ? `: ${Object.values(more).join(", ")}` : ""
  }`;

/** Variables as a table; those that are new since the step before are marked. */
function variablesOf(title, variables, before, result = {}) {
  const shown = { ...variables, ...result };
  const isNew = (name) => before !== null && (before[name] !== shown[name] || name in result);
  const names = Object.keys(shown).sort((one, other) => Number(isNew(other)) - Number(isNew(one)));
  const fresh = names.filter(isNew);
  return el(
    "details",
    { class: "variables" },
    el(
      "summary",
      {},
      title,
      fresh.length > 0 && before !== null && title === "Variables"
        ? el("span", { class: "soft" }, ` ${fresh.map((name) => `$${name}`).join(" ")}`)
        : null,
    ),
    el(
      "dl",
      {},
      names.map((name) =>
        el(
          "div",
          { class: isNew(name) && title === "Variables" ? "fresh" : undefined },
          el("dt", {}, `$${name}`),
          el("dd", {}, shown[name] === "" ? "(empty)" : shown[name]),
        )
      ),
    ),
  );
}

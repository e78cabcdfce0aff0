import { el, ruleOf, titleOf } from "./dom.js";
import { removeStep, renameStep } from "./edits.js";
import { fieldsOf, small } from "./fields.js";

/** The queues that steps of the flow name. */
const queuesIn = ({ steps }) =>
  Object.values(steps).flatMap(({ type, queue, to }) =>
    type === "enqueue" ? [queue] : Array.isArray(to) ? to.map((one) => one?.queue) : []
  ).filter((name) => typeof name === "string" && name !== "" && !name.includes("$"));

/** The form of the selected step, and of the flow as a whole. */
export function createForm({ model, schemas, problems, kindOf, say }) {
  const view = el("div", { class: "step-form" });
  const shape = {
    schemas,
    known: {
      ...schemas.known,
      get queue() {
        return [...new Set([...schemas.known.queue ?? [], ...queuesIn(model.flow)])];
      },
    },
    problemSlots: [],
    stepNames: () => Object.keys(model.flow.steps),
  };
  const state = { isQuiet: false, focus: null };

  /** Changes a value of a step, or of the flow where `step` is null. */
  const changer = (step) => (path, value, key = null, focus = null) => {
    state.isQuiet = key !== null;
    state.focus = focus;
    model.change((flow) => {
      const place = path.slice(0, -1).reduce(
        (at, name) => at[name] ??= {},
        step === null ? flow : flow.steps[step],
      );
      const name = path.at(-1);
      if (value === undefined) delete place[name];
      else place[name] = value;
    }, key && `${step} ${key}`);
    state.isQuiet = false;
  };

  function draw() {
    if (state.isQuiet) return;
    const focus = state.focus ?? document.activeElement?.dataset?.field;
    state.focus = null;
    shape.problemSlots.length = 0;
    const name = model.selected;
    view.replaceChildren(...name === null ? nothing() : stepForm(name), flowForm());
    mark();
    if (focus) {
      const exact = view.querySelector(`[data-field="${CSS.escape(focus)}"]`);
      (exact ?? view.querySelector(`[data-field^="${CSS.escape(focus)}"]`))?.focus();
    }
  }

  const nothing = () => [
    el("p", { class: "soft" }, "Select a step in the canvas or the list, or add one."),
  ];

  function stepForm(name) {
    const step = model.flow.steps[name];
    const isStart = model.flow.start === name;
    return [
      el("h2", { tabindex: "-1", id: "step-heading" }, `Step ${name}`),
      nameField(name),
      typeField(name, step),
      el("p", { class: "field-problem", "data-problem": "", id: "step-problem" }),
      ...fieldsOf(schemas.stepSchema(step.type), step, {
        skip: ["type"],
        shape,
        change: changer(name),
      }),
      el(
        "div",
        { class: "actions" },
        isStart
          ? el("span", { class: "soft" }, "The flow begins here.")
          : small("Set as first step", false, `Set ${name} as first step`, () =>
            model.change((flow) =>
              void (flow.start = name)
            )),
        small("Remove step", false, `Remove step ${name}`, () => {
          model.change((flow) => removeStep(flow, name, schemas));
          say(`Step ${name} removed`);
        }),
      ),
    ];
  }

  function nameField(name) {
    const problem = el("p", { class: "field-problem", id: "name-problem", role: "alert" });
    const input = el("input", {
      id: "step-name",
      type: "text",
      value: name,
      autocomplete: "off",
      spellcheck: "false",
      "data-field": "step-name",
      "aria-describedby": "name-problem",
      onchange() {
        problem.textContent = "";
        try {
          model.change((flow) => renameStep(flow, name, input.value.trim(), schemas));
        } catch ({ message }) {
          problem.textContent = message;
        }
      },
    });
    return el("div", { class: "input" }, el("label", { for: "step-name" }, "Name"), input, problem);
  }

  function typeField(name, step) {
    const known = schemas.kinds[kindOf()] ?? [];
    const types = known.includes(step.type) ? known : [step.type, ...known];
    return el(
      "div",
      { class: "input" },
      el("label", { for: "step-type" }, "Type"),
      el(
        "select",
        {
          id: "step-type",
          "data-field": "type",
          onchange: ({ target }) =>
            model.change((flow) => {
              const { properties } = schemas.stepSchema(target.value);
              const kept = Object.entries(flow.steps[name]).filter(([field]) =>
                field in properties
              );
              flow.steps[name] = { ...Object.fromEntries(kept), type: target.value };
            }),
        },
        types.map((type) =>
          el("option", { value: type, selected: type === step.type }, titleOf(type))
        ),
      ),
      el("p", { class: "hint" }, schemas.stepSchema(step.type).description ?? ""),
    );
  }

  const flowForm = () =>
    el(
      "details",
      { class: "flow-form" },
      el("summary", {}, "Variables and first step"),
      ...fieldsOf(schemas.schemas.Flow, model.flow, {
        skip: ["steps", "positions"],
        shape: { ...shape, problemSlots: shape.problemSlots },
        change: changer(null),
      }),
    );

  /** Shows each problem at its field, or at the step where it is about none. */
  function mark() {
    const own = problems().filter(({ step }) => step === model.selected && step !== null);
    const slots = [...view.querySelectorAll("[data-problem]")];
    for (const slot of slots) slot.textContent = "";
    for (const { field, rule } of own) {
      const fits = slots.filter(({ dataset: { problem } }) =>
        problem !== "" && (field === problem || field.startsWith(`${problem}.`))
      );
      const slot = fits.sort((one, other) =>
        other.dataset.problem.length - one.dataset.problem.length
      )[0] ?? view.querySelector("#step-problem");
      if (slot) slot.textContent = [slot.textContent, ruleOf(rule)].filter(Boolean).join("; ");
    }
    for (const input of view.querySelectorAll("[aria-describedby]")) {
      const [id] = input.getAttribute("aria-describedby").split(" ");
      const isWrong = Boolean(document.getElementById(id)?.textContent);
      if (isWrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  return { view, draw, mark, focus: () => view.querySelector("#step-name")?.select() };
}

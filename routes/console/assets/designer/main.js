import { createCanvas } from "./canvas.js";
import { el, later, placeOf, ruleOf, titleOf } from "./dom.js";
import { addStep, removeStep } from "./edits.js";
import { createForm } from "./form.js";
import { readSchemas } from "./links.js";
import { createModel } from "./model.js";
import { createOutline } from "./outline.js";
import { createRun } from "./run.js";
import { createSaving } from "./saving.js";
import { senderOf } from "./send.js";
import { createText, readText } from "./text.js";

const page = document.getElementById("designer");
const part = (name) => document.getElementById(`designer-${name}`);
const { base, csrf } = page.dataset;
const area = part("flow");
/** The least scale at which a flow is shown first. */
const readable = .8;
/** Below this width of the window the canvas takes the place of the menu and of the list of steps. */
const wideBelow = 1_450;

const { flow } = readText(area.value);
const response = await fetch(`${base}/schema`, { headers: { Accept: "application/json" } });
// Without a schema, or with a text that is no flow, the form of the page stays as it is.
if (response.ok && !response.redirected && flow !== undefined) {
  design(readSchemas(await response.json()));
}

function design(schemas) {
  const model = createModel(flow);
  const send = senderOf({ base, csrf });
  const kind = part("kind");
  const state = { found: [], problems: [], untouched: undefined, fields: "" };
  const say = (text) => part("status").textContent = text;
  const context = {
    model,
    schemas,
    send,
    say,
    kindOf: () => kind.value,
    problems: () => state.problems,
    trail: () => run?.trail() ?? { has: () => false, at: null },
    openForm(focuses = true) {
      open("step");
      if (focuses) form.focus();
    },
    remove(name) {
      model.change((flow) => removeStep(flow, name, schemas));
      say(`Step ${name} removed`);
      canvas.view.focus();
    },
    redraw: () => (canvas.draw(), outline.draw()),
    show: (name) => canvas.show(name),
    ends: () => Object.fromEntries(new FormData(part("ends"))),
    panel: part("run"),
  };
  const canvas = createCanvas(context);
  const outline = createOutline(context);
  const form = createForm(context);
  const text = createText({ model, area, problem: part("text-problem") });
  const run = createRun(context);
  const saving = createSaving({ ...context, part });
  part("canvas").append(canvas.view);
  part("outline").append(outline.view);
  part("step").append(form.view);

  const check = later(250, async () => {
    const [checked, of] = [model.flow, kind.value];
    try {
      const { problems } = await send("/check", {
        Flow: JSON.stringify(model.flow),
        Kind: kind.value,
      });
      if (checked !== model.flow || of !== kind.value) return; // Another check follows.
      const before = JSON.stringify(state.problems);
      const isEmpty = Object.keys(model.flow.steps).length === 0;
      state.found = isEmpty ? [] : problems;
      state.problems = shownOf(state.found);
      showProblems(state.problems);
      if (isEmpty) part("verdict").textContent = "No steps yet";
      if (JSON.stringify(state.problems) !== before) context.redraw();
      form.mark();
      if (problems.length === 0) run.again();
    } catch ({ message }) {
      say(message);
    }
  });

  /** Leaves out problems of a new step without any field filled in. */
  const shownOf = (found) => found.filter(({ step }) => step === null || step !== state.untouched);

  /** A step that was added counts as touched once it is changed or another one is selected. */
  function touch() {
    if (state.untouched === undefined) return;
    const { type, ...fields } = model.flow.steps[state.untouched] ?? {};
    const isSame = type !== undefined && JSON.stringify(fields) === state.fields;
    if (isSame && model.selected === state.untouched) return;
    state.untouched = undefined;
    state.problems = shownOf(state.found);
    showProblems(state.problems);
    context.redraw();
    form.mark();
  }

  function showProblems(problems) {
    part("problems").replaceChildren(...problems.map(({ step, field, rule }) =>
      el(
        "li",
        {},
        step === null || !Object.hasOwn(model.flow.steps, step)
          ? `${placeOf(field)}${field ? ": " : ""}${ruleOf(rule)}`
          : el("button", {
            type: "button",
            class: "link",
            onclick: () => (model.select(step), context.openForm()),
          }, `${step}${field ? `, ${placeOf(field)}` : ""}: ${ruleOf(rule)}`),
      )
    ));
    const count = problems.length;
    part("verdict").textContent = count === 0
      ? "No problems"
      : count === 1
      ? "1 problem"
      : `${count} problems`;
    part("verdict").classList.toggle("bad", count > 0);
  }

  function draw() {
    context.redraw();
    form.draw();
    text.draw();
    saving.draw();
    part("undo").disabled = !model.canUndo;
    part("redo").disabled = !model.canRedo;
    if (model.selected !== null) canvas.show(model.selected);
  }

  let last = model.flow;
  model.watch(() => {
    draw();
    touch();
    if (model.flow !== last) check();
    last = model.flow;
  });

  function open(name) {
    for (const tab of part("tabs").querySelectorAll("button")) {
      tab.setAttribute("aria-pressed", String(tab.value === name));
    }
    for (const panel of part("panels").children) panel.hidden = panel.dataset.panel !== name;
  }

  const types = part("type");
  const fillTypes = () =>
    types.replaceChildren(
      ...(schemas.kinds[kind.value] ?? []).map((type) =>
        el("option", { value: type }, titleOf(type))
      ),
    );
  kind.addEventListener("change", () => (fillTypes(), form.draw(), check()));
  part("add").addEventListener("click", () => {
    const after = model.selected;
    model.change((flow) => {
      const name = addStep(flow, types.value, { after, schemas });
      const { type: _, ...fields } = flow.steps[name];
      [state.untouched, state.fields] = [name, JSON.stringify(fields)];
      return name;
    });
    say(`Step ${model.selected} added`);
    context.openForm();
  });
  part("undo").addEventListener("click", () => model.undo());
  part("redo").addEventListener("click", () => model.redo());
  part("larger").addEventListener("click", () => canvas.zoom(1));
  part("smaller").addEventListener("click", () => canvas.zoom(-1));
  part("fit").addEventListener("click", () => canvas.fit());
  const widen = (isWide) => {
    page.classList.toggle("broad", isWide);
    part("wide").setAttribute("aria-pressed", String(isWide));
  };
  part("wide").addEventListener("click", () => widen(!page.classList.contains("broad")));
  part("arrange").addEventListener(
    "click",
    () => model.change((flow) => void delete flow.positions),
  );
  part("tabs").addEventListener("click", ({ target }) => target.value && open(target.value));
  page.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, textarea, select");
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || isTyping) return;
    event.preventDefault();
    if (event.shiftKey) model.redo();
    else model.undo();
  });

  page.classList.add("designing");
  widen(innerWidth < wideBelow);
  for (const hidden of page.querySelectorAll("[data-scripted]")) hidden.hidden = false;
  fillTypes();
  open("step");
  draw();
  canvas.fit(readable);
  check();
}

import { el, svg } from "./dom.js";
import { heightOf, layoutOf, nodeWidth, portY } from "./layout.js";
import { problemWords, summaryOf } from "./links.js";
import { arrow, focusCard, line } from "./canvas_parts.js";
import { keysOf } from "./canvas_keys.js";
import { pointersOf } from "./canvas_pointers.js";

/** Scales of the canvas. */
const zooms = [.4, .5, .65, .8, 1, 1.25, 1.5];

/**
 * The flow as a picture: a card for each step, with a port for each way on and a line to the step
 * that it leads to. `context` has the model, the schemas, the problems and the way of a dry run.
 */
export function createCanvas(context) {
  const { model, schemas } = context;
  const lines = svg("svg", { class: "lines", "aria-hidden": "true" });
  const cards = el("div", { class: "cards" });
  const hint = el("p", { class: "canvas-hint" }, "Choose a type above, and add the first step.");
  const board = el("div", { class: "board" }, lines, cards, hint);
  const view = el("div", {
    class: "canvas",
    role: "group",
    tabindex: "0",
    "aria-label": "Canvas of the flow",
    "aria-describedby": "canvas-help",
  }, board);
  const state = { zoom: 1, positions: new Map(), isDragging: false, view, lines, cards, draw };

  function draw() {
    // A dragged card stays as it is until then.
    state.isStale = state.isDragging;
    if (state.isDragging) return;
    const { flow } = model;
    state.positions = layoutOf(flow, schemas.portsOf);
    const focused = document.activeElement?.closest?.(".node")?.dataset.step;
    cards.replaceChildren(
      ...Object.keys(flow.steps).map((name) => card(name, flow.steps[name], state, context)),
    );
    hint.hidden = Object.keys(flow.steps).length > 0;
    drawLines(state, context);
    if (focused !== undefined) focusCard(state, focused);
  }

  function zoom(by) {
    const at = zooms.indexOf(state.zoom);
    state.zoom = zooms[Math.min(zooms.length - 1, Math.max(0, at + by))];
    resize(state);
  }

  /** The largest scale at which all of the flow shows, and at least `least`. */
  function fit(least = 0) {
    const { width, height } = sizeOf(state, model.flow, schemas);
    const fits = zooms.filter((one) =>
      one <= 1 && width * one <= view.clientWidth && height * one <= view.clientHeight
    );
    state.zoom = Math.max(least, fits.at(-1) ?? zooms[0]);
    resize(state);
    view.scrollTo(0, 0);
  }

  const resize = () => {
    const { width, height } = sizeOf(state, model.flow, schemas);
    board.style.width = `${width * state.zoom}px`;
    board.style.height = `${height * state.zoom}px`;
    for (const part of [lines, cards]) part.style.transform = `scale(${state.zoom})`;
  };
  state.resize = resize;
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1 : -1);
  }, { passive: false });
  pointersOf(state, context);
  keysOf(state, context);
  return { view, draw, zoom, fit, show: (name) => showCard(state, name) };
}

function sizeOf({ positions }, flow, { portsOf }) {
  const ends = Object.keys(flow.steps).map((name) => ({
    x: positions.get(name).x + nodeWidth,
    y: positions.get(name).y + heightOf(flow.steps[name], portsOf),
  }));
  return {
    width: Math.max(200, ...ends.map(({ x }) => x)) + 64,
    height: Math.max(120, ...ends.map(({ y }) => y)) + 48,
  };
}

/** The card of a step. */
function card(name, step, { positions }, { model, schemas, problems, trail }) {
  const wrong = problems().filter((one) => one.step === name).length;
  const ports = schemas.portsOf(step);
  const marks = [
    model.flow.start === name && "start",
    model.selected === name && "selected",
    wrong > 0 && "wrong",
    trail().has(name) && "visited",
    trail().at === name && "current",
  ].filter(Boolean);
  const node = el(
    "div",
    { class: `node ${marks.join(" ")}`, "data-step": name },
    el(
      "button",
      {
        type: "button",
        class: "node-head",
        tabindex: (model.selected ?? model.flow.start) === name ? "0" : "-1",
        "aria-pressed": String(model.selected === name),
      },
      el("span", { class: "node-name" }, name),
      el("span", { class: "node-type" }, step.type ?? "?"),
      el("span", { class: "node-text" }, wrong > 0 ? problemWords(wrong) : summaryOf(step)),
      el("span", { class: "hidden" }, labelOf(ports, marks)),
    ),
    ports.map(({ id, label }) =>
      el(
        "div",
        { class: "port", "data-port": id },
        el("span", { class: "port-label" }, label),
        el("span", { class: "port-dot" }),
      )
    ),
  );
  const { x, y } = positions.get(name);
  node.style.left = `${x}px`;
  node.style.top = `${y}px`;
  return node;
}

/** Description of a card's looks in words. */
function labelOf(ports, marks) {
  const ways = ports.map(({ label, target }) => `${label}: ${target || "no step of its own"}`);
  return [
    marks.includes("start") && "first step",
    marks.includes("current") && "the dry run is here",
    ...ways,
  ].filter(Boolean).map((one) => `; ${one}`).join("");
}

/** Draws a line from each port to the step that it leads to. */
function drawLines(state, { model, schemas, trail }) {
  const { flow } = model;
  const { positions, lines } = state;
  const { width, height } = sizeOf(state, flow, schemas);
  lines.setAttribute("viewBox", `0 0 ${width} ${height}`);
  lines.style.width = `${width}px`;
  lines.style.height = `${height}px`;
  state.resize();
  const way = trail();
  const drawn = Object.entries(flow.steps).flatMap(([name, step]) =>
    schemas.portsOf(step).map(({ target }, at) => {
      if (!Object.hasOwn(flow.steps, target ?? "")) return null;
      const from = positions.get(name);
      const to = positions.get(target);
      const isWalked = way.pairs?.has(`${name} ${target}`);
      return line({ x: from.x + nodeWidth, y: from.y + portY(at) }, { x: to.x, y: to.y + 20 }, {
        class: isWalked ? "walked" : "",
        top: Math.min(from.y, to.y),
      });
    })
  );
  lines.replaceChildren(arrow(), ...drawn.filter((one) => one !== null));
}

/** Scrolls the canvas as little as shows a step. */
function showCard(state, name) {
  const at = state.positions.get(name);
  if (at === undefined) return;
  const { view, zoom } = state;
  const margin = 40;
  const within = (seen, room, from, to) =>
    Math.max(to + margin - room, Math.min(seen, from - margin));
  view.scrollTo(
    within(view.scrollLeft, view.clientWidth, at.x * zoom, (at.x + nodeWidth) * zoom),
    within(view.scrollTop, view.clientHeight, at.y * zoom, (at.y + 100) * zoom),
  );
}

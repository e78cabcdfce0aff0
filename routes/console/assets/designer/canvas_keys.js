import { focusCard } from "./canvas_parts.js";
import { moveStep } from "./edits.js";

const ways = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Pixels of one move by a key. */
const stride = 20;

/**
 * Keys on the canvas: arrows go to the next step in that direction, with Shift they move the step;
 * Enter goes to its form, Delete removes it.
 */
export function keysOf(state, { model, schemas, openForm, remove }) {
  state.view.addEventListener("keydown", (event) => {
    const name = event.target.closest(".node")?.dataset.step;
    if (name === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = ways[event.key];
    if (way !== undefined) {
      event.preventDefault();
      if (event.shiftKey) return shift(name, way);
      const next = nearest(state.positions, name, way, Object.keys(model.flow.steps));
      if (next === undefined) return;
      model.select(next);
      focusCard(state, next);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      model.select(name);
      openForm();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      remove(name);
    }
  });

  function shift(name, [dx, dy]) {
    const { x, y } = state.positions.get(name);
    model.change((flow) => {
      moveStep(flow, name, { x: x + dx * stride, y: y + dy * stride }, schemas);
      return name;
    }, `move ${name}`);
  }
}

/** The nearest step in a direction: one that is askew counts as further away. */
function nearest(positions, from, [dx, dy], names) {
  const at = positions.get(from);
  const found = names.filter((name) => name !== from).map((name) => {
    const to = positions.get(name);
    const along = (to.x - at.x) * dx + (to.y - at.y) * dy;
    const across = Math.abs((to.x - at.x) * dy) + Math.abs((to.y - at.y) * dx);
    return { name, along, distance: along + 2 * across };
  }).filter(({ along }) => along > 0);
  return found.sort((one, other) => one.distance - other.distance)[0]?.name;
}

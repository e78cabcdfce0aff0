import { svg } from "./dom.js";

/** The head of a line. */
export const arrow = () =>
  svg(
    "defs",
    {},
    svg("marker", {
      id: "arrow",
      viewBox: "0 0 8 8",
      refX: "7",
      refY: "4",
      markerWidth: "11",
      markerHeight: "11",
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    }, svg("path", { d: "M0 0 8 4 0 8z" })),
  );

/**
 * A line that leaves to the right and comes in from the left. One that goes back passes above
 * `top`, the upper edge of the two steps.
 */
export function line(from, to, { top = Math.min(from.y, to.y) - 20, ...attributes } = {}) {
  const end = to.x - 3;
  const bend = Math.max(36, Math.min(160, Math.abs(to.x - from.x) / 2));
  const [out, back, over] = [from.x + 44, to.x - 44, top - 14];
  const d = to.x > from.x
    ? `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${end - bend} ${to.y} ${end} ${to.y}`
    : `M${from.x} ${from.y}C${out} ${from.y} ${out} ${over} ${from.x - 24} ${over}` +
      `L${to.x + 24} ${over}C${back} ${over} ${back} ${to.y} ${end} ${to.y}`;
  return svg("path", { d, "marker-end": "url(#arrow)", ...attributes });
}

/** The button of a step's card. */
export const headOf = ({ cards }, name) =>
  cards.querySelector(`[data-step="${CSS.escape(name)}"] .node-head`);

export const focusCard = (state, name) => headOf(state, name)?.focus({ preventScroll: true });

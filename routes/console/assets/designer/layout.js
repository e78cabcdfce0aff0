import { orderOf } from "./links.js";

export const nodeWidth = 208;
const [headHeight, portHeight] = [58, 26];
const [gapX, gapY, margin] = [92, 36, 40];

export const heightOf = (step, portsOf) => headHeight + portsOf(step).length * portHeight + 6;

/** The middle of a port, from the upper edge of its step. */
export const portY = (at) => headHeight + at * portHeight + portHeight / 2;

/**
 * Positions of steps: as the flow says, else in columns by the number of steps on the way. A step
 * stands beside the port that leads to it, if that place is free.
 */
export function layoutOf(flow, portsOf) {
  const placed = new Map(Object.entries(flow.positions ?? {}));
  const { reached, unreached } = orderOf(flow, portsOf);
  const column = new Map();
  const wanted = new Map();
  for (const name of reached) {
    const at = column.get(name) ?? 0;
    column.set(name, at);
    for (const { target } of portsOf(flow.steps[name])) {
      if (Object.hasOwn(flow.steps, target ?? "") && !column.has(target)) {
        column.set(target, at + 1);
        wanted.set(target, name);
      }
    }
  }
  const free = new Map();
  const place = (name, at, least) => {
    if (placed.has(name)) return;
    const y = Math.max(free.get(at) ?? margin, least);
    placed.set(name, { x: margin + at * (nodeWidth + gapX), y });
    free.set(at, y + heightOf(flow.steps[name], portsOf) + gapY);
  };
  for (const name of reached) {
    const parent = wanted.get(name);
    place(name, column.get(name), parent === undefined ? margin : placed.get(parent).y);
  }
  const below = Math.max(margin, ...[...free.values()]);
  unreached.forEach((name, at) => {
    free.set(at, Math.max(free.get(at) ?? 0, below));
    place(name, at, below);
  });
  return placed;
}

/** A place for a new step beside the one that leads to it, where no other stands. */
export function placeBeside(name, positions, flow, portsOf) {
  const from = positions.get(name) ?? { x: margin - nodeWidth - gapX, y: margin };
  const x = from.x + nodeWidth + gapX;
  let { y } = from;
  const isTaken = () =>
    [...positions].some(([one, at]) =>
      Object.hasOwn(flow.steps, one) && Math.abs(at.x - x) < nodeWidth &&
      y < at.y + heightOf(flow.steps[one], portsOf) + 8 && at.y < y + 120
    );
  while (isTaken()) y += 40;
  return { x, y };
}

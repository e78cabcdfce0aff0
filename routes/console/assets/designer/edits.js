import { layoutOf, placeBeside } from "./layout.js";

/** Changes of a flow, made in place. Those that make a step return its name. */

/** Adds a step of a kind; the first free port of the step `after` leads to it. */
export function addStep(flow, type, { after, schemas }) {
  const { portsOf, stepSchema } = schemas;
  const name = freeName(flow, type);
  const positions = flow.positions === undefined ? null : layoutOf(flow, portsOf);
  flow.steps[name] = { type, ...skeletonOf(stepSchema(type)) };
  if (positions !== null) flow.positions[name] = placeBeside(after, positions, flow, portsOf);
  if (Object.keys(flow.steps).length === 1 || !Object.hasOwn(flow.steps, flow.start)) {
    flow.start = name;
  }
  const source = after === null ? undefined : flow.steps[after];
  const port = source && freePort(portsOf(source));
  if (port) connect(flow, after, port.id, name);
  return name;
}

/**
 * The port that a new step is led to from: a branch without a step, which is a problem until it has
 * one; else the plain way on, else any that leads nowhere.
 */
const freePort = (ports) => {
  const free = ports.filter(({ target }) => target === undefined || target === "");
  const isBranch = ({ id }) => id.includes(".");
  return free.find(isBranch) ?? free.find(({ id }) => id === "next") ?? free[0];
};

/** Lists that a step needs begin with one empty part. */
const skeletonOf = ({ properties = {}, required = [] }) =>
  Object.fromEntries(
    required.filter((field) => properties[field]?.type === "array").map((field) => [field, [{}]]),
  );

function freeName(flow, type) {
  for (let n = 1;; n++) {
    const name = n === 1 ? type : `${type}${n}`;
    if (!Object.hasOwn(flow.steps, name)) return name;
  }
}

/** Removes a step, and the connections to it. */
export function removeStep(flow, name, { portsOf }) {
  delete flow.steps[name];
  delete flow.positions?.[name];
  for (const [one, step] of Object.entries(flow.steps)) {
    for (const { id, target } of portsOf(step)) {
      if (target === name) connect(flow, one, id, undefined);
    }
  }
  if (flow.start === name) flow.start = Object.keys(flow.steps)[0] ?? "";
}

/** Gives a step another name, also where it is led to. Throws an Error where it cannot have it. */
export function renameStep(flow, name, to, { portsOf, pattern }) {
  if (to === name) return to;
  if (!new RegExp(pattern).test(to)) {
    throw new Error("A name is a letter and at most 63 letters, digits and _");
  }
  if (Object.hasOwn(flow.steps, to)) throw new Error(`There is a step "${to}" already`);
  flow.steps = Object.fromEntries(
    Object.entries(flow.steps).map(([one, step]) => [one === name ? to : one, step]),
  );
  for (const [one, step] of Object.entries(flow.steps)) {
    for (const { id, target } of portsOf(step)) if (target === name) connect(flow, one, id, to);
  }
  if (flow.start === name) flow.start = to;
  if (flow.positions?.[name]) {
    flow.positions[to] = flow.positions[name];
    delete flow.positions[name];
  }
  return to;
}

/** Leads a port of a step to another step; undefined: nowhere. */
export function connect(flow, name, port, target) {
  const path = port.split(".");
  const field = path.pop();
  const place = path.reduce((value, key) => value[key], flow.steps[name]);
  if (target === undefined) delete place[field];
  else place[field] = target;
}

/** Moves a step. From the first move on, the flow says where each stands. */
export function moveStep(flow, name, { x, y }, { portsOf }) {
  flow.positions = Object.fromEntries(layoutOf(flow, portsOf));
  flow.positions[name] = { x: Math.max(0, Math.round(x)), y: Math.max(0, Math.round(y)) };
}

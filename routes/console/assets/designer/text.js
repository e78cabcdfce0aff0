import { later } from "./dom.js";

/** The JSON of the flow, which is edited as a text: both ways. */
export function createText({ model, area, problem }) {
  let isOwn = false;

  function draw() {
    if (isOwn || document.activeElement === area && area.value !== "") return;
    show();
  }

  function show() {
    area.value = JSON.stringify(model.flow, null, 2);
    problem.textContent = "";
  }

  const take = later(200, () => {
    const { flow, reason } = readText(area.value);
    problem.textContent = reason ?? "";
    if (flow === undefined) return;
    isOwn = true;
    model.change((before) => {
      for (const name of Object.keys(before)) delete before[name];
      Object.assign(before, flow);
    }, "text");
    isOwn = false;
  });
  area.addEventListener("input", take);
  area.addEventListener("blur", () => {
    if (problem.textContent === "") show();
  });
  return { draw };
}

/** The flow of a text, as far as it can be shown; else why not. */
export function readText(text) {
  let flow;
  try {
    flow = JSON.parse(text);
  } catch ({ message }) {
    return { reason: `The JSON cannot be read: ${message}` };
  }
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(flow) || !isObject(flow.steps)) {
    return { reason: "A flow is an object with start and steps" };
  }
  const wrong = Object.keys(flow.steps).find((name) => !isObject(flow.steps[name]));
  if (wrong !== undefined) return { reason: `Step "${wrong}" is no object` };
  return { flow: { ...flow, start: String(flow.start ?? "") } };
}

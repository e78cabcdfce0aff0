import { valueOf } from "./dom.js";

/**
 * Reads the schemas of steps: their fields, and which of them lead to other steps. A field leads to one
 * where its rule is that of the flow's first step.
 */
export function readSchemas({ schemas, kinds, known = {} }) {
  const { pattern } = schemas.Flow.properties.start;
  const resolve = (schema) =>
    schema?.$ref === undefined ? schema : resolve(schemas[schema.$ref.split("/").at(-1)]);
  const isLink = (schema) => schema?.pattern === pattern;
  const stepSchema = (type) =>
    schemas[`Flow${type.charAt(0).toUpperCase()}${type.slice(1)}`] ?? { properties: {} };

  /** The places at which a step leads on: parts of its lists first, as they are tried first. */
  function portsOf(step) {
    const fields = Object.entries(stepSchema(step.type).properties);
    const lists = fields.filter(([, schema]) => isLinked(schema));
    const parts = lists.flatMap(([list]) =>
      (Array.isArray(step[list]) ? step[list] : []).map((part, at) => ({
        id: `${list}.${at}.next`,
        label: partLabel(part),
        target: part?.next,
      }))
    );
    const singles = fields.filter(([, schema]) => isLink(schema)).map(([field]) => ({
      id: field,
      label: field !== "next" ? fieldLabel(field) : parts.length > 0 ? "otherwise" : "then",
      target: step[field],
    }));
    return [...parts, ...singles];
  }

  const isLinked = (schema) =>
    schema.type === "array" && isLink(resolve(schema.items)?.properties?.next);

  return { schemas, kinds, known, pattern, resolve, isLink, stepSchema, portsOf };
}

const fieldLabel = (field) =>
  field.replace(/^on/, "").replaceAll(/(?=[A-Z])/g, " ").trim().toLowerCase();

/** Subject of a branch or condition. */
function partLabel(part) {
  const said = Object.entries(part ?? {}).filter(([name]) => name !== "next").map(([name, value]) =>
    name === "is" ? valueOf(value) : value
  );
  return said.join(" ") || "…";
}

/** Subject of a step, in a few words. */
export function summaryOf(step) {
  const prompts = (step.prompts ?? []).map((one) => one?.say ?? one?.play ?? "pause");
  const callees = (Array.isArray(step.to) ? step.to : []).flatMap((one) =>
    Object.values(one ?? {})
  );
  const set = Object.keys(step.set ?? {}).map((name) => `$${name}`);
  const texts = [
    step.queue,
    step.text,
    step.subject,
    step.url,
    prompts.join(" "),
    callees.join(", "),
    set.join(", "),
  ];
  return texts.find((text) => typeof text === "string" && text !== "") ?? "";
}

/** Steps in the order in which a caller may come to them; unreachable ones last. */
export function orderOf(flow, portsOf) {
  const seen = new Set();
  const queue = [flow.start];
  while (queue.length > 0) {
    const name = queue.shift();
    if (seen.has(name) || !Object.hasOwn(flow.steps, name)) continue;
    seen.add(name);
    queue.push(...portsOf(flow.steps[name]).map(({ target }) => target));
  }
  const reached = [...seen];
  return { reached, unreached: Object.keys(flow.steps).filter((name) => !seen.has(name)) };
}

export const problemWords = (count) => count === 1 ? "1 problem" : `${count} problems`;

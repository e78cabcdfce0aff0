import { el, titleOf, valueOf } from "./dom.js";

/** Characters from which a text has several lines. */
const longText = 300;

let ids = 0;

/**
 * The inputs of a value, by its schema. `change(path, value, key)` is called as it changes; a value of
 * undefined removes it. `shape` has the schemas, the names of steps, and the problems by path.
 */
export function fieldsOf(schema, value, { path = [], skip = [], shape, change }) {
  const { properties = {}, required = [] } = shape.schemas.resolve(schema);
  const named = Object.entries(properties).filter(([name]) => !skip.includes(name));
  return named.map(([name, field]) =>
    fieldOf(shape.schemas.resolve(field), value?.[name], {
      name,
      path: [...path, name],
      isRequired: required.includes(name),
      shape,
      change,
    })
  );
}

function fieldOf(schema, value, at) {
  if (schema.type === "array") return listOf(schema, value, at);
  if (schema.type === "object") return pairsOf(schema, value, at);
  return labelled(schema, at, (attributes) => inputOf(schema, value, at, attributes));
}

/** An input with its label, description and problem. */
function labelled(schema, { name, path, isRequired, shape }, make) {
  const id = `field-${path.join("-")}-${ids++}`;
  const hint = schema.description;
  const problem = el("p", {
    class: "field-problem",
    id: `${id}-problem`,
    "data-problem": path.join("."),
  });
  shape.problemSlots.push(problem);
  const input = make({
    id,
    "data-field": path.join("."),
    "aria-required": isRequired ? "true" : undefined,
    "aria-describedby": `${id}-problem${hint ? ` ${id}-hint` : ""}`,
  });
  return el(
    "div",
    { class: "input" },
    el(
      "label",
      { for: id },
      titleOf(name),
      isRequired ? el("span", { class: "soft" }, " (required)") : null,
    ),
    input,
    problem,
    hint ? el("p", { class: "hint", id: `${id}-hint` }, hint.replaceAll("`", "")) : null,
  );
}

function inputOf(schema, value, { name, path, shape, change }, attributes) {
  const key = `edit ${path.join(".")}`;
  const set = (text) => change(path, text === "" ? undefined : text, key);
  if (shape.schemas.isLink(schema)) return stepChoice(value, { shape, attributes, set });
  if (schema.enum !== undefined || schema.const !== undefined) {
    return choice(schema.enum ?? [schema.const], value, attributes, set);
  }
  if (schema.type === "boolean") {
    return choice(
      ["true", "false"],
      value === undefined ? undefined : String(value),
      attributes,
      (text) => change(path, text === "" ? undefined : text === "true", key),
    );
  }
  if (schema.type === "integer" || schema.type === "number") {
    return el("input", {
      ...attributes,
      type: "number",
      min: schema.minimum,
      max: schema.maximum,
      step: schema.type === "integer" ? "1" : "any",
      value: value ?? "",
      oninput: ({ target }) =>
        change(path, target.value === "" ? undefined : Number(target.value), key),
    });
  }
  const known = shape.known?.[name];
  if (known !== undefined) {
    const unknown = name === "queue"
      ? "A new queue: it is created when the first caller enters it."
      : "The account has none of this name.";
    return knownInput(value, { known, unknown }, attributes, set);
  }
  const isLong = (schema.maxLength ?? 0) >= longText &&
    !/^(url|waitUrl|play|to|cc|bcc)$/.test(name);
  return el(isLong ? "textarea" : "input", {
    ...attributes,
    ...isLong ? { rows: "3" } : { type: name === "password" ? "password" : "text" },
    autocomplete: "off",
    spellcheck: isLong ? "true" : "false",
    value: value ?? "",
    oninput: ({ target }) => set(target.value),
  });
}

/** An input that offers resources of the account; a variable may stand in its place. */
function knownInput(value, { known, unknown }, attributes, set) {
  const list = `${attributes.id}-known`;
  const note = el("span", { class: "hint" });
  const look = (text) => {
    const isUnknown = text !== "" && !text.includes("$") && !known.includes(text);
    note.textContent = isUnknown ? unknown : "";
  };
  look(value ?? "");
  return el(
    "div",
    { class: "known" },
    el("input", {
      ...attributes,
      type: "text",
      list,
      autocomplete: "off",
      spellcheck: "false",
      value: value ?? "",
      oninput: ({ target }) => (look(target.value), set(target.value)),
    }),
    el("datalist", { id: list }, known.map((one) => el("option", { value: one }))),
    note,
  );
}

const choice = (options, value, attributes, set) =>
  el(
    "select",
    { ...attributes, onchange: ({ target }) => set(target.value) },
    el("option", { value: "" }, "not set"),
    options.map((one) => el("option", { value: one, selected: one === value }, valueOf(one))),
  );

function stepChoice(value, { shape, attributes, set }) {
  const names = shape.stepNames();
  const unknown = value !== undefined && value !== "" && !names.includes(value) ? [value] : [];
  return el(
    "select",
    { ...attributes, onchange: ({ target }) => set(target.value) },
    el("option", { value: "" }, "nowhere"),
    [...names, ...unknown].map((one) => el("option", { value: one, selected: one === value }, one)),
  );
}

function listOf(schema, value, at) {
  const { shape, change, path } = at;
  const items = shape.schemas.resolve(schema.items);
  if (items.enum !== undefined) return checksOf(schema, items.enum, value, at);
  const parts = Array.isArray(value) ? value : [];
  const set = (next, focus) => change(path, next.length === 0 ? undefined : next, null, focus);
  return group(schema, at, [
    ...parts.map((part, n) =>
      el(
        "div",
        { class: "part" },
        items.type === "string"
          ? labelled(
            {},
            { ...at, name: `${titleOf(at.name)} ${n + 1}`, path: [...path, n] },
            (attributes) =>
              el("input", {
                ...attributes,
                type: "text",
                value: part,
                oninput: ({ target }) => change([...path, n], target.value, `edit ${path} ${n}`),
              }),
          )
          : fieldsOf(items, part, { path: [...path, n], shape, change }),
        el(
          "div",
          { class: "actions" },
          small("Up", n === 0, `Up: ${at.name} ${n + 1}`, () => set(moved(parts, n, n - 1))),
          small("Remove", false, `Remove ${at.name} ${n + 1}`, () =>
            set(parts.filter((_, one) =>
              one !== n
            ))),
        ),
      )
    ),
    small(
      "Add",
      false,
      `Add to ${titleOf(at.name)}`,
      () => set([...parts, items.type === "string" ? "" : {}], [...path, parts.length].join(".")),
    ),
  ]);
}

function moved(parts, from, to) {
  const next = [...parts];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/** Names and values. */
function pairsOf(schema, value, at) {
  const { path, change } = at;
  const pairs = Object.entries(value ?? {});
  const set = (next, key, focus) =>
    change(path, next.length === 0 ? undefined : Object.fromEntries(next), key, focus);
  const input = (label, text, n, field, put) =>
    el("input", {
      type: "text",
      "aria-label": `${label} ${n + 1}`,
      "data-field": `${path.join(".")}.${n}.${field}`,
      autocomplete: "off",
      spellcheck: "false",
      value: text,
      onchange: ({ target }) => set(put(target.value), null),
    });
  const put = (n, pair) => pairs.map((one, at) => at === n ? pair : one);
  return group(schema, at, [
    ...pairs.map(([name, text], n) =>
      el(
        "div",
        { class: "pair" },
        input("Name", name, n, "name", (value) => put(n, [value, text])),
        input("Value", String(text), n, "value", (value) => put(n, [name, value])),
        small("Remove", false, `Remove ${name}`, () => set(pairs.filter((_, at) => at !== n))),
      )
    ),
    small(
      "Add",
      false,
      `Add to ${titleOf(at.name)}`,
      () => set([...pairs, [freeName(value), ""]], null, `${path.join(".")}.${pairs.length}.name`),
    ),
  ]);
}

function freeName(value = {}) {
  for (let n = 1;; n++) if (!Object.hasOwn(value, `name${n}`)) return `name${n}`;
}

/** Default of a list. */
const defaults = { input: ["dtmf"] };

function checksOf(schema, options, given, at) {
  const standard = defaults[at.name] ?? [];
  const value = given ?? standard;
  return group(schema, at, [el(
    "div",
    { class: "actions" },
    options.map((one) =>
      el(
        "label",
        { class: "check" },
        el("input", {
          type: "checkbox",
          checked: value.includes(one),
          "data-field": `${at.path.join(".")}.${one}`,
          onchange: ({ target }) => {
            const next = options.filter((other) =>
              other === one ? target.checked : value.includes(other)
            );
            const isStandard = JSON.stringify(next) === JSON.stringify(standard);
            at.change(at.path, next.length === 0 || isStandard ? undefined : next);
          },
        }),
        valueOf(one),
      )
    ),
  )]);
}

function group(schema, { name, path, isRequired, shape }, content) {
  const problem = el("p", { class: "field-problem", "data-problem": path.join(".") });
  shape.problemSlots.push(problem);
  return el(
    "fieldset",
    { class: "field-group" },
    el(
      "legend",
      {},
      titleOf(name),
      isRequired ? el("span", { class: "soft" }, " (required)") : null,
    ),
    schema.description ? el("p", { class: "hint" }, schema.description.replaceAll("`", "")) : null,
    problem,
    content,
  );
}

export const small = (label, isOff, name, onclick) =>
  el(
    "button",
    { type: "button", class: "small", disabled: isOff, "aria-label": name, onclick },
    label,
  );

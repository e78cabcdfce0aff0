/**
 * An element with attributes, listeners (`onclick`) and children. Attributes that are undefined, null
 * or false are left out.
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  fill(node, attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** The same within an SVG. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(node, attributes);
  node.append(...children);
  return node;
}

function fill(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
}

/** Names of fields that say too little by themselves. */
const titles = {
  bcc: "Bcc (blind copies to)",
  body: "Body of the request",
  callerId: "Caller ID that is shown",
  cc: "Cc (copies to)",
  contentType: "Content type of the body",
  digits: "Keys pressed",
  extract: "Variables from the response",
  finishOnKey: "Keys that end the input",
  hints: "Expected words",
  input: "What is awaited",
  is: "Comparison",
  loop: "Times it is repeated",
  leaveKey: "Key that leaves the queue",
  maxLength: "Longest recording (s)",
  maxSize: "Most callers in the queue",
  maxWait: "Longest wait (s)",
  musicS: "Music after the prompts (s)",
  next: "Next step",
  noInput: "Step without an input",
  noRecording: "Step without a recording",
  numDigits: "Number of keys",
  onError: "Step when the queue cannot be used",
  onFailure: "Step when nobody answers",
  onFull: "Step when the queue is full",
  onLeave: "Step when the caller leaves",
  onRemoteError: "Step when the request fails",
  pauseS: "Pause (s)",
  playBeep: "Beep before the recording",
  population: "Source of the body",
  record: "Record the call",
  set: "Variables that are set",
  sip: "SIP address",
  timeLimit: "Longest call (s)",
  timeout: "Longest wait (s)",
  transcribe: "Transcribe the recording",
  url: "URL",
  waitUrl: "URL of other sounds",
};

/** Values that say too little by themselves. */
const values = {
  auto: "the parameters as a form",
  bridged: "an agent took the call",
  dtmf: "keys (DTMF)",
  empty: "is empty",
  equal: "is",
  error: "the queue cannot be used",
  false: "no",
  greater: "is greater than",
  leave: "by the key or after the longest wait",
  less: "is less than",
  manual: "written by hand",
  notEmpty: "is not empty",
  notEqual: "is not",
  "queue-full": "the queue is full",
  startingWith: "starts with",
  containing: "contains",
  true: "yes",
};

/** startingWith as people read it: starts with. */
export const valueOf = (value) => Object.hasOwn(values, value) ? values[value] : String(value);

/** A rule of the interface in words of the form: pauseS is Pause (s). */
export function ruleOf(rule) {
  if (/^(there is no step|must be JSON)/.test(rule)) return rule;
  const isChoice = /^needs (one of|either) /.test(rule);
  return rule.replace(/[A-Za-z]+/g, (word) => {
    const isField = /^[a-z]+[A-Z]/.test(word) ||
      isChoice && !/^(needs|one|of|and|or|either)$/.test(word);
    return isField ? titleOf(word) : word;
  });
}

/** One part of a list. */
const singular = {
  branches: "Branch",
  conditions: "Condition",
  hints: "Expected word",
  parameters: "Parameter",
  prompts: "Prompt",
  to: "Callee",
};

/** The place of a problem in words of the form: branches.0.next is Branch 1, Next step. */
export function placeOf(field) {
  const parts = field.split(".").filter((part) => part !== "");
  const words = parts.flatMap((part, at) => {
    if (/^\d+$/.test(part)) return [];
    const number = /^\d+$/.test(parts[at + 1] ?? "") ? Number(parts[at + 1]) + 1 : undefined;
    return number === undefined
      ? [titleOf(part)]
      : [`${singular[part] ?? titleOf(part)} ${number}`];
  });
  return words.join(", ");
}

/** numDigits as people read it: Number of keys. */
export function titleOf(name) {
  if (Object.hasOwn(titles, name)) return titles[name];
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return title.replace(/\burl\b/i, "URL").replace(/\bid\b/i, "ID");
}

/** Calls a function once things are quiet for so many ms. */
export function later(ms, work) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), ms);
  };
}

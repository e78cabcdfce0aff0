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

/** numDigits as people read it: Num digits. */
export function titleOf(name) {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return title.replace(/\burl\b/i, "URL").replace(/\bid\b/i, "ID").replace(
    /^Pause s$/,
    "Pause (s)",
  );
}

/** Calls a function once things are quiet for so many ms. */
export function later(ms, work) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), ms);
  };
}

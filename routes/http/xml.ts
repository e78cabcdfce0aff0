/** An XML element. `content` is XML; an empty one gives an empty element. */
export const element = (name: string, content: string): string =>
  content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;

/** A whole answer; `root` is its outermost element. */
export const xmlDocument = (content: string, root: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${root}>${content}</${root}>`;

const references: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;", // As itself it would be read as a line feed (XML 1.0 §2.11).
};

// deno-lint-ignore no-control-regex
const unprintable = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const special = new RegExp(`[&<>"\r]|${unprintable.source}`, "g");

/**
 * A text as element content or as an attribute's value in double quotes, without the characters
 * that XML forbids even as references (XML 1.0 §2.2).
 */
export const escapeXml = (text: string): string =>
  text.replace(special, (character) => references[character] ?? "");

/** A text without the characters that XML forbids, for the same value in other formats. */
export const printable = (text: string): string => text.replace(unprintable, "");

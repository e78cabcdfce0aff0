import { XMLParser, XMLValidator } from "fast-xml-parser";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";

/** One element of a document: names as written, text with its entities decoded and trimmed. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
  /** Texts, not trimmed, and elements in their order; absent where there are no elements. */
  readonly content?: readonly (string | Element)[];
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
});

/** Documents of so many characters stay in memory, each of up to so many. */
const [mostKnown, mostKnownOfOne] = [100_000, 2_000];

/**
 * Verbs by the text of their document: most servers send the same text for each call, and parsing
 * it took 60 µs of 2.5 ms of CPU time for a whole call. Each document is still requested. Calls
 * share elements, so these are `readonly`. Markup may hold secrets, such as the password of a SIP
 * address; they stay in the memory of the process until others displace them.
 */
const known = new Map<string, readonly Element[]>();
let knownLength = 0;

/** The verbs of a document, in order. Throws `documentInvalid` with what is wrong and where. */
export function parseDocument(text: string): readonly Element[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const verbs = parsed(text);
  if (text.length > mostKnownOfOne) return verbs;
  if (knownLength + text.length > mostKnown) {
    known.clear();
    knownLength = 0;
  }
  known.set(text, verbs);
  knownLength += text.length;
  return verbs;
}

/** Returns whether one of some characters stands in a text more often than so many times. */
function hasMore(text: string, characters: string, most: number): boolean {
  let count = 0;
  for (const character of characters) {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      if (++count > most) return true;
    }
  }
  return false;
}

/**
 * Throws for a text that cannot be within the bounds, before it is parsed: that takes far longer for
 * many elements or attributes than for as much text. An element has two `<`; comments and CDATA sections
 * have one each. An attribute has two quotation marks.
 */
function assertSmall(text: string): void {
  const { documentElements: elements, documentAttributes: attributes } = limits;
  if (hasMore(text, "<", 4 * elements)) throw tooManyElements();
  if (hasMore(text, `"'`, 2 * attributes)) {
    throw invalid(`it has more than ${attributes} attributes, or as many pairs of quotation marks`);
  }
}

const tooManyElements = () => invalid(`it has more than ${limits.documentElements} elements`);

function parsed(text: string): readonly Element[] {
  assertSmall(text);
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw invalid("a document type declaration is not allowed");
  const verdict = XMLValidator.validate(text);
  if (verdict !== true) throw invalid(`${hinted(verdict.err.msg)} (line ${verdict.err.line})`);

  const roots = nodesOf(text).map(elementOf).filter((root) => root !== null);
  const [root] = roots;
  if (root === undefined || roots.length > 1) throw invalid("it needs exactly one root element");
  if (root.name !== "Response") throw invalid(`the root is "${root.name}", not "Response"`);
  if (root.children.length > limits.documentVerbs) {
    throw invalid(`it has more than ${limits.documentVerbs} verbs`);
  }
  if (countOf(root.children) > limits.documentElements) {
    throw tooManyElements();
  }
  return root.children;
}

/** Number of elements, those inside them included. */
const countOf = (elements: readonly Element[]): number =>
  elements.reduce((sum, { children }) => sum + 1 + countOf(children), 0);

/** Addresses with a query are what a bare & mostly comes from, such as a RecordingUrl. */
const hinted = (message: string) =>
  message.includes("'&'") ? `${message} Write & as &amp;` : message;

const invalid = (why: string) => new Fault("documentInvalid", why);

/** The parser has bounds of its own: elements inside each other, and names that it refuses. */
function nodesOf(text: string): Node[] {
  try {
    return parser.parse(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}

/** The parser's form of an element or a text: its name maps to its content. */
type Node = Record<string, unknown>;

const attributesKey = ":@";
const textKey = "#text";

/** Null for text and for the XML declaration. */
function elementOf(node: Node): Element | null {
  const name = Object.keys(node).find((key) => key !== attributesKey)!;
  if (name === textKey || name.startsWith("?")) return null;
  const content = node[name] as Node[];
  const mixed = content.map((child) =>
    typeof child[textKey] === "string" ? child[textKey] : elementOf(child)
  ).filter((child) => child !== null);
  const children = mixed.filter((child) => typeof child !== "string");
  return {
    name,
    attributes: (node[attributesKey] ?? {}) as Record<string, string>,
    children,
    text: mixed.filter((child) => typeof child === "string").join("").trim(),
    ...children.length > 0 && { content: mixed },
  };
}

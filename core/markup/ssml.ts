import type { SpeechPart } from "../protocol/speech.ts";
import type { Element } from "./parse.ts";

/**
 * SSML (W3C Speech Synthesis Markup Language 1.1) inside `Say`: its elements with their attributes.
 * Pauses and languages become parts of their own, so that they work with every speech engine.
 */
export const ssmlElements: Readonly<Record<string, readonly string[]>> = {
  break: ["strength", "time"],
  emphasis: ["level"],
  lang: ["xml:lang"],
  p: [],
  phoneme: ["alphabet", "ph"],
  prosody: ["pitch", "rate", "volume"],
  s: [],
  "say-as": ["interpret-as", "format"],
  sub: ["alias"],
  w: ["role"],
};

const mediumMs = 500;
/** Pauses in ms, by strength. */
const strengths: Readonly<Record<string, number>> = {
  none: 0,
  "x-weak": 100,
  weak: 250,
  medium: mediumMs,
  strong: 750,
  "x-strong": 1_250,
};
const afterParagraphMs = 500;
const afterSentenceMs = 250;
const longestPauseMs = 10_000;
/** Characters from which a part ends where a sentence does. */
const fullPart = 120;
/** Characters that a part has at most, but for its last word. */
const longestPart = 400;

/** Number of times that engines without SSML split a text into words, at most. */
const spelled = /^(characters|spell-out|digits|telephone)$/;

interface Writing {
  parts: SpeechPart[];
  text: string;
  ssml: string;
  hasTags: boolean;
  language: string | undefined;
  /** True where an element around what is written now has it said letter by letter. */
  isSpelled: boolean;
  /** Elements around what is written now, the outer one first. */
  open: { start: string; end: string }[];
  skip(what: string): void;
}

/** The parts of the content of `Say`, in the order in which they are heard. */
export function speechParts(say: Element, skip: (what: string) => void): SpeechPart[] {
  const writing: Writing = {
    parts: [],
    text: "",
    ssml: "",
    hasTags: false,
    language: undefined,
    isSpelled: false,
    open: [],
    skip,
  };
  write(say, writing);
  flush(writing);
  const isPause = (part: SpeechPart | undefined) => part?.silenceMs !== undefined;
  // The pause after the last sentence is nothing to wait for; one that was asked for stays.
  if (isPause(writing.parts.at(-1)) && /^[ps]$/.test(lastElementOf(say))) writing.parts.pop();
  return writing.parts;
}

const lastElementOf = ({ content = [] }: Element): string => {
  const last = content.findLast((one) => typeof one !== "string" || one.trim() !== "");
  return typeof last === "object" ? last.name : "";
};

function write(element: Element, writing: Writing): void {
  for (const one of element.content ?? [element.text]) {
    if (typeof one === "string") writeText(one, writing);
    else writeElement(one, writing);
  }
}

function writeElement(element: Element, writing: Writing): void {
  const { name } = element;
  const known = Object.hasOwn(ssmlElements, name) ? ssmlElements[name] : undefined;
  if (known === undefined) {
    writing.skip(`${name} in Say: its text is spoken without it`);
    return write(element, writing);
  }
  for (const attribute of Object.keys(element.attributes)) {
    if (!known.includes(attribute)) writing.skip(`attribute "${attribute}" of ${name} in Say`);
  }
  switch (name) {
    case "break":
      return pause(writing, pauseOf(element, writing));
    case "p":
    case "s":
      flush(writing);
      write(element, writing);
      return pause(writing, name === "p" ? afterParagraphMs : afterSentenceMs);
    case "lang":
      return writeLanguage(element, writing);
    default:
      return writeTag(element, known, writing);
  }
}

function writeLanguage(element: Element, writing: Writing): void {
  const before = writing.language;
  flush(writing);
  writing.language = element.attributes["xml:lang"] ?? before;
  write(element, writing);
  flush(writing);
  writing.language = before;
}

function writeTag(element: Element, known: readonly string[], writing: Writing): void {
  const { name, attributes } = element;
  const given = known.flatMap((key) =>
    attributes[key] === undefined ? [] : [` ${key}="${escaped(attributes[key])}"`]
  );
  const tag = { start: `<${name}${given.join("")}>`, end: `</${name}>` };
  writing.open.push(tag);
  writing.ssml += tag.start;
  writing.hasTags = true;
  const { text: before, isSpelled } = writing;
  writing.isSpelled ||= isSpelling(element);
  write(element, writing);
  writing.isSpelled = isSpelled;
  writing.ssml += tag.end;
  writing.open.pop();
  const said = plainOf(element, writing.text.slice(before.length), { isSpelled });
  if (writing.text.startsWith(before)) writing.text = before + said;
}

const isSpelling = ({ name, attributes }: Element): boolean =>
  name === "say-as" && spelled.test(attributes["interpret-as"] ?? "");

/**
 * The text of an element for an engine without SSML. Letters are separated once, by the
 * outermost element that asks for it: each level would read all of the text again.
 */
function plainOf(
  element: Element,
  text: string,
  { isSpelled }: { isSpelled: boolean },
): string {
  if (element.name === "sub" && element.attributes.alias !== undefined) {
    return element.attributes.alias;
  }
  return isSpelling(element) && !isSpelled ? [...text].join(" ").replace(/\s+/g, " ") : text;
}

/** Sentence by sentence: the first part is heard while the next is made. */
function writeText(text: string, writing: Writing): void {
  const isSplit = writing.open.every(({ start }) => start.startsWith("<prosody"));
  for (const piece of text.replace(/\s+/g, " ").split(/(?<=[.!?。！？] )/)) {
    for (const chunk of isSplit ? chunksOf(piece) : [piece]) {
      writing.text += chunk;
      writing.ssml += escaped(chunk);
      if (isSplit && isFull(writing.text)) flush(writing);
    }
  }
}

const isFull = (text: string): boolean =>
  text.length > longestPart || text.length > fullPart && /[.!?。！？]\s*$/.test(text);

/** A sentence without end, in pieces that end where a word does. */
const chunksOf = (text: string): string[] =>
  text.length <= longestPart ? [text] : text.match(/[^]{1,400}(?:\s|$)|[^]{1,400}/gu) ?? [text];

function pause(writing: Writing, silenceMs: number): void {
  flush(writing);
  if (silenceMs > 0) writing.parts.push({ silenceMs });
}

function pauseOf({ attributes: { strength, time } }: Element, { skip }: Writing): number {
  const [, amount, unit] = /^\+?(\d+(?:\.\d+)?|\.\d+)(ms|s)$/.exec(time?.trim() ?? "") ?? [];
  if (amount !== undefined) {
    return Math.min(Number(amount) * (unit === "s" ? 1_000 : 1), longestPauseMs);
  }
  if (time !== undefined) skip(`value "${time.slice(0, 100)}" of attribute "time" of break in Say`);
  if (strength === undefined) return mediumMs;
  const known = Object.entries(strengths).find(([name]) => name === strength);
  if (known !== undefined) return known[1];
  skip(`value "${strength.slice(0, 100)}" of attribute "strength" of break in Say`);
  return mediumMs;
}

/** Ends a part; the elements around it are closed there and opened again. */
function flush(writing: Writing): void {
  const { open, hasTags, language } = writing;
  const text = writing.text.replace(/\s+/g, " ").trim();
  const ends = open.toReversed().map(({ end }) => end).join("");
  if (text !== "") {
    const ssml = (writing.ssml + ends).trim();
    writing.parts.push({ text, ...hasTags && { ssml }, ...language !== undefined && { language } });
  }
  writing.text = "";
  writing.ssml = open.map(({ start }) => start).join("");
  writing.hasTags = open.length > 0;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** Characters of a piece; a sentence beyond it is cut at a comma or a space. */
const mostOfPiece = 400;
/** Sentences shorter than this go together with those beside them, up to so many characters. */
const leastOfPiece = 40;
const fullPiece = 120;

/**
 * A text in pieces that are said one after the other: whole sentences where they are of a fit length,
 * so that the first can be heard while the next is made.
 */
export function sentences(text: string, language: string): string[] {
  const pieces: string[] = [];
  for (const sentence of segments(text, language).flatMap(cutLong)) {
    const last = pieces.at(-1);
    const isShort = last !== undefined &&
      (last.length < leastOfPiece || sentence.length < leastOfPiece);
    if (isShort && last.length + sentence.length < fullPiece) {
      pieces[pieces.length - 1] = `${last} ${sentence}`;
    } else pieces.push(sentence);
  }
  return pieces;
}

/**
 * Part of a growing text that can be said already: its sentences but the last, which may go on. A last
 * one that is too long to wait for is cut at a space, so that no more than `mostOfPiece` is left: it is
 * read again with the next token.
 */
export function wholeSentences(text: string, language: string): { whole: string; rest: string } {
  const last = rawSegments(text, language).at(-1) ?? "";
  let end = text.length - last.length;
  while (text.length - end > mostOfPiece) end += placeToCut(text.slice(end, end + mostOfPiece + 1));
  return { whole: text.slice(0, end), rest: text.slice(end) };
}

/** Behind a space; in a word without end, not between the two halves of a character. */
const placeToCut = (text: string): number =>
  text.lastIndexOf(" ", mostOfPiece) + 1 ||
  mostOfPiece - (/[\uD800-\uDBFF]$/.test(text.slice(0, mostOfPiece)) ? 1 : 0);

const segments = (text: string, language: string): string[] =>
  rawSegments(text, language).map((segment) => segment.trim()).filter(Boolean);

function rawSegments(text: string, language: string): string[] {
  const segmenter = new Intl.Segmenter(localeOf(language), { granularity: "sentence" });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** A tag may look like one and be none: then English rules will do. */
function localeOf(language: string): string {
  try {
    return Intl.Segmenter.supportedLocalesOf([language.replaceAll("_", "-")])[0] ?? "en";
  } catch {
    return "en";
  }
}

function cutLong(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > mostOfPiece) {
    const head = rest.slice(0, mostOfPiece);
    const after = Math.max(head.lastIndexOf(", "), head.lastIndexOf("; "), -1) + 1;
    const end = after > mostOfPiece / 2 ? after : head.lastIndexOf(" ");
    // A word without end; not between the two halves of a character.
    const at = end > 0 ? end : mostOfPiece - (/[\uD800-\uDBFF]$/.test(head) ? 1 : 0);
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  return rest === "" ? pieces : [...pieces, rest];
}

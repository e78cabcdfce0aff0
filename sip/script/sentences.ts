/** Characters of a piece; a sentence beyond it is cut at a comma or a space. */
const mostOfPiece = 400;
/** Sentences shorter than this go with the one before. */
const leastOfPiece = 40;

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
    if (isShort && last.length + sentence.length < mostOfPiece) {
      pieces[pieces.length - 1] = `${last} ${sentence}`;
    } else pieces.push(sentence);
  }
  return pieces;
}

function segments(text: string, language: string): string[] {
  const [locale = "en"] = Intl.Segmenter.supportedLocalesOf([language.replaceAll("_", "-")]);
  const segmenter = new Intl.Segmenter(locale, { granularity: "sentence" });
  return [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter(Boolean);
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

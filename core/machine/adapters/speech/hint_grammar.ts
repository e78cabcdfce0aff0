import { speechLimits } from "./limits.ts";

const digitNames = "zero one two three four five six seven eight nine".split(" ");

/** A grammar that accepts the hints alone. */
export interface HintGrammar {
  /** In JSGF. */
  text: string;
  /** A phrase of the grammar, spelled as the hint was. */
  spelling(phrase: string): string;
}

/** The grammar of the hints whose words the dictionary has; null when there are none. */
export function hintGrammar(
  hints: readonly string[],
  known: ReadonlySet<string>,
): HintGrammar | null {
  const phrases = new Map<string, string>();
  for (const hint of hints.slice(0, speechLimits.hints)) {
    const words = hint.toLowerCase().replace(/\d/g, (digit) => ` ${digitNames[Number(digit)]} `)
      .replace(/[^a-z'\s-]/g, " ").replaceAll("-", " ").split(/\s+/).filter(Boolean);
    const isUsable = words.length > 0 && words.every((word) => known.has(word));
    if (isUsable && !phrases.has(words.join(" "))) phrases.set(words.join(" "), hint);
  }
  if (phrases.size === 0) return null;
  const choice = [...phrases.keys()].join(" | ");
  return {
    text: `#JSGF V1.0;\ngrammar hints;\npublic <hint> = ${choice};\n`,
    spelling: (phrase) => phrases.get(phrase) ?? phrase,
  };
}

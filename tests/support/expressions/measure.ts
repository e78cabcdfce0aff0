import { ambiguityOf, type Attack } from "./ambiguity.ts";
import { build, looksOf } from "./automaton.ts";
import { type Node, parseExpression } from "./parse.ts";

/** The most text that an expression may meet: a message of SIP, a form. */
export const longestText = 64 << 10;

/** A text that costs more than it may. */
export interface Dear {
  text: string;
  ms: number;
}

/** Most runs of a text that cost too much: the least is its cost, since the machine may be busy. */
const triesMax = 12;
/** Ends that an expression may not expect. */
const ends = ["", "!", "\n", "\0", " ", "a", "0", '"'];

/** Attacks on an expression; none, with `isProven`, where it is linear by its automaton. */
export function attacksOn(source: string, flags: string): { attacks: Attack[]; isProven: boolean } {
  const root = parseExpression(source);
  const whole = build(root, flags);
  const { attacks, isWhole } = ambiguityOf(whole);
  // A look is tried at each place that the rest leads to.
  const ofLooks = looksOf(root).flatMap((look) =>
    ambiguityOf(build(anywhere(look), flags)).attacks
  );
  const letters = whole.isPartial ? whole.alphabet.map((pump) => ({ prefix: "", pump })) : [];
  const all = [...attacks, ...ofLooks, ...letters];
  return { attacks: all, isProven: isWhole && !whole.isPartial && all.length === 0 };
}

/** A look may begin where a text does not. */
function anywhere(node: Node): Node {
  if (node.type === "begin") return { type: "nothing" };
  if (node.type === "repeat" || node.type === "look") {
    return { ...node, body: anywhere(node.body) };
  }
  return "items" in node ? { ...node, items: node.items.map(anywhere) } : node;
}

/** Finds a text of at most `most` characters that costs more than `mostMs`. */
export function dearestOf(
  expression: RegExp,
  attacks: Attack[],
  { most = longestText, mostMs }: { most?: number; mostMs: number },
): Dear | undefined {
  for (const attack of attacks) {
    for (const end of ends) {
      const found = dearText(expression, attack, { end, most, mostMs });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function dearText(
  expression: RegExp,
  { prefix, pump }: Attack,
  { end, most, mostMs }: { end: string; most: number; mostMs: number },
): Dear | undefined {
  // An exponential one shows within few repeats; from 64 on, each length is four times the last.
  const counts = [8, 12, 16, 20, 24, 28, 32, 64];
  while (counts.at(-1)! * pump.length < most) counts.push(counts.at(-1)! * 4);
  for (const count of counts) {
    const text = (prefix + pump.repeat(count)).slice(0, most - end.length) + end;
    let ms = timeOf(expression, text);
    for (let tries = 1; ms > mostMs && tries < triesMax; tries++) {
      ms = Math.min(ms, timeOf(expression, text));
    }
    if (ms > mostMs) return { text, ms };
  }
  return undefined;
}

/** Duration of an expression for a text, in ms. */
function timeOf(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const before = performance.now();
  if (expression.global && !expression.sticky) text.replace(expression, "");
  else expression.exec(text);
  return performance.now() - before;
}

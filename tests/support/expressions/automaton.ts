import { type Node, parseExpression } from "./parse.ts";

/**
 * The ways in which a backtracking engine can read a text, as an automaton of positions (Glushkov).
 * It has a state for each character of the expression, and one for the search from each place of
 * the text.
 */
export interface Automaton {
  /** A character for each class that the expression distinguishes. */
  alphabet: string[];
  /** The state before the first character. */
  start: number;
  /** States that a class leads to, by state and class. */
  next: number[][][];
  /** Steps that there are two ways to take. */
  doubled: [number, number][];
  /** True when it leaves out lookarounds and references, which only a run can show. */
  isPartial: boolean;
}

/** Copies of what may be repeated a bounded number of times, and from when on it counts as unbounded. */
const [mostCopies, unbounded] = [3, 64];

const some = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ..."\u0085\u00a0\u00e9\u0130\u017f\u2028\u212a\u4e2d\ufeff",
];

/** Positions at which a part begins and ends, with the number of ways; ways to take nothing. */
interface Fragment {
  first: Map<number, number>;
  last: Map<number, number>;
  empties: number;
}

const nothing = (): Fragment => ({ first: new Map(), last: new Map(), empties: 1 });
const impossible = (): Fragment => ({ first: new Map(), last: new Map(), empties: 0 });

function add(to: Map<number, number>, from: Map<number, number>, times = 1): void {
  if (times === 0) return;
  for (const [position, ways] of from) {
    to.set(position, Math.min(2, (to.get(position) ?? 0) + ways * times));
  }
}

/** The lookarounds, each an expression that is tried at any place. */
export function looksOf(node: Node): Node[] {
  if (node.type === "look") return [node.body, ...looksOf(node.body)];
  if (node.type === "repeat") return looksOf(node.body);
  return "items" in node ? node.items.flatMap(looksOf) : [];
}

export const automatonOf = (source: string, flags: string): Automaton =>
  build(parseExpression(source), flags);

export function build(root: Node, flags: string): Automaton {
  const characters: string[] = [];
  const follow: Map<number, number>[] = [];
  let isPartial = false;

  const link = (from: Map<number, number>, to: Map<number, number>) => {
    for (const [position, ways] of from) add(follow[position]!, to, ways);
  };
  const join = (one: Fragment, other: Fragment): Fragment => {
    link(one.last, other.first);
    const [first, last] = [new Map(one.first), new Map(other.last)];
    add(first, other.first, one.empties);
    add(last, one.last, other.empties);
    return { first, last, empties: Math.min(2, one.empties * other.empties) };
  };
  const optional = (fragment: Fragment): Fragment => ({ ...fragment, empties: 1 });

  function compile(node: Node, begins: boolean): Fragment {
    const part = (inner: Node) => compile(inner, begins);
    if (node.type === "begin") return begins ? nothing() : impossible();
    if (node.type === "atom") {
      const at = characters.push(node.source) - 1;
      follow.push(new Map());
      return { first: new Map([[at, 1]]), last: new Map([[at, 1]]), empties: 0 };
    }
    if (node.type === "sequence") return node.items.map(part).reduce(join, nothing());
    if (node.type === "choice") {
      const sum = impossible();
      for (const { first, last, empties } of node.items.map(part)) {
        add(sum.first, first);
        add(sum.last, last);
        sum.empties = Math.min(2, sum.empties + empties);
      }
      return sum;
    }
    if (node.type !== "repeat") {
      isPartial ||= node.type !== "nothing";
      return nothing();
    }
    const { body, min, max } = node;
    const copies = (count: number) => Array.from({ length: count }, () => part(body));
    if (max > unbounded) {
      const before = copies(Math.min(Math.max(min - 1, 0), mostCopies));
      const again = part(body);
      link(again.last, again.first);
      return [...before, min === 0 ? optional(again) : again].reduce(join, nothing());
    }
    const count = Math.min(max, mostCopies);
    const needed = Math.min(min, count);
    const parts = copies(count);
    const rest = parts.slice(needed).reduceRight(
      (after, one) => optional(join(one, after)),
      nothing(),
    );
    return [...parts.slice(0, needed), rest].reduce(join, nothing());
  }

  const atBegin = compile(root, true);
  const later = compile(root, false);
  const { alphabet, classesOf } = classes(characters, flags);
  const newline = alphabet.indexOf("\n");
  const [start, searching, afterNewline] = [
    characters.length,
    characters.length + 1,
    characters.length + 2,
  ];
  const doubled: [number, number][] = [];
  const isSearch = !flags.includes("y");
  const next = [...characters, "", "", ""].map((_, state) => {
    const to = alphabet.map((): number[] => []);
    const enter = (targets: Map<number, number>) => {
      for (const [position, ways] of targets) {
        if (ways > 1) doubled.push([state, position]);
        for (const letter of classesOf[position]!) to[letter]!.push(position);
      }
    };
    if (state < characters.length) enter(follow[state]!);
    else {
      enter(state === searching ? later.first : atBegin.first);
      const isLine = (letter: number) => flags.includes("m") && letter === newline;
      if (isSearch) {
        to.forEach((list, letter) => list.push(isLine(letter) ? afterNewline : searching));
      }
    }
    return to;
  });
  return { alphabet, start, next, doubled, isPartial };
}

/**
 * Characters that stand for all that the expression distinguishes, and those that each position
 * takes.
 */
function classes(sources: string[], flags: string) {
  const own = flags.replaceAll(/[^isuv]/g, "");
  const unique = [...new Set(sources)];
  const tests = unique.map((source) => new RegExp(`^(?:${source})$`, own));
  const bySignature = new Map<string, string>();
  const candidates = new Set([
    "a",
    "0",
    " ",
    "\n",
    ...sources.filter((one) => [...one].length === 1),
    ...some,
  ]);
  for (const character of candidates) {
    const signature = tests.map((test) => test.test(character) ? "1" : "0").join("") +
      (character === "\n" ? "n" : "");
    if (!bySignature.has(signature)) bySignature.set(signature, character);
  }
  const alphabet = [...bySignature.values()];
  const ofSource = new Map(unique.map((source, n) => [
    source,
    alphabet.flatMap((character, letter) => tests[n]!.test(character) ? [letter] : []),
  ]));
  return { alphabet, classesOf: sources.map((source) => ofSource.get(source)!) };
}

import type { Automaton } from "./automaton.ts";

/** A text that an expression can read in ever more ways the more often `pump` stands in it. */
export interface Attack {
  prefix: string;
  pump: string;
}

export interface Ambiguity {
  attacks: Attack[];
  /** True when all of the automaton was searched: without an attack, it is linear then. */
  isWhole: boolean;
}

const mostSteps = 3_000_000;
const mostAttacks = 24;

/**
 * Finds the cause of more than linear time in a backtracking engine. That is two states, of which
 * the first leads to itself, the first to the second, and the second to itself, by one text. (Weber
 * and Seidl, "On the degree of ambiguity of finite automata", 1991: the criterion IDA, which covers
 * EDA.)
 */
export function ambiguityOf(automaton: Automaton): Ambiguity {
  const { next, alphabet, start, doubled } = automaton;
  const component = components(next);
  const reached = shortest(next, start);
  const spell = (letters: number[]) => letters.map((letter) => alphabet[letter]!).join("");
  const loops = next.map((letters, state) =>
    letters.some((targets) => targets.some((target) => component[target] === component[state]))
  );
  const attacks: Attack[] = [];
  let left = mostSteps;

  for (const [from, to] of doubled) {
    if (component[from] !== component[to] || reached[from] === undefined) continue;
    const first = next[from]!.findIndex((targets) => targets.includes(to));
    if (first < 0) continue;
    const back = shortest(next, to)[from] ?? [];
    attacks.push({ prefix: spell(reached[from]!), pump: spell([first, ...back]) });
  }
  for (let one = 0; one < next.length; one++) {
    if (!loops[one] || reached[one] === undefined) continue;
    const from = shortest(next, one);
    for (let other = 0; other < next.length; other++) {
      if (other === one || !loops[other] || from[other] === undefined) continue;
      if (attacks.length >= mostAttacks || left <= 0) break;
      const pump = pumpOf(one, other);
      if (pump !== undefined) attacks.push({ prefix: spell(reached[one]!), pump: spell(pump) });
    }
  }
  return { attacks, isWhole: left > 0 };

  /** A text that leads from `one` to itself and to `other`, and from `other` to itself. */
  function pumpOf(one: number, other: number): number[] | undefined {
    const size = next.length;
    const key = (a: number, b: number, c: number) => (a * size + b) * size + c;
    const goal = key(one, other, other);
    const before = new Map<number, { from: number; letter: number }>();
    const queue: [number, number, number][] = [[one, one, other]];
    const begin = key(one, one, other);
    for (let at = 0; at < queue.length; at++) {
      const [a, b, c] = queue[at]!;
      const from = key(a, b, c);
      for (let letter = 0; letter < alphabet.length; letter++) {
        for (const toA of next[a]![letter]!) {
          if (component[toA] !== component[one]) continue;
          for (const toC of next[c]![letter]!) {
            if (component[toC] !== component[other]) continue;
            for (const toB of next[b]![letter]!) {
              if (--left <= 0) return undefined;
              const to = key(toA, toB, toC);
              if (before.has(to)) continue;
              before.set(to, { from, letter });
              if (to === goal) return way(before, begin, goal);
              queue.push([toA, toB, toC]);
            }
          }
        }
      }
    }
    return undefined;
  }
}

function way(before: Map<number, { from: number; letter: number }>, begin: number, goal: number) {
  const letters: number[] = [];
  let at = goal;
  do {
    const { from, letter } = before.get(at)!;
    letters.unshift(letter);
    at = from;
  } while (at !== begin);
  return letters;
}

/** The letters of a shortest way from a state to each other one. */
function shortest(next: number[][][], from: number): (number[] | undefined)[] {
  const ways: (number[] | undefined)[] = next.map(() => undefined);
  ways[from] = [];
  const queue = [from];
  for (const state of queue) {
    next[state]!.forEach((targets, letter) => {
      for (const target of targets) {
        if (ways[target] !== undefined) continue;
        ways[target] = [...ways[state]!, letter];
        queue.push(target);
      }
    });
  }
  return ways;
}

/** The strongly connected component of each state (Kosaraju). */
function components(next: number[][][]): number[] {
  const targets = next.map((letters) => [...new Set(letters.flat())]);
  const sources: number[][] = next.map(() => []);
  targets.forEach((list, state) => list.forEach((target) => sources[target]!.push(state)));
  const walk = (
    graph: number[][],
    from: number,
    seen: (state: number) => boolean,
    leave: (state: number) => void,
  ) => {
    const stack = [{ state: from, at: 0 }];
    if (seen(from)) return;
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const target = graph[top.state]![top.at++];
      if (target === undefined) leave(stack.pop()!.state);
      else if (!seen(target)) stack.push({ state: target, at: 0 });
    }
  };
  const visited = new Set<number>();
  const order: number[] = [];
  const isSeen = (state: number) => visited.has(state) || !visited.add(state);
  next.forEach((_, state) => walk(targets, state, isSeen, (one) => order.push(one)));
  const component: number[] = next.map(() => -1);
  for (const root of order.toReversed()) {
    const isTaken = (state: number) => {
      if (component[state]! >= 0) return true;
      component[state] = root;
      return false;
    };
    walk(sources, root, isTaken, () => {});
  }
  return component;
}

/**
 * CPU time of each message. A parser can be right and still cost a hundred times as much as for a
 * usual message. A URI with one header many times took 12 ms for 8 KiB, a JSON array of 500,000
 * numbers 0.85 s. So the fuzz target `cost` measures every parser of text from unauthenticated
 * sources and tenants, with messages of repeated, nested, numbered and almost valid pieces. Limits
 * of counts stand beside those of bytes, as the work grows with the count. A new parser needs its
 * lines in this folder.
 */
import type { Random } from "../generator.ts";
import type { Parser } from "./parser.ts";

/** A message may cost so many times what a usual one of its size does. */
const mostTimes = 10;
/**
 * Time that a message of a size may always take: noise of a clock on a busy machine, 3 ms for 60
 * kB.
 */
const freeMs = (size: number): number => Math.max(0.5, size / 20_000);
/**
 * Runs of each in turn, when one cost too much: the least of them excludes the time of other
 * processes.
 */
const turns = 6;
/** Runs, or time, before the measured ones, as compilation makes the first ones slower. */
const [warmUps, warmUpMs] = [30, 100];

export interface Cost {
  message: unknown;
  ms: number;
  usualMs: number;
}

/** The clock as it was before a lab put its own in its place. */
const nowMs = performance.now.bind(performance);

/** Milliseconds that a parser takes for a message. */
async function timeOf({ read }: Parser, message: unknown): Promise<number> {
  const before = nowMs();
  try {
    const result = read(message as never);
    if (result instanceof Promise) await result;
  } catch {
    // Refused, at what it cost.
  }
  return nowMs() - before;
}

/** The least that usual messages of a size took. */
const usualCosts = new Map<string, number>();

async function usualCost(parser: Parser, size: number, runs: number): Promise<number> {
  const key = `${parser.name} ${size}`;
  const known = usualCosts.get(key);
  const message = parser.usual(size);
  const begun = nowMs();
  for (let n = 0; known === undefined && n < warmUps && nowMs() < begun + warmUpMs; n++) {
    await timeOf(parser, message);
  }
  let least = known ?? Infinity;
  for (let n = 0; n < runs; n++) least = Math.min(least, await timeOf(parser, message));
  usualCosts.set(key, least);
  return least;
}

const isDear = (ms: number, usualMs: number, size: number): boolean =>
  ms > mostTimes * usualMs + freeMs(size);

/** Tries one dear message of about a size; undefined where it costs no more than it may. */
export async function tryOne(
  parser: Parser,
  size: number,
  random: Random,
): Promise<Cost | undefined> {
  let usualMs = await usualCost(parser, size, 3);
  const message = parser.dear(random, size);
  let ms = await timeOf(parser, message);
  for (let n = 0; n < turns && isDear(ms, usualMs, size); n++) {
    usualMs = await usualCost(parser, size, 1);
    ms = Math.min(ms, await timeOf(parser, message));
  }
  return isDear(ms, usualMs, size) ? { message, ms, usualMs } : undefined;
}

import { createTurns } from "../../core/base/turns.ts";

/** Writes items one after another, in pieces. */
export async function writeInSlices<T, R>(
  items: readonly T[],
  write: (item: T) => R,
): Promise<R[]> {
  const written: R[] = [];
  const turn = createTurns();
  for (const [at, item] of items.entries()) {
    written.push(write(item));
    if (at % 16 === 15) await turn();
  }
  return written;
}

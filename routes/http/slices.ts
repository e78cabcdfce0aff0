import { createTurns } from "../../core/base/turns.ts";

/** Writes items one after another, in pieces. A single one is short work. */
export async function writeInSlices<T, R>(
  items: readonly T[],
  write: (item: T) => R,
): Promise<R[]> {
  const written: R[] = [];
  const turn = createTurns();
  for (const item of items) {
    written.push(write(item));
    await turn();
  }
  return written;
}

/** Too many wait already. */
export class Busy extends Error {
  override readonly name = "Busy";
}

/** Runs at most `most` pieces of work at once; up to `waiting` wait for their turn, in order. */
export function createGate({ most, waiting }: { most: number; waiting: number }) {
  let running = 0;
  const queue: (() => void)[] = [];
  return async function pass<T>(work: () => Promise<T>): Promise<T> {
    if (running >= most) {
      if (queue.length >= waiting) throw new Busy("Cannot take more work at the moment");
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running--;
      else next(); // It takes over our place.
    }
  };
}

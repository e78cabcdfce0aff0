import { setPriority } from "node:os";
import { randomOf } from "./generator.ts";
import type { Planted } from "./planted.ts";
import { loadTarget, type TargetName } from "./target.ts";

/** Runs cases of a target until the time is over, and posts the first that fails. */

export interface Order {
  name: TargetName | Planted;
  /** The first case; the others follow it. */
  seed: number;
  seconds: number;
  /** The running case, and the number of cases so far, for an observer outside. */
  progress: SharedArrayBuffer;
}

export type Outcome = { failed: string } | { done: true };

const NICE = 10;

/** Most memory of a target beyond that after its first cases. */
const KEPT_BYTES = 256 << 20;
const WARM_UP = 50;

const scope = self as unknown as {
  onmessage: (event: MessageEvent<Order>) => void;
  postMessage(outcome: Outcome): void;
  close(): void;
};

const heldBytes = () => {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
};

const told = (error: unknown) => error instanceof Error ? error.stack ?? error.message : `${error}`;

let failed: string | undefined;
self.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  failed ??= `nothing took this rejection: ${told(event.reason)}`;
});

scope.onmessage = async ({ data: { name, seed, seconds, progress } }) => {
  // Of this thread alone: other tests on the same cores have their times.
  setPriority(NICE);
  const view = new Int32Array(progress);
  const target = await loadTarget(name);
  const until = performance.now() + seconds * 1_000;
  let heldAtFirst = Infinity;
  for (let count = 0; performance.now() < until && failed === undefined; count++) {
    view[0] = seed + count;
    try {
      await target.run(randomOf(seed + count));
    } catch (error) {
      failed ??= told(error);
    }
    view[1] = count + 1;
    if (count === WARM_UP) heldAtFirst = heldBytes();
    if (count % 16 === 0 && heldBytes() > heldAtFirst + KEPT_BYTES) failed ??= "it keeps too much";
  }
  scope.postMessage(failed === undefined ? { done: true } : { failed });
  scope.close();
};

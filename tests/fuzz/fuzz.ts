import type { Planted } from "./planted.ts";
import type { TargetName } from "./target.ts";
import type { Order, Outcome } from "./worker.ts";

export interface FuzzOptions {
  name: TargetName | Planted;
  /** The first case. */
  seed: number;
  seconds: number;
  /** Time limit of a case; far above that of any case, so that a busy machine is no hang. */
  hangMs?: number;
}

export interface FuzzReport {
  /** Cases that ran to their end. */
  cases: number;
  /** The case that failed, and why. */
  failure?: { seed: number; why: string };
}

const HANG_MS = 30_000;
const LOOK_MS = 250;

/** Every target distinguishes the cases below this bound. */
export const newSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000_000;

/** Runs cases of a target in a thread of their own, so that one that never ends is found too. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { name, seed, seconds, hangMs = HANG_MS } = options;
  const progress = new SharedArrayBuffer(8);
  const view = new Int32Array(progress);
  const worker = new Worker(new URL("worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<FuzzReport>();
  const fail = (why: string) =>
    resolve({ cases: view[1]!, failure: { seed: Math.max(seed, view[0]!), why } });
  worker.onmessage = ({ data }: MessageEvent<Outcome>) =>
    "failed" in data ? fail(data.failed) : resolve({ cases: view[1]! });
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  let cases = -1;
  let movedAt = performance.now();
  const watch = setInterval(() => {
    if (cases !== view[1]) [cases, movedAt] = [view[1]!, performance.now()];
    else if (performance.now() - movedAt > hangMs) fail(`it took more than ${hangMs} ms`);
  }, LOOK_MS);
  worker.postMessage({ name, seed, seconds, progress } satisfies Order);
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    worker.terminate();
  }
}

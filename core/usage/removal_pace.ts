import { outside } from "../base/loop_work.ts";

/** The part of the time that removals may take; requests have the rest. */
const busyShare = 0.25;

/** Leaves the store to requests after work that took so many ms; ends early when the signal aborts. */
export function pauseFor(workedMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, workedMs * (1 / busyShare - 1));
  signal.addEventListener("abort", () => resolve(), { once: true });
  return outside(() => promise).finally(() => clearTimeout(timer));
}

import type { Ports } from "../model/ports/ports.ts";

/** Action of a loop on each item, as its log line names it: "close a lost call". */
interface Work<T> {
  name: string;
  /** Name of an item in the log: its Sid. */
  label(item: T): string;
  act(item: T): Promise<unknown>;
}

/** Items that one log line names. */
const named = 5;

/**
 * Works on each of several records in turn, as of several accounts. One that fails is counted and
 * stops none of the others; one log line says how many failed, which, and the first error. Returns
 * how many failed.
 */
export async function forEachIsolated<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { name, label, act }: Work<T>,
  { log }: Pick<Ports, "log">,
): Promise<number> {
  const failed: string[] = [];
  let first: unknown;
  for await (const item of items) {
    try {
      await act(item);
    } catch (error) {
      first ??= error;
      failed.push(label(item));
    }
  }
  if (failed.length > 0) {
    log(`Cannot ${name}`, { failed: failed.length, of: failed.slice(0, named), error: first });
  }
  return failed.length;
}

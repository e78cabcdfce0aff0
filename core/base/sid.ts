import { createHash } from "node:crypto";

/**
 * Makes Sids: a two-letter prefix, 48 bits of milliseconds and 80 random bits in hex, 34
 * characters. Their order is the order of creation, also within one millisecond.
 */
export function sidMaker(now: () => number): (prefix: string) => string {
  const random = new Uint8Array(10); // Used again: a small array takes longer to make than to fill.
  const step = new Uint32Array(1);
  let lastMs = 0;
  return (prefix) => {
    const time = Math.max(now(), lastMs);
    if (time === lastMs) add(random, 1 + crypto.getRandomValues(step)[0]!); // It has one number.
    else crypto.getRandomValues(random);
    lastMs = time;
    return prefix + time.toString(16).padStart(12, "0") + random.toHex();
  };
}

/**
 * Adds a step to a number, whose highest byte is the first. Sids of one millisecond so have an
 * order. The step is random, so the next Sid cannot be guessed.
 */
function add(number: Uint8Array, step: number): void {
  let carry = step;
  for (let i = number.length - 1; i >= 0 && carry > 0; i--) {
    carry += number[i]!; // The loop stays within the array.
    number[i] = carry % 256;
    carry = Math.floor(carry / 256);
  }
}

/** An event that may be reported more than once: its time in ms, and an id that is unique to it. */
export interface Cause {
  at: number;
  id: string;
}

/** Sid of a record that follows from a cause: the same each time, with the time of the cause. */
export function sidOfCause(prefix: string, { at, id }: Cause): string {
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 20);
  return prefix + Math.floor(at).toString(16).padStart(12, "0") + hash;
}

/** Time at which a Sid was made, in ms. */
export const sidTime = (sid: string): number => parseInt(sid.slice(2, 14), 16);

/** True when a text has the form of a Sid with this prefix. */
export const isSid = (text: string, prefix: string): boolean =>
  text.length === 34 && text.startsWith(prefix) && /^[0-9a-f]{32}$/.test(text.slice(2));

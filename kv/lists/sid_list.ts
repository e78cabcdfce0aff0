import { ordOf } from "../store/keys.ts";

/** Sids of one resource, newest first, that take 16 to 32 bytes each: there may be a million of them. */
export interface SidList {
  readonly length: number;
  /** Adds Sids, newest first, that are all older than those in it. */
  append(sids: string[]): void;
  /** Has of some Sids, newest first, just those in it from now on that are `wanted`. */
  settle(sids: string[], wanted: ReadonlySet<string>): void;
  /** How many are newer than a Sid, or that one itself. */
  countTo(sid: string): number;
  slice(from: number, before: number): string[];
}

/** What a Sid takes without its prefix. */
const width = 16;

/** A list without any yet, of Sids with a prefix. */
export function sidList(prefix: string): SidList {
  let bytes = new Uint8Array(0);
  let length = 0;

  const hexAt = (at: number) => bytes.subarray(at * width, (at + 1) * width).toHex();

  /** Where the first one stands that is not newer than a Sid. */
  function firstNotNewer(sid: string): number {
    const hex = sid.slice(prefix.length);
    let [low, high] = [0, length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (hexAt(middle) > hex) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const has = (at: number, sid: string) => at < length && prefix + hexAt(at) === sid;

  return {
    get length() {
      return length;
    },
    append(sids) {
      const needed = (length + sids.length) * width;
      if (needed > bytes.length) {
        const longer = new Uint8Array(Math.max(needed, 2 * bytes.length));
        longer.set(bytes);
        bytes = longer;
      }
      // All at once: a piece of memory for each would cost more than the scan.
      const hex = sids.map((sid) => sid.slice(prefix.length)).join("");
      bytes.subarray(length * width).setFromHex(hex);
      length += sids.length;
    },
    settle(sids, wanted) {
      const settled = new Uint8Array((length + sids.length) * width);
      let [from, size] = [0, 0];
      const copyTo = (end: number) => {
        settled.set(bytes.subarray(from * width, end * width), size * width);
        size += end - from;
        from = end;
      };
      for (const sid of sids) {
        copyTo(firstNotNewer(sid));
        if (has(from, sid)) from++;
        if (wanted.has(sid)) settled.set(ordOf(sid), size++ * width);
      }
      copyTo(length);
      [bytes, length] = [settled, size];
    },
    countTo(sid) {
      const at = firstNotNewer(sid);
      return has(at, sid) ? at + 1 : at;
    },
    slice: (from, before) =>
      Array.from(
        { length: Math.max(0, Math.min(before, length) - from) },
        (_, at) => prefix + hexAt(from + at),
      ),
  };
}

import { ordOf } from "../store/keys.ts";

/**
 * Sids of one resource, newest first. Each takes 16 to 32 bytes, as there may be a million of them.
 */
export interface SidList {
  readonly length: number;
  /** Adds Sids, newest first, that are all older than those in the list. */
  append(sids: string[]): void;
  /** Of some Sids, newest first, adds those that are `wanted` and removes the others. */
  settle(sids: string[], wanted: ReadonlySet<string>): void;
  /**
   * The number of Sids up to and with this one: those that are newer, and itself if it is there.
   */
  countTo(sid: string): number;
  slice(from: number, before: number): string[];
}

/** Bytes of a Sid without its prefix. */
const width = 16;

interface State {
  prefix: string;
  /** The Sids without their prefix, `width` bytes each; free bytes follow. */
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
}

/** An empty list of Sids with a prefix. */
export function sidList(prefix: string): SidList {
  const state: State = { prefix, bytes: new Uint8Array(0), length: 0 };
  return {
    get length() {
      return state.length;
    },
    append: (sids) => append(state, sids),
    settle: (sids, wanted) => settle(state, sids, wanted),
    countTo(sid) {
      const at = firstNotNewer(state, sid);
      return has(state, at, sid) ? at + 1 : at;
    },
    slice: (from, before) =>
      Array.from(
        { length: Math.max(0, Math.min(before, state.length) - from) },
        (_, at) => prefix + hexAt(state, from + at),
      ),
  };
}

const hexAt = ({ bytes }: State, at: number): string =>
  bytes.subarray(at * width, (at + 1) * width).toHex();

const has = (state: State, at: number, sid: string): boolean =>
  at < state.length && state.prefix + hexAt(state, at) === sid;

/** The position of the first Sid that is not newer than this one. */
function firstNotNewer(state: State, sid: string): number {
  const hex = sid.slice(state.prefix.length);
  let [low, high] = [0, state.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hexAt(state, middle) > hex) low = middle + 1;
    else high = middle;
  }
  return low;
}

function append(state: State, sids: string[]): void {
  const { prefix, length } = state;
  const needed = (length + sids.length) * width;
  if (needed > state.bytes.length) {
    const longer = new Uint8Array(Math.max(needed, 2 * state.bytes.length));
    longer.set(state.bytes);
    state.bytes = longer;
  }
  // One conversion of all: an allocation for each would cost more than the scan.
  const hex = sids.map((sid) => sid.slice(prefix.length)).join("");
  state.bytes.subarray(length * width).setFromHex(hex);
  state.length += sids.length;
}

function settle(state: State, sids: string[], wanted: ReadonlySet<string>): void {
  const { bytes, length } = state;
  const settled = new Uint8Array((length + sids.length) * width);
  let [from, size] = [0, 0];
  const copyTo = (end: number) => {
    settled.set(bytes.subarray(from * width, end * width), size * width);
    size += end - from;
    from = end;
  };
  for (const sid of sids) {
    copyTo(firstNotNewer(state, sid));
    if (has(state, from, sid)) from++;
    if (wanted.has(sid)) settled.set(ordOf(sid), size++ * width);
  }
  copyTo(length);
  [state.bytes, state.length] = [settled, size];
}

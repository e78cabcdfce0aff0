import { bytesIn, messageOf, numberIn, repeatedIn } from "./protobuf.ts";

/** Value and version of a key. */
interface Held {
  data: Uint8Array;
  encoding: number;
  version: number;
}

/** A store of KV Connect: reads, writes and watches, as messages of its protocol. */
export interface KvEntries {
  read(request: Uint8Array): Uint8Array<ArrayBuffer>;
  /** The most entries that a range of a read requests. */
  mostOf(request: Uint8Array): number;
  /** Throws a RangeError for more than the protocol allows in one write. */
  write(request: Uint8Array): Uint8Array<ArrayBuffer>;
  /** The state of a watch's keys now; called again after every write. */
  watch(request: Uint8Array, changed: () => void): { state(): Uint8Array; stop(): void };
}

const checksAtOnce = 10;
const mutationsAtOnce = 1_000;
const rangesAtOnce = 10;
const unsigned64 = 2;

/** Keeps keys in memory, sorted: their hex digits sort as their bytes do. */
export function kvEntries(): KvEntries {
  const held = new Map<string, Held>();
  const sorted: string[] = [];
  const watching = new Set<() => void>();
  let version = 0;

  /** Position of a key in the order, also if it is not there. */
  function placeOf(key: string): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function put(key: string, value: Held): void {
    if (!held.has(key)) sorted.splice(placeOf(key), 0, key);
    held.set(key, value);
  }

  function drop(key: string): void {
    if (held.delete(key)) sorted.splice(placeOf(key), 1);
  }

  function entry(key: string): Uint8Array {
    const { data, encoding, version } = held.get(key)!;
    return messageOf([[1, Uint8Array.fromHex(key)], [2, data], [3, encoding], [4, stamp(version)]]);
  }

  function range(request: Uint8Array): Uint8Array {
    const [from, before] = [1, 2].map((number) => placeOf(bytesIn(request, number).toHex()));
    const [limit, isReverse] = [numberIn(request, 3), numberIn(request, 4) === 1];
    const keys = isReverse
      ? sorted.slice(Math.max(from!, before! - limit), before).reverse()
      : sorted.slice(from, Math.min(before!, from! + limit));
    return messageOf(keys.map((key) => [1, entry(key)]));
  }

  /** Returns whether a key still has the version that a writer has seen. */
  function holds(check: Uint8Array): boolean {
    const seen = bytesIn(check, 2).toHex();
    const now = held.get(bytesIn(check, 1).toHex());
    return now === undefined ? seen === "" : seen === stamp(now.version).toHex();
  }

  function mutate(mutation: Uint8Array): void {
    const key = bytesIn(mutation, 1).toHex();
    const value = bytesIn(mutation, 2);
    const [data, encoding, type] = [bytesIn(value, 1), numberIn(value, 2), numberIn(mutation, 3)];
    if (type === 2) return drop(key);
    if (type === 1) return put(key, { data, encoding, version });
    if (type === 9) return put(versioned(key, version), { data, encoding, version });
    const before = held.get(key);
    if (before !== undefined && before.encoding !== unsigned64) throw new RangeError("no number");
    const result = before === undefined ? data : arithmetic[type]!(before.data, data);
    put(key, { data: result, encoding: unsigned64, version });
  }

  return {
    mostOf: (request) => Math.max(0, ...repeatedIn(request, 1).map((range) => numberIn(range, 3))),
    read(request) {
      const ranges = repeatedIn(request, 1);
      if (ranges.length > rangesAtOnce) throw new RangeError("too many ranges");
      return messageOf([...ranges.map((one) => [1, range(one)] as [number, Uint8Array]), [4, 1], [
        8,
        1,
      ]]);
    },
    write(request) {
      const [checks, mutations] = [repeatedIn(request, 1), repeatedIn(request, 2)];
      const isTooMuch = checks.length > checksAtOnce || mutations.length > mutationsAtOnce;
      if (isTooMuch || repeatedIn(request, 3).length > 0) throw new RangeError("too much");
      const failed = checks.flatMap((check, at) => holds(check) ? [] : [at]);
      if (failed.length > 0) return messageOf([[1, 2], ...failed.map((at) => [4, at] as Failed)]);
      version++;
      mutations.forEach(mutate);
      for (const changed of watching) changed();
      return messageOf([[1, 1], [2, stamp(version)]]);
    },
    watch(request, changed) {
      const keys = repeatedIn(request, 1).map((key) => bytesIn(key, 1).toHex());
      const seen = keys.map(() => -1);
      watching.add(changed);
      return {
        state() {
          const outputs = keys.map((key, at) => {
            const now = held.get(key)?.version ?? 0;
            const isNew = seen[at] !== now;
            seen[at] = now;
            if (!isNew) return messageOf([]);
            return now === 0 ? messageOf([[1, 1]]) : messageOf([[1, 1], [2, entry(key)]]);
          });
          return messageOf([[1, 1], ...outputs.map((one) => [2, one] as [number, Uint8Array])]);
        },
        stop: () => void watching.delete(changed),
      };
    },
  };
}

type Failed = [number: number, at: number];

/** A version as the ten bytes of a versionstamp. */
function stamp(version: number): Uint8Array {
  const bytes = new Uint8Array(10);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(version));
  return bytes;
}

/** A key with the version of its commit behind it, as a text. */
const versioned = (key: string, version: number): string => {
  const text = new TextEncoder().encode(stamp(version).toHex());
  return `${key}02${text.toHex()}00`;
};

const numberOf = (data: Uint8Array): bigint =>
  new DataView(data.buffer, data.byteOffset).getBigUint64(0, true);

function dataOf(number: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, number, true); // Wraps, as sums do.
  return bytes;
}

/** By the number of the mutation type: sum, max, min. */
const arithmetic: Record<number, (one: Uint8Array, other: Uint8Array) => Uint8Array> = {
  3: (one, other) => dataOf(numberOf(one) + numberOf(other)),
  4: (one, other) => numberOf(one) > numberOf(other) ? one : other,
  5: (one, other) => numberOf(one) < numberOf(other) ? one : other,
};

import { type Batch, keyBytes, keyBytesOf, nameOf } from "./batch.ts";
import { bucketId, bucketIn, deepestOf, type DepthIn, levelAt } from "./counters.ts";

/** Below the bounds of Deno KV for one commit: 1000 mutations, 80 KiB of keys, 800 KiB with values. */
const groupMutations = 900;
const groupKeyBytes = 72 << 10;
const groupValueBytes = 640 << 10;

/** The most that a value of Deno KV takes, such as a record that is too long for JSON. */
const longValueBytes = 64 << 10;

/** Estimated bytes of a value that is neither bytes nor a record, such as a job: most take less. */
const otherValueBytes = 1 << 10;

/** A batch that waits for its commit. */
export interface Staged {
  batch: Batch;
}

/** The keys that a batch checks, as text. */
export const checkedBy = ({ checks }: Batch): string[] => checks.map(nameOf);

/** The keys of the limits that a batch takes from, as text. */
export const takenBy = ({ takings }: Batch): Iterable<string> => takings.keys();

/**
 * Takes as many batches of a queue as fit one commit. Two that check one key never share a commit: both checks would
 * hold, and the later batch would overwrite the earlier one. Nor are they under way at once: the
 * later one waits, with all that check its keys. `checked` are the keys that commits under way check.
 * Batches that take from one limit share a commit, which counts them together, but are not under way
 * at once either.
 */
export function takeGroup<T extends Staged>(
  queue: T[],
  { checks: mostChecks, isMade, checked: busy, depthIn }: {
    checks: number;
    /** Returns whether the store has to make a check. */
    isMade(check: Batch["checks"][number]): boolean;
    checked: ReadonlySet<string>;
    depthIn: DepthIn;
  },
): T[] {
  if (queue.length === 1 && busy.size === 0) return queue.splice(0);
  const group: T[] = [];
  const left: T[] = [];
  const [checked, blocked] = [new Set<string>(), new Set<string>(busy)];
  const taken = new Set<string>();
  const counters: Counters = { names: new Set(), buckets: new Map() };
  const size = { checks: 0, mutations: 0, keyBytes: 0, valueBytes: 0 };
  for (const [at, waiting] of queue.entries()) {
    const { batch } = waiting;
    const names = checkedBy(batch);
    const isWaiting = names.some((name) => blocked.has(name) || checked.has(name)) ||
      batch.takings.size > 0 && [...takenBy(batch)].some((name) => busy.has(name));
    if (isWaiting) {
      names.forEach((name) => blocked.add(name));
      left.push(waiting);
      continue;
    }
    let checks = size.checks + batch.checks.filter(isMade).length;
    for (const name of takenBy(batch)) if (!taken.has(name)) checks++;
    const moved = addCounters(batch, counters, depthIn);
    const written = batch.sets.length + batch.deletes.length + batch.due.length + moved.count;
    const mutations = size.mutations + written;
    const bytes = size.keyBytes + keyBytesOf(batch) + moved.keyBytes;
    const valueBytes = size.valueBytes + valueBytesOf(batch);
    const fits = checks <= mostChecks && mutations <= groupMutations && bytes <= groupKeyBytes &&
      valueBytes <= groupValueBytes;
    if (group.length > 0 && !fits) {
      left.push(...queue.slice(at));
      break;
    }
    for (const name of names) checked.add(name);
    for (const name of takenBy(batch)) taken.add(name);
    Object.assign(size, { checks, mutations, keyBytes: bytes, valueBytes });
    group.push(waiting);
  }
  queue.splice(0, queue.length, ...left);
  return group;
}

function valueBytesOf({ sets }: Batch): number {
  let bytes = 0;
  for (const { value, record } of sets) {
    if (value instanceof Uint8Array) bytes += value.length;
    else bytes += record === undefined ? otherValueBytes : longValueBytes;
  }
  return bytes;
}

/** Counters of a group, each listed once. */
interface Counters {
  /** The texts of the keys of those that are not by bucket. */
  names: Set<string>;
  /** The numbers of buckets (`bucketId`), by the text of their value's key. */
  buckets: Map<string, Set<number>>;
}

/**
 * Adds the counters that a batch moves or raises to `known`. Returns how many are new, and an upper
 * estimate of the bytes of their keys.
 */
function addCounters(
  { counts, sums, raises }: Batch,
  known: Counters,
  depthIn: DepthIn,
): { count: number; keyBytes: number } {
  const added = { count: 0, keyBytes: 0 };
  for (const numbers of [sums, raises]) {
    for (const [name, { key }] of numbers) {
      if (known.names.has(name)) continue;
      known.names.add(name);
      added.count++;
      added.keyBytes += keyBytes(key);
    }
  }
  for (const [text, moves] of counts) {
    const buckets = known.buckets.get(text) ?? new Set();
    const before = buckets.size;
    for (const bucket of moves.buckets.keys()) {
      for (let number = deepestOf(moves, { text, bucket, depthIn }); number > 0; number--) {
        const level = levelAt(number);
        const id = bucketId(bucketIn(bucket, level), level);
        if (buckets.has(id)) break; // With all coarser ones.
        buckets.add(id);
      }
    }
    known.buckets.set(text, buckets);
    const count = buckets.size - before;
    added.count += count;
    added.keyBytes += count * (keyBytes(moves.key) + 18); // And two numbers: the level and the bucket.
  }
  return added;
}

import { type Batch, keyBytes, keyBytesOf, keyText } from "./batch.ts";
import { bucketAt, type DepthIn, finestOf, levelAt } from "./counters.ts";

/** Below the bounds of Deno KV for one commit: 1000 mutations, 80 KiB of keys. */
const groupMutations = 900;
const groupKeyBytes = 72 << 10;

/** A batch that waits for its commit. */
export interface Staged {
  batch: Batch;
}

/** The keys that a batch checks, as text. */
export const checkedBy = ({ checks }: Batch): string[] => checks.map(({ key }) => keyText(key));

/**
 * Takes as many batches of a queue as fit one commit. Two that check one key never share a commit: both checks would
 * hold, and the later batch would overwrite the earlier one. Nor are they under way at once: the
 * later one waits, with all that check its keys. `checked` are the keys that commits under way check.
 */
export function takeGroup<T extends Staged>(
  queue: T[],
  { checks: mostChecks, checked: busy, depthIn }: {
    checks: number;
    checked: ReadonlySet<string>;
    depthIn: DepthIn;
  },
): T[] {
  if (queue.length === 1 && busy.size === 0) return queue.splice(0);
  const group: T[] = [];
  const left: T[] = [];
  const [checked, blocked] = [new Set<string>(), new Set<string>(busy)];
  const counters = new Set<string>();
  const size = { mutations: 0, keyBytes: 0 };
  for (const [at, waiting] of queue.entries()) {
    const { batch } = waiting;
    const names = checkedBy(batch);
    if (names.some((name) => blocked.has(name) || checked.has(name))) {
      names.forEach((name) => blocked.add(name));
      left.push(waiting);
      continue;
    }
    const moved = addCounters(batch, counters, depthIn);
    const written = batch.sets.length + batch.deletes.length + batch.due.length + moved.count;
    const mutations = size.mutations + written;
    const bytes = size.keyBytes + keyBytesOf(batch) + moved.keyBytes;
    const fits = checked.size + names.length <= mostChecks && mutations <= groupMutations &&
      bytes <= groupKeyBytes;
    if (group.length > 0 && !fits) {
      left.push(...queue.slice(at));
      break;
    }
    for (const name of names) checked.add(name);
    Object.assign(size, { mutations, keyBytes: bytes });
    group.push(waiting);
  }
  queue.splice(0, queue.length, ...left);
  return group;
}

/**
 * Adds the names of the counters that a batch moves or raises to `known`. Returns how many are new,
 * and an upper estimate of the bytes of their keys.
 */
function addCounters(
  { counts, sums, raises }: Batch,
  known: Set<string>,
  depthIn: DepthIn,
): { count: number; keyBytes: number } {
  const added = { count: 0, keyBytes: 0 };
  const add = (name: string, bytes: number) => {
    known.add(name);
    added.count++;
    added.keyBytes += bytes;
  };
  for (const [name, { key }] of sums) if (!known.has(name)) add(name, keyBytes(key));
  for (const [name, { key }] of raises) if (!known.has(name)) add(name, keyBytes(key));
  for (const [text, moves] of counts) {
    for (const { ms, deepest } of finestOf(text, moves, depthIn)) {
      for (let number = deepest; number > 0; number--) {
        const name = `${text}${number}/${bucketAt(ms, levelAt(number))}`;
        if (known.has(name)) break; // With all coarser ones.
        add(name, keyBytes(moves.key) + 18); // And two numbers: the level and the bucket.
      }
    }
  }
  return added;
}

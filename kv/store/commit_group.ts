import { type Batch, keyBytesOf, keyText } from "./batch.ts";
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
    const moved = newCounters(batch, counters, depthIn);
    const written = batch.sets.length + batch.deletes.length + batch.due.length + moved.size;
    const mutations = size.mutations + written;
    const keyBytes = size.keyBytes + keyBytesOf(batch, moved);
    const fits = checked.size + names.length <= mostChecks && mutations <= groupMutations &&
      keyBytes <= groupKeyBytes;
    if (group.length > 0 && !fits) {
      left.push(...queue.slice(at));
      break;
    }
    names.forEach((name) => checked.add(name));
    moved.forEach((name) => counters.add(name));
    Object.assign(size, { mutations, keyBytes });
    group.push(waiting);
  }
  queue.splice(0, queue.length, ...left);
  return group;
}

/** The counters that a batch moves or raises and that are not known yet, by name. */
function newCounters(
  { counts, sums, raises }: Batch,
  known: ReadonlySet<string>,
  depthIn: DepthIn,
): Set<string> {
  const found = new Set<string>();
  for (const name of [...sums.keys(), ...raises.keys()]) if (!known.has(name)) found.add(name);
  for (const [text, moves] of counts) {
    for (const { ms, deepest } of finestOf(text, moves, depthIn)) {
      for (let number = deepest; number > 0; number--) {
        const name = `${text}${number}/${bucketAt(ms, levelAt(number))}`;
        if (known.has(name) || found.has(name)) break; // With all coarser ones.
        found.add(name);
      }
    }
  }
  return found;
}

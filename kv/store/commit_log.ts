/**
 * A log of commits during a backup of KV Connect, which reads one page of a list at one moment and no older
 * state. Listing until nothing changes never ends under load; holding all writes takes minutes. So a notice
 * in the store, which every commit checks, makes each commit hold its own log entry. The backup copies all
 * pages, removes the notice, and applies the log to each key whose copy is older: all of the moment at
 * which the notice was removed. A commit has one check more at all times (190 calls a second in place of
 * 192).
 */
import { Deserializer, Serializer } from "node:v8";
import { keys } from "./keys.ts";
import {
  type AtomicCheck,
  type AtomicOperation,
  type KeyValueStore,
  type KvKey,
  type KvMade,
  KvU64,
} from "./key_value_store.ts";

/** Change of one key by a commit. */
export type Logged =
  | { does: "set"; key: KvKey; value: unknown }
  | { does: "delete"; key: KvKey }
  | { does: "sum" | "min" | "max" | "count"; key: KvKey; by: bigint };

/** Notice in the store of the backup that is under way, if there is one. */
interface Notice {
  /** Of the entry `keys.backup`; null: there was no backup yet. */
  versionstamp: string | null;
  /** Of the backup that is under way. */
  id: string | null;
}

/** Adds to a commit what no backup has. */
export type StageMore = (
  op: AtomicOperation,
  written: {
    checks: AtomicCheck[];
    sets: { key: KvKey; value: unknown }[];
    deletes: KvKey[];
  },
) => void;

/** A value of KV has 64 KiB at most. */
const chunkBytes = 60_000;

/** For how long the store keeps the log of a backup that was killed, in ms. */
const logKeptMs = 86_400_000;

/**
 * A handle on a store that other processes write to, whose commits are logged in the store while a
 * backup is under way. Each commit checks the version of the backup's notice that this process has
 * read, and contains its own log entry. So the log has every commit between the notice and its end,
 * of every process. A commit whose check of the notice failed is made again.
 */
export function withCommitLog(kv: KeyValueStore, stageMore: StageMore = () => {}): KeyValueStore {
  let known: Notice | undefined;
  const read = async (): Promise<Notice> => {
    const { value, versionstamp } = await kv.get<{ id: string | null }>(keys.backup);
    return { versionstamp, id: value?.id ?? null };
  };

  async function commit(checks: AtomicCheck[], logged: Logged[]) {
    for (;;) {
      const notice = known ??= await read();
      const op = kv.atomic().check(...checks, {
        key: keys.backup,
        versionstamp: notice.versionstamp,
      });
      for (const one of logged) apply(op, one);
      if (notice.id !== null) stageLog(op, notice.id, logged);
      stageMore(op, writtenBy(checks, logged));
      const result = await op.commit();
      if (result.ok) return result;
      known = await read();
      if (known.versionstamp === notice.versionstamp) return result;
    }
  }

  function atomic(): AtomicOperation {
    const checks: AtomicCheck[] = [];
    const logged: Logged[] = [];
    const add = (one: Logged) => (logged.push(one), self);
    const self: AtomicOperation = {
      check: (...more) => (checks.push(...more), self),
      set: (key, value, options) => options ? unlogged("expiry") : add(setting(key, value)),
      delete: (key) => add({ does: "delete", key }),
      sum: (key, by) => add({ does: "sum", key, by }),
      min: (key, by) => add({ does: "min", key, by }),
      max: (key, by) => add({ does: "max", key, by }),
      setAtVersion: () => unlogged("key with its version"),
      commit: () => commit(checks, logged),
    };
    return self;
  }

  return {
    ...kv,
    atomic,
    set: async (key, value, options) =>
      // Without checks of its own a commit is made, or throws.
      await atomic().set(key, value, options).commit() as KvMade,
    async delete(key) {
      await commit([], [{ does: "delete", key }]);
    },
  };
}

const writtenBy = (checks: AtomicCheck[], logged: Logged[]) => ({
  checks,
  sets: logged.filter((one) => one.does === "set"),
  deletes: logged.flatMap((one) => one.does === "delete" ? [one.key] : []),
});

const setting = (key: KvKey, value: unknown): Logged =>
  value instanceof KvU64 ? { does: "count", key, by: value.value } : { does: "set", key, value };

function unlogged(what: string): never {
  throw new Error(`A store of several processes has no ${what}: its commits are logged`);
}

function apply(op: AtomicOperation, one: Logged): void {
  if (one.does === "set") op.set(one.key, one.value);
  else if (one.does === "delete") op.delete(one.key);
  else if (one.does === "count") op.set(one.key, new KvU64(one.by));
  else op[one.does](one.key, one.by);
}

function stageLog(op: AtomicOperation, id: string, logged: Logged[]): void {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(logged.map(withOwnBytes));
  const bytes = serializer.releaseBuffer();
  const commit = crypto.randomUUID();
  for (let n = 0; n * chunkBytes < bytes.length; n++) {
    const chunk = new Uint8Array(bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes));
    op.set(keys.logged(id, commit, n), chunk, { expireIn: logKeptMs });
  }
}

/** V8 writes the whole buffer of bytes that are a part of it. */
function withOwnBytes(one: Logged): Logged {
  const key = one.key.map(ownBytes);
  return one.does === "set" ? { ...one, key, value: ownBytes(one.value) } : { ...one, key };
}

const ownBytes = <T>(value: T): T => value instanceof Uint8Array ? value.slice() as T : value;

/** The changes in a log entry, from its chunks. */
export function readLogged(bytes: Uint8Array): Logged[] {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}

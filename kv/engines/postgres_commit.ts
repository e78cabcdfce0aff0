import {
  type AtomicCheck,
  type AtomicOperation,
  type KvCommitResult,
  type KvKey,
  type KvSetOptions,
  KvU64,
} from "../store/key_value_store.ts";
import { keyBytes } from "./key_bytes.ts";
import type { PostgresPool, Query } from "./postgres_pool.ts";
import {
  bytesArray,
  digitsIn,
  numbersArray,
  type StoredValue,
  storedValue,
} from "./postgres_values.ts";

/** Kinds of counting, by their numbers in `switchboard_commit`. */
const counting = { sum: 1, min: 2, max: 3 } as const;
type Counting = keyof typeof counting;

/** Marks an entry whose key ends with the version of the commit. */
const atVersion = 10;

/** Final effect of a commit on a key. */
type Write =
  | { does: "delete" }
  | { does: "set"; stored: StoredValue; span: number | null; isAtVersion: boolean }
  | { does: Counting; by: bigint };

/** Bounds of a commit, as in Deno KV, but for the checks: one statement makes them all. */
export const mostChecks = 100;
const [mostWrites, mostKeyBytes, mostBytes] = [1_000, 81_920, 819_200];

/**
 * Makes commits, one after the other. The server stores the number of its last one, so that a
 * commit whose response was lost is sent again, and is made once.
 */
export interface Writer {
  id: string;
  made: number;
}

/** Writers that have nothing to do. */
export function writers() {
  const idle: Writer[] = [];
  return {
    async using<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
      const writer = idle.pop() ?? { id: crypto.randomUUID(), made: 0 };
      writer.made++;
      const result = await work(writer);
      idle.push(writer); // One whose commit failed may still make it: it is used no more.
      return result;
    },
  };
}

export function postgresCommit(
  pool: Pick<PostgresPool, "ask">,
  { using }: ReturnType<typeof writers>,
): AtomicOperation {
  const checks: AtomicCheck[] = [];
  const writes: { key: KvKey; write: Write }[] = [];
  const add = (key: KvKey, write: Write) => (writes.push({ key, write }), self);
  const set = (
    key: KvKey,
    value: unknown,
    options: KvSetOptions | undefined,
    isAtVersion = false,
  ) =>
    add(key, {
      does: "set",
      stored: storedValue(value),
      span: options?.expireIn ?? null,
      isAtVersion,
    });
  const self: AtomicOperation = {
    check: (...more) => (checks.push(...more), self),
    set: (key, value, options) => set(key, value, options),
    setAtVersion: (prefix, value, options) => set(prefix, value, options, true),
    delete: (key) => add(key, { does: "delete" }),
    sum: (key, by) => add(key, { does: "sum", by }),
    min: (key, to) => add(key, { does: "min", by: to }),
    max: (key, to) => add(key, { does: "max", by: to }),
    async commit(): Promise<KvCommitResult> {
      const asked = argumentsOf(checks, writes);
      const [[version] = []] = await using((writer) => pool.ask(queryOf(writer, asked)));
      return version ? { ok: true, versionstamp: digitsIn(version) } : { ok: false };
    },
  };
  return self;
}

const types = "uuid bigint bytea[] bytea[] bytea[] bytea[] bigint[] bytea[] bigint[] bigint[] " +
  "bytea[] bigint[] bigint[]";
const text = `select switchboard_commit(${
  types.split(" ").map((type, at) => `$${at + 1}::${type}`).join(", ")
})`;

const queryOf = ({ id, made }: Writer, asked: Uint8Array[]): Query => ({
  name: "switchboard_commit",
  text,
  values: [id, String(made), ...asked],
});

/** The arrays that the function takes. Throws a TypeError for more than a commit may have. */
function argumentsOf(checks: AtomicCheck[], writes: { key: KvKey; write: Write }[]): Uint8Array[] {
  if (checks.length > mostChecks) throw tooMany("checks", mostChecks);
  if (writes.length > mostWrites) throw tooMany("writes", mostWrites);
  const checked = checks.map(({ key, versionstamp }) => ({
    key: keyBytes(key),
    version: versionstamp === null ? null : Uint8Array.fromHex(versionstamp),
  }));
  const all = folded(writes);
  const sizes = [...checked, ...all].map(({ key }) => key.length);
  const keySize = sizes.reduce((sum, size) => sum + size, 0);
  if (keySize > mostKeyBytes) throw tooMany("bytes of keys", mostKeyBytes);
  const [deletes, sets, counts] = [[], [], []] as [Uint8Array[], SetWrite[], CountWrite[]];
  for (const { key, write } of all) {
    if (write.does === "delete") deletes.push(key);
    else if (write.does === "set") sets.push({ key, ...write });
    else counts.push({ key, ...write });
  }
  const valueSize = sets.reduce((sum, { stored }) => sum + (stored.value?.length ?? 8), 0);
  if (keySize + valueSize > mostBytes) throw tooMany("bytes", mostBytes);
  return [
    bytesArray(checked.map(({ key }) => key)),
    bytesArray(checked.map(({ version }) => version)),
    bytesArray(deletes),
    bytesArray(sets.map(({ key }) => key)),
    numbersArray(
      sets.map(({ stored, isAtVersion }) => stored.kind + (isAtVersion ? atVersion : 0)),
    ),
    bytesArray(sets.map(({ stored }) => stored.value)),
    numbersArray(sets.map(({ stored }) => stored.number)),
    numbersArray(sets.map(({ span }) => span === null ? null : Math.ceil(span))),
    bytesArray(counts.map(({ key }) => key)),
    numbersArray(counts.map(({ does }) => counting[does])),
    numbersArray(counts.map(({ by }) => BigInt.asIntN(64, by))),
  ];
}

type SetWrite = { key: Uint8Array } & Extract<Write, { does: "set" }>;
type CountWrite = { key: Uint8Array } & Extract<Write, { by: bigint }>;

const tooMany = (what: string, most: number): TypeError =>
  new TypeError(`A commit has at most ${most} ${what}`);

/** Of all writes to a key what they come to, as they follow each other. */
function folded(writes: { key: KvKey; write: Write }[]): { key: Uint8Array; write: Write }[] {
  const all = new Map<string, { key: Uint8Array; write: Write }>();
  for (const { key: parts, write } of writes) {
    const key = keyBytes(parts);
    const name = key.toString("latin1") + (write.does === "set" && write.isAtVersion ? "@" : "");
    const before = all.get(name)?.write;
    all.set(name, { key, write: before === undefined ? write : after(before, write) });
  }
  return [...all.values()];
}

/** Combines a write with an earlier one of the same key. */
function after(before: Write, write: Write): Write {
  if (write.does === "delete" || write.does === "set") return write;
  if (before.does === "delete") return counterOf(write.by);
  if (before.does === "set") {
    if (before.stored.number === null) throw new TypeError("Cannot count with another value");
    return counterOf(counted(write.does, BigInt.asUintN(64, before.stored.number), write.by));
  }
  if (before.does !== write.does) throw new TypeError("Cannot count in two ways in one commit");
  return { does: write.does, by: counted(write.does, before.by, write.by) };
}

const counterOf = (value: bigint): Write => ({
  does: "set",
  stored: storedValue(new KvU64(value)),
  span: null,
  isAtVersion: false,
});

function counted(how: Counting, before: bigint, by: bigint): bigint {
  if (how === "sum") return BigInt.asUintN(64, before + by);
  return (how === "min") === (before < by) ? before : by;
}

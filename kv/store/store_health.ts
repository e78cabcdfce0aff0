import { AsyncLocalStorage } from "node:async_hooks";
import { Fault } from "../../core/base/faults.ts";
import type { Clocks } from "../../core/base/steady_clock.ts";
import type { StoreFailure } from "../../core/base/store_failure.ts";
import { keys } from "./keys.ts";
import type { KeyValueStore } from "./key_value_store.ts";

/**
 * State of a store's writes. A disk that is full or read-only, a broken disk and a server that is out
 * of reach are one condition here: the store cannot write. Small commits may still succeed on a full
 * disk, as SQLite reuses its log. So the store counts as writable again only once a large probe was
 * written, and an unknown error of a commit is the store's only if a probe fails too.
 */
export interface StoreHealth {
  /** The reason why commits fail now; null while they succeed. */
  failure(): StoreFailure | null;
  /** Milliseconds since the last failure ended; Infinity where there was none, 0 during one. */
  wellForMs(): number;
  /** Writes a small probe unless a commit was made within the last second. */
  check(): Promise<StoreFailure | null>;
  /** Resolves when the store can write. Rejects with the reason of the signal. */
  well(signal: AbortSignal): Promise<void>;
  /** Follows a write. Rejects with `StoreFault` where the store is the cause. */
  follow<T>(write: Promise<T>): Promise<T>;
  /** Counts an error of a commit as the store's: it was locked for too long. */
  failed(error: unknown): StoreFault;
  /** A handle on an embedded store whose writes are followed. */
  watch(kv: KeyValueStore): KeyValueStore;
  /** Adds a listener that is called with each change: the failure, or null at its end. */
  onChange(listener: (failure: StoreFailure | null) => void): void;
  close(): void;
}

/** A write that failed for the store's sake: the same write succeeds once the store is well. */
export class StoreFault extends Fault {
  constructor(reason: string, cause: unknown) {
    super("unavailable", `the store cannot write: ${reason}`, { cause });
  }
}

export interface StoreHealthOptions extends Clocks {
  /** The store is a server: a small probe proves as much as a large one. */
  isRemote?: boolean;
  /** Called with the kind of each write that failed for the store's sake. */
  onFailure?(kind: StoreFailure["kind"]): void;
}

/** Between two probes of a store that cannot write, and how long a commit proves that it can, in ms. */
const [probeMs, provenMs] = [1_000, 1_000];

/** Close to the most that a value of Deno KV takes: more than SQLite's log can hold. */
const probeBytes = 60_000;

/** Errors of SQLite by which the store is the cause, and their words for the operator. */
const reasons: readonly [RegExp, StoreFailure["kind"], string][] = [
  [/disk is full|no space left|ENOSPC|quota exceeded|EDQUOT/i, "full", "its disk is full"],
  [/readonly database|read-only file system|EROFS/i, "readonly", "its disk is read-only"],
  [/disk I\/O error|input\/output error|EIO\b/i, "io", "its disk reports I/O errors"],
  [/unable to open database|malformed|not a database/i, "io", "its file cannot be used"],
  [/does not respond|writes are disabled/i, "unreachable", "its server does not respond"],
];

/** SQLite's answer while another handle writes: the commit is repeated (`commitRetrying`). */
export const isLocked = (error: unknown): boolean => /database is locked|busy/i.test(String(error));

export function storeHealth(
  opened: KeyValueStore,
  { now, steadyNow, isRemote = false, onFailure = () => {} }: StoreHealthOptions,
): StoreHealth {
  const listeners: ((failure: StoreFailure | null) => void)[] = [];
  let failure: StoreFailure | null = null;
  let endedAt: number | undefined;
  let provenAt = -Infinity;
  let recovered = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let checking: Promise<void> | undefined;
  let isClosed = false;

  function fail(kind: StoreFailure["kind"], reason: string, cause: unknown): StoreFault {
    onFailure(kind);
    provenAt = -Infinity;
    if (failure === null && !isClosed) {
      failure = { kind, reason, since: now() };
      recovered = Promise.withResolvers();
      probeSoon();
      for (const listener of listeners) listener(failure);
    }
    return new StoreFault(reason, cause);
  }

  function probeSoon(): void {
    timer = setTimeout(async () => {
      await (isRemote ? writeSmall() : writeLarge()).then(recover, () => isClosed || probeSoon());
    }, probeMs);
  }

  function recover(): void {
    if (isClosed) return;
    failure = null;
    endedAt = steadyNow();
    provenAt = performance.now();
    recovered.resolve();
    for (const listener of listeners) listener(null);
  }

  /** A write that leaves nothing behind: SQLite counts it all the same. */
  const writeSmall = () => opened.delete(keys.probe);

  async function writeLarge(): Promise<void> {
    await opened.set(keys.probe, new Uint8Array(probeBytes));
    await writeSmall();
  }

  async function faultOf(error: unknown): Promise<unknown> {
    if (error instanceof StoreFault || isClosed || isLocked(error)) return error;
    const text = error instanceof Error ? error.message : String(error);
    const known = reasons.find(([pattern]) => pattern.test(text));
    if (known !== undefined) return fail(known[1], `${known[2]} (${shortOf(text)})`, error);
    // An error of the commit itself, such as a value that is too long, says nothing of the store.
    return await writeSmall().then(() => error, () => fail("other", shortOf(text), error));
  }

  async function follow<T>(write: Promise<T>): Promise<T> {
    try {
      const result = await write;
      provenAt = performance.now();
      return result;
    } catch (error) {
      throw await faultOf(error);
    }
  }

  async function well(signal: AbortSignal): Promise<void> {
    while (failure !== null) {
      signal.throwIfAborted();
      const aborted = Promise.withResolvers<void>();
      const abort = () => aborted.reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      await Promise.race([recovered.promise, aborted.promise])
        .finally(() => signal.removeEventListener("abort", abort));
    }
  }

  return {
    failure: () => failure,
    wellForMs() {
      if (failure !== null) return 0;
      return endedAt === undefined ? Infinity : Math.max(0, steadyNow() - endedAt);
    },
    async check() {
      if (failure !== null || performance.now() - provenAt < provenMs) return failure;
      checking ??= follow(writeSmall()).catch(() => {}).finally(() => checking = undefined);
      await checking;
      return failure;
    },
    well,
    follow,
    failed: (error) => fail("locked", "another process holds it", error),
    watch(kv) {
      return {
        ...kv,
        atomic() {
          const op = kv.atomic();
          const { commit } = op;
          return Object.assign(op, { commit: () => follow(commit()) });
        },
        set: (key, value, options) =>
          committing({ well }, () => follow(kv.set(key, value, options))),
        delete: (key) => committing({ well }, () => follow(kv.delete(key))),
      };
    },
    onChange: (listener) => void listeners.push(listener),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const shortOf = (text: string): string => text.replace(/^(\w*Error: )+/, "").slice(0, 200);

const waits = new AsyncLocalStorage<AbortSignal>();

/**
 * Runs work whose outside effect is not to be repeated: until the signal aborts, its commits wait
 * while the store cannot write, and are made then.
 */
export const patiently = <T>(signal: AbortSignal, work: () => T): T => waits.run(signal, work);

/** Makes a commit; within `patiently` again, once the store is well. */
export function committing<T>(
  health: Pick<StoreHealth, "well"> | undefined,
  commit: () => Promise<T>,
): Promise<T> {
  const signal = waits.getStore();
  return signal === undefined || health === undefined ? commit() : repeated(health, commit, signal);
}

async function repeated<T>(
  health: Pick<StoreHealth, "well">,
  commit: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await commit();
    } catch (error) {
      if (!(error instanceof StoreFault) || signal.aborted) throw error;
      await health.well(signal);
    }
  }
}

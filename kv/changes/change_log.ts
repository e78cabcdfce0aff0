import { keys } from "../store/keys.ts";
import { changesIn, type StagedChange, type Written } from "./stored_change.ts";
import type { AtomicOperation, KeyValueStore, KvEntryMaybe } from "../store/key_value_store.ts";

/**
 * The log of changes in a store that several processes write to. Each process adds the changes of a
 * commit to that commit, for followed accounts only: other commits cost nothing more.
 */
export interface ChangeLog {
  /** Adds the changes of a commit to it. */
  stage(op: AtomicOperation, written: Written): void;
  /** Has all processes log the changes of an account for an hour; to be repeated before that. */
  register(account: bigint): Promise<void>;
  close(): void;
}

/** A change in the log. The value is null if it did not fit, or if the record was removed. */
export type LoggedChange = [
  sid: string,
  change: StagedChange["change"],
  value: unknown,
  bytes: number,
];

/** The account numbers that are followed, each until when in ms. */
type Followed = Record<string, number>;

/** In ms: retention of a change in the log, and of following an account without a renewal. */
const [keptMs, followedMs] = [10 * 60_000, 60 * 60_000];

/** A value of KV has 64 KiB at most; of it so much is for records. */
const valueBytes = 50_000;

/** In ms, before a watch that failed is opened again. */
const againMs = 1_000;

interface LogOptions {
  now(): number;
  onError(error: unknown): void;
}

export function changeLog(kv: KeyValueStore, { now, onError }: LogOptions): ChangeLog {
  const known = watchFollowed(kv, onError);
  return {
    stage(op, written) {
      const { accounts } = known;
      if (Object.keys(accounts).length === 0) return;
      for (const [account, changes] of Map.groupBy(changesIn(written), (one) => one.account)) {
        if (!((accounts[String(account)] ?? 0) > now())) continue;
        op.setAtVersion(keys.changesOf(account), logged(changes), { expireIn: keptMs });
        op.set(keys.changed(account), true);
      }
    },
    async register(account) {
      const name = String(account);
      for (;;) {
        const entry = await kv.get<Followed>(keys.followed);
        const { key, value, versionstamp } = entry;
        known.adopt(entry);
        const until = value?.[name] ?? 0;
        if (until > now() + followedMs / 2) return;
        const others = Object.entries(value ?? {}).filter(([, until]) => until > now());
        const next = { ...Object.fromEntries(others), [name]: now() + followedMs };
        const op = kv.atomic().check({ key, versionstamp }).set(key, next);
        // Before this entry the log lacks changes.
        if (until <= now()) op.setAtVersion(keys.changesOf(account), [], { expireIn: keptMs });
        const result = await op.commit();
        if (result.ok) return known.adopt({ value: next, versionstamp: result.versionstamp });
      }
    },
    close: known.close,
  };
}

type FollowedEntry = Pick<KvEntryMaybe<Followed>, "value" | "versionstamp">;

/** Watches the accounts that any process follows. */
function watchFollowed(kv: KeyValueStore, onError: LogOptions["onError"]) {
  let version = "";
  let isClosed = false;
  let reader: ReadableStreamDefaultReader<FollowedEntry> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const known = {
    accounts: {} as Followed,
    /** Ignores a version that is not newer: a watch may deliver one that was read before. */
    adopt({ value, versionstamp }: FollowedEntry): void {
      if (versionstamp === null || versionstamp <= version) return;
      version = versionstamp;
      known.accounts = value ?? {};
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      reader?.cancel().catch(() => {}); // It failed before.
    },
  };
  async function watch(): Promise<void> {
    try {
      reader = kv.watch<Followed>(keys.followed).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        known.adopt(value);
      }
    } catch (error) {
      if (!isClosed) onError(error);
    }
    if (!isClosed) timer = setTimeout(watch, againMs);
  }
  void watch();
  return known;
}

function logged(changes: readonly StagedChange[]): LoggedChange[] {
  let room = valueBytes;
  return changes.map(({ sid, change, value, bytes }) => {
    const fits = value instanceof Uint8Array && value.length <= room;
    if (fits) room -= value.length;
    return [sid, change, fits ? value : null, bytes];
  });
}

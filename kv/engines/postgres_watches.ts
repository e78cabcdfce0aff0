import type { Client } from "./pg.d.ts";
import type { KvEntryMaybe, KvKey } from "../store/key_value_store.ts";
import { keyBytes } from "./key_bytes.ts";
import type { PostgresPool } from "./postgres_pool.ts";
import { bytesArray } from "./postgres_values.ts";

/**
 * Watches of entries. A table has the watched keys, so that a commit sends one notification for
 * them, and none for others. A connection of its own listens. In addition, all watched entries are
 * read every few seconds, and after each reconnection: a lost notification is late, not missed.
 */
export interface Watches {
  watch<T>(key: KvKey): ReadableStream<KvEntryMaybe<T>>;
  close(): void;
}

type ReadMany = (keys: readonly KvKey[]) => Promise<KvEntryMaybe<unknown>[]>;

/** In ms: between two reads of everything with notifications and without, and two attempts to listen. */
const [pollMs, pollOnlyMs, againMs] = [3_000, 500, 500];

/** In ms: retention of a key in the table, and time until it is put there again. */
const [registeredMs, renewedMs] = [120_000, 30_000];

interface Watch {
  key: KvKey;
  hex: string;
  /** The version that was delivered last; undefined before the first one. */
  told: string | null | undefined;
  tell(entry: KvEntryMaybe<unknown>): void;
}

export function postgresWatches(
  pool: Pick<PostgresPool, "ask" | "connect">,
  read: ReadMany,
  { listens }: { listens: boolean },
): Watches {
  const all = new Set<Watch>();
  let listening: Promise<void> | undefined;
  let client: Client | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let registeredAt = -Infinity;
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let isDue = false;

  /** Reads all watched entries; once more after a look that is under way. */
  function look(): Promise<void> {
    isDue = true;
    return looking ??= (async () => {
      while (isDue && !isClosed) {
        isDue = false;
        await lookOnce().catch(() => {}); // The next look follows.
      }
    })().finally(() => looking = undefined);
  }

  async function lookOnce(): Promise<void> {
    if (performance.now() - registeredAt > renewedMs) await register();
    const watched = [...all];
    if (watched.length === 0) return;
    const entries = await read(watched.map(({ key }) => key));
    for (const [at, one] of watched.entries()) {
      const entry = entries[at]!; // One for each key.
      const isOlder = typeof one.told === "string" && entry.versionstamp !== null &&
        entry.versionstamp < one.told;
      if (entry.versionstamp === one.told || isOlder) continue;
      one.told = entry.versionstamp;
      if (all.has(one)) one.tell(entry);
    }
  }

  async function register(): Promise<void> {
    const keys = [...all].map(({ key }) => keyBytes(key));
    await pool.ask({
      name: "switchboard_register",
      text: `insert into switchboard_watched (key, ends_at)
        select distinct k.key, (extract(epoch from clock_timestamp()) * 1000)::bigint + ${registeredMs}
        from unnest($1::bytea[]) as k(key) order by 1
        on conflict (key) do update set ends_at = excluded.ends_at`,
      values: [bytesArray(keys)],
    });
    registeredAt = performance.now();
  }

  async function listen(): Promise<void> {
    try {
      const opened = await pool.connect();
      if (isClosed) return void opened.end().catch(() => {});
      client = opened;
      opened.on("notification", ({ payload = "" }) => {
        for (const { hex } of all) if (payload.includes(hex)) return void look();
      });
      const ended = new Promise<void>((end) =>
        opened.on("end", () => end()).on("error", () => end())
      );
      await opened.query("listen switchboard");
      void look();
      await ended;
    } catch {
      // It is tried again below.
    }
    client = undefined;
    if (!isClosed) again = setTimeout(() => listening = listen(), againMs);
  }

  function begin(): void {
    timer ??= setInterval(() => void look(), listens ? pollMs : pollOnlyMs);
    if (listens) listening ??= listen();
  }

  return {
    watch<T>(key: KvKey) {
      let watch: Watch;
      /** The latest state, which the reader has not taken yet. */
      let latest: KvEntryMaybe<T> | undefined;
      const give = (controller: ReadableStreamDefaultController<KvEntryMaybe<T>>) => {
        if (latest === undefined || (controller.desiredSize ?? 0) <= 0) return;
        const entry = latest;
        latest = undefined; // The stream may pull again at once.
        controller.enqueue(entry);
      };
      return new ReadableStream<KvEntryMaybe<T>>({
        start(controller) {
          watch = {
            key,
            hex: keyBytes(key).toString("hex"),
            told: undefined,
            tell(entry) {
              latest = entry as KvEntryMaybe<T>;
              give(controller);
            },
          };
          all.add(watch);
          registeredAt = -Infinity;
          begin();
          void look();
        },
        pull: give,
        cancel() {
          all.delete(watch);
        },
      });
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(again);
      void client?.end().catch(() => {});
    },
  };
}

import { backup, DatabaseSync } from "node:sqlite";
import { backupLimits } from "./limits.ts";
import type { Entry } from "./entries.ts";

/** The entries of a store, all as they were at one moment. */
export interface Snapshot extends AsyncDisposable {
  /** How many there are; null where that is unknown before they are read. */
  total: number | null;
  entries(): AsyncIterable<Entry>;
}

/** SQLite's own files beside a file. */
const endings = ["", "-wal", "-shm", "-journal"];

/**
 * A frozen copy of the store in a file, beside it, made by SQLite's online backup: a service may write
 * meanwhile. All pages are copied in one step, which is one read transaction, so the copy holds every
 * commit before the step began. Disposal removes the copy, and so does the next backup after a crash.
 */
export async function fileSnapshot(location: string): Promise<Snapshot> {
  await Deno.stat(location).catch((cause) => {
    throw new Error(`Cannot save the store: there is none at ${location}`, { cause });
  });
  const copy = `${location}.backup`;
  const lock = await lockOf(copy);
  const remove = async () => {
    for (const ending of endings) await Deno.remove(copy + ending).catch(ignoreAbsent);
  };
  const end = async () => {
    await remove();
    lock.close();
  };
  try {
    await remove();
    // An empty file is an empty database. What SQLite adds beside it gets the same permissions.
    (await Deno.open(copy, { createNew: true, write: true, mode: 0o600 })).close();
    const total = await copyPages(location, copy);
    const kv = await Deno.openKv(copy);
    return {
      total,
      entries: () => kv.list({ prefix: [] }, { batchSize: backupLimits.readAtOnce }),
      async [Symbol.asyncDispose]() {
        kv.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Copies the database in a file; returns the number of its entries. */
async function copyPages(location: string, copy: string): Promise<number> {
  {
    using source = new DatabaseSync(location);
    const { page_count: pages } = source.prepare("pragma page_count").get() as {
      page_count: number;
    };
    // More than there are: the write-ahead log may hold pages that the count lacks.
    await backup(source, copy, { rate: Math.min(pages * 2 + 1_000_000, 2 ** 31 - 1) });
  }
  using database = new DatabaseSync(copy);
  return Number(database.prepare("select count(*) as total from kv").get()?.total);
}

/** Holds off a second backup of the same store. */
async function lockOf(copy: string): Promise<Deno.FsFile> {
  const file = await Deno.open(`${copy}.lock`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return file;
  file.close();
  throw new Error("Cannot make a backup: another one is under way");
}

function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

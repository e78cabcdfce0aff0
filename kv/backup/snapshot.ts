/**
 * Snapshots of a running store. SQLite's online backup in one step is one read transaction in the
 * write-ahead log: writers go on, and the copy is of one moment. A plain copy of the files came back with
 * 13 of 18 calls. `VACUUM INTO` needs ATTACH, which Deno allows with all permissions only; the backup in
 * steps begins anew at each write; a request to the service could not save the store of a stopped one.
 */
import { backup, DatabaseSync } from "node:sqlite";
import { openLocation } from "../engines/open_location.ts";
import { backupLimits } from "./limits.ts";
import type { Entry } from "./entries.ts";

/** The entries of a store, all as they were at one moment. */
export interface Snapshot extends AsyncDisposable {
  /** Number of entries; null if it is unknown before they are read. */
  total: number | null;
  entries(): AsyncIterable<Entry>;
}

/** A file beside that of a store, for the time of a backup. */
export interface Scratch {
  path: string;
  remove(): Promise<void>;
}

/** SQLite's own files beside a file. */
const endings = ["", "-wal", "-shm", "-journal"];

/**
 * An empty database beside `location`, for its owner alone. Its removal lets the next backup begin,
 * which also removes what a killed one left.
 */
export async function openScratch(location: string): Promise<Scratch> {
  const path = `${location}.backup`;
  const lock = await lockOf(path);
  const removeFiles = async () => {
    for (const ending of endings) await Deno.remove(path + ending).catch(ignoreAbsent);
  };
  try {
    await removeFiles();
    // An empty file is an empty database. SQLite creates its other files with the same permissions.
    (await Deno.open(path, { createNew: true, write: true, mode: 0o600 })).close();
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    path,
    async remove() {
      await removeFiles();
      lock.close();
    },
  };
}

/**
 * A frozen copy of the store in a file, beside it, made by SQLite's online backup: a service may write
 * meanwhile. All pages are copied in one step, which is one read transaction, so the copy holds every
 * commit before the step began.
 */
export async function fileSnapshot(location: string): Promise<Snapshot> {
  await Deno.stat(location).catch((cause) => {
    throw new Error(`Cannot save the store: there is none at ${location}`, { cause });
  });
  const scratch = await openScratch(location);
  try {
    const total = await copyPages(location, scratch.path);
    const kv = await openLocation(scratch.path);
    return {
      total,
      entries: () => kv.list({ prefix: [] }, { batchSize: backupLimits.readAtOnce }),
      async [Symbol.asyncDispose]() {
        kv.close();
        await scratch.remove();
      },
    };
  } catch (error) {
    await scratch.remove();
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

import { keys } from "../store/keys.ts";
import type { Description } from "./description.ts";
import { encodeEntries, type Entry } from "./entries.ts";
import { type FrameWriter, frameWriter, kinds } from "./frames.ts";
import { backupLimits } from "./limits.ts";
import type { Progress } from "./progress.ts";
import type { Snapshot } from "./snapshot.ts";

export interface BackupOptions {
  /** The file to write. */
  path: string;
  description: Description;
  snapshot(): Promise<Snapshot>;
  /** The folder of the audio of recordings, with a folder for each account. */
  audio: string;
  progress: Progress;
  signal: AbortSignal;
}

/** Counts of a backup or of a restore. */
export interface Contents {
  entries: number;
  files: number;
  /** Of the backup. */
  bytes: number;
}

/**
 * Writes a backup of a store and its files while a service may use both. It is written beside `path`
 * and gets its name when it is whole and on the disk. Audio is copied after the store, so that every
 * recording of the store has its audio, unless that is deleted during the backup.
 */
export async function backUp(options: BackupOptions): Promise<Contents> {
  const { path, description } = options;
  if (await exists(path)) throw new Error(`Cannot write ${path}: it exists; name another file`);
  const partial = `${path}.partial`;
  let isWhole = false;
  try {
    using file = await created(partial);
    const writer = await frameWriter(file);
    await writer.write(kinds.description, JSON.stringify(description));
    const entries = await writeStore(writer, options);
    const files = await writeFiles(writer, options);
    await writer.end();
    const { size: bytes } = await file.stat();
    await Deno.rename(partial, path);
    isWhole = true;
    return { entries, files, bytes };
  } finally {
    if (!isWhole) await Deno.remove(partial).catch(() => {}); // It may not even have been created.
  }
}

async function writeStore(writer: FrameWriter, options: BackupOptions): Promise<number> {
  const { signal, progress } = options;
  await using snapshot = await options.snapshot();
  let count = 0;
  let waiting: Entry[] = [];
  let isOpened = false;
  const flush = async () => {
    await writer.write(kinds.entries, encodeEntries(waiting));
    waiting = [];
  };
  for await (const entry of snapshot.entries()) {
    signal.throwIfAborted();
    if (entry.key[0] === keys.restoring[0]) throw new Error(`Cannot save the store: ${cutOff}`);
    if (expiring.includes(entry.key[0])) continue;
    isOpened ||= entry.key[0] === keys.version[0];
    waiting.push(entry);
    if (waiting.length === backupLimits.entriesInFrame) await flush();
    progress.at("Entries of the store", ++count, snapshot.total);
  }
  if (!isOpened) throw new Error("Cannot save the store: it is empty");
  if (waiting.length > 0) await flush();
  await writer.endSection(count);
  progress.over();
  return count;
}

/**
 * First elements of the keys of entries that expire. A restored copy of them would never expire.
 */
const expiring: unknown[] = [keys.sipTraces[0], keys.allCookies[0]];

const cutOff = "a restore into it was cut off";

async function writeFiles(writer: FrameWriter, options: BackupOptions): Promise<number> {
  const { audio, signal, progress } = options;
  const paths = await Array.fromAsync(audioIn(audio));
  const buffer = new Uint8Array(backupLimits.fileFrame);
  let count = 0;
  for (const [at, path] of paths.entries()) {
    signal.throwIfAborted();
    progress.at("Audio files", at, paths.length);
    using file = await present(Deno.open(`${audio}/${path}`));
    if (file === null) continue; // It was deleted since, or brought to the bucket.
    const { size } = await file.stat();
    await writer.write(kinds.file, path);
    for (let left = size; left > 0;) { // Audio of a live call grows meanwhile.
      const got = await file.read(buffer.subarray(0, Math.min(left, buffer.length)));
      if (got === null) break;
      await writer.write(kinds.bytes, buffer.subarray(0, got));
      left -= got;
    }
    progress.at("Audio files", ++count, paths.length);
  }
  await writer.endSection(count);
  progress.over();
  return count;
}

/** The audio files in a folder, as `{accountSid}/{sid}`. */
export async function* audioIn(folder: string): AsyncGenerator<string> {
  if (!await exists(folder)) return;
  for await (const account of Deno.readDir(folder)) {
    if (!account.isDirectory) continue;
    for await (const { name, isFile } of Deno.readDir(`${folder}/${account.name}`)) {
      if (isFile) yield `${account.name}/${name}`;
    }
  }
}

const exists = (path: string): Promise<boolean> => Deno.stat(path).then(() => true, () => false);

async function created(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path, { create: true, truncate: true, write: true, mode: 0o600 });
  } catch (cause) {
    throw new Error(`Cannot write ${path}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

async function present<T>(opened: Promise<T>): Promise<T | null> {
  try {
    return await opened;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

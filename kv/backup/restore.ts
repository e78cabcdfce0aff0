/**
 * Restore. The first commit sets a mark if the store is empty, the last one removes it, and a start checks
 * the mark in the commit that describes the store: a service never runs on half a store. A second file that
 * is renamed was refused, as a KV server has none. Only `--again` removes what was written before.
 */
import { keys } from "../store/keys.ts";
import { audioIn, type Contents } from "./back_up.ts";
import type { Description } from "./description.ts";
import { decodeEntries, type Entry, valueBytes } from "./entries.ts";
import { type Frame, jsonIn, kinds, readFrames, textIn } from "./frames.ts";
import { backupLimits } from "./limits.ts";
import type { Progress } from "./progress.ts";
import type { KeyValueStore, KvKey } from "../store/key_value_store.ts";

export interface RestoreOptions {
  /** The backup. */
  path: string;
  /** Name of the store, for messages. */
  location: string;
  /** The folder of the audio of recordings. */
  audio: string;
  /** Allows a new restore after one that was interrupted. */
  again: boolean;
  /** Runs once the store proved empty, before anything is written to it. */
  before(): Promise<void>;
  progress: Progress;
  signal: AbortSignal;
}

/** Reads a whole backup and its checksums; returns its description. Throws where it is damaged. */
export async function checkBackup(
  { path, progress, signal }: Pick<RestoreOptions, "path" | "progress" | "signal">,
): Promise<Description> {
  let description: Frame | undefined;
  for await (const frame of measured({ path, step: "Bytes checked", progress })) {
    signal.throwIfAborted();
    description ??= frame;
  }
  if (description === undefined) throw new Error(`Cannot use ${path}: it holds nothing`);
  return jsonIn<Description>(description);
}

/**
 * Writes a backup to an empty store, and its audio. The first commit leaves a mark that the last one
 * removes: a service does not open a store with the mark (`kv/records/schema.ts`).
 */
export async function restore(kv: KeyValueStore, options: RestoreOptions): Promise<Contents> {
  const { path, audio, progress, signal } = options;
  const writer = entryWriter(kv);
  await mark(kv, writer, options);
  const contents: Contents = { entries: 0, files: 0, bytes: 0 };
  let file: Deno.FsFile | undefined;
  try {
    for await (const { kind, content } of measured({ path, step: "Bytes restored", progress })) {
      signal.throwIfAborted();
      contents.bytes += content.length;
      if (kind === kinds.entries) {
        for (const entry of decodeEntries(content)) {
          await writer.write(entry);
          contents.entries++;
        }
      } else if (kind === kinds.file) {
        file?.close();
        file = await audioFile(audio, textIn({ kind, content }));
        contents.files++;
      } else if (kind === kinds.bytes && file !== undefined) {
        for (let at = 0; at < content.length;) at += await file.write(content.subarray(at));
      }
    }
    await writer.flush();
  } finally {
    file?.close();
  }
  await kv.delete(keys.restoring);
  return contents;
}

/** Marks an empty store as one that a restore fills. Throws where it is not empty. */
async function mark(
  kv: KeyValueStore,
  writer: EntryWriter,
  { path, location, audio, again, before }: RestoreOptions,
): Promise<void> {
  const marked = await kv.get(keys.restoring);
  if (marked.versionstamp !== null && !again) {
    throw new Error(
      `Cannot restore into ${location}: a restore into it was cut off or is under way. To remove ` +
        `what it wrote and begin again: deno task restore --again ${path}`,
    );
  }
  if (marked.versionstamp === null) {
    await requireEmpty(kv, { location, audio });
    await before();
    const committed = await kv.atomic()
      .check({ key: keys.version, versionstamp: null }, marked)
      .set(keys.restoring, { path, since: Date.now() }).commit();
    if (!committed.ok) throw new Error(`Cannot restore into ${location}: a service opened it`);
    return;
  }
  await before();
  for await (const { key } of kv.list({ prefix: [] }, { batchSize: backupLimits.readAtOnce })) {
    if (key[0] !== keys.restoring[0]) await writer.remove(key);
  }
  await writer.flush();
}

async function requireEmpty(
  kv: KeyValueStore,
  { location, audio }: Pick<RestoreOptions, "location" | "audio">,
): Promise<void> {
  const cure = "set DATA_DIR to another folder, or KV_URL or STORE_URL to another store";
  for await (const _ of kv.list({ prefix: [] }, { limit: 1 })) {
    throw new Error(`Cannot restore into ${location}: it is not empty; ${cure}`);
  }
  for await (const _ of audioIn(audio)) {
    throw new Error(
      `Cannot restore into ${audio}: it is not empty; set DATA_DIR to another folder`,
    );
  }
}

/** Writes and removes entries in commits as large as KV takes. */
interface EntryWriter {
  write(entry: Entry): Promise<void>;
  remove(key: KvKey): Promise<void>;
  /** Commits what is left. */
  flush(): Promise<void>;
}

function entryWriter(kv: KeyValueStore): EntryWriter {
  let op = kv.atomic();
  let [mutations, keyBytes, bytes] = [0, 0, 0];
  const flush = async () => {
    if (mutations > 0) await op.commit();
    op = kv.atomic();
    [mutations, keyBytes, bytes] = [0, 0, 0];
  };
  /** Counts one more mutation, in a commit that has space for it. */
  const count = async (ofKey: number, size: number) => {
    const fits = mutations < backupLimits.commitMutations &&
      keyBytes + ofKey <= backupLimits.commitKeyBytes &&
      bytes + size <= backupLimits.commitBytes;
    if (!fits) await flush();
    mutations++;
    keyBytes += ofKey;
    bytes += size;
  };
  return {
    flush,
    async write({ key, value }) {
      const ofKey = keyBytesAtMost(key);
      await count(ofKey, ofKey + valueBytes(value));
      op.set(key, value);
    },
    async remove(key) {
      const ofKey = keyBytesAtMost(key);
      await count(ofKey, ofKey);
      op.delete(key);
    },
  };
}

/** KV escapes zeros in texts and bytes. */
const keyBytesAtMost = (key: KvKey): number =>
  key.reduce<number>((sum, part) => {
    if (typeof part === "string") return sum + Buffer.byteLength(part) * 2 + 2;
    return sum + (part instanceof Uint8Array ? part.length * 2 + 2 : 16);
  }, 0);

/** Creates the file of a recording, over one that a restore before wrote. */
async function audioFile(folder: string, path: string): Promise<Deno.FsFile> {
  if (!/^AC\w+\/\w+$/.test(path)) throw new Error(`Cannot restore a file named ${path}`);
  const account = `${folder}/${path.slice(0, path.indexOf("/"))}`;
  await Deno.mkdir(account, { recursive: true, mode: 0o700 });
  const options = { create: true, truncate: true, write: true, mode: 0o600 };
  return await Deno.open(`${folder}/${path}`, options);
}

/** The frames of a backup, with progress by its bytes. */
async function* measured(
  { path, step, progress }: { path: string; step: string; progress: Progress },
): AsyncGenerator<Frame> {
  const total = await Deno.stat(path).then(({ size }) => size, () => null);
  let done = 0;
  for await (const frame of readFrames(path)) {
    done += frame.content.length;
    yield frame;
    progress.at(step, done, total);
  }
  progress.at(step, total ?? done, total);
  progress.over();
}

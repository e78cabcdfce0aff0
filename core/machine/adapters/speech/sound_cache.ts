/** Files of speech, by the hash of text and voice. */
export interface SoundCache {
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Stores a file; those used longest ago are removed. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/**
 * Keeps up to `maxBytes` of files in a directory, also from one start to the next. Throws where it
 * cannot make the directory.
 */
export async function soundCache(directory: string, maxBytes: number): Promise<SoundCache> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 }).catch((error) => {
    throw new Error(`Cannot use ${directory}, which is below DATA_DIR: ${error.message}`);
  });
  const sizes = await found(directory);
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const fileOf = (key: string) => `${directory}/${key}.wav`;

  return {
    async get(key) {
      const size = sizes.get(key);
      if (size === undefined) return null;
      try {
        const bytes = await Deno.readFile(fileOf(key));
        sizes.delete(key); // It is the last one used.
        sizes.set(key, size);
        const now = new Date();
        await Deno.utime(fileOf(key), now, now);
        return bytes;
      } catch {
        return null; // Another program removed the file.
      }
    },
    async put(key, bytes) {
      if (bytes.length > maxBytes / 4) return;
      const draft = `${directory}/${crypto.randomUUID()}.tmp`;
      await Deno.writeFile(draft, bytes, { mode: 0o600 });
      await Deno.rename(draft, fileOf(key));
      total += bytes.length - (sizes.get(key) ?? 0);
      sizes.delete(key);
      sizes.set(key, bytes.length);
      for (const [oldest, size] of sizes) {
        if (total <= maxBytes) break;
        sizes.delete(oldest);
        total -= size;
        await Deno.remove(fileOf(oldest)).catch(() => {});
      }
    },
  };
}

/** Longer than anybody writes a file; a process beside us may be at it. */
const draftMs = 600_000;

/** The files of an earlier start, the one used longest ago first; what it left half-made goes. */
async function found(directory: string): Promise<Map<string, number>> {
  const files: { key: string; size: number; usedAt: number }[] = [];
  for await (const { name } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    const file = await Deno.stat(path).catch(() => null);
    if (file === null) continue; // Gone meanwhile.
    const { size, mtime } = file;
    const isLeft = name.endsWith(".tmp") && Date.now() - (mtime?.getTime() ?? 0) > draftMs;
    if (isLeft) await Deno.remove(path).catch(() => {});
    const key = /^([0-9a-f]{64})\.wav$/.exec(name)?.[1];
    if (key === undefined) continue;
    files.push({ key, size, usedAt: mtime?.getTime() ?? 0 });
  }
  const inOrder = files.toSorted((a, b) => a.usedAt - b.usedAt);
  return new Map(inOrder.map(({ key, size }) => [key, size]));
}

/**
 * The format of backups does not depend on the kind of store (a SQLite file would), and a cut or a flipped
 * byte is found before anything is written. Counters are restored as counters, which KV Connect can only
 * sum.
 */
import { createHash, type Hash } from "node:crypto";
import { backupLimits } from "./limits.ts";

/**
 * A backup is a line of text and then frames: a byte that says its kind, its length in 4 bytes (big
 * endian), and its content. The frames of the store and then those of the files are a section each. A
 * section ends with the SHA-256 of its frames, the backup with that of all before it.
 */
export const kinds = {
  /** JSON with the description of the backup. */
  description: 1,
  /** Entries of the store (`entries.ts`). */
  entries: 2,
  /** The path of a file in DATA_DIR; its bytes follow. */
  file: 3,
  bytes: 4,
  /** JSON: the SHA-256 of the section, and what it holds. */
  sectionEnd: 5,
  /** JSON: the SHA-256 of all that is before it. */
  end: 6,
} as const;

const firstLine = new TextEncoder().encode("SWITCHBOARD BACKUP 1\n");
const headBytes = 5;

export interface Frame {
  kind: number;
  content: Uint8Array<ArrayBuffer>;
}

/** Content of the last frame of a section. */
export interface SectionEnd {
  sha256: string;
  count: number;
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

export const jsonIn = <T>({ content }: Frame): T => JSON.parse(decoder.decode(content));
export const textIn = ({ content }: Frame): string => decoder.decode(content);

export interface FrameWriter {
  write(kind: number, content: Uint8Array | string): Promise<void>;
  endSection(count: number): Promise<void>;
  /** Ends the backup, which is on the disk then. */
  end(): Promise<void>;
}

/** Writes a backup to an open, empty file. */
export async function frameWriter(file: Deno.FsFile): Promise<FrameWriter> {
  const whole = createHash("sha256");
  let section = createHash("sha256");
  const put = async (bytes: Uint8Array, hashes: Hash[]) => {
    hashes.forEach((hash) => hash.update(bytes));
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  };
  const frame = async (kind: number, given: Uint8Array | string, hashes: Hash[]) => {
    const content = typeof given === "string" ? encoder.encode(given) : given;
    const head = new Uint8Array(headBytes);
    head[0] = kind;
    new DataView(head.buffer).setUint32(1, content.length);
    await put(head, hashes);
    await put(content, hashes);
  };
  await put(firstLine, [whole]);
  return {
    write: (kind, content) => frame(kind, content, [whole, section]),
    async endSection(count) {
      const end: SectionEnd = { sha256: section.digest("hex"), count };
      section = createHash("sha256");
      await frame(kinds.sectionEnd, JSON.stringify(end), [whole]);
    },
    async end() {
      await frame(kinds.end, JSON.stringify({ sha256: whole.digest("hex") }), []);
      await file.sync();
    },
  };
}

/**
 * The frames of a backup. Throws an Error with the reason if it is cut off, damaged or no backup,
 * at the end of a section at the latest. The content of a section is not certain before that.
 */
export async function* readFrames(path: string): AsyncGenerator<Frame> {
  using file = await opened(path);
  const whole = createHash("sha256");
  let section = createHash("sha256");
  let at = 0;
  const read = async (length: number) => {
    const bytes = new Uint8Array(length);
    for (let got = 0; got < length;) {
      const count = await file.read(bytes.subarray(got));
      if (count === null) throw new Error(`Cannot use ${path}: it is cut off at byte ${at + got}`);
      got += count;
    }
    at += length;
    return bytes;
  };
  const begin = await read(firstLine.length).catch(() => new Uint8Array());
  if (decoder.decode(begin) !== decoder.decode(firstLine)) {
    throw new Error(`Cannot use ${path}: it is no backup that this version reads`);
  }
  whole.update(begin);
  for (;;) {
    const start = at;
    const damaged = () => new Error(`Cannot use ${path}: it is damaged at or before byte ${at}`);
    const head = await read(headBytes);
    const [kind = 0] = head;
    const length = new DataView(head.buffer).getUint32(1);
    if (length > backupLimits.frame) throw damaged();
    const frame: Frame = { kind, content: await read(length) };
    if (kind === kinds.end) {
      if (sumIn(frame) !== whole.digest("hex")) throw damaged();
      if (await file.read(new Uint8Array(1)) !== null) throw damaged();
      return;
    }
    whole.update(head).update(frame.content);
    if (kind === kinds.sectionEnd) {
      if (sumIn(frame) !== section.digest("hex")) throw damaged();
      section = createHash("sha256");
    } else section.update(head).update(frame.content);
    if (start === firstLine.length && kind !== kinds.description) throw damaged();
    yield frame;
  }
}

/** The sum of a last frame; undefined where the frame is damaged. */
function sumIn(frame: Frame): string | undefined {
  try {
    return jsonIn<{ sha256?: string }>(frame).sha256;
  } catch {
    return undefined;
  }
}

async function opened(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new Error(`Cannot read ${path}: ${why}`, { cause });
  }
}

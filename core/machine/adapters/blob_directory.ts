import { Fault } from "../../base/faults.ts";
import type { Blobs } from "../../model/ports/providers.ts";
import { isSid } from "../../base/sid.ts";

/** Bytes read from the disk at once. */
const pieceBytes = 64 << 10;

/** Blobs as files `{directory}/{accountSid}/{sid}`, readable by their owner only. */
export function blobDirectory(directory: string): Blobs {
  const folderOf = (accountSid: string) => {
    if (!isSid(accountSid, "AC")) throw new Error(`Cannot keep a blob of "${accountSid}"`);
    return `${directory}/${accountSid}`;
  };
  const pathOf = (accountSid: string, sid: string) => {
    if (!isSid(sid, sid.slice(0, 2))) throw new Error(`Cannot keep a blob named "${sid}"`);
    return `${folderOf(accountSid)}/${sid}`;
  };

  return {
    async write(accountSid, sid, at, bytes) {
      const path = pathOf(accountSid, sid);
      if (at === 0) await Deno.mkdir(folderOf(accountSid), { recursive: true, mode: 0o700 });
      const options = { write: true, create: at === 0, mode: 0o600 };
      using file = await absentAsNull(Deno.open(path, options));
      if (file === null) throw new Fault("notFound", `the audio ${sid} does not exist`);
      await file.seek(at, Deno.SeekMode.Start);
      for (let written = 0; written < bytes.length;) {
        written += await file.write(bytes.subarray(written));
      }
    },
    async size(accountSid, sid) {
      return (await absentAsNull(Deno.stat(pathOf(accountSid, sid))))?.size ?? null;
    },
    async get(accountSid, sid, range = { start: 0, end: Infinity }) {
      const file = await absentAsNull(Deno.open(pathOf(accountSid, sid)));
      if (file === null) return null;
      await file.seek(range.start, Deno.SeekMode.Start);
      return contentOf(file, range.end - range.start);
    },
    async remove(accountSid, sid) {
      await absentAsNull(Deno.remove(pathOf(accountSid, sid)));
    },
    settle: () => Promise.resolve(),
    link: () => Promise.resolve(null),
  };
}

/** The next bytes of a file, which is closed at their end. */
function contentOf(file: Deno.FsFile, length: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = length;
  return new ReadableStream({
    async pull(controller) {
      const piece = new Uint8Array(Math.min(pieceBytes, left));
      const count = left === 0 ? null : await file.read(piece);
      if (count === null) {
        file.close();
        return controller.close();
      }
      left -= count;
      controller.enqueue(piece.subarray(0, count));
    },
    cancel: () => file.close(),
  }, { highWaterMark: 0 });
}

async function absentAsNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

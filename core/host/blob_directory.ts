import type { Blobs } from "../providers.ts";
import { isSid } from "../sid.ts";

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
    async put(accountSid, sid, content) {
      const path = pathOf(accountSid, sid);
      await Deno.mkdir(folderOf(accountSid), { recursive: true, mode: 0o700 });
      const part = `${path}.${crypto.randomUUID()}.part`; // Renamed when it is whole.
      try {
        await Deno.writeFile(part, content, { mode: 0o600 });
        await Deno.rename(part, path);
      } catch (error) {
        await Deno.remove(part).catch(() => {});
        throw error;
      }
    },
    async get(accountSid, sid) {
      const file = await absentAsNull(Deno.open(pathOf(accountSid, sid)));
      if (file === null) return null;
      return { size: (await file.stat()).size, content: file.readable };
    },
    async remove(accountSid, sid) {
      await absentAsNull(Deno.remove(pathOf(accountSid, sid)));
    },
  };
}

async function absentAsNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

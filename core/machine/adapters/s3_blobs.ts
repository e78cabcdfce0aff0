import type { Blobs } from "../../model/ports/providers.ts";
import { type S3Client, s3Client, type S3Options } from "./s3_client.ts";

export interface S3BlobsOptions extends S3Options {
  /** Everybody may read the objects. */
  isOpen: boolean;
}

/** Size of a part of an upload, and so the memory that an upload needs, in bytes. */
const pieceBytes = 8 << 20;
const uploadsAtOnce = 2;

const audio = { "content-type": "audio/wav" };

/**
 * Blobs that are made elsewhere, on the disk or in the store, where appending is cheap and survives an
 * outage of the storage, and are brought to object storage when they are whole: as `{accountSid}/{sid}.wav`.
 */
export function s3Blobs(made: Blobs, { isOpen, ...options }: S3BlobsOptions): Blobs {
  const client = s3Client(options);
  const keyOf = (accountSid: string, sid: string) => `${accountSid}/${sid}.wav`;
  const turn = turns(uploadsAtOnce);

  async function storedSize(key: string): Promise<number | null> {
    const response = await client.send({ method: "HEAD", key });
    return response.ok ? Number(response.headers.get("content-length")) : null;
  }

  return {
    write: made.write,
    async size(accountSid, sid) {
      return await made.size(accountSid, sid) ?? await storedSize(keyOf(accountSid, sid));
    },
    async get(accountSid, sid, range) {
      const here = await made.get(accountSid, sid, range);
      if (here !== null) return here;
      const headers: Record<string, string> = range === undefined
        ? {}
        : { range: `bytes=${range.start}-${range.end - 1}` };
      const key = keyOf(accountSid, sid);
      const response = await client.send({ method: "GET", key, headers });
      if (response.ok) return response.body;
      await response.body?.cancel();
      return null;
    },
    async remove(accountSid, sid) {
      await made.remove(accountSid, sid);
      const response = await client.send({ method: "DELETE", key: keyOf(accountSid, sid) });
      await response.body?.cancel();
    },
    settle: (accountSid, sid, signal) =>
      turn(async () => {
        const key = keyOf(accountSid, sid);
        const size = await made.size(accountSid, sid);
        if (size === null) { // Perhaps an earlier run did it all but say so.
          if (await storedSize(key) === null) throw new Error(`There is no audio of ${sid}`);
          return;
        }
        const read = async (start: number) => {
          const range = { start, end: Math.min(start + pieceBytes, size) };
          const content = await made.get(accountSid, sid, range);
          return new Uint8Array(await new Response(content).arrayBuffer());
        };
        if (size <= pieceBytes) {
          await put(client, { key, headers: audio, body: await read(0), signal });
        } else await putInParts(client, { key, size, read, signal });
        await made.remove(accountSid, sid);
      }),
    async link(accountSid, sid, method) {
      if (await made.size(accountSid, sid) !== null) return null;
      const key = keyOf(accountSid, sid);
      return isOpen ? client.address(key) : await client.signedLink(key, method);
    },
  };
}

type Put = Omit<Parameters<S3Client["send"]>[0], "method">;

/** The ETag of what was put. */
async function put(client: S3Client, request: Put): Promise<string> {
  const response = await client.send({ method: "PUT", ...request });
  await response.body?.cancel();
  if (!response.ok) throw new Error("The object storage has no such bucket");
  return response.headers.get("etag") ?? "";
}

/** A multipart upload; one that fails is taken back. */
async function putInParts(
  client: S3Client,
  { key, size, read, signal }: {
    key: string;
    size: number;
    read(start: number): Promise<Uint8Array<ArrayBuffer>>;
    signal: AbortSignal;
  },
): Promise<void> {
  const query = { uploads: "" };
  const begun = await client.send({ method: "POST", key, query, headers: audio, signal });
  const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(await begun.text()) ?? [];
  if (uploadId === undefined) throw new Error("The object storage did not begin an upload");
  try {
    const etags: string[] = [];
    for (let start = 0; start < size; start += pieceBytes) {
      const query = { partNumber: String(etags.length + 1), uploadId };
      etags.push(await put(client, { key, query, body: await read(start), signal }));
    }
    const parts = etags.map((etag, at) =>
      `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`
    );
    const list = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
    const body = new TextEncoder().encode(list);
    const done = await client.send({ method: "POST", key, query: { uploadId }, body, signal });
    // It may say 200 first and then find that it failed.
    if (!/<ETag>/.test(await done.text())) throw new Error("The object storage lost an upload");
  } catch (error) {
    const taken = await client.send({ method: "DELETE", key, query: { uploadId } }).catch(() => {});
    await taken?.body?.cancel();
    throw error;
  }
}

/** Bounds how many tasks run at once; the others wait. */
function turns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

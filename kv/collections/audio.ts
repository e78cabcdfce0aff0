import { Fault } from "../../core/base/faults.ts";
import type { Blobs } from "../../core/model/ports/providers.ts";
import { keys } from "../store/keys.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

/** Bytes of one entry: a value of Deno KV has up to 64 KiB. */
const chunkBytes = 60_000;
/** Chunks that one commit writes; Deno KV takes 800 KiB in one. */
const chunksAtOnce = 8;

/**
 * Audio in the store, for a service without a disk. It is meant for what is brought to object storage
 * soon: an hour of speech takes a thousand entries.
 */
export const audio = (kv: KeyValueStore): Blobs => ({
  write: (accountSid, sid, at, bytes) => write(kv, { accountSid, sid }, { at, bytes }),
  size: (accountSid, sid) => sizeOf(kv, { accountSid, sid }),
  async get(accountSid, sid, { start, end } = { start: 0, end: Infinity }) {
    const size = await sizeOf(kv, { accountSid, sid });
    return size === null ? null : read(kv, { accountSid, sid }, start, Math.min(end, size));
  },
  async remove(accountSid, sid) {
    for await (const { key } of kv.list({ prefix: keys.audio(accountSid, sid) })) {
      await kv.delete(key);
    }
    await kv.delete(keys.audio(accountSid, sid));
  },
  settle: () => Promise.resolve(),
  link: () => Promise.resolve(null),
});

interface Named {
  accountSid: string;
  sid: string;
}

async function sizeOf(kv: KeyValueStore, { accountSid, sid }: Named): Promise<number | null> {
  return (await kv.get<number>(keys.audio(accountSid, sid))).value;
}

async function chunkAt(kv: KeyValueStore, { accountSid, sid }: Named, n: number) {
  const { value } = await kv.get<Uint8Array<ArrayBuffer>>(keys.audioChunk(accountSid, sid, n));
  return value ?? new Uint8Array();
}

/** Bytes for an offset. */
interface Part {
  at: number;
  bytes: Uint8Array;
}

async function write(kv: KeyValueStore, of: Named, { at, bytes }: Part): Promise<void> {
  const { accountSid, sid } = of;
  const size = await sizeOf(kv, of);
  if (size === null && at > 0) throw new Fault("notFound", `the audio ${sid} does not exist`);
  const end = at + bytes.length;
  const last = Math.ceil(end / chunkBytes);
  for (let n = Math.floor(at / chunkBytes); n < last; n += chunksAtOnce) {
    const op = kv.atomic();
    for (let one = n; one < Math.min(n + chunksAtOnce, last); one++) {
      op.set(keys.audioChunk(accountSid, sid, one), await chunkWith(kv, of, one, { at, bytes }));
    }
    const isWhole = n + chunksAtOnce >= last;
    if (isWhole) op.set(keys.audio(accountSid, sid), Math.max(size ?? 0, end));
    await op.commit();
  }
}

/** Chunk `n` with what of a part falls into it. */
async function chunkWith(
  kv: KeyValueStore,
  of: Named,
  n: number,
  { at, bytes }: Part,
): Promise<Uint8Array> {
  const start = Math.max(0, at - n * chunkBytes);
  const part = bytes.subarray(Math.max(0, n * chunkBytes - at), (n + 1) * chunkBytes - at);
  if (part.length === chunkBytes) return part;
  const before = await chunkAt(kv, of, n);
  const whole = new Uint8Array(Math.max(before.length, start + part.length));
  whole.set(before);
  whole.set(part, start);
  return whole;
}

/** The bytes from `start` to before `end`. Ranges that were never written read as zeros. */
function read(kv: KeyValueStore, of: Named, start: number, end: number) {
  let at = start;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (at >= end) return controller.close();
      const n = Math.floor(at / chunkBytes);
      const piece = new Uint8Array(Math.min(end, (n + 1) * chunkBytes) - at);
      const from = at - n * chunkBytes;
      const chunk = await chunkAt(kv, of, n);
      piece.set(chunk.subarray(from, from + piece.length));
      at += piece.length;
      controller.enqueue(piece);
    },
  }, { highWaterMark: 0 });
}

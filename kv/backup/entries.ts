import { Deserializer, Serializer } from "node:v8";

/** An entry of the store. */
export type Entry = Pick<Deno.KvEntry<unknown>, "key" | "value">;

const lengthBytes = 4;

/**
 * An entry as bytes, after its length. V8's format, which KV itself uses, keeps what values consist
 * of: bigints, bytes, dates. Counters are of a class (`Deno.KvU64`), so their number is marked.
 */
export function encodeEntry({ key, value }: Entry): Uint8Array {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(value instanceof Deno.KvU64 ? [key, value.value, true] : [key, value]);
  const content = serializer.releaseBuffer();
  const bytes = new Uint8Array(lengthBytes + content.length);
  new DataView(bytes.buffer).setUint32(0, content.length);
  bytes.set(content, lengthBytes);
  return bytes;
}

/** The entries in a frame, each with its size. */
export function* decodeEntries(frame: Uint8Array): Generator<Entry & { size: number }> {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  for (let at = 0; at < frame.length;) {
    const size = view.getUint32(at);
    at += lengthBytes;
    const deserializer = new Deserializer(frame.subarray(at, at + size));
    deserializer.readHeader();
    const [key, value, isCounter] = deserializer.readValue();
    yield { key, value: isCounter ? new Deno.KvU64(value) : value, size };
    at += size;
  }
}

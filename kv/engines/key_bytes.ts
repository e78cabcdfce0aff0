import { Buffer } from "node:buffer";
import type { KvKey, KvKeyPart } from "../store/key_value_store.ts";

/**
 * Keys as bytes that sort as the keys do, like the tuples of FoundationDB. Each part follows a byte
 * for its type. Texts and bytes have their zeros escaped and a zero behind; bigints sort by their
 * length first.
 */
const tag = {
  bytes: 0x01,
  text: 0x02,
  longNegative: 0x0b,
  zero: 0x14,
  longPositive: 0x1d,
  number: 0x21,
  false: 0x26,
  true: 0x27,
} as const;

/** The most bytes of a key, as in Deno KV. */
const mostBytes = 2_048;

/** The most bytes of a bigint whose length is in its tag, and of any bigint. */
const [shortBytes, longBytes] = [8, 255];

/** The bytes of a key. Throws a TypeError for one that is longer than 2 KiB, or has a part of no kind. */
export function keyBytes(key: KvKey): Buffer<ArrayBuffer> {
  const bytes = Buffer.concat(key.map(partBytes));
  if (bytes.length > mostBytes) {
    throw new TypeError(`A key has at most ${mostBytes} bytes; this one has ${bytes.length}`);
  }
  return bytes;
}

function partBytes(part: KvKeyPart): Uint8Array {
  switch (typeof part) {
    case "string":
      return escaped(tag.text, Buffer.from(part));
    case "bigint":
      return bigintBytes(part);
    case "number":
      return numberBytes(part);
    case "boolean":
      return Uint8Array.of(part ? tag.true : tag.false);
    default:
      if (part instanceof Uint8Array) return escaped(tag.bytes, part);
      throw new TypeError(`A key cannot have a part of type ${typeof part}`);
  }
}

function escaped(type: number, bytes: Uint8Array): Uint8Array {
  let zeros = 0;
  for (const byte of bytes) if (byte === 0) zeros++;
  const written = new Uint8Array(bytes.length + zeros + 2);
  written[0] = type;
  if (zeros === 0) {
    written.set(bytes, 1);
    return written;
  }
  let at = 1;
  for (const byte of bytes) {
    written[at++] = byte;
    if (byte === 0) written[at++] = 0xff;
  }
  return written;
}

function bigintBytes(part: bigint): Uint8Array {
  if (part === 0n) return Uint8Array.of(tag.zero);
  const isNegative = part < 0n;
  const digits = (isNegative ? -part : part).toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  if (bytes.length > longBytes) throw new TypeError("A key cannot have a bigint of over 255 bytes");
  const head = bytes.length <= shortBytes
    ? [tag.zero + (isNegative ? -bytes.length : bytes.length)]
    : isNegative
    ? [tag.longNegative, 0xff - bytes.length]
    : [tag.longPositive, bytes.length];
  if (isNegative) { for (const [at, byte] of bytes.entries()) bytes[at] = 0xff - byte; }
  return Buffer.concat([Uint8Array.from(head), bytes]);
}

function numberBytes(part: number): Uint8Array {
  const bytes = new Uint8Array(9);
  const view = new DataView(bytes.buffer);
  bytes[0] = tag.number;
  view.setFloat64(1, part);
  // Negative numbers sort the other way round.
  if (view.getUint8(1) < 0x80) view.setUint8(1, view.getUint8(1) | 0x80);
  else for (let at = 1; at < 9; at++) view.setUint8(at, 0xff - view.getUint8(at));
  return bytes;
}

/** The key of bytes that `keyBytes` made. */
export function keyOf(bytes: Uint8Array): KvKey {
  const key: KvKeyPart[] = [];
  let at = 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  while (at < bytes.length) {
    const type = view.getUint8(at++);
    if (type === tag.bytes || type === tag.text) {
      const read = unescaped(bytes, at);
      at = read.end;
      key.push(type === tag.text ? read.part.toString() : new Uint8Array(read.part));
    } else if (type === tag.number) {
      key.push(numberAt(bytes.subarray(at, at += 8)));
    } else if (type === tag.false || type === tag.true) key.push(type === tag.true);
    else {
      const isNegative = type < tag.zero;
      let length = Math.abs(type - tag.zero);
      if (length > shortBytes) {
        length = view.getUint8(at++);
        if (isNegative) length = 0xff - length;
      }
      key.push(bigintOf(bytes.subarray(at, at += length), isNegative));
    }
  }
  return key;
}

function unescaped(bytes: Uint8Array, start: number): { part: Buffer; end: number } {
  let end = bytes.indexOf(0, start);
  if (bytes[end + 1] !== 0xff) return { part: Buffer.from(bytes.slice(start, end)), end: end + 1 };
  const part: number[] = [];
  for (end = start; bytes[end] !== 0 || bytes[end + 1] === 0xff; end++) {
    part.push(bytes[end] ?? 0);
    if (bytes[end] === 0) end++;
  }
  return { part: Buffer.from(part), end: end + 1 };
}

function numberAt(written: Uint8Array): number {
  const bytes = written.slice();
  const view = new DataView(bytes.buffer);
  if (view.getUint8(0) >= 0x80) view.setUint8(0, view.getUint8(0) & 0x7f);
  else for (let at = 0; at < 8; at++) view.setUint8(at, 0xff - view.getUint8(at));
  return view.getFloat64(0);
}

function bigintOf(bytes: Uint8Array, isNegative: boolean): bigint {
  let number = 0n;
  for (const byte of bytes) number = number << 8n | BigInt(isNegative ? 0xff - byte : byte);
  return isNegative ? -number : number;
}

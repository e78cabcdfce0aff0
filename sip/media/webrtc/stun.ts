import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { HMAC_PADDING_BYTES, hmacSha1, newHmacKey } from "../srtp/hmac_sha1.ts";
import { addressBytes } from "./ip_bytes.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** A binding request of ICE, or an answer to one (RFC 8489, RFC 8445 §16.1). */
export interface StunMessage {
  type: "request" | "success" | "error";
  /** 12 bytes in hex. */
  transaction: string;
  username?: string;
  priority?: number;
  /** Role of its sender, and its tie-breaker. */
  role?: { controlling: boolean; tieBreaker: bigint };
  useCandidate?: boolean;
  /** The source address of the request; written only, we need not read ours. */
  mapped?: Address;
  error?: number;
  /** Attributes that must be understood, but are not known (RFC 8489 §6.3.1). */
  unknown?: number[];
}

/** A received message that is not authenticated yet. */
export interface ReadStun extends StunMessage {
  /** Offset of its MESSAGE-INTEGRITY; undefined without one. */
  integrityAt: number | undefined;
}

const HEADER_BYTES = 20;
const MAGIC_COOKIE = 0x2112_a442;
const COOKIE_BYTES = [0x21, 0x12, 0xa4, 0x42];
const FINGERPRINT_XOR = 0x5354_554e;
const FINGERPRINT_BYTES = 4;
const INTEGRITY_BYTES = 20;
const USERNAME_BYTES = 513;

/** Method and class of what we speak (RFC 8489 §5). */
const TYPES = { request: 0x0001, success: 0x0101, error: 0x0111 } as const;
const typeNames = new Map(
  Object.entries(TYPES).map(([name, type]) => [type as number, name as StunMessage["type"]]),
);

/** RFC 8489 §18.3, RFC 8445 §20.1. */
const MAPPED_ADDRESS = 0x0001;
const USERNAME = 0x0006;
const MESSAGE_INTEGRITY = 0x0008;
const ERROR_CODE = 0x0009;
const UNKNOWN_ATTRIBUTES = 0x000a;
const XOR_MAPPED_ADDRESS = 0x0020;
const PRIORITY = 0x0024;
const USE_CANDIDATE = 0x0025;
const FINGERPRINT = 0x8028;
const ICE_CONTROLLED = 0x8029;
const ICE_CONTROLLING = 0x802a;
/** Attributes from here on may be passed over when they are not known. */
const OPTIONAL = 0x8000;

/** The key of short-term credentials (RFC 8489 §9.1.1); passwords of ICE are ASCII. */
export const stunKey = (password: string): Int32Array =>
  newHmacKey(Buffer.from(password, "latin1"));

/** Reads a binding request or an answer; undefined when it is none or malformed. */
export function parseStun(bytes: Uint8Array): ReadStun | undefined {
  if (bytes.length < HEADER_BYTES || bytes.length > mediaLimits.datagramBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const type = typeNames.get(view.getUint16(0));
  const isWhole = view.getUint16(2) === bytes.length - HEADER_BYTES && bytes.length % 4 === 0;
  if (type === undefined || !isWhole || view.getUint32(4) !== MAGIC_COOKIE) return undefined;

  const message: ReadStun = {
    type,
    transaction: bytes.subarray(8, HEADER_BYTES).toHex(),
    integrityAt: undefined,
  };
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const length = view.getUint16(at + 2);
    const next = at + 4 + Math.ceil(length / 4) * 4;
    if (next > bytes.length) return undefined;
    const attribute = view.getUint16(at);
    if (attribute === FINGERPRINT) {
      return next === bytes.length && isFingerprint(view, bytes, at) ? message : undefined;
    }
    // Attributes behind the integrity, but the fingerprint, are not protected by it (§14.5).
    if (message.integrityAt === undefined) {
      const content = new DataView(view.buffer, view.byteOffset + at + 4, length);
      if (attribute === MESSAGE_INTEGRITY) message.integrityAt = at;
      else if (!readAttribute(message, attribute, content)) return undefined;
    }
    at = next;
  }
  return message;
}

/** Takes an attribute in, of several the first (RFC 8489 §14); false when it is malformed. */
function readAttribute(message: ReadStun, attribute: number, content: DataView): boolean {
  const length = content.byteLength;
  switch (attribute) {
    case USERNAME:
      message.username ??= Buffer.from(content.buffer, content.byteOffset, length).toString();
      return length <= USERNAME_BYTES;
    case PRIORITY:
      if (length === 4) message.priority ??= content.getUint32(0);
      return length === 4;
    case USE_CANDIDATE:
      message.useCandidate = true;
      return length === 0;
    case ICE_CONTROLLED:
    case ICE_CONTROLLING: {
      if (length !== 8) return false;
      const controlling = attribute === ICE_CONTROLLING;
      message.role ??= { controlling, tieBreaker: content.getBigUint64(0) };
      return true;
    }
    case ERROR_CODE:
      if (length >= 4) message.error ??= (content.getUint8(2) & 7) * 100 + content.getUint8(3);
      return length >= 4;
    case MAPPED_ADDRESS:
    case XOR_MAPPED_ADDRESS:
    case UNKNOWN_ATTRIBUTES:
      return true;
    default:
      if (attribute < OPTIONAL) (message.unknown ??= []).push(attribute);
      return true;
  }
}

const isFingerprint = (view: DataView, bytes: Uint8Array, at: number) =>
  view.getUint16(at + 2) === FINGERPRINT_BYTES &&
  view.getUint32(at + 4) === fingerprint(bytes, at);

/** Of a message up to a place (§14.7); its length counts the fingerprint already. */
const fingerprint = (bytes: Uint8Array, at: number) =>
  (crc32(bytes.subarray(0, at)) ^ FINGERPRINT_XOR) >>> 0;

const scratch = new Uint8Array(mediaLimits.datagramBytes + HMAC_PADDING_BYTES);
const scratchView = new DataView(scratch.buffer);

/** The integrity of a message up to a place, whose length counts no more than it (§14.5). */
function integrity(bytes: Uint8Array, at: number, key: Int32Array): Int32Array {
  scratch.set(bytes.subarray(0, at));
  scratchView.setUint16(2, at - HEADER_BYTES + 4 + INTEGRITY_BYTES);
  return hmacSha1(key, scratchView, at);
}

/** True where the sender of a message read from these bytes knows the key. */
export function isAuthentic(
  { integrityAt }: ReadStun,
  bytes: Uint8Array,
  key: Int32Array,
): boolean {
  if (integrityAt === undefined) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint16(integrityAt + 2) !== INTEGRITY_BYTES) return false;
  const words = integrity(bytes, integrityAt, key);
  let difference = 0;
  for (let i = 0; i < 5; i++) difference |= words[i]! ^ view.getInt32(integrityAt + 4 + i * 4);
  return difference === 0;
}

/** Writes a message with its integrity and fingerprint. */
export function writeStun(message: StunMessage, key: Int32Array): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(HEADER_BYTES);
  const view = new DataView(head.buffer);
  view.setUint16(0, TYPES[message.type]);
  view.setUint32(4, MAGIC_COOKIE);
  head.set(Uint8Array.fromHex(message.transaction), 8);
  const parts = Buffer.concat([head, ...attributesOf(message)]);
  const bytes = new Uint8Array(parts.length + 4 + INTEGRITY_BYTES + 4 + FINGERPRINT_BYTES);
  bytes.set(parts);
  const whole = new DataView(bytes.buffer);
  whole.setUint16(2, bytes.length - HEADER_BYTES);

  let at = parts.length;
  whole.setUint32(at, (MESSAGE_INTEGRITY << 16) | INTEGRITY_BYTES);
  integrity(bytes, at, key).forEach((word, i) => whole.setInt32(at + 4 + i * 4, word));
  at += 4 + INTEGRITY_BYTES;
  whole.setUint32(at, ((FINGERPRINT << 16) | FINGERPRINT_BYTES) >>> 0);
  whole.setUint32(at + 4, fingerprint(bytes, at));
  return bytes;
}

function* attributesOf(message: StunMessage): Generator<Uint8Array> {
  const { username, priority, role, useCandidate, mapped, error, unknown, transaction } = message;
  if (username !== undefined) yield attribute(USERNAME, Buffer.from(username));
  if (priority !== undefined) yield attribute(PRIORITY, numbers(4, priority));
  if (role !== undefined) {
    const tieBreaker = Buffer.alloc(8);
    tieBreaker.writeBigUInt64BE(role.tieBreaker);
    yield attribute(role.controlling ? ICE_CONTROLLING : ICE_CONTROLLED, tieBreaker);
  }
  if (useCandidate) yield attribute(USE_CANDIDATE, new Uint8Array());
  if (mapped !== undefined) yield attribute(XOR_MAPPED_ADDRESS, xored(mapped, transaction));
  if (error !== undefined) {
    yield attribute(ERROR_CODE, Uint8Array.of(0, 0, Math.floor(error / 100), error % 100));
  }
  if (unknown !== undefined) yield attribute(UNKNOWN_ATTRIBUTES, numbers(2, ...unknown));
}

function attribute(type: number, content: Uint8Array): Uint8Array {
  const padded = Buffer.alloc(4 + Math.ceil(content.length / 4) * 4);
  padded.writeUInt16BE(type);
  padded.writeUInt16BE(content.length, 2);
  padded.set(content, 4);
  return padded;
}

function numbers(bytes: number, ...values: number[]): Uint8Array {
  const all = Buffer.alloc(bytes * values.length);
  values.forEach((value, i) => all.writeUIntBE(value, i * bytes, bytes));
  return all;
}

/** An address as XOR-MAPPED-ADDRESS has it (§14.2), hidden from what rewrites addresses on its way. */
function xored({ address, port }: Address, transaction: string): Uint8Array {
  const mask = [...COOKIE_BYTES, ...Uint8Array.fromHex(transaction)];
  const bytes = addressBytes(address);
  const family = bytes.length === 4 ? 1 : 2;
  const hidden = bytes.map((byte, i) => byte ^ mask[i]!);
  return Uint8Array.of(0, family, (port >> 8) ^ mask[0]!, (port & 0xff) ^ mask[1]!, ...hidden);
}

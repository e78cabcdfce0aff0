import { mediaLimits } from "../base/limits.ts";
import { createCipheriv, createDecipheriv } from "node:crypto";
import { type Bytes, concat, number, readerOf, vector } from "./dtls_bytes.ts";

/** The kinds of record (RFC 5246 §6.2.1). */
export const CONTENT = { changeCipherSpec: 20, alert: 21, handshake: 22 } as const;

/** One record of a datagram; its body is lent. */
export interface DtlsRecord {
  type: number;
  /** 0 in the clear, 1 sealed. */
  epoch: number;
  sequence: number;
  body: Uint8Array;
}

/** No body in the clear may be longer (RFC 5246 §6.2.1); sealed ones may be, by their seal. */
export const BODY_BYTES = 2 ** 14;

/** DTLS 1.2 (RFC 6347 §4.1). */
export const VERSION = 0xfefd;
const VERSION_1_0 = 0xfeff;
const TAG_BYTES = 16;
const NONCE_BYTES = 8;

/** The records of a datagram, as many as are well formed, and at most `mediaLimits.dtlsRecords`. */
export function readRecords(datagram: Uint8Array): DtlsRecord[] {
  const records: DtlsRecord[] = [];
  const reader = readerOf(datagram);
  try {
    while (!reader.isAtEnd() && records.length < mediaLimits.dtlsRecords) {
      const type = reader.number(1);
      const version = reader.number(2);
      const epoch = reader.number(2);
      const sequence = reader.number(6);
      const body = reader.vector(2);
      // A first hello may come as one of DTLS 1.0.
      if (version !== VERSION && version !== VERSION_1_0) break;
      records.push({ type, epoch, sequence, body });
    }
  } catch {
    // A part that was cut off is lost, as on any network.
  }
  return records;
}

export const writeRecord = ({ type, epoch, sequence, body }: DtlsRecord): Bytes =>
  concat(
    number(1, type),
    number(2, VERSION),
    number(2, epoch),
    number(6, sequence),
    vector(2, body),
  );

/** Key and the constant part of the nonce of one direction. */
export interface RecordKeys {
  key: Uint8Array;
  iv: Uint8Array;
}

/** AES-128-GCM as records have it (RFC 5288 §3): the sequence number is the nonce's other part. */
export function sealRecord({ key, iv }: RecordKeys, record: DtlsRecord): DtlsRecord {
  const place = concat(number(2, record.epoch), number(6, record.sequence));
  const cipher = createCipheriv("aes-128-gcm", key, concat(iv, place));
  cipher.setAAD(additional(place, record.type, record.body.length));
  const sealed = concat(cipher.update(record.body), cipher.final());
  return { ...record, body: concat(place, sealed, cipher.getAuthTag()) };
}

/** The body of a sealed record; undefined when it is forged. */
export function openRecord({ key, iv }: RecordKeys, record: DtlsRecord): Bytes | undefined {
  const { body, type, epoch, sequence } = record;
  const length = body.length - NONCE_BYTES - TAG_BYTES;
  if (length < 0) return undefined;
  const nonce = concat(iv, body.subarray(0, NONCE_BYTES));
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAAD(additional(concat(number(2, epoch), number(6, sequence)), type, length));
  decipher.setAuthTag(body.subarray(-TAG_BYTES));
  try {
    return concat(decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final());
  } catch {
    return undefined;
  }
}

const additional = (place: Uint8Array, type: number, length: number): Bytes =>
  concat(place, number(1, type), number(2, VERSION), number(2, length));

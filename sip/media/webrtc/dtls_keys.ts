import { createHash, createHmac } from "node:crypto";
import { type Bytes, concat, readerOf } from "./dtls_bytes.ts";
import type { RecordKeys } from "./dtls_record.ts";
import type { SrtpKeys } from "../srtp/srtp.ts";

/** Random values of both sides, in the order in which keys are made of them. */
export interface Randoms {
  client: Uint8Array;
  server: Uint8Array;
}

/** The same thing of either side. */
export interface BothSides<T> {
  client: T;
  server: T;
}

const HASH_BYTES = 32;

const hmac = (secret: Uint8Array, ...parts: Uint8Array[]): Uint8Array =>
  createHmac("sha256", secret).update(concat(...parts)).digest();

/** The pseudo-random function of TLS 1.2 with SHA-256 (RFC 5246 §5). */
export function prf(secret: Uint8Array, label: string, seed: Uint8Array, length: number): Bytes {
  const named = concat(new TextEncoder().encode(label), seed);
  const blocks: Uint8Array[] = [];
  let a: Uint8Array = named;
  while (blocks.length * HASH_BYTES < length) {
    a = hmac(secret, a);
    blocks.push(hmac(secret, a, named));
  }
  return concat(...blocks).subarray(0, length);
}

export const sha256 = (bytes: Uint8Array): Uint8Array =>
  createHash("sha256").update(bytes).digest();

/** The extended master secret, which is bound to the handshake up to the key exchange (RFC 7627). */
export const masterSecretOf = (shared: Uint8Array, transcript: Uint8Array): Bytes =>
  prf(shared, "extended master secret", sha256(transcript), 48);

/** Keys of records with AES-128-GCM (RFC 5246 §6.3). */
export function recordKeysOf(master: Uint8Array, { client, server }: Randoms) {
  const block = readerOf(prf(master, "key expansion", concat(server, client), 40));
  const [clientKey, serverKey, clientIv, serverIv] = [16, 16, 4, 4].map(block.bytes);
  return {
    // Four lengths give four parts.
    client: { key: clientKey!, iv: clientIv! },
    server: { key: serverKey!, iv: serverIv! },
  } satisfies BothSides<RecordKeys>;
}

/** Master keys and salts of SRTP_AES128_CM_HMAC_SHA1_80 (RFC 5764 §4.2). */
export function srtpKeysOf(
  master: Uint8Array,
  { client, server }: Randoms,
): BothSides<SrtpKeys> {
  const block = readerOf(prf(master, "EXTRACTOR-dtls_srtp", concat(client, server), 60));
  const [clientKey, serverKey, clientSalt, serverSalt] = [16, 16, 14, 14].map(block.bytes);
  return {
    // Four lengths give four parts.
    client: { key: clientKey!, salt: clientSalt! },
    server: { key: serverKey!, salt: serverSalt! },
  };
}

/** Verify data of Finished, over the messages before it (RFC 5246 §7.4.9). */
export const finishedOf = (
  side: keyof Randoms,
  master: Uint8Array,
  transcript: Uint8Array,
): Bytes => prf(master, `${side} finished`, sha256(transcript), 12);

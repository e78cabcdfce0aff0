/**
 * Bodies of responses that are repeated for an Idempotency-Key. The creation of an API key responds
 * with its secret, which the store does not have otherwise. A repeat without the secret would leave
 * a key that nobody can use, so the body is sealed: under the Idempotency-Key as it was sent, and
 * once more under SECRET_KEY. Whoever has the store, SECRET_KEY and the client's Idempotency-Key
 * can read it for 24 h.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * Compresses a text and seals it with AES-256-GCM under a key of any length, as Base64. The store
 * has only the hash of an Idempotency-Key, so the client that has the key is needed to open the
 * body.
 */
export function sealBody(text: string, key: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", cipherKey(key), iv);
  const body = [iv, cipher.update(deflateRawSync(text)), cipher.final(), cipher.getAuthTag()];
  return new Uint8Array(Buffer.concat(body)).toBase64();
}

/** Opens a text that `sealBody` made. Throws for another key. */
export function openBody(sealed: string, key: string): string {
  const bytes = Uint8Array.fromBase64(sealed);
  const decipher = createDecipheriv("aes-256-gcm", cipherKey(key), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  const opened = [decipher.update(bytes.subarray(12, -16)), decipher.final()];
  return inflateRawSync(Buffer.concat(opened)).toString();
}

const cipherKey = (key: string): Uint8Array =>
  createHash("sha256").update(`idempotency ${key}`).digest();

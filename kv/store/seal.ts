import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Seals short texts at rest with AES-256-GCM under the server's key. */
export interface Seal {
  seal(text: string): string;
  /** Throws when the text was sealed under another key. */
  open(sealed: string): string;
  /** Returns whether a text is sealed under the key that `seal` uses, not under the other one. */
  isCurrent(sealed: string): boolean;
}

const mark = "s1.";

/**
 * Seals under `secretKey`, and opens what is sealed under that or `otherKey`. Keys may have any
 * length; the SHA-256 of one is the key of the cipher.
 */
export function sealer(secretKey: string, otherKey = ""): Seal {
  const key = cipherKey(secretKey);
  const keys = otherKey === "" ? [key] : [key, cipherKey(otherKey)];
  return {
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = [iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return mark + new Uint8Array(body.flatMap((part) => [...part])).toBase64();
    },
    open(sealed) {
      for (const one of keys) {
        const text = openedBy(one, sealed);
        if (text !== undefined) return text;
      }
      throw new Error(
        "Cannot open a sealed value: SECRET_KEY is not the one it was sealed with. After a change " +
          "of SECRET_KEY, set SECRET_KEY_OTHER to the key before",
      );
    },
    isCurrent: (sealed) => openedBy(key, sealed) !== undefined,
  };
}

const cipherKey = (secretKey: string): Uint8Array =>
  createHash("sha256").update(secretKey).digest();

/** Undefined where the text is sealed under another key, or was changed. */
function openedBy(key: Uint8Array, sealed: string): string | undefined {
  const bytes = Uint8Array.fromBase64(sealed.slice(mark.length));
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

/** A copy of a record with the named fields sealed, or opened; null and absent fields stay so. */
export function mapFields<T>(
  record: T,
  fields: readonly string[],
  map: (text: string) => string,
): T {
  if (fields.length === 0) return record;
  const copy = { ...record } as Record<string, unknown>;
  for (const field of fields) {
    if (copy[field] !== null && copy[field] !== undefined) copy[field] = map(String(copy[field]));
  }
  return copy as T;
}

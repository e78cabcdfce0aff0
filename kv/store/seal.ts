import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Seals short texts at rest with AES-256-GCM under the server's key. */
export interface Seal {
  seal(text: string): string;
  /** Throws when the text was sealed under another key. */
  open(sealed: string): string;
}

const mark = "s1.";

/** `secretKey` may have any length; its SHA-256 is the key. */
export function sealer(secretKey: string): Seal {
  const key = createHash("sha256").update(secretKey).digest();
  return {
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = [iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return mark + new Uint8Array(body.flatMap((part) => [...part])).toBase64();
    },
    open(sealed) {
      const bytes = Uint8Array.fromBase64(sealed.slice(mark.length));
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      try {
        return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
      } catch (cause) {
        throw new Error(
          "Cannot open a sealed value: SECRET_KEY is not the one it was sealed with",
          {
            cause,
          },
        );
      }
    },
  };
}

/** A copy of a record with the named fields sealed, or opened; what is null or absent stays so. */
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

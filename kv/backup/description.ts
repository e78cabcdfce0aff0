import { sealer } from "../store/seal.ts";

/** Description of a backup, in its first frame. */
export interface Description {
  /** Start of the backup, in ms since 1970. */
  begunAt: number;
  /** The version of Switchboard that made it. */
  version: string;
  /** Kind of the store. */
  store: "file" | "KV Connect" | "PostgreSQL";
  /** SECRET_KEY where it stood in DATA_DIR; null where the environment gave it. */
  secretKey: string | null;
  /** A text, once sealed by each key that may have sealed passwords of the store. */
  sealed: string[];
  /** BRIDGE_SECRET where it stood in DATA_DIR. */
  bridgeSecret: string | null;
  /** The bucket where finished recordings stay, as a URL; null: all audio is in DATA_DIR. */
  bucket: string | null;
}

const sealedText = "switchboard";

/** A text that shows by which key it was sealed, without the key. */
export const sealedBy = (secretKey: string): string => sealer(secretKey).seal(sealedText);

/** Returns whether one of two keys opens a text of `sealedBy`. */
export function opens(sealed: string, secretKey: string, otherKey: string): boolean {
  try {
    return sealer(secretKey, otherKey).open(sealed) === sealedText;
  } catch {
    return false;
  }
}

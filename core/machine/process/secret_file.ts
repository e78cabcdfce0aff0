/**
 * Files of secrets. A start without `secret_key` beside an existing store is an error, for the service and
 * for `deno task numbers`: a new key could not read the sealed passwords, and the loss of the
 * old one would stay unnoticed.
 */
import { steadyNow } from "../../base/steady_clock.ts";

/** The store whose passwords a secret seals. */
export interface SealedStore {
  /** Its file or URL, for messages. */
  name: string;
  exists(): Promise<boolean>;
}

/**
 * The secret in a file. Makes one of 256 random bits, readable by its owner only, when the file is
 * absent. Throws when the file is absent and the store that the secret has sealed exists.
 */
export async function ensureSecret(path: string, sealed?: SealedStore): Promise<string> {
  const known = await readSecret(path);
  if (known !== null) return known;
  if (await sealed?.exists()) {
    throw new Error(
      `Cannot find ${path}, which sealed passwords in ${sealed?.name}: ` +
        "put that file back, or set SECRET_KEY",
    );
  }
  const made = crypto.getRandomValues(new Uint8Array(32)).toHex();
  await writeSecret(path, made);
  return made;
}

/** Writes a secret that its owner alone can read. */
export async function writeSecret(path: string, secret: string): Promise<void> {
  // A rename is whole or not at all: a crash leaves no empty secret behind.
  await Deno.writeTextFile(`${path}.new`, secret, { mode: 0o600 });
  await Deno.rename(`${path}.new`, path);
}

/** The secret in a file that another process makes; waits for it up to `patienceMs`. */
export async function awaitSecret(path: string, patienceMs: number): Promise<string> {
  const until = steadyNow() + patienceMs;
  for (;;) {
    const secret = await readSecret(path);
    if (secret !== null) return secret;
    if (steadyNow() > until) {
      throw new Error(`Cannot read ${path}: start the service first, or set BRIDGE_SECRET`);
    }
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/** The secret in a file; null when the file is absent. */
export async function readSecret(path: string): Promise<string | null> {
  try {
    return (await Deno.readTextFile(path)).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The secret in a file: made, of 256 random bits and readable by its owner only, when it is absent. */
export async function ensureSecret(path: string): Promise<string> {
  const made = crypto.getRandomValues(new Uint8Array(32)).toHex();
  try {
    await Deno.writeTextFile(path, made, { createNew: true, mode: 0o600 });
    return made;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return await awaitSecret(path, 1_000);
    throw error;
  }
}

/** The secret in a file that another process makes; waits for it up to `patienceMs`. */
export async function awaitSecret(path: string, patienceMs: number): Promise<string> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const secret = await Deno.readTextFile(path).catch(() => "");
    if (secret.length >= 16) return secret.trim();
    if (Date.now() > until) {
      throw new Error(`Cannot read ${path}: start the service first, or set BRIDGE_SECRET`);
    }
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

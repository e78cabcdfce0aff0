/** The secret in a file: made, of 256 random bits and readable by its owner only, when it is absent. */
export async function ensureSecret(path: string): Promise<string> {
  const known = await readSecret(path);
  if (known !== null) return known;
  const made = crypto.getRandomValues(new Uint8Array(32)).toHex();
  // A rename is whole or not at all: a crash leaves no empty secret behind.
  await Deno.writeTextFile(`${path}.new`, made, { mode: 0o600 });
  await Deno.rename(`${path}.new`, path);
  return made;
}

/** The secret in a file that another process makes; waits for it up to `patienceMs`. */
export async function awaitSecret(path: string, patienceMs: number): Promise<string> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const secret = await readSecret(path);
    if (secret !== null) return secret;
    if (Date.now() > until) {
      throw new Error(`Cannot read ${path}: start the service first, or set BRIDGE_SECRET`);
    }
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

async function readSecret(path: string): Promise<string | null> {
  try {
    return (await Deno.readTextFile(path)).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

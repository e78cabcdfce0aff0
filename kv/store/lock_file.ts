/**
 * Creates the file of a store with permissions for its owner only, and locks `<file>.lock` until the
 * result is closed. The system releases the lock when the process ends.
 */
export async function lockFile(location: string): Promise<Deno.FsFile> {
  const file = await Deno.open(`${location}.lock`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) {
    (await Deno.open(location, { create: true, append: true, mode: 0o600 })).close();
    return file;
  }
  file.close();
  throw new Error(`Cannot open the store: ${location} is in use by another process`);
}

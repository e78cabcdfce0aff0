import assert from "node:assert/strict";
import { ensureSecret } from "../../../../core/machine/process/secret_file.ts";

const store = (exists: boolean) => ({
  name: "data/switchboard.db",
  exists: () => Promise.resolve(exists),
});

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("ensureSecret() makes a secret of the owner alone, and gives it again", () =>
  inFolder(async (folder) => {
    const path = `${folder}/secret_key`;
    const made = await ensureSecret(path, store(false));

    assert.match(made, /^[0-9a-f]{64}$/);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    assert.equal(await ensureSecret(path, store(true)), made);
  }));

Deno.test("ensureSecret() makes no new secret beside a store that the lost one has sealed", () =>
  inFolder(async (folder) => {
    const path = `${folder}/secret_key`;

    await assert.rejects(ensureSecret(path, store(true)), {
      message: `Cannot find ${path}, which sealed passwords in data/switchboard.db: ` +
        "put that file back, or set SECRET_KEY",
    });
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  }));

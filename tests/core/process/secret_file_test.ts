import assert from "node:assert/strict";
import { ensureSecret } from "../../../core/process/secret_file.ts";

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
    const made = await ensureSecret(path, `${folder}/switchboard.db`);

    assert.match(made, /^[0-9a-f]{64}$/);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    assert.equal(await ensureSecret(path, `${folder}/switchboard.db`), made);
  }));

Deno.test("ensureSecret() makes no new secret beside a file that the lost one has sealed", () =>
  inFolder(async (folder) => {
    const [path, store] = [`${folder}/secret_key`, `${folder}/switchboard.db`];
    await Deno.writeTextFile(store, "");

    await assert.rejects(ensureSecret(path, store), {
      message: `Cannot find ${path}, which sealed passwords in ${store}: ` +
        "put that file back, or set SECRET_KEY",
    });
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  }));

import assert from "node:assert/strict";
import { startKvConnect } from "./support/service/kv_connect.ts";
import { openStore } from "../kv/open_store.ts";

/** Runs `kv/commands/numbers.ts` as its task does, on a data directory. */
function run(dataDir: string, ...args: string[]) {
  return runWith({ DATA_DIR: dataDir }, ...args);
}

/** The same with variables of its own. */
async function runWith(env: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "numbers", ...args],
    cwd: new URL("..", import.meta.url),
    env: { NUMBERS_PROVIDER: "inventory", NO_COLOR: "1", ...env },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout).trim().split("\n"), err: text(stderr).trim() };
}

Deno.test("numbers import loads a file, again without effect, and not beside the service", async () => {
  const dataDir = await Deno.makeTempDir();
  const file = `${dataDir}/numbers.csv`;
  await Deno.writeTextFile(file, "PhoneNumber,Region\n+14155550100,CA\n+442079460123,\n");

  const first = await run(dataDir, "import", file);
  const again = await run(dataDir, "import", file);
  const location = `${dataDir}/switchboard.db`;
  const store = await openStore({ location, secretKey: "s", now: () => 0 });
  const beside = await run(dataDir, "import", file);
  const offer = await store.stock.get("+14155550100");
  store.close();
  const missing = await run(dataDir, "import", `${dataDir}/nothing.csv`);
  await Deno.writeFile(
    file,
    new Uint8Array([...new TextEncoder().encode("PhoneNumber\n+1"), 0xff]),
  );
  const garbled = await run(dataDir, "import", file);
  const nothing = await run(dataDir);
  await Deno.remove(dataDir, { recursive: true });

  assert.deepEqual([first.code, first.out], [0, [
    "2 numbers read, 2 new",
    "Imported 2 numbers, 2 new, 0 lines left out",
  ]]);
  assert.deepEqual([again.code, again.out.at(-1)], [
    0,
    "Imported 2 numbers, 0 new, 0 lines left out",
  ]);
  assert.equal(beside.code, 1);
  assert.match(beside.err, /in use by another process; stop the service first$/);
  assert.equal(offer?.region, "CA");
  assert.match(missing.err, /^Cannot read .*nothing\.csv: /);
  assert.match(garbled.err, /^Cannot read .*numbers\.csv: it is not UTF-8$/);
  assert.match(nothing.err, /deno task numbers import FILE/);
});

Deno.test("numbers import makes no new secret_key for a store that a lost one has sealed", async () => {
  await using endpoint = startKvConnect();
  for (const location of [{}, { KV_URL: endpoint.url, DENO_KV_ACCESS_TOKEN: "test" }]) {
    const dataDir = await Deno.makeTempDir();
    const [key, file] = [`${dataDir}/secret_key`, `${dataDir}/numbers.csv`];
    await Deno.writeTextFile(file, "PhoneNumber\n+14155550100\n");
    const env = { DATA_DIR: dataDir, ...location };

    const first = await runWith(env, "import", file);
    await Deno.remove(key);
    const without = await runWith(env, "import", file);
    const isMade = await Deno.stat(key).then(() => true, () => false);
    await Deno.remove(dataDir, { recursive: true });

    assert.equal(first.code, 0, first.err);
    assert.equal(without.code, 1);
    const store = "KV_URL" in location ? endpoint.url : `${dataDir}/switchboard.db`;
    assert.equal(
      without.err,
      `Cannot find ${key}, which sealed passwords in ${store}: put that file back, or set SECRET_KEY`,
    );
    assert.equal(isMade, false);
  }
});

import assert from "node:assert/strict";
import { espeakFolder } from "../../../core/adapters/espeak_package/load_espeak.ts";
import { type Registry, startRegistry } from "../../support/service/registry.ts";

const repository = new URL("../../../", import.meta.url);

/** A project with a package `own`, another one beside it as espeak-ng is, and nothing downloaded. */
async function withProject(
  use: (start: (env?: Record<string, string>) => Promise<string[]>, registry: Registry) => Promise<
    void
  >,
): Promise<void> {
  await using registry = startRegistry(["own", "espeak"]);
  const directory = await Deno.makeTempDir();
  const cache = await Deno.makeTempDir();
  await Deno.mkdir(`${directory}/${espeakFolder}`, { recursive: true });
  for (const [folder, name] of [[directory, "own"], [`${directory}/${espeakFolder}`, "espeak"]]) {
    const config = { nodeModulesDir: "manual", imports: { [name!]: `npm:${name}@1.0.0` } };
    await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
    await Deno.writeTextFile(`${folder}/deno.lock`, registry.lock(name!));
  }
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", repository)));
  const [, ...args] = tasks.packages.split(" ");
  const script = new URL(args.pop(), repository).pathname;
  const start = async (env: Record<string, string> = {}) => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...args, script],
      cwd: directory,
      // Without the programs that speak, unless a test gives them.
      env: {
        DENO_DIR: cache,
        NPM_CONFIG_REGISTRY: registry.url,
        NO_COLOR: "1",
        PATH: "/nowhere",
        ...env,
      },
    }).output();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    // Deno itself says more where it fails to download.
    return text.split("\n").filter((line) => /packages|espeak-ng:/.test(line));
  };
  try {
    await use(start, registry);
  } finally {
    await Deno.remove(directory, { recursive: true });
    await Deno.remove(cache, { recursive: true });
  }
}

Deno.test("deno task packages downloads in one line, and then prints nothing", async () => {
  await withProject(async (start, registry) => {
    assert.deepEqual(await start(), [
      "Downloading 2 npm packages, once, espeak-ng among them (GPL-3; ESPEAK_PACKAGE=false " +
      "leaves it out)",
    ]);
    assert.deepEqual(registry.downloads().sort(), ["espeak", "own"]);

    assert.deepEqual(await start(), []);
    assert.equal(registry.downloads().length, 2);
  });
});

Deno.test("deno task packages leaves espeak-ng out where it is refused or a provider speaks", async () => {
  await withProject(async (start, registry) => {
    assert.deepEqual(await start({ ESPEAK_PACKAGE: "false" }), [
      "Downloading 1 npm packages, once",
    ]);
    assert.deepEqual(await start({ SPEECH_URL: "https://speech.test" }), []);
    assert.deepEqual(registry.downloads(), ["own"]);
  });
});

Deno.test("deno task packages says what to do where packages cannot be downloaded", async () => {
  await withProject(async (start, registry) => {
    registry.break("espeak");
    assert.equal(
      (await start()).at(-1),
      "Cannot download espeak-ng: Say has no voice until a start that can",
    );
  });
  await withProject(async (start, registry) => {
    registry.break("own");
    assert.equal(
      (await start()).at(-1),
      "Cannot start: npm packages cannot be downloaded; check the network and try again",
    );
  });
});

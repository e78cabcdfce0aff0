import assert from "node:assert/strict";
import { espeakFolder } from "../../../../core/machine/adapters/espeak_package/load_espeak.ts";
import { type Registry, startRegistry } from "../../../support/service/registry.ts";

const repository = new URL("../../../../", import.meta.url);

interface Printed {
  code: number;
  out: string[];
  errors: string[];
}

/** A project with a package `own`, another one beside it as espeak-ng is, and nothing downloaded. */
async function withProject(
  use: (
    start: (env?: Record<string, string>) => Promise<Printed>,
    registry: Registry,
    directory: string,
  ) => Promise<void>,
  mode?: string,
): Promise<void> {
  await using registry = startRegistry(["own", "espeak"], mode);
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
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
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
    const lines = [stdout, stderr].map((bytes) =>
      new TextDecoder().decode(bytes).split("\n").filter(Boolean)
    );
    return { code, out: lines[0]!, errors: lines[1]! };
  };
  try {
    await use(start, registry, directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
    await Deno.remove(cache, { recursive: true });
  }
}

Deno.test("deno task packages downloads in one line, and then prints nothing", async () => {
  await withProject(async (start, registry) => {
    assert.deepEqual(await start(), {
      code: 0,
      out: [
        "Downloading 2 npm packages, once, with espeak-ng (GPL-3; ESPEAK_PACKAGE=false leaves it out)",
      ],
      errors: [],
    });
    assert.deepEqual(registry.downloads().sort(), ["espeak", "own"]);

    assert.deepEqual(await start(), { code: 0, out: [], errors: [] });
    assert.equal(registry.downloads().length, 2);
  });
});

Deno.test("deno task packages leaves espeak-ng out where it is refused or a provider speaks", async () => {
  await withProject(async (start, registry) => {
    const { out } = await start({ ESPEAK_PACKAGE: "false" });
    assert.deepEqual(out, ["Downloading 1 npm package, once"]);
    assert.deepEqual((await start({ SPEECH_URL: "https://speech.test" })).out, []);
    assert.deepEqual(registry.downloads(), ["own"]);
  });
});

Deno.test("deno task packages starts without espeak-ng where only that cannot be downloaded", async () => {
  await withProject(async (start, registry) => {
    registry.break("espeak");
    const { code, out } = await start();
    assert.equal(code, 0);
    assert.match(
      out.at(-1)!,
      /^Cannot download espeak-ng, so Say has no voice: install espeak-ng, /,
    );
  });
});

Deno.test("deno task packages ends the start where packages cannot be downloaded", async () => {
  await withProject(async (start, registry) => {
    registry.break("own");
    const { code, errors } = await start();
    assert.equal(code, 1);
    assert.equal(
      errors.at(-1),
      "Cannot start: npm packages cannot be downloaded; check the network and try again",
    );
  });
});

const system = { PATH: Deno.env.get("PATH") ?? "", ESPEAK_PACKAGE: "false" };
const manifest = "node_modules/.deno/own@1.0.0/node_modules/own/package.json";
const modeOf = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;

Deno.test("deno task packages makes what it downloads readable for every user", async () => {
  await withProject(async (start, _registry, directory) => {
    assert.equal((await start(system)).code, 0);
    assert.equal(await modeOf(`${directory}/${manifest}`), 0o644);

    // So left by a former version, and by a mask of 077.
    await Deno.chmod(`${directory}/${manifest}`, 0o600);
    await Deno.chmod(`${directory}/node_modules`, 0o700);
    assert.deepEqual(await start(system), { code: 0, out: [], errors: [] });
    assert.equal(await modeOf(`${directory}/${manifest}`), 0o644);
    assert.equal(await modeOf(`${directory}/node_modules`), 0o755);
  }, "600");
});

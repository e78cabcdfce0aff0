import { run } from "../process/run.ts";

/**
 * Folder in which `.ci/peers` installs programs that check the OpenAPI document and generate
 * clients of it.
 */

const cache = Deno.env.get("SWITCHBOARD_PEERS") ??
  `${Deno.env.get("HOME") ?? "/root"}/.cache/switchboard-peers`;
/** Folder of its packages of npm and of its Python. */
export const tools = `${cache}/openapi_clients`;
const programs = new URL("../peers/openapi_clients/", import.meta.url).pathname;

const isThere = await Deno.stat(`${tools}/node_modules/openapi-typescript`).then(
  () => true,
  () => false,
);

/** Reason for which the tests are skipped; empty when they run. Under `CI` they fail instead. */
export const skipped = isThere || Deno.env.get("CI") ? "" : ` (skipped: no ${tools})`;

/** A folder with the document, the programs and what they import. */
export interface Workshop extends AsyncDisposable {
  /** Runs a program of npm in the folder. */
  node(path: string, ...args: string[]): Promise<string>;
  /** Compiles a program and what it imports. Rejects with the errors of the compiler. */
  compile(program: string): Promise<void>;
  /** Runs a program of PyPI in the folder. */
  python(path: string, ...args: string[]): Promise<string>;
}

const compilerOptions = {
  strict: true,
  module: "nodenext",
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  skipLibCheck: true,
};

/** Opens one for a document, as JSON. */
export async function openWorkshop(document: string): Promise<Workshop> {
  const folder = await Deno.makeTempDir();
  for (const name of ["fetch.mts", "hey.mts", "openapi-ts.config.mjs", "program.py"]) {
    await Deno.copyFile(`${programs}${name}`, `${folder}/${name}`);
  }
  await Deno.symlink(`${tools}/node_modules`, `${folder}/node_modules`);
  await Deno.writeTextFile(`${folder}/openapi.json`, document);
  const ofNode = "declare const process: { argv: string[] };\n"; // All that the programs need of it.
  await Deno.writeTextFile(`${folder}/node.d.ts`, ofNode);
  await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions }));
  await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module" }');
  await Deno.writeTextFile(`${folder}/.spectral.yaml`, "extends: spectral:oas\n");
  const quiet = ["REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1"];
  const within = (args: string[]) =>
    run("env", ["-C", folder, ...quiet, `PATH=${tools}/bin:${Deno.env.get("PATH")}`, ...args]);
  return {
    node: (path, ...args) => within(["node", path, ...args]),
    async compile(program) {
      const config = { extends: "./tsconfig.json", files: ["node.d.ts", program] };
      await Deno.writeTextFile(`${folder}/tsconfig.build.json`, JSON.stringify(config));
      await within(["node", "node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]);
    },
    python: (path, ...args) => within([`${tools}/bin/python`, path, ...args]),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

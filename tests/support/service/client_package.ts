import { run } from "../process/run.ts";
import { tools } from "./openapi_tools.ts";

/** A project of npm that has the TypeScript client installed, from its packed file. */
export interface ClientProject extends AsyncDisposable {
  readonly directory: string;
  /** Compiles a module strictly, the declarations of the client included. Rejects with the errors. */
  compile(name: string, source: string): Promise<void>;
  /** Output of a compiled module in Node. */
  node(name: string, env: Record<string, string>): Promise<string>;
}

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  module: "nodenext",
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  types: ["node"],
  typeRoots: [`${tools}/node_modules/@types`],
  skipLibCheck: false,
};

/** Generates the client by its task, packs it, and installs the packed file without a network. */
export async function openClientProject(): Promise<ClientProject> {
  const directory = await Deno.makeTempDir();
  const within = (args: string[]) => run("env", ["-C", directory, ...args]);
  await run(Deno.execPath(), ["task", "--quiet", "client", `${directory}/package`]);
  const packed = await within(["npm", "pack", "--silent", "./package"]);
  await Deno.writeTextFile(`${directory}/package.json`, '{ "private": true, "type": "module" }');
  const quiet = ["--offline", "--no-audit", "--no-fund", "--silent"];
  await within(["npm", "install", ...quiet, `./${packed.trim().split("\n").at(-1)}`]);
  return {
    directory,
    async compile(name, source) {
      await Deno.writeTextFile(`${directory}/${name}`, source);
      const config = JSON.stringify({ compilerOptions, files: [name] });
      await Deno.writeTextFile(`${directory}/tsconfig.json`, config);
      await within(["node", `${tools}/node_modules/typescript/bin/tsc`, "-p", "tsconfig.json"]);
    },
    node: (name, env) =>
      within([...Object.entries(env).map((pair) => pair.join("=")), "node", name]),
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

import { fail, say } from "../../machine/process/process.ts";
import { version } from "../../base/version.ts";
import { openApiDocument } from "../document.ts";
import { markupModule } from "./generator/markup.ts";
import { operationsModule } from "./generator/operations.ts";
import { schemasModule } from "./generator/types.ts";

/** `deno task client DIR`: writes the TypeScript client as an npm package. */

const root = new URL("../../../", import.meta.url);
const copied = ["send.ts", "list.ts", "verify_signature.ts", "element.ts"];

const index = `export { connect, type ErrorCode, isApiError, type Switchboard } from "./client.ts";
export type { List, Page } from "./list.ts";
import * as markup from "./markup.ts";
export { markup };
export type * as schemas from "./schemas.ts";
export { ApiError, type Options } from "./send.ts";
export { type SignedRequest, verifySignature } from "./verify_signature.ts";
`;

const manifest = {
  name: "switchboard-client",
  version,
  description: "Client of Switchboard: REST interface, signatures and markup",
  license: "MIT",
  type: "module",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
  files: ["dist"],
  engines: { node: ">=20" },
};

const document = openApiDocument({
  baseUrl: "http://localhost",
  clientPasswordMin: 1,
  recordingsOpenInS3: false,
});

/** The sources of the package, by name. */
async function sources(): Promise<Record<string, string>> {
  const own = copied.map(async (name) =>
    [
      name,
      await Deno.readTextFile(
        new URL(`runtime/${name}`, import.meta.url),
      ),
    ] as const
  );
  return {
    ...Object.fromEntries(await Promise.all(own)),
    "schemas.ts": schemasModule(document.components.schemas ?? {}),
    "client.ts": operationsModule(document),
    "markup.ts": markupModule(),
    "index.ts": index,
  };
}

/** Compiles sources to JavaScript with declarations, in a folder. */
async function compile(texts: Record<string, string>, outdir: string): Promise<void> {
  const cwd = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(texts)) {
      await Deno.writeTextFile(`${cwd}/${name}`, text);
    }
    const args = ["transpile", "--no-config", "--declaration", "--quiet", "--outdir", outdir];
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args, ...Object.keys(texts)],
      cwd,
    });
    const { success, stderr } = await command.output();
    if (!success) throw new Error(`Cannot compile the client: ${new TextDecoder().decode(stderr)}`);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
  for await (const { name } of Deno.readDir(outdir)) {
    const text = await Deno.readTextFile(`${outdir}/${name}`);
    const changed = text.replace(/^\/\/\/ <amd-module.*\n/, "") // The path on this machine.
      .replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"');
    await Deno.writeTextFile(`${outdir}/${name}`, changed);
  }
}

const [folder] = Deno.args;
if (folder === undefined) {
  fail(new Error("Cannot write the client: name a folder, as in deno task client build/client"));
}
await Deno.mkdir(`${folder}/dist`, { recursive: true });
await compile(await sources(), await Deno.realPath(`${folder}/dist`));
await Deno.writeTextFile(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
await Deno.copyFile(new URL("LICENSE", root), `${folder}/LICENSE`);
await Deno.copyFile(new URL("docs/how-to/typescript-client.md", root), `${folder}/README.md`);
say(`The client is in ${folder}. Pack it with: npm pack ${folder}`);

import { espeakFolder } from "../../../core/machine/adapters/espeak_package/load_espeak.ts";

const root = new URL("../../../", import.meta.url);

/** A package of a lock, with the name and version as its id. */
export interface LockedPackage {
  id: string;
  integrity: string;
}

/** The packages of a folder's lock. */
export async function lockedPackages(folder: string): Promise<LockedPackage[]> {
  const { npm } = JSON.parse(await Deno.readTextFile(new URL(`${folder}deno.lock`, root)));
  return Object.entries<{ integrity: string }>(npm)
    // After an underscore stand the peers that a package was resolved with.
    .map(([id, { integrity }]) => ({ id: id.split("_")[0]!, integrity }));
}

/** Libraries of other licences that packages contain, compiled to WebAssembly. */
const contained: Record<string, string> = {
  "mpg123-decoder": "mpg123 (LGPL-2.1)",
  opusscript: "libopus (BSD-3-Clause)",
  "wasm-media-encoders": "LAME (LGPL-2.0-or-later), libvorbis and libogg (BSD-3-Clause)",
};

/**
 * Licences that packages of the product may have. Another licence is a decision: see
 * docs/contributing.md.
 */
const accepted = ["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0"];

interface Manifest {
  license: string;
}

const manifest = async (at: string | URL): Promise<Manifest> =>
  JSON.parse(await Deno.readTextFile(new URL(at, root)));

async function row(id: string): Promise<string> {
  const [name, version] = [id.slice(0, id.indexOf("@", 1)), id.slice(id.indexOf("@", 1) + 1)];
  const folder = `node_modules/.deno/${id.replaceAll("/", "+")}/node_modules/${name}`;
  const { license } = await manifest(`${folder}/package.json`);
  if (!accepted.includes(license)) {
    throw new Error(`The licence of ${id} is ${license}: the product takes ${accepted.join(", ")}`);
  }
  return `| ${name} | ${version} | ${license} | ${contained[name] ?? ""} |`;
}

/**
 * Row of the only package that the product takes under another licence, used if no program for
 * text-to-speech is installed.
 */
async function espeakRow(): Promise<string> {
  const [{ id }] = await lockedPackages(`${espeakFolder}/`) as [LockedPackage];
  const [, name, version] = /^(.+)@(.+)$/.exec(id)!;
  const { license } = await manifest(new URL("package.json", import.meta.resolve(name!)));
  return `| ${name} | ${version} | ${license} | espeak-ng with its voices |`;
}

const head = "| Package | Version | Licence | Contains, compiled |\n|---|---|---|---|";

/** A page with its tables as the locks and the packages themselves say. */
export async function licencePage(text: string): Promise<string> {
  const rows = await Promise.all((await lockedPackages("")).map(({ id }) => row(id)));
  const tables: Record<string, string[]> = { product: rows, espeak: [await espeakRow()] };
  return text.replace(
    /<!-- licences (\w+) -->[^]*?<!-- \/ -->/g,
    (_, name: string) =>
      `<!-- licences ${name} -->\n\n${[head, ...tables[name]!].join("\n")}\n\n<!-- / -->`,
  );
}

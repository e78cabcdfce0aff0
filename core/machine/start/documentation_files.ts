/** The folder of the documentation, and that of the styles of its pages. */
const folder = new URL("../../../docs/", import.meta.url);
const styles = new URL("../../../routes/docs/", import.meta.url);
const icon = new URL("../../../routes/softphone/icon.svg", import.meta.url);

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  jpg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
};

const typeOf = (name: string): string | undefined => types[name.split(".").at(-1) ?? ""];

async function* walk(below: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(below)) {
    if (isDirectory) yield* walk(new URL(`${name}/`, below));
    else if (isFile) yield decodeURIComponent(new URL(name, below).href.slice(folder.href.length));
  }
}

/** Sources of the pages at `/docs`: the files of `docs/`, and the style of all pages. */
export async function documentationFiles() {
  const pages = new Map<string, string>();
  const assets = new Map<string, { type: string; bytes: Uint8Array<ArrayBuffer> }>();
  const keep = async (path: string, file: URL) => {
    const type = typeOf(path);
    if (type !== undefined) assets.set(path, { type, bytes: await Deno.readFile(file) });
  };
  for await (const path of walk(folder)) {
    const file = new URL(path, folder);
    if (path.endsWith(".md")) pages.set(path.slice(0, -3), await Deno.readTextFile(file));
    else await keep(path, file);
  }
  await keep("assets/docs.css", new URL("docs.css", styles));
  await keep("assets/icon.svg", icon);
  return { pages, assets };
}

const folder = new URL("../../../routes/console/assets/", import.meta.url);
/** The tokens of colour and type are those of the softphone page. */
const shared = new URL("../../../routes/softphone/", import.meta.url);

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** The files of the pages of the console, by name. */
export async function consoleFiles(): Promise<Map<string, { type: string; text: string }>> {
  const files = new Map<string, { type: string; text: string }>();
  const keep = async (name: string, file: URL) => {
    const type = types[name.split(".").at(-1) ?? ""];
    if (type !== undefined) files.set(name, { type, text: await Deno.readTextFile(file) });
  };
  for (const name of ["base.css", "icon.svg"]) await keep(name, new URL(name, shared));
  for (const part of ["", "designer/"]) {
    for await (const { name } of Deno.readDir(new URL(part, folder))) {
      await keep(part + name, new URL(part + name, folder));
    }
  }
  return files;
}

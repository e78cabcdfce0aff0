const folder = new URL("../../../routes/softphone/", import.meta.url);

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * The files that the softphone page is made of, by name. `sip.js` among them is the library in one
 * module, as `deno task softphone:library` writes it.
 */
export async function softphoneFiles(): Promise<Map<string, { type: string; text: string }>> {
  const files = new Map<string, { type: string; text: string }>();
  for await (const { name } of Deno.readDir(folder)) {
    const type = types[name.split(".").at(-1) ?? ""];
    if (type === undefined) continue;
    files.set(name, { type, text: await Deno.readTextFile(new URL(name, folder)) });
  }
  return files;
}

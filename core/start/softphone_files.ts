import "sip.js/lib/version.js"; // So that the package is there wherever the service is.
import { linkModules } from "./link_modules.ts";

const folder = new URL("../../routes/softphone/", import.meta.url);

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** The parts that the page needs: calls, and their media in a browser. */
const library = ["api/index.js", "platform/web/session-description-handler/index.js"];

/**
 * The files that the softphone page is made of, by name: those of its folder, and `sip.js`, the
 * library as its package has it, in one module.
 */
export async function softphoneFiles(): Promise<Map<string, { type: string; text: string }>> {
  const files = new Map<string, { type: string; text: string }>();
  for await (const { name } of Deno.readDir(folder)) {
    const type = types[name.split(".").at(-1)!];
    if (type === undefined) continue;
    files.set(name, { type, text: await Deno.readTextFile(new URL(name, folder)) });
  }
  const entries = library.map((path) => new URL(path, import.meta.resolve("sip.js")));
  files.set("sip.js", { type: types.js!, text: await linkModules(entries, Deno.readTextFile) });
  return files;
}

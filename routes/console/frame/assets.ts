import { Hono } from "hono";
import { Fault } from "../../../core/base/faults.ts";
import type { ConsoleEnv } from "./env.ts";

/** A file of the pages. */
export interface AssetFile {
  /** Its media type. */
  type: string;
  text: string;
}

type Served = AssetFile & { zipped: Uint8Array<ArrayBuffer>; tag: string };

/** The files of the pages, by name. Browsers revalidate them, so that an update shows at once. */
export function assets(files: () => Promise<Map<string, AssetFile>>): Hono<ConsoleEnv> {
  let loading: Promise<Map<string, Served>> | undefined;
  const load = async () =>
    new Map(
      await Promise.all(
        [...await files()].map(async ([name, file]) => [name, await prepare(file)] as const),
      ),
    );
  return new Hono<ConsoleEnv>().get("/:name{.+}", async (c) => {
    loading ??= load();
    loading.catch(() => loading = undefined); // The next request reads the files again.
    const file = (await loading).get(c.req.param("name"));
    if (file === undefined) throw new Fault("notFound", c.req.path);
    c.header("Content-Type", file.type);
    c.header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    c.header("Cache-Control", "no-cache");
    c.header("ETag", `W/"${file.tag}"`);
    c.header("Vary", "Accept-Encoding");
    if (c.req.header("If-None-Match")?.includes(file.tag)) return c.body(null, 304);
    if (!/\bgzip\b/.test(c.req.header("Accept-Encoding") ?? "")) return c.body(file.text);
    c.header("Content-Encoding", "gzip");
    return c.body(file.zipped);
  });
}

async function prepare(file: AssetFile): Promise<Served> {
  const bytes = new TextEncoder().encode(file.text);
  const body = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const zipped = new Uint8Array(await new Response(body).arrayBuffer());
  const tag = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 32);
  return { ...file, zipped, tag };
}

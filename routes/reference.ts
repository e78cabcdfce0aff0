import { Hono } from "hono";
import { gzipStream, takesGzip } from "../core/machine/net/content_coding.ts";
import { openApiInParts } from "../core/openapi/document.ts";
import type { Ports } from "../core/model/ports/ports.ts";
import type { Env } from "./http/env.ts";

interface Reference {
  json: string;
  zipped: Uint8Array<ArrayBuffer>;
}

/**
 * `GET /openapi.json`: the interface in OpenAPI 3.1. It needs no credentials. It never changes, so
 * it is made and compressed at the first request, piece by piece.
 */
export function reference({ settings }: Ports): Hono<Env> {
  let making: Promise<Reference> | undefined;
  const make = async () => {
    const json = JSON.stringify(await openApiInParts(settings));
    return { json, zipped: await new Response(gzipStream([json])).bytes() };
  };
  return new Hono<Env>().get("/openapi", async (c) => {
    const { json, zipped } = await (making ??= make());
    c.header("Content-Type", "application/json; charset=utf-8");
    c.header("Vary", "Accept, Accept-Encoding");
    if (!takesGzip(c.req.header("Accept-Encoding"))) return c.body(json);
    c.header("Content-Encoding", "gzip");
    return c.body(zipped);
  });
}

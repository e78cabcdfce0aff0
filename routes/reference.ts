import { Hono } from "hono";
import { gzipped, takesGzip } from "../core/net/content_coding.ts";
import { openApiDocument } from "../core/openapi/document.ts";
import type { Ports } from "../core/ports/ports.ts";
import type { Env } from "./http/env.ts";

/**
 * `GET /openapi.json`: the interface in OpenAPI 3.1. It needs no credentials. It never changes, so it is
 * made and compressed at the first request.
 */
export function reference({ settings }: Ports): Hono<Env> {
  let made: { json: string; zipped: Uint8Array<ArrayBuffer> } | undefined;
  const make = () => {
    const json = JSON.stringify(openApiDocument(settings));
    return { json, zipped: gzipped(json) };
  };
  return new Hono<Env>().get("/openapi", (c) => {
    const { json, zipped } = made ??= make();
    c.header("Content-Type", "application/json; charset=utf-8");
    c.header("Vary", "Accept, Accept-Encoding");
    if (!takesGzip(c.req.header("Accept-Encoding"))) return c.body(json);
    c.header("Content-Encoding", "gzip");
    return c.body(zipped);
  });
}

import { Hono } from "hono";
import { openApiDocument } from "../core/openapi/document.ts";
import type { Ports } from "../core/ports.ts";
import type { Env } from "./env.ts";
import { referencePage } from "./reference_page.ts";

/** `GET /openapi.json`: the interface in OpenAPI 3.1. `GET /docs`: the same to read. For anybody. */
export function reference({ settings }: Ports): Hono<Env> {
  let [json, page] = ["", ""]; // Written when they are first asked for; they never change.
  return new Hono<Env>()
    .get("/openapi", (c) => {
      json ||= JSON.stringify(openApiDocument(settings));
      c.header("Content-Type", "application/json; charset=utf-8");
      return c.body(json);
    })
    .get("/docs", (c) => {
      page ||= referencePage(openApiDocument(settings));
      c.header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
      return c.html(page);
    });
}

import { Hono } from "hono";
import { openApiDocument } from "../core/openapi/document.ts";
import type { Ports } from "../core/ports/ports.ts";
import { answerJson } from "./http/answer.ts";
import type { Env } from "./http/env.ts";
import { referencePage } from "./reference_page.ts";

/** `GET /openapi.json`: the interface in OpenAPI 3.1. `GET /docs`: the same to read. For anybody. */
export function reference({ settings }: Ports): Hono<Env> {
  let [json, page] = ["", ""]; // Written when they are first asked for; they never change.
  return new Hono<Env>()
    .get("/openapi", (c) => {
      json ||= JSON.stringify(openApiDocument(settings));
      return answerJson(c, json);
    })
    .get("/docs", (c) => {
      page ||= referencePage(openApiDocument(settings));
      c.header(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      );
      return c.html(page);
    });
}

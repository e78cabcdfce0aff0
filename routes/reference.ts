import { Hono } from "hono";
import { openApiDocument } from "../core/openapi/document.ts";
import type { Ports } from "../core/ports/ports.ts";
import { answerJson } from "./http/answer.ts";
import type { Env } from "./http/env.ts";

/** `GET /openapi.json`: the interface in OpenAPI 3.1. It needs no credentials. */
export function reference({ settings }: Ports): Hono<Env> {
  let json = ""; // Made at the first request; it never changes.
  return new Hono<Env>().get("/openapi", (c) => {
    json ||= JSON.stringify(openApiDocument(settings));
    return answerJson(c, json);
  });
}

import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Ctx } from "./env.ts";
import { formatOf } from "./format.ts";
import { xmlDocument } from "./xml.ts";

/** The two ways to write an answer; only the one that is wanted is called. */
export interface Forms {
  /** A value, or a text that is JSON already. */
  json(): unknown;
  /** What stands inside ServiceResponse. */
  xml(): string;
}

/** Answers in the format that the request asks for. */
export function answer(c: Ctx, forms: Forms, status: ContentfulStatusCode = 200): Response {
  if (formatOf(c.req.raw) === "json") return answerJson(c, forms.json(), status);
  c.header("Content-Type", "application/xml; charset=utf-8");
  return c.body(xmlDocument(forms.xml()), status);
}

/** Answers in JSON, whatever the request asks for: with a value, or a text that is JSON already. */
export function answerJson(c: Ctx, body: unknown, status: ContentfulStatusCode = 200): Response {
  c.header("Content-Type", "application/json; charset=utf-8");
  return c.body(typeof body === "string" ? body : JSON.stringify(body), status);
}

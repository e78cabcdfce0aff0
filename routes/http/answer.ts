import type { ContentfulStatusCode } from "hono/utils/http-status";
import { limits } from "../../core/base/limits.ts";
import { gzippedInPieces, takesGzip } from "../../core/machine/net/content_coding.ts";
import type { Ctx } from "./env.ts";
import { formatOf, xmlRoot } from "./format.ts";
import { xmlDocument } from "./xml.ts";

/** A response body in both formats; only the wanted one is made. */
export interface Forms {
  /** A value, or a JSON text. */
  json(): unknown;
  /** The XML inside of the outermost element. */
  xml(): string;
}

/** Responds in the format that the request accepts. */
export function answer(c: Ctx, forms: Forms, status: ContentfulStatusCode = 200): Response {
  const { text, contentType } = contentOf(c, forms);
  c.header("Content-Type", contentType);
  return answerText(c, text, status);
}

/** The body in the format that the request accepts. */
export function contentOf(c: Ctx, forms: Forms): { text: string; contentType: string } {
  if (formatOf(c.req.raw) === "json") return { text: textOf(forms.json()), contentType: jsonType };
  const contentType = "application/xml; charset=utf-8";
  return { text: xmlDocument(forms.xml(), xmlRoot(c.req.raw)), contentType };
}

/** Responds in JSON, whatever the request accepts, with a value or a JSON text. */
export function answerJson(c: Ctx, body: unknown, status: ContentfulStatusCode = 200): Response {
  c.header("Content-Type", jsonType);
  return answerText(c, textOf(body), status);
}

const jsonType = "application/json; charset=utf-8";
const textOf = (body: unknown): string => typeof body === "string" ? body : JSON.stringify(body);

/** Responds with a text; compresses a long one when the client accepts gzip (RFC 9110 §12.5.3). */
export function answerText(c: Ctx, text: string, status: ContentfulStatusCode): Response {
  c.header("Vary", "Accept, Accept-Encoding");
  if (text.length <= limits.plainTextLength || !takesGzip(c.req.header("Accept-Encoding"))) {
    return c.body(text, status);
  }
  c.header("Content-Encoding", "gzip");
  return c.body(gzippedInPieces(text), status);
}

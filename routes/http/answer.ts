import type { ContentfulStatusCode } from "hono/utils/http-status";
import { limits } from "../../core/base/limits.ts";
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
  if (formatOf(c.req.raw) === "json") return answerJson(c, forms.json(), status);
  c.header("Content-Type", "application/xml; charset=utf-8");
  return answerText(c, xmlDocument(forms.xml(), xmlRoot(c.req.raw)), status);
}

/** Responds in JSON, whatever the request accepts, with a value or a JSON text. */
export function answerJson(c: Ctx, body: unknown, status: ContentfulStatusCode = 200): Response {
  c.header("Content-Type", "application/json; charset=utf-8");
  return answerText(c, typeof body === "string" ? body : JSON.stringify(body), status);
}

/** Responds with a text; compresses a long one when the client accepts gzip (RFC 9110 §12.5.3). */
export function answerText(c: Ctx, text: string, status: ContentfulStatusCode): Response {
  c.header("Vary", "Accept, Accept-Encoding");
  if (text.length <= limits.plainTextLength || !takesGzip(c.req.header("Accept-Encoding"))) {
    return c.body(text, status);
  }
  c.header("Content-Encoding", "gzip");
  return c.body(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")), status);
}

function takesGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  const codings = new Map(
    header.toLowerCase().split(",").map((coding) => {
      const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight) > 0];
    }),
  );
  return codings.get("gzip") ?? codings.get("*") ?? false;
}

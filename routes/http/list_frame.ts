import {
  byteStream,
  gzipStream,
  shortLength,
  takesGzip,
} from "../../core/machine/net/content_coding.ts";
import { answerText } from "./answer.ts";
import type { Ctx } from "./env.ts";
import { formatOf, xmlRoot } from "./format.ts";
import { ownRequests } from "./own_requests.ts";
import { xmlDocument } from "./xml.ts";

/** The text around the records of a list, and between them. */
export interface ListFrame {
  open: string;
  between: string;
  close: string;
}

/** A list for the console itself: JSON with a line for each record, and one before and after them. */
export const linesType = "application/json; charset=utf-8; lines=records";

/**
 * Responds with the texts of records in the format that the request accepts. A long list is sent piece
 * by piece, so that others have their turn: a thousand records may have 40 MB.
 */
export function answerTexts(
  c: Ctx,
  texts: string[],
  frames: { json(): ListFrame; xml(): ListFrame },
): Response {
  const { contentType, ...frame } = frameOf(c, frames);
  c.header("Content-Type", contentType);
  const length = texts.reduce((sum, text) => sum + text.length + frame.between.length, 0);
  if (length <= shortLength) return answerText(c, [...framed(frame, texts)].join(""), 200);
  c.header("Vary", "Accept, Accept-Encoding");
  const { promise, resolve } = Promise.withResolvers<void>();
  c.set("sending", promise);
  if (!takesGzip(c.req.header("Accept-Encoding"))) {
    return c.body(byteStream(framed(frame, texts), resolve));
  }
  c.header("Content-Encoding", "gzip");
  return c.body(gzipStream(framed(frame, texts), resolve));
}

function frameOf(
  c: Ctx,
  frames: { json(): ListFrame; xml(): ListFrame },
): ListFrame & { contentType: string } {
  if (formatOf(c.req.raw) === "json") {
    const frame = frames.json();
    const isOwn = ownRequests.has(c.req.raw);
    if (!isOwn) return { ...frame, contentType: "application/json; charset=utf-8" };
    return {
      open: `${frame.open}\n`,
      between: `${frame.between}\n`,
      close: `\n${frame.close}`,
      contentType: linesType,
    };
  }
  const { open, between, close } = frames.xml();
  const [before = "", after = ""] = xmlDocument("\n", xmlRoot(c.req.raw)).split("\n");
  const contentType = "application/xml; charset=utf-8";
  return { open: before + open, between, close: close + after, contentType };
}

function* framed({ open, between, close }: ListFrame, texts: string[]): Generator<string> {
  yield open;
  for (const [at, text] of texts.entries()) yield at === 0 ? text : between + text;
  yield close;
}

import { nextTurn } from "../base/turns.ts";
import { createGzip, gzipSync } from "node:zlib";

/** Whether an Accept-Encoding takes gzip (RFC 9110 §12.5.3). */
export function takesGzip(header: string | undefined): boolean {
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

/** A text in gzip. */
export const gzipped = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text));

/** Characters of a text that are compressed in one piece: some 2 ms. */
const pieceLength = 64 << 10;

/**
 * A text in gzip: a short one as bytes, a long one as a stream, so that others have their turn between its
 * pieces.
 */
export function gzippedInPieces(
  text: string,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> {
  if (text.length <= 2 * pieceLength) return gzipped(text);
  return ReadableStream.from(gzipPieces(text));
}

async function* gzipPieces(text: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const gzip = createGzip();
  const write = async () => {
    for (let at = 0; at < text.length; at += pieceLength) {
      const piece = text.slice(at, at + pieceLength);
      await new Promise<void>((resolve) => gzip.write(piece, () => resolve()));
      await nextTurn();
    }
    gzip.end();
  };
  const writing = write();
  for await (const made of gzip) yield new Uint8Array(made);
  await writing;
}

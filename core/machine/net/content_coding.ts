import { createTurns, nextTurn } from "../../base/turns.ts";
import { createGzip, gzipSync } from "node:zlib";

/** True when an Accept-Encoding takes gzip (RFC 9110 §12.5.3). */
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

/** Characters of a text that is sent as a whole. */
export const shortLength = 2 * pieceLength;

/**
 * A text in gzip: a short one as bytes, a long one as a stream, so that others have their turn between its
 * pieces.
 */
export function gzippedInPieces(
  text: string,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> {
  if (text.length <= shortLength) return gzipped(text);
  return gzipStream(piecesOf([text]));
}

/**
 * Texts that are long together, as a stream of their bytes, made piece by piece as it is read. `onEnd` is
 * called when all are made, or when the reader has gone.
 */
export const byteStream = (texts: Iterable<string>, onEnd = () => {}) =>
  streamOf(bytePieces(texts), onEnd);

/** The same in gzip. */
export const gzipStream = (texts: Iterable<string>, onEnd = () => {}) =>
  streamOf(gzipPieces(texts), onEnd);

function streamOf(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  onEnd: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    async cancel() {
      onEnd();
      await pieces.return(undefined);
    },
  }, { highWaterMark: 0 });
}

/** Texts as pieces of about the same length, each of whole characters. */
function* piecesOf(texts: Iterable<string>): Generator<string> {
  let rest = "";
  for (const text of texts) {
    rest += text;
    while (rest.length > pieceLength) {
      const isSplit = /[\ud800-\udbff]/.test(rest[pieceLength - 1] ?? "");
      const piece = rest.slice(0, isSplit ? pieceLength - 1 : pieceLength);
      yield piece;
      rest = rest.slice(piece.length);
    }
  }
  yield rest;
}

async function* bytePieces(texts: Iterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const turn = createTurns();
  for (const piece of piecesOf(texts)) {
    yield encoder.encode(piece);
    await turn();
  }
}

async function* gzipPieces(texts: Iterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const gzip = createGzip();
  const write = async () => {
    for (const piece of piecesOf(texts)) {
      await new Promise<void>((resolve) => gzip.write(piece, () => resolve()));
      await nextTurn();
    }
    gzip.end();
  };
  const writing = write();
  for await (const made of gzip) yield new Uint8Array(made);
  await writing;
}

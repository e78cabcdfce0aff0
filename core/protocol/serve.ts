import type { BridgeSecret } from "./bridge_secret.ts";
import {
  type AnswerOf,
  type ContentOf,
  type ProtocolRequest,
  type ProtocolRequests,
} from "./requests.ts";
import { protocolLimits } from "./companion.ts";
import { readSealed, writeSealed } from "./seal.ts";
import { createSignatureVerifier, isSignedBody, signatureHeader } from "./signature.ts";

/** Refusal by a handler, as an HTTP status and a text. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The status is that of the answer. */
  constructor(readonly status: 404 | 503, message: string) {
    super(message);
  }
}

/** Answers a request; aborts its work when the client has left. Throws a `Refusal`. */
type Handler<R extends ProtocolRequest> = R extends { isStream: true } ? (
    content: ContentOf<R>,
    answering: { signal: AbortSignal; send(line: AnswerOf<R>): void },
  ) => Promise<void>
  : (
    content: ContentOf<R>,
    answering: { signal: AbortSignal },
  ) => AnswerOf<R> | Promise<AnswerOf<R>>;

/** One handler for each request: the compiler finds one that is missing. */
export type HandlersOf<T extends ProtocolRequests> = { [Name in keyof T]: Handler<T[Name]> };

export interface ServerOptions<T extends ProtocolRequests> extends RequestReaderOptions {
  requests: T;
  handlers: HandlersOf<T>;
}

/**
 * Answers the requests of a table. 404 without one at the path, 400 for content that its schema
 * refuses; errors of handlers reject.
 */
export function serveRequests<T extends ProtocolRequests>(
  { requests, handlers, ...options }: ServerOptions<T>,
): (request: Request) => Promise<Response> {
  const { secret } = options;
  const read = requestReader(options);
  const byPath = new Map(Object.entries(requests).map(([name, one]) => [one.path, { name, one }]));
  return async (request) => {
    const path = new URL(request.url).pathname;
    const found = byPath.get(path);
    if (found === undefined || request.method !== "POST") {
      return refusal(404, `Cannot find POST ${path}`);
    }
    const { name, one } = found;
    const { maxBytes = protocolLimits.bodyBytes } = one;
    const body = await read(request, { path, maxBytes });
    if (typeof body !== "string") return refusal(body.status, body.why);
    const content = one.request.safeParse(contentOf(secret, body));
    if (!content.success) return refusal(400, `Cannot read ${path}: ${content.error.message}`);
    // ServerOptions has a handler for each request.
    const handler: AnyHandler = handlers[name]!;
    if (one.isStream) return streamed(handler, content.data, secret);
    try {
      const answer = await handler(content.data, { signal: request.signal, send: unsent });
      return new Response(writeSealed(secret, answer), { headers: json });
    } catch (error) {
      if (error instanceof Refusal) return refusal(error.status, error.message);
      throw error;
    }
  };
}

/** A handler whatever its request: the schema has checked the content that it is given. */
// deno-lint-ignore no-explicit-any
type AnyHandler = (content: any, answering: { signal: AbortSignal; send(line: any): void }) => any;

const unsent = (): never => {
  throw new Error("This request is not answered by a stream");
};

const json = { "content-type": "application/json" };
/** No reverse proxy may hold lines back: several clients wait for one each. */
const lines = { "content-type": "application/x-ndjson", "x-accel-buffering": "no" };

const refusal = (status: RequestRefusal["status"] | 400 | 404 | 503, message: string): Response =>
  Response.json({ message }, { status });

function contentOf(secret: BridgeSecret, body: string): unknown {
  try {
    return readSealed(secret, body);
  } catch {
    return undefined;
  }
}

function streamed(handler: AnyHandler, content: unknown, secret: BridgeSecret): Response {
  const left = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (line: object) =>
        controller.enqueue(encoder.encode(`${writeSealed(secret, line)}\n`));
      Promise.resolve(handler(content, { signal: left.signal, send }))
        .then(() => controller.close())
        .catch((error) => left.signal.aborted || controller.error(error));
    },
    cancel: () => left.abort(),
  });
  return new Response(body, { headers: lines });
}

/** Refusal of a request, as an HTTP status and a text. */
export interface RequestRefusal {
  status: 401 | 408 | 413;
  why: string;
}

/** Takes signed requests of the other side: the body of one, or the refusal. */
export type RequestReader = (
  request: Request,
  limits: { path: string; maxBytes: number },
) => Promise<string | RequestRefusal>;

export interface RequestReaderOptions {
  secret: BridgeSecret;
  now(): number;
  /** Time limit of the body, in ms. */
  bodyMs?: number;
}

/**
 * Reads no body before the header proves its sender. So memory is used for requests of the other
 * side alone; unauthenticated ones cost what their heads do.
 */
export function requestReader(
  { secret, now, bodyMs = protocolLimits.bodyMs }: RequestReaderOptions,
): RequestReader {
  const { verify } = createSignatureVerifier(secret, now);
  return async (request, { path, maxBytes }) => {
    const signature = request.headers.get(signatureHeader) ?? undefined;
    const digest = verify(signature, { method: request.method, path });
    if (digest === undefined) {
      return { status: 401, why: "Cannot verify the signature: it is wrong, old or was used" };
    }
    const body = await readBody(request, { maxBytes, ms: bodyMs });
    if (typeof body !== "string" || isSignedBody(digest, body)) return body;
    return { status: 401, why: "Cannot verify the body: it is not the one that was signed" };
  };
}

const tooLarge: RequestRefusal = { status: 413, why: "Cannot read so large a body" };
const tooLate: RequestRefusal = { status: 408, why: "Cannot wait any longer for the body" };

interface BodyLimits {
  maxBytes: number;
  ms: number;
}

/** A body with a Content-Length is read at once: reading its stream costs more CPU time. */
async function readBody(request: Request, limits: BodyLimits): Promise<string | RequestRefusal> {
  const length = request.headers.get("content-length");
  if (length === null) return await readStream(request, limits);
  if (Number(length) > limits.maxBytes) return tooLarge;
  const { promise: late, resolve } = Promise.withResolvers<RequestRefusal>();
  const timer = setTimeout(resolve, limits.ms, tooLate);
  const reading = request.text();
  reading.catch(() => {}); // After the time limit, its failure is of no interest.
  return await Promise.race([reading, late]).finally(() => clearTimeout(timer));
}

async function readStream(
  { body }: Request,
  { maxBytes, ms }: BodyLimits,
): Promise<string | RequestRefusal> {
  if (body === null) return "";
  const reader = body.getReader();
  let refusal: RequestRefusal | undefined;
  const stop = (why: RequestRefusal) => {
    refusal = why;
    reader.cancel().catch(() => {}); // Ends the read that waits.
  };
  const timer = setTimeout(stop, ms, tooLate);
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > maxBytes) stop(tooLarge);
      else text += decoder.decode(part.value, { stream: true });
    }
    return refusal ?? text + decoder.decode();
  } finally {
    clearTimeout(timer);
  }
}

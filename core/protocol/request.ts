import type { BridgeSecret } from "./bridge_secret.ts";
import { protocolLimits } from "./companion.ts";
import { createSignatureVerifier, isSignedBody, signatureHeader } from "./signature.ts";

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

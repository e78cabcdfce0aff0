import { currentTraceparent, traced } from "../../base/tracing.ts";
import { limits } from "../../base/limits.ts";
import { type Answer, dropBody, headerOf, type SentRequest } from "../../base/outgoing.ts";

/**
 * Sends a request, and what redirects lead to (RFC 9110 §15.4), at most `limits.redirects`. `signer`
 * signs what a redirect leads to.
 */
export async function followRedirects<R extends SentRequest>(
  request: R,
  send: (request: R) => Promise<Answer>,
  signer: (redirected: R, answer: Answer) => R | Promise<R> = (redirected) => redirected,
): Promise<Answer> {
  let current = request;
  for (let followed = 0;; followed++) {
    const answer = await send(current);
    const { status } = answer;
    const location = redirects.includes(status) ? headerOf(answer, "location") : null;
    if (location === null) return answer;
    await dropBody(answer);
    if (followed === limits.redirects) {
      throw new Error(`Cannot follow more than ${limits.redirects} redirects`);
    }
    const next = redirected(current, status, new URL(utf8Of(location), current.url));
    current = await signer(next, answer);
  }
}

/** A header as UTF-8 where it is that, as browsers read a Location; headers come as Latin-1. */
function utf8Of(header: string): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  if (/[^\0-\xff]/.test(header)) return header; // It is decoded already.
  try {
    return decoder.decode(Uint8Array.from(header, (letter) => letter.charCodeAt(0)));
  } catch {
    return header;
  }
}

const redirects = [301, 302, 303, 307, 308];

function redirected<R extends SentRequest>(request: R, status: number, url: URL): R {
  if (!/^https?:$/.test(url.protocol)) {
    throw new Error(`Cannot follow a redirect to ${url.protocol}`);
  }
  const keepsMethod = status === 307 || status === 308 || request.method === "GET" ||
    request.method === "HEAD";
  const { cookie: _, ...headers } = request.headers;
  if (url.origin !== request.url.origin) delete headers.authorization;
  if (keepsMethod) return { ...request, url, headers };
  delete headers["content-type"];
  return { ...request, url, method: "GET", headers, body: "" };
}

/** Sends a request as a span, and with the `traceparent` that `fetch` would send by itself. */
export const tracedRequest = <R extends SentRequest>(
  request: R,
  send: (request: R) => Promise<Answer>,
): Promise<Answer> => {
  const { method, url, headers } = request;
  const attributes = { "http.request.method": method, "server.address": url.hostname };
  return traced(method, { kind: "client", attributes }, async (span) => {
    const traceparent = currentTraceparent();
    const answer = await send(
      traceparent === undefined ? request : { ...request, headers: { ...headers, traceparent } },
    );
    span.setAttribute("http.response.status_code", answer.status);
    return answer;
  });
};

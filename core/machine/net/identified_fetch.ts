import { responseOf } from "../../base/outgoing.ts";
import { agentRequests, readCodings } from "./agent_request.ts";
import { followRedirects, tracedRequest } from "./follow_redirects.ts";
import type { Names } from "./names.ts";

/**
 * `fetch` with our User-Agent, unless the request has one, and without the blocking threads by which
 * `fetch` resolves names (`names.ts` says why those must not wait). It follows as many redirects as
 * `followRedirects`; a body that is a stream is read before it is sent. An answer has its coding removed.
 */
export type IdentifiedFetch = (
  input: Request | URL | string,
  init?: RequestInit,
) => Promise<Response>;

export function createFetch(names?: Names): IdentifiedFetch {
  const send = agentRequests({ by: names });
  return async (input, init) => {
    const request = new Request(input, init);
    const { url, method, signal } = request;
    const body = request.body === null ? "" : await request.bytes();
    const headers = {
      "accept-encoding": readCodings,
      ...Object.fromEntries(request.headers),
    };
    const asked = { url: new URL(url), method, headers, body, signal };
    return responseOf(
      await followRedirects(asked, (request) => tracedRequest(request, send)),
    );
  };
}

/** The one of this process. */
export const identifiedFetch: IdentifiedFetch = createFetch();

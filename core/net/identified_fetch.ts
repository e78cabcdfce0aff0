import { names } from "./names.ts";
import { version } from "../base/version.ts";

/** What Switchboard calls itself in the User-Agent of requests (RFC 9110 §10.1.5). */
export const userAgent = `Switchboard/${version}`;

/**
 * `fetch` with our User-Agent, unless the request has one: a customer may set it in a flow. `fetch`
 * resolves names by blocking threads (`names.ts` says why that must not wait), and takes no other
 * resolver. So a name has to be resolved here first: what no name server answers never reaches `fetch`.
 * `tenant` is the one of `Names.addressesOf`.
 */
export async function identifiedFetch(
  input: Request | URL | string,
  init?: RequestInit,
  tenant?: string,
): Promise<Response> {
  const request = new Request(input, init);
  if (!request.headers.has("user-agent")) request.headers.set("user-agent", userAgent);
  const { hostname } = new URL(request.url);
  await unlessAborted(
    names.addressesOf(hostname.replace(/^\[|\]$/g, ""), tenant),
    request.signal,
  );
  return await fetch(request);
}

/** Rejects with the reason of a signal that aborts first. */
async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

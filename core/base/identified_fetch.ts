import { version } from "./version.ts";

/** What Switchboard calls itself in the User-Agent of requests (RFC 9110 §10.1.5). */
export const userAgent = `Switchboard/${version}`;

/** `fetch` with our User-Agent, unless the request has one: a customer may set it in a flow. */
export const identifiedFetch: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  if (!request.headers.has("user-agent")) request.headers.set("user-agent", userAgent);
  return fetch(request);
};

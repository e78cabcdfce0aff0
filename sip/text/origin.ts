import type { IncomingRequestMessage } from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";

/** Flow and Request-URI of a received request, for code that gets the message alone. */
export interface Origin {
  flow: Flow;
  /** The Request-URI as written. */
  target: string;
}

// A WeakMap would do, and cost the collector more than a request is worth.
const originKey = Symbol("origin");

type WithOrigin = IncomingRequestMessage & { [originKey]?: Origin };

export const setOrigin = (message: WithOrigin, origin: Origin): void =>
  void (message[originKey] = origin);

/** The origin of a request that `receive` let pass. */
export function originOf(message: WithOrigin): Origin {
  const origin = message[originKey];
  if (origin === undefined) throw new Error("Cannot tell where the request came from");
  return origin;
}

/** The Request-URI of a request as written; empty of one that has not been let pass. */
export const requestUriOf = (message: WithOrigin): string => message[originKey]?.target ?? "";

import { steadyNow } from "../../base/steady_clock.ts";
import type { IncomingHttpHeaders } from "node:http";
import { netLimits } from "./limits.ts";
import { addressList } from "../../base/networks.ts";

/** Networks of a reverse proxy of the operator. Headers of other clients are not logged. */
const isNear = addressList([
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
]);

/**
 * Looks at requests of peers that are not trusted proxies: one of a private address that names a client
 * in `Forwarded` or `X-Forwarded-For` is a proxy that TRUSTED_PROXIES lacks. All of its clients
 * share the bounds of one address then. Logs that once in `netLimits.proxyLogMs`.
 */
export function watchUntrustedProxies(
  log: ((line: string, fields?: Record<string, unknown>) => void) | undefined,
): (peer: string, headers: IncomingHttpHeaders) => void {
  let loggedAt = -Infinity;
  return (peer, headers) => {
    if (headers.forwarded === undefined && headers["x-forwarded-for"] === undefined) return;
    if (steadyNow() - loggedAt < netLimits.proxyLogMs || !isNear(peer)) return;
    loggedAt = steadyNow();
    log?.(
      "A reverse proxy is not in TRUSTED_PROXIES: its clients share the bounds of one address",
      {
        peer,
      },
    );
  };
}

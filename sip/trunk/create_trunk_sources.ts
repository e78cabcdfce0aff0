import { addressList } from "../../core/base/networks.ts";
import type { Flow } from "../base/flow.ts";
import type { Gateways } from "./gateways.ts";
import type { Routes } from "../transport/routes.ts";
import { parseUri } from "../text/uri.ts";

import type { TrunkSources } from "../contracts/trunk_sources.ts";

/** Proofs of a trunk's calls. */
export interface TrunkSourceOptions {
  gateways: Pick<Gateways, "all" | "find">;
  /** Addresses and networks that the operator takes calls from. */
  trusted: readonly string[];
  routes(): Routes;
}

/**
 * Registered Gateways, and the sources that the operator allows. A Gateway's proxy calls by the
 * Contact that only it has, and from where we registered.
 */
export function createTrunkSources(options: TrunkSourceOptions): TrunkSources {
  const { gateways, trusted, routes } = options;
  const isTrusted = addressList(trusted);
  // Behind a web server, every browser has that server's address.
  const isAllowed = ({ remote, transport: { protocol } }: Flow) =>
    protocol !== "WS" && protocol !== "WSS" && isTrusted(remote.host);
  return {
    knows: (flow) =>
      isAllowed(flow) || gateways.all().some((one) => one.trunk()?.owns(flow.remote.host)),
    of({ flow, target }) {
      const { host } = flow.remote;
      const user = parseUri(target)?.user;
      const gateway = user ? gateways.find(user) : undefined;
      const trunk = gateway?.trunk();
      if (gateway !== undefined && trunk?.owns(host)) {
        const { gatewaySid, accountSid } = gateway.registration;
        return { gateway: { gatewaySid, accountSid }, contactUser: gateway.contactUser, trunk };
      }
      if (!isAllowed(flow)) return undefined;
      const reach = () => reachAgain(routes(), flow);
      return { gateway: null, trunk: { addresses: trusted, owns: isTrusted, reach } };
    },
  };
}

/** A connection in place of one that an allowed source closed: to the usual port. */
function reachAgain(routes: Routes, { remote: { host }, transport: { protocol } }: Flow) {
  const port = protocol === "TLS" ? 5061 : 5060;
  return routes.open({ protocol, address: host, port, name: host });
}

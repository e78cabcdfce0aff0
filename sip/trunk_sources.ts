import type { NumberQuery } from "../core/bridge_trunks.ts";
import type { Flow } from "./flow.ts";
import type { Gateways } from "./gateways.ts";
import type { Origin } from "./signalling.ts";
import type { Routes } from "./transport/routes.ts";
import type { Trunk } from "./trunk.ts";
import { parseUri } from "./uri.ts";

/** By which trunk a call comes. */
export interface TrunkSource {
  /** Null of an allowed source. */
  gateway: NumberQuery["gateway"];
  /** The user part by which a Gateway's registrar names us: nothing that somebody dialled. */
  contactUser?: string;
  trunk: Trunk;
}

/** Whom calls for numbers are taken from. */
export interface TrunkSources {
  /** Whether a host is that of a trunk, and no stranger. */
  knows(host: string): boolean;
  /** The trunk that an INVITE comes by; undefined where it proves none. */
  of(origin: Origin): TrunkSource | undefined;
}

export const noSources: TrunkSources = { knows: () => false, of: () => undefined };

/** What makes a trunk's calls known. */
export interface TrunkSourceOptions {
  gateways: Pick<Gateways, "all" | "find">;
  /** Whether the operator takes calls from an address. */
  isTrusted(host: string): boolean;
  routes(): Routes;
}

/**
 * Registered Gateways, and the sources that the operator allows. A Gateway's proxy calls by the
 * Contact that only it was told, and from where we registered.
 */
export function createTrunkSources(options: TrunkSourceOptions): TrunkSources {
  const { gateways, isTrusted, routes } = options;
  return {
    knows: (host) => isTrusted(host) || gateways.all().some((one) => one.trunk()?.owns(host)),
    of({ flow, target }) {
      const { host } = flow.remote;
      const user = parseUri(target)?.user;
      const gateway = user ? gateways.find(user) : undefined;
      const trunk = gateway?.trunk();
      if (gateway !== undefined && trunk?.owns(host)) {
        const { gatewaySid, accountSid } = gateway.registration;
        return { gateway: { gatewaySid, accountSid }, contactUser: gateway.contactUser, trunk };
      }
      if (!isTrusted(host)) return undefined;
      return { gateway: null, trunk: { owns: isTrusted, reach: () => reachAgain(routes(), flow) } };
    },
  };
}

/** A connection in place of one that an allowed source closed: to the usual port. */
function reachAgain(routes: Routes, { remote: { host }, transport: { protocol } }: Flow) {
  const port = protocol === "TLS" ? 5061 : 5060;
  return routes.open({ protocol, address: host, port, name: host });
}

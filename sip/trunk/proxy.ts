import type { URI } from "../base/sip_js.ts";
import type { TrunkRoute } from "../../core/protocol/trunks.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { Target } from "../transport/resolve.ts";
import { parseSipUri } from "../text/uri.ts";

import type { Trunk } from "../contracts/trunk.ts";

/** A proxy and the places it is at. */
export interface Proxy {
  uri: URI;
  /** At least one, best first. */
  targets: Target[];
}

/**
 * Locates a proxy (RFC 3263). Of a proxy that a customer named, only public addresses count: they are
 * checked after its name is resolved, and connected to as they were checked. Rejects when no address is
 * left.
 */
export async function locateProxy(
  { routes, isPublicAddress }: Signalling,
  { proxy, publicOnly }: Pick<TrunkRoute, "proxy" | "publicOnly">,
): Promise<Proxy> {
  const uri = parseSipUri(/^sips?:/i.test(proxy) ? proxy : `sip:${proxy}`);
  if (uri === undefined) throw new Error(`Cannot reach ${proxy}: it is no SIP address`);
  const found = await routes.resolve(uri);
  const targets = publicOnly ? found.filter(({ address }) => isPublicAddress(address)) : found;
  if (targets.length === 0) throw new Error(`Cannot reach ${proxy}: its address is not public`);
  return { uri, targets };
}

/** The proxy as the end of a dialog that goes by one of its places. */
export function trunkAt(
  { routes }: Signalling,
  { targets }: Proxy,
  { target, ...known }: { target: Target } & Pick<Trunk, "login" | "accountSid">,
): Trunk {
  const hosts = new Set(targets.map(({ address }) => address));
  const owns = (host: string) => hosts.has(host);
  return { ...known, addresses: [...hosts], owns, reach: () => routes.open(target) };
}

import { steadyNow } from "../../core/base/steady_clock.ts";
import { isIP, isIPv6 } from "node:net";
import type { URI } from "../base/sip_js.ts";
import type { Endpoint, Flow, Protocol } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import { isUnspecified } from "../media/mod.ts";
import { parseUri } from "./uri.ts";

/** True when an address means this server, in a request that came by a flow. */
export type IsOwn = (uri: URI, flow: Flow) => boolean;

/** Addresses that this server listens on. */
export interface Listening {
  domain: string;
  addresses: ReadonlyMap<Protocol, Endpoint>;
  /** The addresses of this machine. */
  machineAddresses?: () => string[];
  now?: () => number;
}

/**
 * Decides which addresses count as SIP_DOMAIN: the domain, the name by which the peer of the flow knows
 * us, and the addresses we listen on. A port, where one is named, is one of ours: another server may
 * run on the same machine.
 */
export function ownAddresses(
  { domain, addresses, machineAddresses = interfaceAddresses, now = steadyNow }: Listening,
): IsOwn {
  const listening = [...addresses.values()];
  let known: { at: number; hosts: ReadonlySet<string> } | undefined;
  // An interface may get another address at any time, but not every request asks for them all.
  const hosts = () => {
    if (known === undefined || now() - known.at > sipLimits.ownAddressesMs) {
      known = { at: now(), hosts: new Set(boundTo(listening, machineAddresses).map(plainHost)) };
    }
    return known.hosts;
  };
  return (uri, { local: { sentBy } }) => {
    if (uri.host.toLowerCase() === domain) return true;
    const ours = splitHostPort(sentBy);
    const isPort = uri.port === undefined || uri.port === ours.port ||
      listening.some(({ port }) => port === uri.port);
    if (!isPort) return false;
    const host = plainHost(uri.host);
    return host === plainHost(ours.host) || isIP(host) !== 0 && hosts().has(host);
  };
}

/** Takes an address of ours for the same user of our domain; any other stays as it is. */
export function atDomain(
  { domain, isOwn }: { domain: string; isOwn: IsOwn },
  text: string,
  flow: Flow,
): string {
  const uri = parseUri(text);
  if (uri === undefined || !/^sips?$/.test(uri.scheme) || !isOwn(uri, flow)) return text;
  if (uri.host.toLowerCase() === domain && uri.port === undefined) return text;
  uri.host = domain;
  uri.port = undefined;
  return uri.toRaw();
}

function boundTo(listening: readonly Endpoint[], machineAddresses: () => string[]): string[] {
  return listening.flatMap(({ host }) => isUnspecified(host) ? machineAddresses() : [host]);
}

const interfaceAddresses = (): string[] => Deno.networkInterfaces().map(({ address }) => address);

/** A host as it is compared: in lower case, IPv6 without brackets and in its shortest form. */
function plainHost(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return isIPv6(bare) ? new URL(`http://[${bare.split("%")[0]}]`).hostname.slice(1, -1) : bare;
}

function splitHostPort(text: string): { host: string; port: number | undefined } {
  const [, host = text, port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { host, port: port === undefined ? undefined : Number(port) };
}

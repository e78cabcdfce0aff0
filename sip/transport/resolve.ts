import { isIP } from "node:net";
import type { URI } from "../base/sip_js.ts";
import type { Protocol } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import { bySrv, type Resolver, withoutDot } from "./resolver.ts";

/** One place that a URI leads to. */
export interface Target {
  readonly protocol: Protocol;
  /** A numeric address. */
  readonly address: string;
  readonly port: number;
  /** Name in the certificate of the peer (RFC 5922 §7.1), and in the handshake of a WebSocket. */
  readonly name: string;
}

export interface ResolveOptions {
  resolver: Resolver;
  /** True when this companion supports the transport. */
  speaks(protocol: Protocol): boolean;
  random?(): number;
}

/** Transports by services of NAPTR and prefixes of SRV (§4.1). */
const services: { protocol: Protocol; naptr: string; srv: string }[] = [
  { protocol: "TLS", naptr: "SIPS+D2T", srv: "_sips._tcp." },
  { protocol: "UDP", naptr: "SIP+D2U", srv: "_sip._udp." },
  { protocol: "TCP", naptr: "SIP+D2T", srv: "_sip._tcp." },
];

/** A port with its transport, before the name is an address. */
interface Service {
  protocol: Protocol;
  host: string;
  port: number;
}

/**
 * Targets of a request to a URI, best first (RFC 3263 §4), within `sipLimits.dnsTimeoutMs`.
 * Rejects when its transport is not ours to speak or its name leads nowhere.
 */
export async function resolveTargets(uri: URI, options: ResolveOptions): Promise<Target[]> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`Cannot resolve ${uri.host}: no answer in time`)),
    sipLimits.dnsTimeoutMs,
  );
  try {
    return await Promise.race([findTargets(uri, options), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function findTargets(uri: URI, options: ResolveOptions): Promise<Target[]> {
  const name = uri.host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const found = (await findServices(uri, name, options))
    .filter(({ protocol }) => options.speaks(protocol));
  if (found.length === 0) {
    throw new Error(`Cannot reach ${uri.toRaw()}: its transport is not available here`);
  }
  const targets: Target[] = [];
  for (const { protocol, host, port } of found) {
    if (targets.length >= sipLimits.targets) break;
    const addresses = isIP(host) ? [host] : await options.resolver.addresses(host);
    targets.push(...addresses.map((address) => ({ protocol, address, port, name })));
  }
  if (targets.length === 0) throw new Error(`Cannot resolve ${name}: it has no address`);
  return targets.slice(0, sipLimits.targets);
}

async function findServices(uri: URI, name: string, options: ResolveOptions): Promise<Service[]> {
  const isSecure = uri.scheme === "sips";
  const wanted = wantedProtocol(uri);
  const fixed = (protocol: Protocol): Service[] => [
    { protocol, host: name, port: uri.port ?? defaultPort(protocol) },
  ];
  const plain = options.speaks("UDP") ? "UDP" : "TCP";
  const protocol = wanted ?? (isSecure ? "TLS" : plain);
  if (isIP(name) || uri.port !== undefined) return fixed(protocol);
  const candidates = services.filter(({ protocol }) =>
    options.speaks(protocol) &&
    (wanted === undefined ? protocol === "TLS" || !isSecure : protocol === wanted)
  );
  // NAPTR of the name lists its transports; a given transport needs no query.
  const named = wanted === undefined ? await askNaptr(name, candidates, options) : [];
  const questions = named.length > 0
    ? named
    : candidates.filter(({ protocol }) => wanted !== undefined || isSecure || protocol !== "TLS")
      .map(({ protocol, srv }) => ({ protocol, name: srv + name }));
  const answers = await Promise.all(questions.map(async (question) => {
    const records = await options.resolver.srv(question.name);
    return bySrv(records, options.random ?? Math.random)
      .map(({ target, port }) => ({ protocol: question.protocol, host: withoutDot(target), port }));
  }));
  const found = answers.flat();
  return found.length > 0 ? found : fixed(protocol);
}

function wantedProtocol(uri: URI): Protocol | undefined {
  const isSecure = uri.scheme === "sips";
  const given = uri.getParam("transport")?.toUpperCase();
  if (given === undefined) return undefined;
  const secured: Record<string, Protocol> = { TCP: "TLS", TLS: "TLS", WS: "WSS", WSS: "WSS" };
  const plain: Record<string, Protocol> = { ...secured, TCP: "TCP", WS: "WS", UDP: "UDP" };
  const protocols = isSecure ? secured : plain;
  const protocol = Object.hasOwn(protocols, given) ? protocols[given] : undefined;
  if (protocol !== undefined) return protocol;
  throw new Error(`Cannot reach ${uri.toRaw()}: its transport is not available here`);
}

function defaultPort(protocol: Protocol): number {
  return { UDP: 5060, TCP: 5060, TLS: 5061, WS: 80, WSS: 443 }[protocol];
}

/** The SRV names to query, in the order that the domain prefers (§4.1). */
async function askNaptr(
  name: string,
  candidates: typeof services,
  { resolver }: ResolveOptions,
): Promise<{ protocol: Protocol; name: string }[]> {
  const records = await resolver.naptr(name);
  return records.toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ services, replacement }) => {
      const service = candidates.find(({ naptr }) => naptr === services.toUpperCase());
      if (service === undefined) return [];
      return [{ protocol: service.protocol, name: withoutDot(replacement) }];
    }).slice(0, sipLimits.srvNames);
}

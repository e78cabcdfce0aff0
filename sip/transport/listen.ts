/**
 * Listeners for SIP. By default only WebSocket is served; UDP, TCP and TLS listen where a port is
 * set. Browsers need no more, scanners find nothing, and another SIP server may run on the machine.
 * Calls by UDP need the UDP port, since they leave from it.
 */
import type { Socket } from "node:net";
import type { ListenAddress } from "../../core/base/listen_error.ts";
import type { Endpoint, Flow, ListenEvents, LocalName, Protocol } from "../base/flow.ts";
import type { Timers } from "../base/timers.ts";
import { plainAddress } from "../../core/base/networks.ts";
import type { Places } from "../../core/machine/net/places.ts";
import { type CertificateWatch, watchCertificate } from "../../core/machine/net/certificate.ts";
import { clockOf } from "../base/clock.ts";
import { hostPort, socketName, webSocketName } from "./local_name.ts";
import type { NearAddress } from "./near_address.ts";
import type { Resolver } from "./resolver.ts";
import { createRoutes, type OwnRoutes, type Routes } from "./routes.ts";
import { openStream } from "./stream.ts";
import { listenTcp, listenTls } from "./stream_listener.ts";
import { openUdp, type UdpSocket } from "./udp.ts";
import { acceptWebSocket } from "./accept_web_socket.ts";
import { refuseConnection } from "./web_socket_handshake.ts";

/** Listeners for peers, and routes to them. */
export interface TransportOptions {
  /** Ports by transport; 0 lets the system choose, and one that is absent is not listened on. */
  ports?: Partial<Record<Protocol, number>>;
  /** The address that WebSocket without TLS listens on; that of the others unless given. */
  webSocketHost?: string;
  /** Host name or address by which peers reach us, in Via and Contact; `hostname` by default. */
  publicHost?: string;
  /** Our address on a peer's own network, advertised to it for SIP in place of `publicHost`. */
  nearHost?: NearAddress;
  /** The same for plain RTP, in place of the usual one. */
  nearMedia?: NearAddress;
  /** PEM files, for TLS and WSS. */
  certificate?: { certFile: string; keyFile: string; pollMs?: number };
  resolver?: Resolver;
  /** Certificate authorities of the TLS peers we connect to, in place of the system's; PEM. */
  caCerts?: string[];
}

export interface SipListenOptions extends TransportOptions {
  hostname: string;
  /** Bounds the connections of all transports together. */
  places?: Places | undefined;
  onOver?: ((error: Error) => void) | undefined;
  isTrustedProxy?: (host: string) => boolean;
  /** True when the peer of a stream is authenticated by its address, such as a trunk's. */
  isKnown?: (flow: Flow) => boolean;
  timers: Timers;
  log(line: string, fields?: Record<string, unknown>): void;
}

export interface SipListener extends Routes {
  /** Of SIP over WebSocket without TLS; empty where that is not listened for. */
  readonly webSocketUrl: string;
  /** Address of each listener, by transport. */
  readonly addresses: ReadonlyMap<Protocol, Endpoint>;
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
}

interface Opened {
  readonly address: Endpoint;
  close(): Promise<void>;
}

/** Listeners that are open so far, to be closed again. */
interface Opening {
  readonly opened: Map<Protocol, Opened>;
  readonly closing: (() => void)[];
}

/** Listens for SIP on every transport that has a port; rejects when one cannot be had. */
export async function listenSip(
  options: SipListenOptions,
  events: ListenEvents,
): Promise<SipListener> {
  const opening: Opening = { opened: new Map(), closing: [] };
  const closeAll = async () => {
    for (const stop of opening.closing) stop();
    await Promise.all([...opening.opened.values()].map((one) => one.close()));
  };
  let closed: Promise<void> | undefined;
  const close = () => closed ??= closeAll();
  try {
    const { resolve, open, reach } = await openAll(options, events, opening);
    const addresses = new Map(
      [...opening.opened].map(([protocol, { address }]) => [protocol, address]),
    );
    const webSocket = addresses.get("WS");
    const webSocketUrl = webSocket ? `ws://${hostPort(webSocket.host, webSocket.port)}` : "";
    return { webSocketUrl, addresses, resolve, open, reach, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAll(
  options: SipListenOptions,
  events: ListenEvents,
  { opened, closing }: Opening,
): Promise<OwnRoutes> {
  const { isTrustedProxy = () => false, isKnown } = options;
  const { ports = {}, publicHost = options.hostname } = options;
  const clock = clockOf(options.timers);
  const watch = await certificateFor(options);
  if (watch !== undefined) closing.push(watch.close);
  const listen = async <T extends Opened>(
    protocol: Protocol,
    start: (address: ListenAddress) => T | Promise<T>,
  ): Promise<T | undefined> => {
    const port = ports[protocol];
    if (port === undefined) return undefined;
    const { hostname: usual, webSocketHost = usual } = options;
    const hostname = protocol === "WS" ? webSocketHost : usual;
    const one = await start({ hostname, port, name: `SIP_${protocol}_PORT` });
    opened.set(protocol, one);
    return one;
  };
  const portOf = (protocol: Protocol) => opened.get(protocol)?.address.port;
  const nameOf = (protocol: Protocol, port: number, remote: string): LocalName => ({
    ...socketName(protocol, options.nearHost?.(remote) ?? publicHost, portOf(protocol) ?? port),
    mediaHost: options.nearMedia?.(remote),
  });
  const udp = await listen<UdpSocket>("UDP", (address) => {
    return openUdp(address, {
      nameOf: (port, remote) => nameOf("UDP", port, remote),
      clock,
      events,
    });
  });
  const routes = createRoutes({ ...options, nameOf, udp, clock, events });
  closing.push(routes.close);
  const { respondElsewhere } = routes;
  const onStream = (protocol: Protocol) => (socket: Socket) => {
    const local = nameOf(protocol, socket.localPort ?? 0, remoteOf(socket));
    return openStream(socket, { protocol, local, clock, events, respondElsewhere, isKnown });
  };
  const onWebSocket = (protocol: "WS" | "WSS") => (socket: Socket) => {
    const nameAt = (host: string, protocol: "WS" | "WSS") =>
      webSocketName(protocol, host) ?? nameOf(protocol, socket.localPort ?? 0, remoteOf(socket));
    return acceptWebSocket(socket, { protocol, nameAt, clock, events, isTrustedProxy });
  };
  const takeAddress = (host: string) => isTrustedProxy(host) ? () => {} : events.onConnect(host);
  const bounds = { ...options, takeAddress };
  const refuse = (socket: Socket) => refuseConnection(socket, clock);
  await listen("WS", (address) => listenTcp(address, onWebSocket("WS"), { ...bounds, refuse }));
  await listen("TCP", (address) => listenTcp(address, onStream("TCP"), bounds));
  if (watch === undefined) return routes;
  const secure = { ...bounds, watch, clock };
  await listen("WSS", (address) => listenTls(address, onWebSocket("WSS"), secure));
  await listen("TLS", (address) => listenTls(address, onStream("TLS"), secure));
  return routes;
}

const remoteOf = ({ remoteAddress = "" }: Socket): string => plainAddress(remoteAddress);

async function certificateFor(
  { ports = {}, certificate, timers, log }: SipListenOptions,
): Promise<CertificateWatch | undefined> {
  if (ports.TLS === undefined && ports.WSS === undefined) return undefined;
  if (certificate === undefined) throw new Error("Cannot listen for TLS: there is no certificate");
  return await watchCertificate({ ...certificate, clock: clockOf(timers), log });
}

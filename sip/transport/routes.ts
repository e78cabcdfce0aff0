import type { URI } from "../base/sip_js.ts";
import type { Endpoint, Flow, FlowEvents, LocalName, Protocol } from "../base/flow.ts";
import type { Clock } from "../base/clock.ts";
import { connectStream, upgradeStream } from "./connect.ts";
import { hostPort } from "./local_name.ts";
import { resolveTargets, type Target } from "./resolve.ts";
import { type Resolver, systemResolver } from "./resolver.ts";
import { readSent } from "./sent_message.ts";
import { openStream } from "./stream.ts";
import type { UdpSocket } from "./udp.ts";
import { openWebSocketFlow } from "./web_socket.ts";

/** The ways out: from a URI to flows that requests can be sent on. */
export interface Routes {
  /** Targets of a URI, best first (RFC 3263). */
  resolve(uri: URI): Promise<Target[]>;
  /** A flow to a target: one that is open to it already, else a new one. */
  open(target: Target): Promise<Flow>;
  /** A flow to the first target of a URI that can be had; rejects when none can. */
  reach(uri: URI): Promise<Flow>;
}

export interface RoutesOptions {
  /** Name of this companion on a socket: by the port it listens on, else by this one. */
  /** Name of this companion at a port, towards a peer at an address. */
  nameOf(protocol: Protocol, port: number, remote: string): LocalName;
  udp: UdpSocket | undefined;
  clock: Clock;
  events: FlowEvents;
  resolver?: Resolver;
  /** Certificate authorities to believe in place of the system's; PEM. */
  caCerts?: string[];
}

/** Routes with the members that only transports need. */
export interface OwnRoutes extends Routes {
  /** Sends a response whose connection is gone to where its Via says (RFC 3261 §18.2.2). */
  respondElsewhere(flow: Flow, response: string): Promise<void>;
  close(): void;
}

interface Connection {
  readonly connected: Promise<Flow>;
  /** Undefined until it is connected. */
  flow: Flow | undefined;
}

export function createRoutes(options: RoutesOptions): OwnRoutes {
  const { udp, resolver = systemResolver } = options;
  const connections = new Map<string, Connection>();
  let closed = false;

  const routes: OwnRoutes = {
    resolve: (uri) =>
      resolveTargets(uri, {
        resolver,
        speaks: (protocol) => protocol !== "UDP" || udp !== undefined,
      }),
    async open(target) {
      if (target.protocol === "UDP") return flowByUdp(udp, target);
      const key = `${target.protocol} ${hostPort(target.address, target.port)} ${target.name}`;
      const known = connections.get(key);
      if (known !== undefined && !known.flow?.closed) return await known.connected;
      if (closed) throw new Error(`Cannot connect to ${target.address}: we are stopping`);
      const forget = () => connections.get(key) === made && connections.delete(key);
      const connected = connect({ ...options, routes, target, onClose: forget });
      const made: Connection = { connected, flow: undefined };
      connections.set(key, made);
      connected.then((flow) => {
        made.flow = flow;
        if (closed) flow.close();
      }, forget);
      return await connected;
    },
    async reach(uri) {
      const problems: string[] = [];
      for (const target of await routes.resolve(uri)) {
        try {
          return await routes.open(target);
        } catch (error) {
          problems.push((error as Error).message);
        }
      }
      throw new Error(`Cannot reach ${uri.toRaw()}: ${problems.join("; ")}`);
    },
    async respondElsewhere({ remote, transport: { protocol } }, response) {
      const { via } = readSent(response);
      const port = via.port ?? (protocol === "TLS" ? 5061 : 5060);
      const flow = await routes.open({ protocol, address: remote.host, port, name: via.host });
      await flow.transport.send(response);
    },
    close() {
      closed = true;
      for (const { flow } of connections.values()) flow?.close();
    },
  };
  return routes;
}

function flowByUdp(udp: UdpSocket | undefined, { address: host, port }: Target): Flow {
  if (udp === undefined) throw new Error("Cannot send by UDP: SIP_UDP_PORT is not set");
  return udp.flowTo({ host, port } satisfies Endpoint);
}

async function connect(
  connection: RoutesOptions & { routes: OwnRoutes; target: Target; onClose(): void },
): Promise<Flow> {
  const { routes, target, nameOf, clock, caCerts } = connection;
  const { protocol } = target;
  const events: FlowEvents = {
    onMessage: connection.events.onMessage,
    onClose(flow) {
      connection.onClose();
      connection.events.onClose(flow);
    },
  };
  const socket = await connectStream(target, caCerts);
  if (protocol === "WS" || protocol === "WSS") {
    const webSocket = await upgradeStream(socket, target);
    const local = nameOf(protocol, socket.localPort ?? 0, target.address);
    return openWebSocketFlow(webSocket, socket, { protocol, local, clock, events });
  }
  const local = nameOf(protocol, socket.localPort ?? 0, target.address);
  const { respondElsewhere } = routes;
  return openStream(socket, { protocol, local, clock, events, respondElsewhere, outgoing: true });
}

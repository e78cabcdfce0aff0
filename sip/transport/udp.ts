import type { Buffer } from "node:buffer";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import { type ListenAddress, listenError } from "../../core/listen_error.ts";
import { createFlow, type Endpoint, type Flow, type FlowEvents, type LocalName } from "../flow.ts";
import { sipLimits } from "../limits.ts";
import type { Clock } from "./clock.ts";
import { createFlowTable } from "./flow_table.ts";
import { plainAddress } from "./local_name.ts";
import { createRetransmission, type Retransmission } from "./retransmission.ts";
import { readSent, type SentMessage } from "./sent_message.ts";

export interface UdpSocket {
  readonly address: Endpoint;
  /** The flow to a numeric address: our socket, and where the peer is. */
  flowTo(remote: Endpoint): Flow;
  close(): Promise<void>;
}

export interface UdpOptions {
  local(port: number): LocalName;
  clock: Clock;
  events: FlowEvents;
}

/** Opens the socket that all SIP over UDP comes and goes by; rejects when it cannot be had. */
export async function openUdp(address: ListenAddress, options: UdpOptions): Promise<UdpSocket> {
  const { clock, events } = options;
  // A given recvBufferSize would be allocated anew for every datagram.
  const socket = createSocket(isIPv6(address.hostname) ? "udp6" : "udp4");
  await bind(socket, address);
  const { address: host, port } = socket.address();
  const retransmission = createRetransmission(clock);
  const local = options.local(port);
  const wire = { socket, retransmission, local };
  const max = sipLimits.udpFlows;
  const create = (remote: Endpoint) => createUdpFlow(wire, remote);
  const flows = createFlowTable({ clock, max, create });
  socket.on("message", (data: Buffer, { address, port }: RemoteInfo) => {
    const text = readDatagram(data);
    const flow = text && flows.get({ host: plainAddress(address), port });
    if (text && flow) events.onMessage(flow, text);
  });
  // One datagram that could not be sent is no reason to stop.
  socket.on("error", () => {});
  return {
    address: { host, port },
    flowTo(remote) {
      if (isIPv6(remote.host) && !isIPv6(host)) {
        throw new Error("Cannot send by UDP: SIP_HOST is not an IPv6 address");
      }
      const flow = flows.get(remote);
      if (flow === undefined) throw new Error("Cannot send by UDP: there are too many peers");
      return flow;
    },
    close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.close(() => resolve());
      return promise;
    },
  };
}

function bind(socket: Socket, address: ListenAddress): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("error", (error) => reject(listenError(address, error)));
  socket.bind({ port: address.port, address: address.hostname }, () => {
    socket.removeAllListeners("error");
    resolve();
  });
  return promise;
}

/** The first line of a request or a response; whatever else comes by UDP is noise. */
const firstLine = /^(?:SIP\/2\.0 \d{3}|[A-Za-z0-9\-.!%*_+`'~]{1,32} [^\r\n]{1,2048} SIP\/\d)/;

function readDatagram(data: Buffer): string | undefined {
  if (data.length > sipLimits.messageBytes) return undefined;
  const text = data.toString();
  return firstLine.test(text) ? text : undefined;
}

function createUdpFlow(
  { socket, retransmission, local }: {
    socket: Socket;
    retransmission: Retransmission;
    local: LocalName;
  },
  remote: Endpoint,
): Flow {
  const flow = createFlow({
    protocol: "UDP",
    remote,
    local,
    closed: false,
    async send(text) {
      const sent = readSent(text);
      const to = { host: remote.host, port: portFor(sent, remote) };
      await retransmission.send(flow, sent, () => put(socket, text, to));
    },
    absorbs: retransmission.absorbs,
    close() {},
  });
  return flow;
}

/** A response goes where its request came from; without rport, to the port in Via (RFC 3581 §4). */
function portFor({ status, rport, via }: SentMessage, remote: Endpoint): number {
  if (status === undefined || rport !== undefined) return remote.port;
  return via.port ?? 5060;
}

function put(socket: Socket, text: string, to: Endpoint): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  try {
    socket.send(text, to.port, to.host, (error) => error ? reject(error) : resolve());
  } catch (error) {
    reject(error); // It was closed meanwhile.
  }
  return promise;
}

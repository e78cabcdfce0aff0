import { Buffer } from "node:buffer";
import { isIPv6 } from "node:net";
import { type ListenAddress, listening } from "../../core/listen_error.ts";
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

/**
 * Opens the socket that all SIP over UDP comes and goes by; throws when it cannot be had. That of
 * `node:dgram` would do the same at several times the cost of a datagram.
 */
export function openUdp(address: ListenAddress, options: UdpOptions): UdpSocket {
  const { clock, events } = options;
  const { hostname, port: wanted } = address;
  const socket = listening(
    address,
    () => Deno.listenDatagram({ transport: "udp", hostname, port: wanted }),
  );
  const { hostname: host, port } = socket.addr as Deno.NetAddr;
  const retransmission = createRetransmission(clock);
  const local = options.local(port);
  const wire = { socket, retransmission, local };
  const max = sipLimits.udpFlows;
  const create = (remote: Endpoint) => createUdpFlow(wire, remote);
  const flows = createFlowTable({ clock, max, create });
  const closed = receiveAll(socket, (data, peer) => {
    const text = readDatagram(data);
    const flow = text && flows.get({ host: plainAddress(peer.hostname), port: peer.port });
    if (text && flow) events.onMessage(flow, text);
  });
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
      socket.close();
      return closed;
    },
  };
}

/** Hands over datagram after datagram, each for the time of the call; resolves once it is closed. */
async function receiveAll(
  socket: Deno.DatagramConn,
  onDatagram: (data: Uint8Array, peer: Deno.NetAddr) => void,
): Promise<void> {
  const buffer = new Uint8Array(sipLimits.messageBytes);
  for (;;) {
    try {
      const [data, peer] = await socket.receive(buffer);
      onDatagram(data, peer as Deno.NetAddr);
    } catch (error) {
      const isClosed = error instanceof Deno.errors.BadResource ||
        error instanceof Deno.errors.Interrupted;
      if (isClosed) return;
      // One datagram that could not be had is no reason to stop.
    }
  }
}

/** The first line of a request or a response; whatever else comes by UDP is noise. */
const firstLine = /^(?:SIP\/2\.0 \d{3}|[A-Za-z0-9\-.!%*_+`'~]{1,32} [^\r\n]{1,2048} SIP\/\d)/;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function readDatagram(data: Uint8Array): string | undefined {
  const text = decoder.decode(data);
  return firstLine.test(text) ? text : undefined;
}

function createUdpFlow(
  { socket, retransmission, local }: {
    socket: Deno.DatagramConn;
    retransmission: Retransmission;
    local: LocalName;
  },
  remote: Endpoint,
): Flow {
  const there = nameOf(remote.host, remote.port);
  const flow = createFlow({
    protocol: "UDP",
    remote,
    local,
    closed: false,
    send(text) {
      const sent = readSent(text);
      const port = portFor(sent, remote);
      const to = port === remote.port ? there : nameOf(remote.host, port);
      const { slab, from, end } = store(text);
      return retransmission.send(
        flow,
        sent,
        () => socket.send(slab.subarray(from, end), to).then(done),
      );
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

const nameOf = (hostname: string, port: number): Deno.NetAddr => ({
  transport: "udp",
  hostname,
  port,
});

const done = () => {};

const slabBytes = 256 << 10;
let slab = Buffer.alloc(0);
let used = 0;

/**
 * Puts the bytes of a message where the collector need not copy them for as long as a transaction
 * holds them.
 */
function store(text: string): { slab: Buffer; from: number; end: number } {
  // A character takes three bytes at most.
  if (used + 3 * text.length > slab.length) {
    slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, 3 * text.length));
    used = 0;
  }
  const from = used;
  used += slab.write(text, from);
  return { slab, from, end: used };
}

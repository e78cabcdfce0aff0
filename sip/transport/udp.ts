import { isIPv6 } from "node:net";
import { setImmediate } from "node:timers/promises";
import { type ListenAddress, listening } from "../../core/base/listen_error.ts";
import {
  createFlow,
  type Endpoint,
  type Flow,
  type FlowEvents,
  type LocalName,
} from "../base/flow.ts";
import { sipLimits, transactionTimers } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";
import { createFlowTable } from "./flow_table.ts";
import { plainAddress } from "../../core/base/networks.ts";
import { createRetransmission, type Retransmission } from "./retransmission.ts";
import { inItsCharset } from "../text/charset.ts";
import { readSent, type SentMessage } from "./sent_message.ts";
import { type StoredText, storeText } from "../base/stored_text.ts";

export interface UdpSocket {
  readonly address: Endpoint;
  /** The flow to a numeric address: our socket, and where the peer is. */
  flowTo(remote: Endpoint): Flow;
  close(): Promise<void>;
}

export interface UdpOptions {
  /** Name of this companion at its port, towards a peer at an address. */
  nameOf(port: number, remote: string): LocalName;
  clock: Clock;
  events: FlowEvents;
}

/**
 * Opens the socket of all SIP over UDP; throws when it cannot be had.
 *
 * Deno's socket needs a promise for each datagram: a call over UDP reaches 0.58 to 0.66 of Kamailio with it
 * (target 0.5). By the C library it reached 0.77 to 0.99. Refused: the C library, which needs the descriptor
 * that Deno does not disclose; `node:dgram`, at several times the cost of a datagram. The receive buffer is
 * that of the system, as `Deno.listenDatagram` cannot ask for a larger one. 208 KiB hold some 90 datagrams: 18
 * of 48,600 calls at full load lost one, which SIP repeats after 0.5 s, and none of 42,000 with 1 MiB. So
 * `docs/how-to/production.md` names `net.core.rmem_default`.
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
  const nameOf = namesOf((remote) => options.nameOf(port, remote));
  const credit = new WeakMap<Flow, number>();
  const wire = { socket, retransmission, nameOf, credit, events };
  const max = sipLimits.udpFlows;
  const create = (remote: Endpoint) => createUdpFlow(wire, remote);
  const flows = createFlowTable({ clock, max, create });
  const closed = receiveAll(socket, (data, from) => {
    const text = readDatagram(data);
    const flow = text && flows.get(from);
    if (!text || !flow) return;
    credit.set(flow, (credit.get(flow) ?? 0) + transactionTimers.amplification * data.length);
    events.onMessage(flow, text);
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
  onDatagram: (data: Uint8Array, from: Endpoint) => void,
): Promise<void> {
  const buffer = new Uint8Array(sipLimits.messageBytes);
  let read = 0;
  for (;;) {
    try {
      // In a flood the next datagram is there already: nothing else would get a turn of the event loop.
      if (read >= sipLimits.datagramsAtOnce) {
        read = 0;
        await setImmediate();
      }
      const [data, peer] = await socket.receive(buffer);
      const { hostname, port } = peer as Deno.NetAddr;
      read++;
      onDatagram(data, { host: plainAddress(hostname), port });
    } catch (error) {
      const isClosed = error instanceof Deno.errors.BadResource ||
        error instanceof Deno.errors.Interrupted;
      if (isClosed) return;
      // One datagram that could not be had is no reason to stop.
    }
  }
}

/** The first line of a request or a response (RFC 3261 §7.1); whatever else comes by UDP is noise. */
const firstLine = /^(?:SIP\/2\.0 \d{3}|[A-Z0-9\-.!%*_+`'~]{1,32} [^\r\n]{1,2048} SIP\/\d)/i;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A datagram from its first line on: some peers send line ends before it (RFC 3261 §7.5). */
function withoutLineEnds(datagram: Uint8Array): Uint8Array {
  let from = 0;
  while (datagram[from] === 13 && datagram[from + 1] === 10) from += 2;
  return datagram.subarray(from);
}

function readDatagram(datagram: Uint8Array): string | undefined {
  const data = withoutLineEnds(datagram);
  const text = inItsCharset(decoder.decode(data), data);
  return firstLine.test(text) ? text : undefined;
}

function createUdpFlow(
  { socket, retransmission, nameOf, credit, events }: {
    socket: Deno.DatagramConn;
    retransmission: Retransmission;
    /** Bytes of refusals that a source which proved no login may still be sent. */
    credit: WeakMap<Flow, number>;
    nameOf(remote: string): LocalName;
    events: FlowEvents;
  },
  remote: Endpoint,
): Flow {
  const there = addressOf(remote.host, remote.port);
  const put = async ({ slab, from, end }: StoredText, to: Deno.NetAddr): Promise<void> => {
    await socket.send(slab.subarray(from, end), to);
  };
  const flow = createFlow({
    protocol: "UDP",
    remote,
    local: nameOf(remote.host),
    closed: false,
    send(text) {
      const sent = readSent(text);
      const port = portFor(sent, remote);
      const to = port === remote.port ? there : addressOf(remote.host, port);
      const stored = storeText(text);
      const isRefusal = sent.status !== undefined && sent.status >= 300;
      return retransmission.send(flow, sent, () => {
        if (isRefusal && flow.logins.size === 0) {
          const left = (credit.get(flow) ?? 0) - (stored.end - stored.from);
          if (left < 0) return sentAlready; // A repeat of the request earns more.
          credit.set(flow, left);
        }
        return put(stored, to);
      });
    },
    absorbs: retransmission.absorbs,
    close() {},
  }, events);
  return flow;
}

/** The same object for all peers that know us by the same name: there are many of them. */
function namesOf(nameOf: (remote: string) => LocalName): (remote: string) => LocalName {
  const names = new Map<string, LocalName>();
  return (remote) => {
    const name = nameOf(remote);
    const key = `${name.sentBy} ${name.mediaHost}`;
    const known = names.get(key) ?? name;
    names.set(key, known);
    return known;
  };
}

const sentAlready = Promise.resolve();

const addressOf = (hostname: string, port: number): Deno.NetAddr => ({
  transport: "udp",
  hostname,
  port,
});

/** A response goes where its request came from; without rport, to the port in Via (RFC 3581 §4). */
function portFor({ status, rport, via }: SentMessage, remote: Endpoint): number {
  if (status === undefined || rport !== undefined) return remote.port;
  return via.port ?? 5060;
}

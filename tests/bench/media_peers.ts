import { Buffer } from "node:buffer";
import { encodeG711, type Law } from "../../sip/media/codecs/g711.ts";
import { parseSdp } from "../../sip/media/sdp/parse_sdp.ts";
import { openPeer } from "../../sip/media/webrtc/peer.ts";
import { ownSockets } from "../../sip/media/webrtc/sockets.ts";
import { isRtcp, writeRtp } from "../../sip/media/rtp/rtp.ts";
import type { Encoding } from "../../sip/media/sdp/sdp.ts";
import { writeSdp } from "../../sip/media/sdp/write_sdp.ts";
import { plainOffer, portOf } from "../support/sip/plain_peer.ts";
import { tone } from "../support/media/tone.ts";
import { stampedUdp } from "./stamped_udp.ts";

/** The other ends of the legs that `media.ts` measures: they send a tone, and time what they get. */

/** A way to one leg. */
export interface Line {
  offer: string;
  accept(answer: string): Promise<void>;
  send(packet: Uint8Array<ArrayBuffer>): void;
  /** Called with each packet, and when it came to the socket. */
  onPacket: (packet: Uint8Array, at: number) => void;
}

export type Lines = { lines: Line[]; close(): Promise<void> };

/** Each leg of plain RTP has a socket of its own, as peers have. */
export async function plainLines(laws: Law[]): Promise<Lines> {
  const hostname = "127.0.0.1";
  const udp = stampedUdp();
  const lines = await Promise.all(laws.map(async (law): Promise<Line> => {
    const socket = await udp.bind(hostname, 0);
    const to = { address: hostname, port: 0 };
    const line: Line = {
      offer: plainOffer(socket.port, { formats: law === "PCMU" ? "0 101" : "8 101" }),
      accept(answer) {
        to.port = portOf(answer);
        return Promise.resolve();
      },
      send: (packet) => socket.send(packet, to),
      onPacket: () => {},
    };
    // Packets from other sources are RTCP.
    socket.onMessage = (packet, from) => {
      if (from.port === to.port) line.onPacket(packet, udp.arrivedAt());
    };
    return line;
  }));
  return { lines, close: () => Promise.resolve(udp.close()) };
}

export async function webrtcLines(laws: Law[]): Promise<Lines> {
  const udp = stampedUdp();
  const sockets = ownSockets("127.0.0.1", udp);
  const peers = await Promise.all(laws.map((law) => {
    const formats = new Map<Encoding, number>([[law, typeOf(law)], ["telephone-event", 101]]);
    return openPeer({ sockets, mid: "0", formats });
  }));
  const lines = peers.map((peer): Line => {
    const line: Line = {
      offer: writeSdp(peer.local),
      async accept(answer) {
        peer.accept(parseSdp(answer));
        await peer.connected;
      },
      send: (packet) => peer.send(packet),
      onPacket: () => {},
    };
    peer.onPacket = (packet) => line.onPacket(packet, udp.arrivedAt());
    return line;
  });
  return {
    lines,
    async close() {
      await Promise.all(peers.map((peer) => peer.close()));
      udp.close();
    },
  };
}

const typeOf = (law: Law) => law === "PCMU" ? 0 : 8;

/** Arrival of packets over a time. */
export interface Timing {
  expected: number;
  received: number;
  /** Those that came later after they were due. */
  over5Ms: number;
  over20Ms: number;
}

const FRAME_MS = 20;
/** Peers do not all speak at once: they take turns in each frame. */
const TURNS = 4;

export interface Load {
  /** Forgets what came; `relayed` packets are due when they were sent, others every 20 ms. */
  measure(relayed: boolean): void;
  timing(): Timing;
  stop(): void;
}

/** Has all lines send, until it is stopped. */
export function startLoad(lines: Line[], laws: Law[]): Load {
  const senders = lines.map((line, i) => createSender(line, laws[i]!, i));
  const clocks = lines.map((line) => {
    const clock = createTiming();
    line.onPacket = (packet, at) => isRtcp(packet) || clock.take(Buffer.from(packet), at);
    return clock;
  });
  let turn = 0;
  let due = performance.now();
  let timer = setTimeout(run);
  let startedAt = performance.now();
  function run() {
    for (; due <= performance.now(); due += FRAME_MS / TURNS, turn++) {
      for (let i = turn % TURNS; i < senders.length; i += TURNS) senders[i]!.send();
    }
    timer = setTimeout(run, Math.max(0, due - performance.now()));
  }
  return {
    measure(relayed) {
      startedAt = performance.now();
      clocks.forEach((clock, i) => clock.restart(relayed ? senders[i ^ 1] : undefined));
    },
    timing() {
      const expected = Math.floor((performance.now() - startedAt) / FRAME_MS) * lines.length;
      const all: Timing = { expected, received: 0, over5Ms: 0, over20Ms: 0 };
      for (const clock of clocks) {
        const late = clock.lateness();
        all.received += late.length;
        all.over5Ms += late.filter((ms) => ms > 5).length;
        all.over20Ms += late.filter((ms) => ms > 20).length;
      }
      return all;
    },
    stop: () => clearTimeout(timer),
  };
}

type Sender = ReturnType<typeof createSender>;

function createSender(line: Line, law: Law, number: number) {
  const sound = tone(400 + number, 1);
  const frames = Array.from(
    { length: 50 },
    (_, i) => encodeG711(law, sound.slice(i * 160, (i + 1) * 160)),
  );
  const sentAt: number[] = [];
  return {
    /** Send time of each packet. */
    sentAt,
    send() {
      const at = sentAt.push(performance.now()) - 1;
      line.send(writeRtp({
        payloadType: typeOf(law),
        marker: at === 0,
        sequence: at & 0xffff,
        timestamp: (at * 160) >>> 0,
        ssrc: 1_000 + number,
        payload: frames[at % frames.length]!,
      }));
    },
  };
}

/** Delay of each packet of one line. */
function createTiming() {
  let from: Sender | undefined;
  let packets: Received = [];
  let first: number | undefined;
  return {
    restart(sender: Sender | undefined) {
      from = sender;
      packets = [];
    },
    take(packet: Buffer, at: number) {
      const timestamp = packet.readUInt32BE(4);
      first ??= timestamp;
      // Through the wrap at 2^32.
      const frame = ((timestamp - first) | 0) / 160;
      packets.push({ frame, at, sent: from?.sentAt.length ?? 0 });
    },
    lateness: () => from === undefined ? byFrames(packets) : bySender(packets, from.sentAt),
  };
}

type Received = { frame: number; at: number; sent: number }[];

/** The fastest packet is in time, and all others follow it by their timestamps. */
function byFrames(packets: Received): number[] {
  const times = packets.map(({ frame, at }) => at - frame * FRAME_MS);
  const least = Math.min(...times);
  return times.map((time) => time - least);
}

/**
 * Delay of packets since they were sent. The offset that a leg adds to timestamps is unknown but
 * for whole frames. It is chosen so that no packet arrives before it was sent and the fastest took
 * less than a frame.
 */
function bySender(packets: Received, sentAt: number[]): number[] {
  let shift = packets.length === 0 ? 0 : packets[0]!.frame - packets[0]!.sent + 1;
  for (;;) {
    const times = packets.map(({ frame, at }) => at - (sentAt[Math.round(frame - shift)] ?? at));
    const least = Math.min(...times);
    if (least >= 0) return times;
    shift += Math.ceil(-least / FRAME_MS);
  }
}

import { mediaLimits } from "../base/limits.ts";
import { createReception, type Reception, type Taken } from "../rtp/reception.ts";
import { parseReport, type SenderInfo, writeReport } from "../rtp/rtcp.ts";
import { isRtcp, parseRtp, type RtpPacket, writeRtp } from "../rtp/rtp.ts";
import type { Clock } from "../base/ticker.ts";
import type { Peer } from "../sdp/transport.ts";

/** RTP and RTCP with one peer (RFC 3550): counts what goes out and comes in, and reports it. */
export interface RtpSession {
  /** Sends a packet, at a time by the clock that is now unless given. */
  send(packet: RtpPacket, at?: number): void;
  /** Packets may flow: reports begin. */
  start(): void;
  /** Tells whether packets of the peer are expected, by default not. While they are, silence is reported. */
  expectPeer(expected: boolean): void;
  /** Says BYE. */
  close(): void;
}

export interface RtpSessionOptions {
  peer: Peer;
  clock: Clock;
  /** The pace of both sides' timestamps. */
  samplesPerMs: number;
  /** Called with each packet of the peer that makes sense, and when it came. */
  onPacket: (packet: RtpPacket, at: number) => void;
  /** Called with what came since the last call, at each report of ours. */
  onTaken?: ((taken: Taken) => void) | undefined;
  /**
   * Called at each report of ours while an expected peer has sent neither RTP nor RTCP for
   * `peerQuietMs` or longer, with the time since its last packet in ms.
   */
  onQuiet(ms: number): void;
}

interface State extends RtpSessionOptions {
  reception: Reception;
  sent: { timestamp: number; packets: number; octets: number; at: number };
  sentBefore: number;
  heardAt: number;
  /** Packets that may come by now. */
  credit: number;
  expected: boolean;
  stopTimer: (() => void) | undefined;
  closed: boolean;
}

/** Buffer in which packets of all sessions are written, one after the other. */
const outbound = new Uint8Array(mediaLimits.datagramBytes);

export function createRtpSession(options: RtpSessionOptions): RtpSession {
  const { peer, clock } = options;
  const state: State = {
    ...options,
    reception: createReception(clock.now, options.samplesPerMs),
    sent: { timestamp: 0, packets: 0, octets: 0, at: 0 },
    sentBefore: 0,
    heardAt: clock.now(),
    credit: mediaLimits.packetsBurst,
    expected: false,
    stopTimer: undefined,
    closed: false,
  };
  peer.onPacket = (bytes, packet) => receive(state, bytes, packet);
  return {
    send(packet, at = clock.now()) {
      const { sent } = state;
      sent.timestamp = packet.timestamp;
      sent.packets++;
      sent.octets += packet.payload.length;
      sent.at = at;
      peer.send(writeRtp(packet, outbound));
    },
    start() {
      if (state.closed || state.stopTimer !== undefined) return;
      state.heardAt = clock.now();
      schedule(state);
    },
    expectPeer(expected) {
      if (expected && !state.expected) state.heardAt = clock.now();
      state.expected = expected;
    },
    close() {
      if (state.closed) return;
      state.closed = true;
      if (state.stopTimer === undefined) return;
      state.stopTimer();
      report(state, true);
    },
  };
}

function receive(state: State, bytes: Uint8Array, packet = parseRtp(bytes)): void {
  if (bytes.length >= mediaLimits.datagramBytes) return;
  const now = state.clock.now();
  const { packetsBurst, packetsPerS } = mediaLimits;
  // Each packet costs as much, and goes on to a joined leg, however short it is.
  const earned = (now - state.heardAt) / 1_000 * packetsPerS;
  state.credit = Math.min(packetsBurst, state.credit + earned);
  state.heardAt = now;
  if (state.credit < 1) return;
  state.credit--;
  if (packet !== undefined) {
    if (state.reception.take(packet, now)) state.onPacket(packet, now);
  } else if (isRtcp(bytes)) {
    const heard = parseReport(bytes);
    if (heard?.ntpMiddle !== undefined) state.reception.reported(heard.ntpMiddle);
  }
}

/** Random, so that the reports of many calls do not come at once (§6.3.1). */
function schedule(state: State): void {
  const pauseMs = mediaLimits.reportMs + (2 * Math.random() - 1) * mediaLimits.reportJitterMs;
  state.stopTimer = state.clock.after(pauseMs, () => {
    schedule(state);
    report(state, false);
    const silence = state.clock.now() - state.heardAt;
    if (state.expected && silence >= mediaLimits.peerQuietMs) state.onQuiet(silence);
  });
}

function report(state: State, bye: boolean): void {
  const { peer: { send, stream }, reception } = state;
  state.onTaken?.(reception.taken());
  const block = reception.block();
  const blocks = block === undefined ? [] : [block];
  send(writeReport({ ...stream, sender: senderInfo(state), blocks, bye }));
}

/** Sender's part of a report, where we sent anything since the last one. */
function senderInfo(state: State): SenderInfo | undefined {
  const { sent, clock, samplesPerMs } = state;
  if (sent.packets === state.sentBefore) return undefined;
  state.sentBefore = sent.packets;
  const elapsed = Math.round((clock.now() - sent.at) * samplesPerMs);
  return { ...sent, timeMs: Date.now(), timestamp: (sent.timestamp + elapsed) >>> 0 };
}

import type { ReportBlock } from "./rtcp.ts";
import { isNear, isNewerSequence, type RtpPacket } from "./rtp.ts";

/** Statistics of a received stream, computed as in RFC 3550 §A. */
export interface Reception {
  /**
   * True for a packet to use that came now, in ms; one that jumps is dropped until a second one confirms
   * the jump.
   */
  take(packet: RtpPacket, now?: number): boolean;
  /** The peer reported as a sender; the middle 32 bits of its NTP time. */
  reported(ntpMiddle: number): void;
  /** Report of the stream; undefined before its first packet. */
  block(): ReportBlock | undefined;
  /** Packets that came and that are missing since the last call. */
  taken(): Taken;
}

export interface Taken {
  /** Packets. */
  received: number;
  lost: number;
  /** Of the stream as it is now, in ms. */
  jitterMs: number;
}

interface Counts {
  ssrc: number;
  /** The first and the highest sequence number, the latter with its wraps. */
  base: number;
  highest: number;
  received: number;
  jitter: number;
  transit: number | undefined;
  /** The number that a packet jumped to; another one near it confirms the jump. */
  jumped: number | undefined;
  expectedBefore: number;
  receivedBefore: number;
  /** As they were when `taken` was last asked. */
  takenBefore: { received: number; lost: number };
}

export function createReception(now: () => number, samplesPerMs: number): Reception {
  let counts: Counts | undefined;
  let last: { ntpMiddle: number; at: number } | undefined;

  return {
    take(packet, at = now()) {
      if (counts?.ssrc !== packet.ssrc) counts = startAt(packet);
      else if (!isNear(counts.highest & 0xffff, packet.sequence)) {
        // §A.1 waits for the very next number, which never comes where a network swaps or loses
        // packets.
        const { jumped } = counts;
        counts.jumped = packet.sequence;
        const isConfirmed = jumped !== undefined && jumped !== packet.sequence &&
          isNear(jumped, packet.sequence);
        if (!isConfirmed) return false;
        counts = startAt(packet);
      }
      count(counts, packet, Math.round(at * samplesPerMs));
      return true;
    },
    reported(ntpMiddle) {
      last = { ntpMiddle, at: now() };
    },
    taken() {
      if (counts === undefined) return { received: 0, lost: 0, jitterMs: 0 };
      const { highest, base, received, takenBefore: before } = counts;
      // One that came late after all, or twice, was counted as lost or not at all: never below zero.
      const lost = Math.max(before.lost, highest - base + 1 - received);
      counts.takenBefore = { received, lost };
      return {
        received: received - before.received,
        lost: lost - before.lost,
        jitterMs: counts.jitter / samplesPerMs,
      };
    },
    block() {
      if (counts === undefined) return undefined;
      const expected = counts.highest - counts.base + 1;
      const sinceExpected = expected - counts.expectedBefore;
      const sinceLost = sinceExpected - (counts.received - counts.receivedBefore);
      counts.expectedBefore = expected;
      counts.receivedBefore = counts.received;
      return {
        ssrc: counts.ssrc,
        fractionLost: sinceLost <= 0
          ? 0
          : Math.min(255, Math.floor(sinceLost * 256 / sinceExpected)),
        cumulativeLost: Math.min(expected - counts.received, 0x7f_ffff),
        highestSequence: counts.highest >>> 0,
        jitter: Math.round(counts.jitter),
        lastReport: last?.ntpMiddle ?? 0,
        delay: last === undefined ? 0 : Math.round((now() - last.at) * 65.536),
      };
    },
  };
}

const startAt = ({ ssrc, sequence }: RtpPacket): Counts => ({
  ssrc,
  base: sequence,
  highest: sequence,
  received: 0,
  jitter: 0,
  transit: undefined,
  jumped: undefined,
  expectedBefore: 0,
  receivedBefore: 0,
  takenBefore: { received: 0, lost: 0 },
});

/** `now` is in samples. */
function count(counts: Counts, { sequence, timestamp }: RtpPacket, now: number): void {
  counts.received++;
  counts.jumped = undefined;
  const highest = counts.highest & 0xffff;
  if (isNewerSequence(sequence, highest)) counts.highest += (sequence - highest) & 0xffff;
  // Modulo 2^32, as the timestamps are (§A.8).
  const transit = now - timestamp;
  if (counts.transit !== undefined) {
    counts.jitter += (Math.abs((transit - counts.transit) | 0) - counts.jitter) / 16;
  }
  counts.transit = transit;
}

import { DIGITS } from "../base/digits.ts";
import { isNear, isNewerSequence, type RtpPacket } from "./rtp.ts";

/**
 * Reader of telephone events (RFC 4733 §2.3). A press is named by its source, its code and the
 * timestamp of its beginning (§2.2.1). Senders in the field bend that in three ways, which must cost
 * no key and bring none twice: one timestamp for many keys, a timestamp that rises within a press,
 * and last packets whose timestamp is shifted.
 */

/** A press of a key, of which packets came. */
interface Press {
  ssrc: number;
  code: number;
  /** Of its first and of its newest packet. */
  begin: number;
  timestamp: number;
  /** Sequence number of its newest packet. */
  sequence: number;
  /** The newest packet's, in units of the timestamp. */
  duration: number;
  /** A packet said that it is over (§2.3.2). */
  ended: boolean;
  /** The answer of `onDigit`. */
  counts: boolean;
}

/** State of a press in one packet. */
interface Report extends Pick<Press, "ssrc" | "code" | "timestamp" | "duration" | "ended"> {
  sequence: number;
  marker: boolean;
}

/** Presses that a late packet may still belong to. */
const KEPT = 8;
/** Greatest rise of timestamps within a press, less than the shortest press with its pause: 60 ms. */
const RISE = 480;
/** Greatest distance of a packet beyond its press, where those before were lost: 20 ms. */
const BEYOND = 160;

/**
 * Takes telephone-event packets and calls back once for each digit pressed, at its first packet, also
 * when the first ones were lost or arrive late. `onDigit` returns whether the press counts. The result
 * returns that of the press that a packet belongs to, and true for a packet of no known press.
 */
export function createDigitReceiver(
  onDigit: (digit: string) => boolean,
): (packet: RtpPacket) => boolean {
  let presses: Press[] = []; // The newest first.
  return (packet) => {
    const report = read(packet);
    if (report === undefined) return true;
    const [last] = presses;
    const known = presses.find((press) => isOf(press, report, press === last));
    if (known !== undefined) return goOn(known, report);
    if (last !== undefined && isLate(last, report)) return true;
    const digit = DIGITS[report.code];
    const press = {
      ...report,
      begin: report.timestamp,
      counts: digit === undefined || onDigit(digit),
    };
    presses = [press, ...presses.slice(0, KEPT - 1)];
    return press.counts;
  };
}

function read(packet: RtpPacket): Report | undefined {
  const { ssrc, sequence, timestamp, marker, payload } = packet;
  if (payload.length < 4) return undefined;
  // Wire decoding; the length was checked.
  const [code, flags, high, low] = payload as unknown as [number, number, number, number];
  const duration = (high << 8) | low;
  return { ssrc, sequence, timestamp, marker, code, duration, ended: (flags & 0x80) !== 0 };
}

const isAfter = (press: Press, { sequence }: Report): boolean =>
  isNewerSequence(sequence, press.sequence);

/** Tells whether a packet was overtaken by a later one of the same stream, and is of a time before it. */
const isLate = (last: Press, report: Report): boolean =>
  last.ssrc === report.ssrc && isNear(last.sequence, report.sequence) && !isAfter(last, report) &&
  ((report.timestamp - last.timestamp) | 0) <= 0;

/** Tells whether a packet is of a press; of the last one also where its timestamp goes on. */
function isOf(press: Press, report: Report, isLast: boolean): boolean {
  if (press.ssrc !== report.ssrc || press.code !== report.code) return false;
  const sinceBegin = (report.timestamp - press.begin) | 0;
  const ahead = (report.timestamp - press.timestamp) | 0;
  if (sinceBegin >= 0 && ahead <= 0) return !isPressedAgain(press, report);
  if (!isLast) return false;
  if (ahead < 0) return report.ended && -sinceBegin <= RISE;
  if (press.ended && !report.ended) return false;
  // A segment of a long press has the timestamp of its own beginning (§2.5.1.3).
  return ahead <= Math.max(press.duration + BEYOND, RISE);
}

/** Tells whether a sender that gives all keys one timestamp has begun anew after the last packet. */
const isPressedAgain = (press: Press, report: Report): boolean =>
  press.ended && !report.ended && isAfter(press, report) &&
  (report.marker || report.duration < press.duration);

function goOn(press: Press, report: Report): boolean {
  if (isAfter(press, report)) {
    press.sequence = report.sequence;
    press.duration = report.duration;
    if (((report.timestamp - press.timestamp) | 0) > 0) press.timestamp = report.timestamp;
  }
  press.ended ||= report.ended;
  return press.counts;
}

/** The payload of an event with its duration (§2.3.5) at another clock, at most what it can hold. */
export function withDurationScaled(payload: Uint8Array, scale: number): Uint8Array {
  if (scale === 1 || payload.length < 4) return payload;
  const result = payload.slice();
  const view = new DataView(result.buffer);
  view.setUint16(2, Math.min(0xffff, Math.floor(view.getUint16(2) * scale)));
  return result;
}

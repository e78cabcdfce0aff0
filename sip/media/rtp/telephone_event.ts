import { DIGITS } from "../base/digits.ts";
import { isNewerTimestamp, type RtpPacket } from "./rtp.ts";

interface Event {
  ssrc: number;
  code: number;
  timestamp: number;
  duration: number;
  ended: boolean;
}

/**
 * Takes telephone-event packets (RFC 4733 §2.3) and calls back once for each digit pressed, at its
 * first packet: later ones repeat the timestamp, also when the first were lost or arrive late.
 */
export function createDigitReceiver(onDigit: (digit: string) => void): (packet: RtpPacket) => void {
  let last: Event | undefined;
  return (packet) => {
    const event = readEvent(packet);
    if (event === undefined) return;
    const known = last !== undefined && last.ssrc === event.ssrc &&
        (!isNewerTimestamp(event.timestamp, last.timestamp) || isNextSegment(last, event))
      ? last
      : undefined;
    if (known !== undefined && isNewerTimestamp(known.timestamp, event.timestamp)) return;
    last = event;
    const digit = DIGITS[event.code];
    if (!known && digit !== undefined) onDigit(digit);
  };
}

function readEvent({ ssrc, timestamp, payload }: RtpPacket): Event | undefined {
  if (payload.length < 4) return undefined;
  // Wire decoding; the length was checked.
  const [code, flags, high, low] = payload as unknown as [number, number, number, number];
  return { ssrc, code, timestamp, duration: (high << 8) | low, ended: (flags & 0x80) !== 0 };
}

/** A press longer than 8 s goes on under a new timestamp (RFC 4733 §2.5.1.3). */
const isNextSegment = (last: Event, next: Event) =>
  !last.ended && next.code === last.code &&
  next.timestamp === (last.timestamp + last.duration) >>> 0;

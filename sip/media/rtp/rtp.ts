import { mediaLimits } from "../base/limits.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** An RTP packet (RFC 3550 §5.1); contributing sources, extension and padding are left out. */
export interface RtpPacket {
  payloadType: number;
  marker: boolean;
  sequence: number;
  timestamp: number;
  ssrc: number;
  payload: Uint8Array;
}

const HEADER_BYTES = 12;
const VERSION = 2;

/** RTCP shares the port (RFC 5761 §4): its packet types are 192 to 223. */
const isRtcpType = (secondByte: number) => secondByte >= 192 && secondByte <= 223;

/** True where bytes are RTCP where they may also be RTP. */
export const isRtcp = (bytes: Uint8Array): boolean => bytes.length >= 8 && isRtcpType(bytes[1]!);

/**
 * Views of buffers. That made last is given again where it would be the same, as packets are mostly of
 * one length and read into one buffer: to make one for each costs more than to read its header.
 */
function createViews<Buffer extends ArrayBufferLike>() {
  let of: Uint8Array<Buffer> | undefined;
  let from = 0;
  let view: Uint8Array<Buffer> | undefined;
  return (bytes: Uint8Array<Buffer>, start: number, end: number): Uint8Array<Buffer> => {
    if (view === undefined || bytes !== of || start !== from || end - start !== view.length) {
      view = bytes.subarray(start, end) as Uint8Array<Buffer>;
      of = bytes;
      from = start;
    }
    return view;
  };
}

const payloadOf = createViews();
const packetIn = createViews<ArrayBuffer>();

/** Reads a packet; undefined when it is RTCP or malformed. The payload is a view. */
export function parseRtp(bytes: Uint8Array): RtpPacket | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const first = bytes[0]!;
  const second = bytes[1]!;
  if (first >> 6 !== VERSION || isRtcpType(second)) return undefined;

  let start = HEADER_BYTES + (first & 0x0f) * 4;
  if ((first & 0x10) !== 0) {
    if (start + 4 > bytes.length) return undefined;
    start += 4 + read16(bytes, start + 2) * 4;
  }
  const padding = (first & 0x20) !== 0 ? bytes[bytes.length - 1]! : 0;
  if (start + padding > bytes.length) return undefined;

  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: read16(bytes, 2),
    timestamp: read32(bytes, 4),
    ssrc: read32(bytes, 8),
    payload: payloadOf(bytes, start, bytes.length - padding),
  };
}

/** Writes a packet with neither extension nor padding, into the beginning of a buffer if given one. */
export function writeRtp(
  packet: RtpPacket,
  into: Uint8Array<ArrayBuffer> = new Uint8Array(HEADER_BYTES + packet.payload.length),
): Uint8Array<ArrayBuffer> {
  into[0] = VERSION << 6;
  into[1] = (packet.marker ? 0x80 : 0) | packet.payloadType;
  into[2] = packet.sequence >> 8;
  into[3] = packet.sequence;
  write32(into, 4, packet.timestamp);
  write32(into, 8, packet.ssrc);
  into.set(packet.payload, HEADER_BYTES);
  return packetIn(into, 0, HEADER_BYTES + packet.payload.length);
}

// A DataView for each packet would cost more than these.
const read16 = (bytes: Uint8Array, at: number) => (bytes[at]! << 8) | bytes[at + 1]!;
const read32 = (bytes: Uint8Array, at: number) =>
  ((read16(bytes, at) << 16) | read16(bytes, at + 2)) >>> 0;

function write32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >> 24;
  bytes[at + 1] = value >> 16;
  bytes[at + 2] = value >> 8;
  bytes[at + 3] = value;
}

/** True where a sequence number comes after another, through the wrap at 65536. */
export const isNewerSequence = (a: number, b: number): boolean =>
  a !== b && ((a - b) & 0xffff) < 0x8000;

/** True where a sequence number is one that its source may come to next (RFC 3550 §A.1). */
export function isNear(last: number, next: number): boolean {
  const ahead = (next - last) << 16 >> 16;
  return ahead <= mediaLimits.maxDropout && ahead >= -mediaLimits.maxMisorder;
}

/** True where a timestamp comes after another, through the wrap at 2^32. */
export const isNewerTimestamp = (a: number, b: number): boolean =>
  a !== b && ((a - b) >>> 0) < 0x8000_0000;

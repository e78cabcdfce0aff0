import { mediaLimits } from "./limits.ts";

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

/** Whether bytes are RTCP where they may also be RTP. */
export const isRtcp = (bytes: Uint8Array): boolean => bytes.length >= 8 && isRtcpType(bytes[1]!);

/** Reads a packet; undefined when it is RTCP or malformed. The payload is a view. */
export function parseRtp(bytes: Uint8Array): RtpPacket | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [first, second] = [view.getUint8(0), view.getUint8(1)];
  if (first >> 6 !== VERSION || isRtcpType(second)) return undefined;

  let start = HEADER_BYTES + (first & 0x0f) * 4;
  if ((first & 0x10) !== 0) {
    if (start + 4 > bytes.length) return undefined;
    start += 4 + view.getUint16(start + 2) * 4;
  }
  const padding = (first & 0x20) !== 0 ? view.getUint8(bytes.length - 1) : 0;
  if (start + padding > bytes.length) return undefined;

  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    payload: bytes.subarray(start, bytes.length - padding),
  };
}

/** Writes a packet with neither extension nor padding. */
export function writeRtp(packet: RtpPacket): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + packet.payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION << 6);
  view.setUint8(1, (packet.marker ? 0x80 : 0) | packet.payloadType);
  view.setUint16(2, packet.sequence);
  view.setUint32(4, packet.timestamp);
  view.setUint32(8, packet.ssrc);
  bytes.set(packet.payload, HEADER_BYTES);
  return bytes;
}

/** Whether a sequence number comes after another, through the wrap at 65536. */
export const isNewerSequence = (a: number, b: number): boolean =>
  a !== b && ((a - b) & 0xffff) < 0x8000;

/** Whether a sequence number is one that its source may come to next (RFC 3550 §A.1). */
export function isNear(last: number, next: number): boolean {
  const ahead = (next - last) << 16 >> 16;
  return ahead <= mediaLimits.maxDropout && ahead >= -mediaLimits.maxMisorder;
}

/** Whether a timestamp comes after another, through the wrap at 2^32. */
export const isNewerTimestamp = (a: number, b: number): boolean =>
  a !== b && ((a - b) >>> 0) < 0x8000_0000;

import { counter, expandKey, ROUND_KEY_WORDS, xorKeystream } from "./aes_ctr.ts";
import { HMAC_KEY_WORDS, HMAC_PADDING_BYTES, hmacSha1, newHmacKey } from "./hmac_sha1.ts";
import { mediaLimits } from "../base/limits.ts";
import { indexOf, isFresh, newReplayWindow, type ReplayWindow, take } from "./replay_window.ts";
import { isRtcp } from "../rtp/rtp.ts";
import { RTCP_KEYS, RTP_KEYS, sessionKeys, type SrtpKeys } from "./srtp_keys.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

export type { SrtpKeys } from "./srtp_keys.ts";

/** SRTP and SRTCP with one peer (RFC 3711): AES-128 in counter mode, HMAC-SHA1. */
export interface Srtp {
  /**
   * The SRTP or SRTCP packet of an RTP or RTCP packet (told apart as RFC 5761 §4 says), lent until the
   * next call of any. Undefined where none may be sent: when its index was used already or is too
   * old to tell, as two packets by one keystream would give both away (§9.1), and when it is malformed
   * or too long.
   */
  protect(packet: Uint8Array): Uint8Array<ArrayBuffer> | undefined;
  /**
   * The RTP or RTCP packet in an SRTP or SRTCP packet, lent until the next call of any; undefined when
   * that is forged, replayed, too old or malformed.
   */
  unprotect(packet: Uint8Array): Uint8Array<ArrayBuffer> | undefined;
}

/** What protects one direction of RTP, or of RTCP. */
interface Context {
  /**
   * The cipher's key, that of the authentication, and the salt, side by side: with many calls they are
   * in no cache of the processor when a packet comes, and each place to look costs as much as a block.
   */
  keys: Int32Array;
  /** By SSRC. */
  sources: Map<number, ReplayWindow>;
  /** The last one, which is mostly the only one. */
  ssrc: number | undefined;
  source: ReplayWindow;
}

const RTP_HEADER_BYTES = 12;
const RTCP_HEADER_BYTES = 8;
const TAG_BYTES = 10;
type TagBytes = 10 | 4;
/** Where they are in a context's keys. */
const HMAC_AT = ROUND_KEY_WORDS;
const SALT_AT = HMAC_AT + HMAC_KEY_WORDS;
const INDEX_BYTES = 4;
const VERSION = 2;
const SEQUENCES = 0x1_0000;
const ENCRYPTED = 0x8000_0000 | 0;
const RTCP_INDICES = 0x8000_0000;

/** One packet is worked on at a time, there, and read until the next one comes. */
const sent = createBuffer();
const received = createBuffer();

function createBuffer() {
  const { datagramBytes } = mediaLimits;
  const bytes = new Uint8Array(datagramBytes + INDEX_BYTES + HMAC_PADDING_BYTES);
  return {
    bytes,
    view: new DataView(bytes.buffer),
    /** Its beginnings, which are not made for each packet. */
    beginnings: [] as Uint8Array<ArrayBuffer>[],
  };
}
type Buffer = ReturnType<typeof createBuffer>;

const beginning = ({ bytes, beginnings }: Buffer, length: number) =>
  beginnings[length] ??= bytes.subarray(0, length);

/** SRTP by the keys of both directions. */
export const newSrtp = ({ ours, theirs }: { ours: SrtpKeys; theirs: SrtpKeys }): Srtp => ({
  protect: srtpSender(ours),
  unprotect: srtpReceiver(theirs),
});

/** One direction; RTP has tags of so many bytes, 10 or 4, and RTCP always of 10 (RFC 4568 §6.2). */
export function srtpSender(keys: SrtpKeys, tagBytes: TagBytes = TAG_BYTES): Srtp["protect"] {
  const [rtp, rtcp] = [newContext(keys, RTP_KEYS), newContext(keys, RTCP_KEYS)];
  return (packet) => isRtcp(packet) ? protectRtcp(rtcp, packet) : protectRtp(rtp, packet, tagBytes);
}

export function srtpReceiver(keys: SrtpKeys, tagBytes: TagBytes = TAG_BYTES): Srtp["unprotect"] {
  const [rtp, rtcp] = [newContext(keys, RTP_KEYS), newContext(keys, RTCP_KEYS)];
  return (packet) =>
    isRtcp(packet) ? unprotectRtcp(rtcp, packet) : unprotectRtp(rtp, packet, tagBytes);
}

function newContext(keys: SrtpKeys, labels: number): Context {
  const { cipherKey, authenticationKey, salt } = sessionKeys(keys, labels);
  const saltView = new DataView(salt.buffer);
  const saltWords = [0, 1, 2, 3].map((i) => saltView.getInt32(i * 4));
  return {
    keys: Int32Array.of(
      ...expandKey(cipherKey),
      ...newHmacKey(authenticationKey),
      ...saltWords,
    ),
    sources: new Map(),
    ssrc: undefined,
    source: newReplayWindow(),
  };
}

function protectRtp(context: Context, packet: Uint8Array, tagBytes: TagBytes) {
  const { length } = packet;
  const start = rtpHeaderBytes(packet, length);
  if (start === undefined || length + tagBytes > mediaLimits.datagramBytes) return undefined;
  const ssrc = read32(packet, 8);
  const source = sourceOf(context, ssrc);
  const index = indexOf(source, read16(packet, 2));
  if (!isFresh(source, index) || !keep(context, ssrc, source)) return undefined;
  take(source, index);
  const { bytes, view } = sent;
  bytes.set(packet);
  encrypt(context, { view, start, end: length }, ssrc, index);
  view.setInt32(length, rolloverOf(index));
  const tag = hmacSha1(context.keys, view, length + INDEX_BYTES, HMAC_AT);
  return tagged(tag, length, tagBytes);
}

function unprotectRtp(context: Context, packet: Uint8Array, tagBytes: TagBytes) {
  const end = packet.length - tagBytes;
  const start = rtpHeaderBytes(packet, end);
  if (start === undefined || packet.length > mediaLimits.datagramBytes) return undefined;
  const ssrc = read32(packet, 8);
  const source = sourceOf(context, ssrc);
  const { bytes, view } = received;
  bytes.set(packet);
  const guess = indexOf(source, read16(packet, 2));
  const isOf = (index: number) => {
    if (!isFresh(source, index)) return false;
    view.setInt32(end, rolloverOf(index));
    const tag = hmacSha1(context.keys, view, end + INDEX_BYTES, HMAC_AT);
    return tagBytes === TAG_BYTES ? isTag(tag, packet, end) : tag[0] === read32(packet, end);
  };
  // After 2^15 lost packets, or a wrap before the first one came, the guess would be wrong for good.
  const index = isOf(guess) ? guess : guess + SEQUENCES;
  if ((index !== guess && !isOf(index)) || !keep(context, ssrc, source)) return undefined;
  take(source, index);
  encrypt(context, { view, start, end }, ssrc, index);
  return beginning(received, end);
}

/** RTCP packets are numbered by us, and the number is sent with them (§3.4). */
function protectRtcp(context: Context, packet: Uint8Array) {
  const { length } = packet;
  const end = length + INDEX_BYTES;
  if (!isRtcpPacket(packet, length) || end + TAG_BYTES > mediaLimits.datagramBytes) {
    return undefined;
  }
  const ssrc = read32(packet, 4);
  const source = sourceOf(context, ssrc);
  const index = source.highest + 1;
  if (index >= RTCP_INDICES || !keep(context, ssrc, source)) return undefined;
  take(source, index);
  const { bytes, view } = sent;
  bytes.set(packet);
  encrypt(context, { view, start: RTCP_HEADER_BYTES, end: length }, ssrc, index);
  view.setInt32(length, ENCRYPTED | index);
  return tagged(hmacSha1(context.keys, view, end, HMAC_AT), end);
}

/** One that is not encrypted is refused, as the profile asks for it (RFC 5764 §4.1.2). */
function unprotectRtcp(context: Context, packet: Uint8Array) {
  const tagAt = packet.length - TAG_BYTES;
  const end = tagAt - INDEX_BYTES;
  if (!isRtcpPacket(packet, end) || packet.length > mediaLimits.datagramBytes) return undefined;
  const ssrc = read32(packet, 4);
  const source = sourceOf(context, ssrc);
  const word = read32(packet, end);
  const index = word & ~ENCRYPTED;
  if ((word & ENCRYPTED) === 0 || !isFresh(source, index)) return undefined;
  const { bytes, view } = received;
  bytes.set(packet);
  const tag = hmacSha1(context.keys, view, tagAt, HMAC_AT);
  if (!isTag(tag, packet, tagAt) || !keep(context, ssrc, source)) return undefined;
  take(source, index);
  encrypt(context, { view, start: RTCP_HEADER_BYTES, end }, ssrc, index);
  return beginning(received, end);
}

const sourceOf = ({ ssrc: last, source, sources }: Context, ssrc: number) =>
  ssrc === last ? source : sources.get(ssrc) ?? newReplayWindow();

/** Keeps what is known of a source; nothing is kept of packets that are not the peer's. */
function keep(context: Context, ssrc: number, source: ReplayWindow): boolean {
  if (ssrc === context.ssrc) return true;
  const { sources } = context;
  // To forget one instead would let its packets come again.
  if (source.highest < 0 && sources.size >= mediaLimits.srtpSources) return false;
  sources.set(ssrc, source);
  context.ssrc = ssrc;
  context.source = source;
  return true;
}

const rolloverOf = (index: number) => Math.floor(index / SEQUENCES);

interface Range {
  view: DataView;
  start: number;
  end: number;
}

/** Both ways the same (§4.1.1): salt, SSRC and index make the first counter block. */
function encrypt(
  { keys }: Context,
  { view, start, end }: Range,
  ssrc: number,
  index: number,
): void {
  counter[0] = keys[SALT_AT]!;
  counter[1] = keys[SALT_AT + 1]! ^ ssrc;
  counter[2] = keys[SALT_AT + 2]! ^ rolloverOf(index);
  counter[3] = keys[SALT_AT + 3]! ^ (index << 16);
  xorKeystream(keys, view, start, end);
}

/** Of a shorter tag the rest is written, too, and not sent. */
function tagged(tag: Int32Array, at: number, tagBytes: TagBytes = TAG_BYTES) {
  const { view } = sent;
  view.setInt32(at, tag[0]!);
  view.setInt32(at + 4, tag[1]!);
  view.setInt16(at + 8, tag[2]! >> 16);
  return beginning(sent, at + tagBytes);
}

/** Compares all of it, however early it differs: the time must not tell how much was right. */
function isTag(tag: Int32Array, packet: Uint8Array, at: number): boolean {
  return ((tag[0]! ^ read32(packet, at)) | (tag[1]! ^ read32(packet, at + 4)) |
    ((tag[2]! >>> 16) ^ read16(packet, at + 8))) === 0;
}

/** What stays in the clear (§3.1): header, contributing sources and extension. */
function rtpHeaderBytes(packet: Uint8Array, end: number): number | undefined {
  if (end < RTP_HEADER_BYTES || packet[0]! >> 6 !== VERSION) return undefined;
  let start = RTP_HEADER_BYTES + (packet[0]! & 0x0f) * 4;
  if ((packet[0]! & 0x10) !== 0) {
    if (start + 4 > end) return undefined;
    start += 4 + read16(packet, start + 2) * 4;
  }
  return start > end ? undefined : start;
}

const isRtcpPacket = (packet: Uint8Array, end: number) =>
  end >= RTCP_HEADER_BYTES && packet[0]! >> 6 === VERSION;

const read16 = (bytes: Uint8Array, at: number) => (bytes[at]! << 8) | bytes[at + 1]!;
/** With a sign: V8 keeps such numbers where they are read, others are allocated. */
const read32 = (bytes: Uint8Array, at: number) => (read16(bytes, at) << 16) | read16(bytes, at + 2);

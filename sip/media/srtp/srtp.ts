/**
 * SRTP on AES and SHA-1 of our own (`aes_ctr.ts`, `hmac_sha1.ts`): a packet that is read and written again
 * takes 4 µs. @noble's libraries take 8 µs, the platform 20 µs, as it starts anew with each packet.
 * Vectors of the RFCs and foreign peers prove them.
 */
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

/** Keys and state of one direction of RTP, or of RTCP. */
interface Context {
  /**
   * The cipher's key, that of the authentication, and the salt, side by side: with many calls they are
   * in no cache of the processor when a packet comes, and each place to look costs as much as a block.
   */
  keys: Int32Array;
  /** Identifier of the master key, empty without one (§3.1). */
  mki: Uint8Array;
  /** By SSRC; of all keys of a direction, since a new key begins no new count (§8.1). */
  sources: Map<number, ReplayWindow>;
  /** The last one, which is mostly the only one. */
  ssrc: number | undefined;
  source: ReplayWindow;
}

const RTP_HEADER_BYTES = 12;
const RTCP_HEADER_BYTES = 8;
const TAG_BYTES = 10;
type TagBytes = 10 | 4;
/** Their places in a context's keys. */
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
  unprotect: srtpReceiver([theirs]),
});

/** One direction; RTP has tags of so many bytes, 10 or 4, and RTCP always of 10 (RFC 4568 §6.2). */
export function srtpSender(keys: SrtpKeys, tagBytes: TagBytes = TAG_BYTES): Srtp["protect"] {
  const [rtp, rtcp] = [newContext(keys, RTP_KEYS), newContext(keys, RTCP_KEYS)];
  return (packet) => isRtcp(packet) ? protectRtcp(rtcp, packet) : protectRtp(rtp, packet, tagBytes);
}

/** Of several keys, each packet names the one that protects it; their identifiers are of one length. */
export function srtpReceiver(
  keys: readonly SrtpKeys[],
  tagBytes: TagBytes = TAG_BYTES,
): Srtp["unprotect"] {
  const contexts = (labels: number) => {
    const sources: Context["sources"] = new Map();
    return keys.map((each) => newContext(each, labels, sources));
  };
  const [rtp, rtcp] = [contexts(RTP_KEYS), contexts(RTCP_KEYS)];
  return (packet) => {
    if (isRtcp(packet)) {
      const context = contextOf(rtcp, packet, TAG_BYTES);
      return context && unprotectRtcp(context, packet);
    }
    const context = contextOf(rtp, packet, tagBytes);
    return context && unprotectRtp(context, packet, tagBytes);
  };
}

/** The context of the key that a packet names; of one without an identifier there is no other. */
function contextOf(
  contexts: readonly Context[],
  packet: Uint8Array,
  tagBytes: TagBytes,
): Context | undefined {
  for (const context of contexts) {
    const { mki } = context;
    const at = packet.length - tagBytes - mki.length;
    let i = 0;
    while (i < mki.length && packet[at + i] === mki[i]) i++;
    if (i === mki.length) return context;
  }
  return undefined;
}

const NO_MKI = new Uint8Array();

function newContext(
  keys: SrtpKeys,
  labels: number,
  sources: Context["sources"] = new Map(),
): Context {
  const { cipherKey, authenticationKey, salt } = sessionKeys(keys, labels);
  const saltView = new DataView(salt.buffer);
  const saltWords = [0, 1, 2, 3].map((i) => saltView.getInt32(i * 4));
  return {
    keys: Int32Array.of(
      ...expandKey(cipherKey),
      ...newHmacKey(authenticationKey),
      ...saltWords,
    ),
    mki: keys.mki ?? NO_MKI,
    sources,
    ssrc: undefined,
    source: newReplayWindow(),
  };
}

function protectRtp(context: Context, packet: Uint8Array, tagBytes: TagBytes) {
  const { length } = packet;
  const { mki } = context;
  const start = rtpHeaderBytes(packet, length);
  const whole = length + mki.length + tagBytes;
  if (start === undefined || whole > mediaLimits.datagramBytes) return undefined;
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
  return tagged(tag, { at: length, mki, tagBytes });
}

function unprotectRtp(context: Context, packet: Uint8Array, tagBytes: TagBytes) {
  const tagAt = packet.length - tagBytes;
  const end = tagAt - context.mki.length;
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
    return tagBytes === TAG_BYTES ? isTag(tag, packet, tagAt) : tag[0] === read32(packet, tagAt);
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
  const { mki } = context;
  const end = length + INDEX_BYTES;
  const whole = end + mki.length + TAG_BYTES;
  if (!isRtcpPacket(packet, length) || whole > mediaLimits.datagramBytes) return undefined;
  const ssrc = read32(packet, 4);
  const source = sourceOf(context, ssrc);
  const index = source.highest + 1;
  if (index >= RTCP_INDICES || !keep(context, ssrc, source)) return undefined;
  take(source, index);
  const { bytes, view } = sent;
  bytes.set(packet);
  encrypt(context, { view, start: RTCP_HEADER_BYTES, end: length }, ssrc, index);
  view.setInt32(length, ENCRYPTED | index);
  return tagged(hmacSha1(context.keys, view, end, HMAC_AT), { at: end, mki, tagBytes: TAG_BYTES });
}

/** One that is not encrypted is refused, as the profile asks for it (RFC 5764 §4.1.2). */
function unprotectRtcp(context: Context, packet: Uint8Array) {
  const tagAt = packet.length - TAG_BYTES;
  const mkiAt = tagAt - context.mki.length;
  const end = mkiAt - INDEX_BYTES;
  if (!isRtcpPacket(packet, end) || packet.length > mediaLimits.datagramBytes) return undefined;
  const ssrc = read32(packet, 4);
  const source = sourceOf(context, ssrc);
  const word = read32(packet, end);
  const index = word & ~ENCRYPTED;
  if ((word & ENCRYPTED) === 0 || !isFresh(source, index)) return undefined;
  const { bytes, view } = received;
  bytes.set(packet);
  const tag = hmacSha1(context.keys, view, mkiAt, HMAC_AT);
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

/** Identifier and tag behind what they are of. Of a shorter tag the rest is written, and not sent. */
function tagged(
  tag: Int32Array,
  { at, mki, tagBytes }: { at: number; mki: Uint8Array; tagBytes: TagBytes },
) {
  const { bytes, view } = sent;
  if (mki.length > 0) bytes.set(mki, at);
  const tagAt = at + mki.length;
  view.setInt32(tagAt, tag[0]!);
  view.setInt32(tagAt + 4, tag[1]!);
  view.setInt16(tagAt + 8, tag[2]! >> 16);
  return beginning(sent, tagAt + tagBytes);
}

/** Compares all of it, however early it differs: the time must not tell how much was right. */
function isTag(tag: Int32Array, packet: Uint8Array, at: number): boolean {
  return ((tag[0]! ^ read32(packet, at)) | (tag[1]! ^ read32(packet, at + 4)) |
    ((tag[2]! >>> 16) ^ read16(packet, at + 8))) === 0;
}

/** Length of the part in the clear (§3.1): header, contributing sources and extension. */
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

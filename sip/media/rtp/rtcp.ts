/** RTCP packets (RFC 3550 §6): the few that a call between two parties needs. */

/** Our reception statistics of one stream (§6.4.1). */
export interface ReportBlock {
  ssrc: number;
  /** Part of the packets lost since the last report, in 256ths. */
  fractionLost: number;
  cumulativeLost: number;
  highestSequence: number;
  /** In units of the clock: 8 to a ms. */
  jitter: number;
  /** The middle 32 bits of the NTP time in the sender's last report, and the time since. */
  lastReport: number;
  /** In 65536ths of a second. */
  delay: number;
}

/** Sender information (§6.4.1). */
export interface SenderInfo {
  /** Milliseconds since 1970. */
  timeMs: number;
  /** The same moment on the clock of the stream. */
  timestamp: number;
  packets: number;
  octets: number;
}

export interface Report {
  ssrc: number;
  cname: string;
  /** Undefined when we sent nothing: then it is a receiver report. */
  sender: SenderInfo | undefined;
  blocks: ReportBlock[];
  /** Says that the stream ends (§6.6). */
  bye: boolean;
}

/** The contents of a peer's compound packet. */
export interface HeardReport {
  ssrc: number;
  /** The middle 32 bits of its NTP time, when it is a sender's report. */
  ntpMiddle: number | undefined;
  blocks: ReportBlock[];
  bye: boolean;
}

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const BYE = 203;
const CNAME = 1;
const BLOCK_BYTES = 24;
/** Seconds from 1900, where NTP begins, to 1970. */
const NTP_EPOCH_S = 2_208_988_800;

/** Writes a compound packet: a report, our CNAME, and BYE at the end of the stream (§6.1). */
export function writeReport(report: Report): Uint8Array<ArrayBuffer> {
  const parts = [reportPart(report), cnamePart(report), ...(report.bye ? [byePart(report)] : [])];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function reportPart({ ssrc, sender, blocks }: Report): Uint8Array {
  const start = sender === undefined ? 8 : 28;
  const { bytes, view } = begin({
    type: sender === undefined ? RECEIVER_REPORT : SENDER_REPORT,
    count: blocks.length,
    length: start + blocks.length * BLOCK_BYTES,
  });
  view.setUint32(4, ssrc);
  if (sender !== undefined) {
    const seconds = Math.floor(sender.timeMs / 1_000);
    view.setUint32(8, seconds + NTP_EPOCH_S);
    view.setUint32(12, (sender.timeMs - seconds * 1_000) / 1_000 * 2 ** 32);
    view.setUint32(16, sender.timestamp);
    view.setUint32(20, sender.packets);
    view.setUint32(24, sender.octets);
  }
  blocks.forEach((block, i) => {
    const at = start + i * BLOCK_BYTES;
    view.setUint32(at, block.ssrc);
    view.setUint32(at + 4, (block.fractionLost << 24) | (block.cumulativeLost & 0xff_ffff));
    view.setUint32(at + 8, block.highestSequence);
    view.setUint32(at + 12, block.jitter);
    view.setUint32(at + 16, block.lastReport);
    view.setUint32(at + 20, block.delay);
  });
  return bytes;
}

function cnamePart({ ssrc, cname }: Report): Uint8Array {
  const name = new TextEncoder().encode(cname);
  // The list of items ends with at least one zero, and the chunk at a multiple of four (§6.5).
  const length = 8 + Math.ceil((2 + name.length + 1) / 4) * 4;
  const { bytes, view } = begin({ type: SOURCE_DESCRIPTION, count: 1, length });
  view.setUint32(4, ssrc);
  view.setUint8(8, CNAME);
  view.setUint8(9, name.length);
  bytes.set(name, 10);
  return bytes;
}

function byePart({ ssrc }: Report): Uint8Array {
  const { bytes, view } = begin({ type: BYE, count: 1, length: 8 });
  view.setUint32(4, ssrc);
  return bytes;
}

function begin({ type, count, length }: { type: number; count: number; length: number }) {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 0x80 | count);
  view.setUint8(1, type);
  view.setUint16(2, length / 4 - 1);
  return { bytes, view };
}

/** Reads a compound packet; undefined when it does not begin with a report, as §6.1 demands. */
export function parseReport(bytes: Uint8Array): HeardReport | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let heard: HeardReport | undefined;
  for (let at = 0; at + 8 <= bytes.length;) {
    const [first, type] = [view.getUint8(at), view.getUint8(at + 1)];
    const length = (view.getUint16(at + 2) + 1) * 4;
    if (first >> 6 !== 2 || at + length > bytes.length) return undefined;
    if (type === SENDER_REPORT || type === RECEIVER_REPORT) {
      heard ??= readReport(new DataView(bytes.buffer, bytes.byteOffset + at, length));
    }
    if (heard === undefined) return undefined;
    if (type === BYE) heard.bye = true;
    at += length;
  }
  return heard;
}

function readReport(view: DataView): HeardReport | undefined {
  const isSender = view.getUint8(1) === SENDER_REPORT;
  const start = isSender ? 28 : 8;
  const count = view.getUint8(0) & 0x1f;
  if (view.byteLength < start + count * BLOCK_BYTES) return undefined;
  return {
    ssrc: view.getUint32(4),
    ntpMiddle: isSender ? view.getUint32(10) : undefined,
    blocks: Array.from({ length: count }, (_, i) => readBlock(view, start + i * BLOCK_BYTES)),
    bye: false,
  };
}

const readBlock = (view: DataView, at: number): ReportBlock => ({
  ssrc: view.getUint32(at),
  fractionLost: view.getUint8(at + 4),
  cumulativeLost: view.getInt32(at + 4) << 8 >> 8,
  highestSequence: view.getUint32(at + 8),
  jitter: view.getUint32(at + 12),
  lastReport: view.getUint32(at + 16),
  delay: view.getUint32(at + 20),
});

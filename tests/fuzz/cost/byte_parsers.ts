import { parseReport } from "../../../sip/media/rtp/rtcp.ts";
import { parseRtp } from "../../../sip/media/rtp/rtp.ts";
import { readWav } from "../../../sip/media/codecs/wav.ts";
import { createReassembly } from "../../../sip/media/webrtc/dtls_reassembly.ts";
import { readClientHello } from "../../../sip/media/webrtc/dtls_messages.ts";
import { readRecords } from "../../../sip/media/webrtc/dtls_record.ts";
import { iceMessages } from "../../../sip/media/webrtc/ice_credentials.ts";
import { parseStun } from "../../../sip/media/webrtc/stun.ts";
import { createFramer } from "../../../sip/transport/framing.ts";
import { concat, number, vector } from "../../../sip/media/webrtc/dtls_bytes.ts";
import { bytesOf, mutateBytes, pick, type Random } from "../generator.ts";
import type { Parser } from "./parser.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Repeats bytes up to a size. */
export function repeated(part: Uint8Array, size: number): Bytes {
  const bytes = new Uint8Array(size);
  for (let at = 0; part.length > 0 && at < size; at += part.length) {
    bytes.set(part.subarray(0, size - at), at);
  }
  return bytes;
}

const sizes = [100, 1_200, 8_000];
const ours = { ufrag: "ours", password: "0123456789012345678901" };
const theirs = { ufrag: "them", password: "abcdefghijklmnopqrstuv" };
const us = iceMessages(ours, theirs);
const them = iceMessages(theirs, ours);

const role = { controlling: true, tieBreaker: 1n };
const check = them.request({ transaction: "00".repeat(12), priority: 1, role });

/** A STUN message of attributes, the first of which a peer's own has. */
function stunOf(attributes: Uint8Array): Bytes {
  const message = new Uint8Array(concat(check.subarray(0, 20), attributes));
  new DataView(message.buffer).setUint16(2, message.length - 20);
  return message;
}
const attribute = (type: number, value: Uint8Array) => {
  const padding = new Uint8Array((4 - value.length % 4) % 4);
  return concat(number(2, type), vector(2, value), padding);
};

const stun: Parser = {
  name: "STUN",
  sizes,
  usual: (size) =>
    stunOf(
      concat(
        attribute(0x8022, new Uint8Array(Math.max(4, size - check.length))),
        check.subarray(20),
      ),
    ),
  dear(random, size) {
    const kind = pick(random, [0x0006, 0x0008, 0x0020, 0x8028, 0x0009, 0x7fff, random(65_536)]);
    const one = attribute(kind, bytesOf(random, pick(random, [0, 1, 4, 8, 20, 32])));
    const many = stunOf(repeated(one, Math.max(0, size - 20) & ~3));
    return random(3) === 0 ? mutateBytes(many, random) : many;
  },
  read(bytes: Bytes) {
    const message = parseStun(bytes);
    if (message !== undefined) us.isPeers(message, bytes);
  },
};

const record = (type: number, body: Uint8Array) =>
  concat(number(1, type), number(2, 0xfefd), number(2, 0), number(6, 1), vector(2, body));
const fragment = (size: number, at: number, piece: Uint8Array) =>
  concat(number(1, 1), number(3, size), number(2, 0), number(3, at), vector(3, piece));
const hello = (extensions: Uint8Array) =>
  concat(
    number(2, 0xfefd),
    new Uint8Array(32),
    vector(1),
    vector(1),
    vector(2, number(2, 0xc02b)),
    vector(1, number(1, 0)),
    vector(2, extensions),
  );
const extension = (type: number, content: Uint8Array) =>
  concat(number(2, type), vector(2, content));

const dtls: Parser = {
  name: "DTLS",
  sizes: [200, 1_200, 8_000],
  usual(size) {
    const body = hello(extension(0x1234, new Uint8Array(size - 100)));
    return record(22, fragment(body.length, 0, body));
  },
  dear(random: Random, size) {
    const part = pick(random, [
      () => record(pick(random, [20, 21, 22, 23]), bytesOf(random, random(8))),
      () => record(22, fragment(4_000, random(4_000), bytesOf(random, random(3)))),
      () => record(22, new Uint8Array()),
    ])();
    const many = repeated(part, size);
    if (random(2) === 0) return random(2) === 0 ? many : mutateBytes(many, random);
    const extensions = repeated(extension(random(20), bytesOf(random, random(5))), size - 100);
    const body = hello(extensions);
    return record(22, fragment(body.length, 0, body));
  },
  read(bytes: Bytes) {
    const reassembly = createReassembly();
    for (const each of readRecords(bytes)) {
      if (each.type !== 22) continue;
      reassembly.take(each.body, false);
      let hello = reassembly.next(() => true);
      while (hello !== undefined) {
        readClientHello(hello.body);
        hello = reassembly.next(() => true);
      }
    }
  },
};

const rtcpBlock = concat(Uint8Array.of(0x81, 201, 0, 7), new Uint8Array(28));
const rtp: Parser = {
  name: "RTP and RTCP",
  sizes,
  usual: (size) => repeated(rtcpBlock, size & ~31),
  dear(random, size) {
    const head = Uint8Array.of(
      0x80 | random(32),
      pick(random, [0, 200, 201, 202, 203, 205]),
      0,
      random(4),
    );
    const many = repeated(concat(head, bytesOf(random, pick(random, [0, 4, 8]))), size);
    return random(3) === 0 ? mutateBytes(many, random) : many;
  },
  read(bytes: Bytes) {
    parseRtp(bytes);
    parseReport(bytes);
  },
};

const wav: Parser = {
  name: "WAV",
  sizes: [60_000],
  usual: (size) =>
    concat(
      new TextEncoder().encode("RIFF....WAVEfmt "),
      Uint8Array.of(16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0),
      new TextEncoder().encode("data"),
      Uint8Array.of(0, 0xff, 0xff, 0),
      new Uint8Array(size - 44),
    ),
  dear(random, size) {
    const chunk = concat(bytesOf(random, 4), Uint8Array.of(random(3), 0, 0, 0));
    return concat(new TextEncoder().encode("RIFF....WAVE"), repeated(chunk, size - 12));
  },
  read: (bytes: Bytes) => readWav(bytes),
};

/** Messages of a stream in pieces: so many bytes each. */
interface Pieces {
  bytes: Bytes;
  size: number;
}
const framing: Parser = {
  name: "SIP over TCP",
  sizes: [2_000, 60_000],
  usual: (size): Pieces => ({ bytes: sipOf("abcdef", size), size: 64 }),
  dear(random, size): Pieces {
    const fill = pick(random, [
      "\r\n",
      "\r\n\r",
      "l:1\r\n",
      "\r\nl: ",
      "a\r\n",
      "\r\n\r\n",
      "Content-Length: 0\r\n",
      "\n",
      "\r",
    ]);
    const bytes = random(2) === 0
      ? sipOf(fill, size)
      : repeated(new TextEncoder().encode(fill), size);
    return { bytes, size: pick(random, [64, 700, 1_400]) };
  },
  read({ bytes, size }: Pieces) {
    const framer = createFramer();
    for (let at = 0; at < bytes.length; at += size) framer.push(bytes.slice(at, at + size));
  },
};
function sipOf(fill: string, size: number): Bytes {
  const begin = "OPTIONS sip:a SIP/2.0\r\nX: ";
  const end = "\r\nContent-Length: 0\r\n\r\n";
  const most = Math.max(0, size - begin.length - end.length);
  return new TextEncoder().encode(begin + fill.repeat(most / fill.length) + end);
}

export const byteParsers: Parser[] = [stun, dtls, rtp, wav, framing];

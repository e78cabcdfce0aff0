import { Buffer } from "node:buffer";
import { createTransport } from "nodemailer";
import { limits } from "../../../core/base/limits.ts";
import { mailOf } from "../../../core/machine/adapters/mailer.ts";
import { takeDelivery } from "../../../core/machine/adapters/smpp/deliver.ts";
import { PDU, type Pdu } from "../../../core/machine/adapters/smpp/library.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { openMp3 } from "../../../core/recordings/mp3_encoder.ts";
import { type Email, emails } from "../../../core/model/resources/emails.ts";
import { decodeAudio } from "../../../sip/media/codecs/decode_audio.ts";
import { concat } from "../../../sip/media/webrtc/dtls_bytes.ts";
import { resolveTargets } from "../../../sip/transport/resolve.ts";
import type { NaptrRecord, SrvRecord } from "../../../sip/transport/resolver.ts";
import { parseSipUri } from "../../../sip/text/uri.ts";
import { cString, pduOf } from "../../support/service/smpp_wire.ts";
import { bytesOf, mutateBytes, pick, type Random } from "../generator.ts";
import { repeated } from "./byte_parsers.ts";
import { usualText } from "./generate.ts";
import { type Parser, textParser } from "./parser.ts";

/** Parsers of the data of carriers, mail servers, name servers and customers' files. */

/** Ports of a delivery, in a service without numbers. */
const nobody = {
  log() {},
  records: {},
  settings: {},
} as unknown as Ports;

/** The body of a deliver_sm (SMPP 3.4 §4.6.1) with optional parameters. */
function delivery(
  { coding = 0, esmClass = 0, short = [], optional = new Uint8Array() }: {
    coding?: number;
    esmClass?: number;
    short?: readonly number[];
    optional?: Uint8Array;
  },
): Uint8Array {
  const body = [
    ...cString(""),
    ...[1, 1],
    ...cString("442079460000"),
    ...[1, 1],
    ...cString("14155550101"),
    ...[esmClass, 0, 0, 0, 0, 0, 0, coding, 0, short.length],
    ...short,
  ];
  return pduOf("deliver_sm", { sequence: 1, body: [...body, ...optional] });
}
const parameter = (tag: number, value: Uint8Array): Uint8Array =>
  concat(Uint8Array.of(tag >> 8, tag & 255, value.length >> 8, value.length & 255), value);

const smpp: Parser = {
  name: "PDUs of SMPP",
  sizes: [400, 8_000],
  usual: (size) =>
    delivery({
      optional: parameter(0x0424, new TextEncoder().encode(usualText(Math.max(1, size - 80)))),
    }),
  dear(random, size) {
    const tag = pick(random, [0x0424, 0x001e, 0x0427, 0x020c, 0x020e, 0x020f, random(65_536)]);
    const length = pick(random, [0, 1, 2, 8, 64]);
    const part = pick(random, [
      () => parameter(tag, bytesOf(random, length)),
      () => parameter(tag, new Uint8Array(length).fill(pick(random, [0x1b, 0x69, 0x3a, 0x20]))),
    ])();
    const fill = new TextEncoder().encode(
      pick(random, ["id:", "id:1 ", "stat:", "\x1b", "é", "\0"]),
    );
    const text = parameter(0x0424, repeated(fill, Math.max(0, size - 80)));
    const pdu = delivery({
      coding: pick(random, [0, 1, 3, 6, 7, 8, 0xf5, 0xe0, random(256)]),
      esmClass: pick(random, [0, 4, 0x40, 0x44]),
      short: Array.from(bytesOf(random, random(250))),
      optional: random(2) === 0 ? text : repeated(part, Math.max(0, size - 80)),
    });
    return random(3) === 0 ? mutateBytes(pdu, random) : pdu;
  },
  async read(octets: Uint8Array) {
    const pdu: Pdu = Object.create(PDU.prototype);
    PDU.prototype.fromBuffer.call(pdu as never, Buffer.from(octets));
    await takeDelivery(pdu, nobody, { receiptPausesMs: [] });
  },
};

const recipients = (length: number): string =>
  Array.from(
    { length: Math.min(limits.emailRecipients, Math.ceil(length / 30)) },
    (_, n) => `customer${n}@example.com`,
  )
    .join(", ");

interface Mail {
  to: string;
  cc: string | null;
  subject: string;
  body: string;
}

const mailer = createTransport({ streamTransport: true, buffer: true });
const usualMail = (size: number): Mail => ({
  to: recipients(size / 4),
  cc: recipients(size / 4),
  subject: usualText(Math.min(100, size / 4)),
  body: usualText(Math.min(4_000, size / 4)),
});
const mail = textParser({
  name: "e-mails",
  sizes: [500, 4_000, 60_000],
  words: [
    "a",
    "#",
    "@",
    ".",
    ",",
    ", ",
    "a@b.test",
    "a#@b.test,",
    "-",
    "+",
    "'",
    '"',
    "<",
    ">",
    "(",
    ")",
    ":",
    ";",
    "\\",
    " ",
    "\t",
    "\r\n",
    "\n",
    ".\r\n",
    "=",
    "=?utf-8?Q?a?=",
    "é",
    "漢",
    "\u{1f4de}",
    "%",
    "data:text/plain,a",
    "http://a/",
  ],
  pairs: [["(", ")"], ["<", ">"], ['"', '"'], ["a:", ";"]],
  sample: "alice@example.com, bob.smith+tag@mail.example.co.uk",
  usual: (size) => JSON.stringify(usualMail(size)),
  slots: [
    (to) => JSON.stringify({ ...usualMail(100), to }),
    (cc) => JSON.stringify({ ...usualMail(100), cc }),
    (subject) => JSON.stringify({ ...usualMail(100), subject: subject.replaceAll(/[\r\n]/g, "") }),
    (body) => JSON.stringify({ ...usualMail(100), body: body.slice(0, 4_000) }),
    (fill) =>
      JSON.stringify({
        ...usualMail(100),
        to: Array(50).fill(`${fill.slice(0, 60)}@b.test`).join(),
      }),
    (fill) => JSON.stringify({ ...usualMail(100), to: `a@${fill.slice(0, 250)}.test` }),
  ],
  async read(text) {
    const { to, cc, subject, body } = JSON.parse(text) as Mail;
    const fields = emails.fields;
    const email = {
      sid: "EM1",
      dateSent: 0,
      from: fields.from.parse("alice@example.com"),
      to: fields.to.parse(to),
      cc: fields.cc.parse(cc),
      subject: fields.subject.parse(subject),
      body: fields.body.parse(body),
      bcc: null,
    } as unknown as Email; // The fields that are read of it.
    await mailer.sendMail(mailOf(email, "example.com"));
  },
});

interface Answers {
  naptr: NaptrRecord[];
  srv: SrvRecord[];
  addresses: string[];
}
const recordBytes = 30;
const dns: Parser = {
  name: "answers of name servers",
  sizes: [500, 60_000],
  usual: (size): Answers => ({
    naptr: ["SIPS+D2T", "SIP+D2U", "SIP+D2T"].map((services, order) => ({
      order,
      preference: 0,
      services,
      replacement: `_sip.a${order}.test`,
    })),
    srv: Array.from({ length: Math.ceil(size / recordBytes) }, (_, n) => ({
      priority: n,
      weight: 0,
      port: 5060,
      target: `sip${n}.example.com.`,
    })),
    addresses: ["192.0.2.1"],
  }),
  dear(random: Random, size): Answers {
    const count = Math.ceil(size / recordBytes);
    const [priorities, weights] = [pick(random, [1, 2, count]), pick(random, [1, 2, 65_536])];
    const services = pick(random, ["SIP+D2U", "sips+d2t", "E2U+sip", ""]);
    return {
      naptr: random(2) === 0 ? [] : Array.from({ length: count }, (_, n) => ({
        order: random(priorities),
        preference: random(weights),
        services,
        replacement: random(2) === 0 ? `_sip._udp.a${n}.test.` : "a.test",
      })),
      srv: Array.from({ length: count }, () => ({
        priority: random(priorities),
        weight: random(weights),
        port: random(65_536),
        target: pick(random, [".", "a.test.", "192.0.2.1"]),
      })),
      addresses: Array.from({ length: random(3) * count }, () => "192.0.2.1"),
    };
  },
  async read({ naptr, srv, addresses }: Answers) {
    await resolveTargets(parseSipUri("sip:a.test")!, {
      resolver: {
        naptr: () => Promise.resolve(naptr),
        srv: () => Promise.resolve(srv),
        addresses: () => Promise.resolve(addresses),
      },
      speaks: () => true,
    });
  },
};

/** The head of a WAV file of 16-bit samples, and what it says. */
function wavHead(
  { encoding = 1, channels = 1, rate = 44_100, bits = 16 }: Partial<
    Record<"encoding" | "channels" | "rate" | "bits", number>
  > = {},
): Uint8Array {
  const head = new Uint8Array(44);
  head.set(new TextEncoder().encode("RIFF....WAVEfmt "));
  const view = new DataView(head.buffer);
  view.setUint32(16, 16, true);
  view.setUint16(20, encoding, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, rate, true);
  view.setUint16(34, bits, true);
  head.set(new TextEncoder().encode("data"), 36);
  view.setUint32(40, 0xffff_ffff, true);
  return head;
}

let mp3: Uint8Array<ArrayBuffer> | undefined;

/** Some seconds of MP3 of a telephone. */
async function mp3Sample(): Promise<Uint8Array<ArrayBuffer>> {
  const samples = Int16Array.from({ length: 80_000 }, (_, at) => 8_000 * Math.sin(at / 5));
  mp3 ??= await openMp3().encode({
    channels: 1,
    sampleRate: 8_000,
    kbps: 24,
    samples,
    isLast: true,
  });
  return mp3;
}
await mp3Sample();

const audio: Parser = {
  name: "audio of customers",
  sizes: [20_000],
  usual: (size) => repeated(mp3!, size),
  dear(random, size) {
    if (random(2) === 0) {
      const head = wavHead({
        encoding: pick(random, [1, 3, 6, 7]),
        channels: pick(random, [1, 2]),
        rate: pick(random, [0, 1, 4_000, 8_000, 8_001, 11_025, 192_000, 2 ** 31]),
        bits: pick(random, [8, 16, 24, 32, 64]),
      });
      return concat(head, random(2) === 0 ? new Uint8Array(size) : bytesOf(random, size));
    }
    const frame = mp3!.slice(random(400), 500 + random(400));
    frame.set([0xff, 0xe0 | random(32), random(256), random(256)]);
    return mutateBytes(repeated(frame, size), random);
  },
  read: (bytes: Uint8Array) => decodeAudio(bytes, "audio/mpeg"),
};

export const carrierParsers: Parser[] = [smpp, mail, dns, audio];

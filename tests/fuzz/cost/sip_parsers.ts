import { withoutSecrets } from "../../../sip/base/without_secrets.ts";
import { parseSdp } from "../../../sip/media/sdp/parse_sdp.ts";
import { answerTo, writeSdp } from "../../../sip/media/sdp/write_sdp.ts";
import { newStream } from "../../../sip/media/sdp/transport.ts";
import { codingOf } from "../../../sip/media/sdp/sdp.ts";
import { IncomingRequestMessage } from "../../../sip/base/sip_js.ts";
import { readCpim as readOnPage } from "../../../routes/softphone/cpim.js";
import { readCpim, readImdn, writeCpim, writeImdn } from "../../../sip/text/cpim.ts";
import { parseDigest } from "../../../sip/text/digest.ts";
import { parseMessage } from "../../../sip/text/parse.ts";
import { passedHeaders } from "../../../sip/text/passed_headers.ts";
import { plainText } from "../../../sip/text/plain_text.ts";
import { ussdIn } from "../../../sip/text/ussd_body.ts";
import { digitOf } from "../../../sip/base/info.ts";
import { readReferTo } from "../../../sip/script/refer_to.ts";
import { BROWSER_OFFER, OUR_SIDE, TRUNK_OFFER } from "../../support/media/sdp_samples.ts";
import { openReceiveLab, type ReceiveLab } from "../../support/service/receive_lab.ts";
import { usualText } from "./generate.ts";
import { type Parser, textParser } from "./parser.ts";

const longestHeader = 7_900;

/** Headers of one name that together have a text. */
function headersOf(name: string, text: string, [before, after] = ["", ""]): string[] {
  const lines = [];
  for (let at = 0; at === 0 || at < text.length; at += longestHeader) {
    lines.push(`${name}: ${before}${text.slice(at, at + longestHeader)}${after}`);
  }
  return lines;
}

interface Parts {
  method?: string;
  target?: string;
  via?: string;
  from?: string;
  to?: string;
  headers?: string[];
  type?: string;
  body?: string;
}

let messages = 0;

/** A message as a phone sends it, but for what is given. */
function message(parts: Parts = {}): string {
  const { method = "INVITE", target = "sip:bob@example.com", headers = [], body = "" } = parts;
  const id = `${++messages}`;
  return [
    `${method} ${target} SIP/2.0`,
    parts.via ?? `Via: SIP/2.0/WS phone.invalid;branch=z9hG4bK${id};rport`,
    `From: ${parts.from ?? '"Alice Example" <sip:alice@example.com>;tag=a1'}`,
    `To: ${parts.to ?? "<sip:bob@example.com>"}`,
    `Call-ID: call-${id}@phone.invalid`,
    `CSeq: 1 ${method}`,
    "Max-Forwards: 70",
    ...headers.some((header) => header.startsWith("Contact"))
      ? []
      : ["Contact: <sip:alice@phone.invalid;transport=ws>"],
    ...headers,
    ...body === "" ? [] : [`Content-Type: ${parts.type ?? "application/sdp"}`],
    `Content-Length: ${new TextEncoder().encode(body).length}`,
    "",
    body,
  ].join("\r\n");
}

/** Phones name what they can; the rest is headers of customers, and SDP. */
function usualMessage(size: number): string {
  const own = [
    "Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, MESSAGE, REFER, UPDATE, PRACK",
    "Supported: outbound, path, gruu, replaces, 100rel, timer",
    "Session-Expires: 1800;refresher=uac",
    "User-Agent: Phone 1.2.3",
    'Proxy-Authorization: Digest username="alice", realm="example.com", nonce="abc", ' +
    'uri="sip:bob@example.com", response="0123456789abcdef0123456789abcdef", algorithm=MD5, ' +
    'qop=auth, nc=00000001, cnonce="c"',
  ];
  const left = Math.max(0, size - message({ headers: own, body: BROWSER_OFFER }).length);
  const count = Math.min(100, Math.ceil(left / 200));
  const pad = Array.from(
    { length: count },
    (_, n) => `X-Custom-${n}: ${usualText(Math.max(1, left / count - 16))}`,
  );
  return message({ headers: [...own, ...pad], body: BROWSER_OFFER });
}

const words = [
  "a",
  "#",
  ":",
  ";",
  ",",
  "=",
  "@",
  "<",
  ">",
  '"',
  "\\",
  "?",
  "&",
  "/",
  "%",
  "%41",
  " ",
  "\t",
  "\r\n ",
  "\r\n",
  "\n",
  "\r",
  "sip:",
  "sips:",
  "tel:",
  "sip:a@b",
  "sip:a:b@c",
  "<sip:a@b>",
  '"a" <sip:a@b>',
  ";a",
  ";a=b",
  ";a#=b",
  ';a="b"',
  ";tag=a",
  ";branch=z9hG4bK",
  "Digest ",
  "uri=",
  'uri="a"',
  "nc=1",
  ",a=b",
  "[",
  "]",
  "[::1]",
  "1",
  ".",
  "-",
  "_",
  "é",
  "漢",
  "\u{1f4de}",
  "\0",
  "multipart/mixed;boundary=x",
  "--x",
  "\r\n--x\r\n",
  "SIP/2.0/WS a",
  "m=audio 1 RTP/AVP 0",
  "a=",
  "?a=b",
  "&a=b",
  "&a#=b",
];

/** Headers that a request is judged by before, and after, its sender is authenticated. */
const names = [
  "Via",
  "Contact",
  "Route",
  "Record-Route",
  "Require",
  "Proxy-Require",
  "Supported",
  "Allow",
  "Accept",
  "Content-Encoding",
  "Content-Disposition",
  "Session-Expires",
  "Min-SE",
  "Privacy",
  "P-Asserted-Identity",
  "P-Preferred-Identity",
  "Diversion",
  "History-Info",
  "Replaces",
  "Refer-To",
  "Authorization",
  "Proxy-Authorization",
  "User-to-User",
  "X-Custom",
  "Unknown",
  "Identity",
  "Path",
  "Expires",
  "Date",
  "Geolocation",
  "Call-Info",
  "Event",
  "Warning",
  "Content-Length",
  "k",
  "m",
  "t",
  "f",
  "v",
];
const enclosed: readonly (readonly [string, string])[] = [
  ["", ""],
  ['"', '"'],
  ["<sip:a@b;", ">"],
  ["<sip:a@b?", ">"],
  ["<sip:", "@b>"],
  ["Digest ", ""],
  ["SIP/2.0/WS a;", ""],
];
const methods = ["INVITE", "REGISTER", "OPTIONS", "MESSAGE", "ACK", "BYE", "SUBSCRIBE", "FOO"];

const manyHeaders = (text: string): string[] => {
  const size = Math.max(1, Math.ceil(text.length / 110));
  return Array.from(
    { length: Math.ceil(text.length / size) },
    (_, n) => `X-${n}: ${text.slice(n * size, n * size + size)}`,
  );
};

const slots: ((fill: string) => string)[] = [
  ...names.flatMap((name) =>
    enclosed.flatMap((around) =>
      methods.slice(0, 4).map((method) => (fill: string) =>
        message({ method, headers: headersOf(name, fill, [...around] as [string, string]) })
      )
    )
  ),
  ...methods.map((method) => (fill: string) => message({ method, headers: manyHeaders(fill) })),
  (fill) => message({ headers: [fill] }),
  (fill) => fill,
  (fill) => message({ target: `sip:${fill}` }),
  (fill) => message({ target: `sip:a@b;${fill}` }),
  (fill) => message({ target: `sip:a@b?${fill}` }),
  (fill) => message({ via: headersOf("Via", fill, ["SIP/2.0/WS a;", ""]).join("\r\n") }),
  (fill) => message({ from: fill, to: fill, headers: headersOf("Contact", fill) }),
  (fill) =>
    message({
      from: `<sip:a@b?${fill.slice(0, longestHeader)}>;tag=a`,
      to: `<sip:a@b?${fill.slice(0, longestHeader)}>`,
      headers: headersOf("Contact", fill, ["<sip:a@b?", ">"]),
    }),
  (fill) => message({ from: `"${fill.slice(0, longestHeader)}" <sip:a@b>;tag=1` }),
  (fill) => message({ from: `<sip:a@b>;tag=1;${fill.slice(0, longestHeader)}` }),
  (fill) => message({ body: fill }),
  (fill) => message({ body: fill, type: "multipart/mixed;boundary=x" }),
  (fill) =>
    message({
      body: `--x\r\nContent-Type: application/sdp\r\n\r\n${fill}\r\n--x--`,
      type: 'multipart/mixed; boundary="x"',
    }),
  (fill) => message({ body: fill, type: headersOf("", fill.slice(0, 7_000))[0]!.slice(2) }),
  (fill) => message({ body: fill, type: "text/plain", method: "MESSAGE" }),
];

/**
 * Messages until a lab is replaced: it retains them while transactions last, and its clock stands
 * still.
 */
const messagesOfLab = 50;
let lab: ReceiveLab | undefined;
let received = 0;

/** The whole path of an unauthenticated message, up to the response. */
const stranger = textParser({
  name: "SIP of a stranger",
  words,
  pairs: [["<", ">"], ['"', '"'], ["[", "]"], ["--x\r\n", "\r\n--x--"]],
  sample: usualMessage(3_000),
  usual: usualMessage,
  slots,
  read(text) {
    if (received++ % messagesOfLab === 0) {
      lab?.[Symbol.dispose]();
      lab = undefined;
    }
    lab ??= openReceiveLab("example.com");
    const connection = lab.connect("192.0.2.1");
    connection.receive(text);
    connection.close();
  },
});

const parsedBy = (read: (message: IncomingRequestMessage) => unknown) => (text: string) => {
  const { message } = parseMessage(text);
  if (message instanceof IncomingRequestMessage) read(message);
};

/** Parser of the messages of Clients. */
const client = textParser({
  name: "SIP of a Client",
  words: [...words, "Replaces=a", "%3Bto-tag%3D1", "X-A=b", "&X-#=b"],
  sample: usualMessage(3_000),
  usual: (size) =>
    usualMessage(size).replace("\r\nMax", "\r\nRefer-To: <sip:bob@example.com>\r\nMax"),
  slots: [
    ...slots,
    ...["<sip:a@b?", "<sip:a@b?Replaces=", "<sip:a@b;", "<sip:"].map((begin) => (fill: string) =>
      message({ method: "REFER", headers: [`Refer-To: ${begin}${fill.slice(0, longestHeader)}>`] })
    ),
  ],
  read: parsedBy((message) => {
    passedHeaders(message);
    readReferTo(message);
    parseDigest(message.getHeader("proxy-authorization") ?? "");
    plainText(message.from.displayName ?? "", 255);
    digitOf({ contentType: "application/dtmf-relay", content: message.body });
    plainText(message.body, 1_600);
  }),
});

const trace = textParser({
  name: "SIP traces",
  words: [
    ...words,
    "Authorization: ",
    "a=crypto:1 A ",
    "a=ice-pwd:",
    "k=",
    "uri=,",
    "\r\nAuthorization: a",
  ],
  sample: usualMessage(3_000),
  usual: usualMessage,
  slots,
  read: withoutSecrets,
});

const ussdType = "application/vnd.3gpp.ussd+xml";
const ussd = textParser({
  name: "USSD bodies",
  sizes: [2_000, 8_000],
  words: [
    "<",
    ">",
    "</",
    "/>",
    "<ussd-string",
    "<ussd-data>",
    "</ussd-string>",
    "<a:",
    " value=",
    '"',
    "'",
    "&#x41;",
    "&amp;",
    "&",
    " ",
    "a",
    "<![CDATA[",
    "]]>",
    "error-code",
    "#",
  ],
  pairs: [["<a>", "</a>"], ["<ussd-string>", "</ussd-string>"]],
  sample: "<ussd-data><language>en</language><ussd-string>text</ussd-string><anyExt/></ussd-data>",
  usual: (size) =>
    `<?xml version="1.0"?><ussd-data><language>en</language><ussd-string>${
      usualText(size - 120)
    }</ussd-string></ussd-data>`,
  slots: [
    (fill) => `<ussd-data>${fill}</ussd-data>`,
    (fill) => `<ussd-data><ussd-string>${fill}</ussd-string></ussd-data>`,
    (fill) => `<ussd-data><ussd-string ${fill}/></ussd-data>`,
  ],
  read: (text) => ussdIn({ contentType: ussdType, content: text }),
});

const cpimOf = (type: string, body: string): string =>
  writeCpim({
    from: "sip:alice@example.com",
    to: "sip:bob@example.com",
    at: 0,
    messageId: "34jk324j",
    wants: ["display", "positive-delivery"],
    entity: [`Content-Type: ${type}`],
    body,
  });
const imdnOf = (reason: string): string =>
  writeImdn({ messageId: "34jk324j", status: "failed", at: 0, reason });
const imdnType = "message/imdn+xml";

const cpim = textParser({
  name: "CPIM messages and their notifications",
  words: [
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    ":",
    ";",
    ",",
    " ",
    "a",
    "a: b\r\n",
    "NS: a <urn:ietf:params:imdn>\r\n",
    "imdn.Message-ID: a\r\n",
    "imdn.Disposition-Notification: display,",
    "Content-Type: ",
    "<",
    ">",
    "<message-id>",
    "</message-id>",
    "<a:message-id>",
    "<status>",
    "<status><",
    "<failed/>",
    "<reason ",
    "<reason >",
    "</reason>",
    "&lt;",
    "&amp;",
    "&",
  ],
  pairs: [["<message-id>", "</message-id>"], ["<status>", "</status>"], ["<a:", ">"]],
  sample: cpimOf(imdnType, imdnOf("no such user")),
  usual: (size) => cpimOf("text/plain", usualText(size - 300)),
  slots: [
    (fill) => fill,
    (fill) => `${fill}\r\n\r\n\r\n\r\na`,
    (fill) => `NS: ${fill}\r\n\r\nContent-Type: a\r\n\r\na`,
    (fill) => `imdn.Disposition-Notification: ${fill}\r\n\r\nContent-Type: a\r\n\r\na`,
    (fill) => `From: a\r\n\r\n${fill}\r\n\r\na`,
    (fill) => cpimOf(fill, "a"),
    (fill) => cpimOf(imdnType, fill),
    (fill) => cpimOf(imdnType, `<message-id>${fill}`),
    (fill) => cpimOf(imdnType, `<message-id>a</message-id><status><failed/>${fill}`),
    (fill) => cpimOf(imdnType, imdnOf(fill)),
  ],
  read(text) {
    readImdn(readCpim(text)?.body ?? text);
    readOnPage(text);
  },
});

const sdpWords = [
  "a=",
  "m=",
  "c=",
  "v=0",
  "\r\n",
  "\n",
  "m=audio 9 RTP/AVP 0\r\n",
  "m=video 9 RTP/AVP 96\r\n",
  "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n",
  "a=rtpmap:# opus/48000/2\r\n",
  "a=fmtp:# a=b;c=d\r\n",
  "a=candidate:# 1 udp 1 192.0.2.1 # typ host\r\n",
  "a=crypto:# AES_CM_128_HMAC_SHA1_80 inline:" +
  "d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n",
  "|2^20",
  "|1:4",
  ";inline:",
  "a=fingerprint:sha-256 0A:\r\n",
  "a=mid:#\r\n",
  "a=group:BUNDLE ",
  " #",
  " 0",
  "a=rtcp-fb:* nack\r\n",
  "a=extmap:# urn:a\r\n",
  "a=ssrc:# a:b\r\n",
  ":",
  ";",
  "=",
  "/",
  " ",
  "a",
  "1",
  "9999999999",
  "c=IN IP4 192.0.2.1\r\n",
  "a=ptime:20\r\n",
];
const SDES_LINE = "a=crypto:1 AES_CM_128_HMAC_SHA1_80 " +
  "inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj|2^20|1:4\r\n";
const sdp = textParser({
  name: "SDP",
  words: sdpWords,
  sample: BROWSER_OFFER + TRUNK_OFFER,
  usual(size) {
    const video = BROWSER_OFFER.slice(BROWSER_OFFER.indexOf("m=video"));
    const lines = Array.from(
      { length: Math.max(0, Math.ceil((size - BROWSER_OFFER.length) / 60)) },
      (_, n) => `a=ssrc:${n} cname:The quick brown fox jumps over\r\na=rtcp-fb:96 nack pli\r\n`,
    );
    return (BROWSER_OFFER.replace(video, "") + video + lines.join("")).slice(0, size);
  },
  slots: [
    (fill) => fill,
    (fill) => BROWSER_OFFER + fill,
    (fill) => TRUNK_OFFER + fill,
    (fill) => BROWSER_OFFER.replace("m=audio", `${fill}\r\nm=audio`),
    (fill) => BROWSER_OFFER.replace("SAVPF 111", `SAVPF 111${fill}`),
    (fill) => TRUNK_OFFER.replace(/(m=audio [^\r]*)/, `$1 ${fill.replaceAll("$", "")}`),
    (fill) => BROWSER_OFFER.replace("a=mid:a1", `a=mid:a1\r\n${fill}`),
    (fill) => BROWSER_OFFER.replace("a=group:BUNDLE", `a=group:BUNDLE ${fill}`),
    (fill) =>
      BROWSER_OFFER.replace("UDP/TLS/RTP/SAVPF", "RTP/SAVP") + SDES_LINE.replace("|1:4", fill),
    (fill) => BROWSER_OFFER.replace("opus/48000/2", `opus/48000/2\r\na=fmtp:111 ${fill}`),
  ],
  read(text) {
    const offer = parseSdp(text);
    const audio = offer.audio.kind === "webrtc" ? OUR_SIDE.audio : offer.audio;
    const ours = { ...audio, ...codingOf(offer.audio) };
    writeSdp(answerTo(offer, { ...OUR_SIDE, audio: ours } as typeof OUR_SIDE), newStream());
  },
});

export const sipParsers: Parser[] = [stranger, client, trace, ussd, cpim, sdp];

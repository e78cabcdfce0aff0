import { Duplex } from "node:stream";
import { createServer, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers";
import { agentRequests } from "../../../core/machine/net/agent_request.ts";
import { responseOf } from "../../../core/base/outgoing.ts";
import { acceptWebSocket } from "../../../sip/transport/accept_web_socket.ts";
import { openServerSocket } from "../../../sip/media/server_socket/socket.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { frameHead, frameOf, opcodes } from "../../support/sip/raw_websocket.ts";
import { bytesOf, mutateBytes, pick } from "../generator.ts";
import { concat } from "../../../sip/media/webrtc/dtls_bytes.ts";
import { repeated } from "./byte_parsers.ts";
import { usualText } from "./generate.ts";
import { type Parser, textParser } from "./parser.ts";

/** WebSockets of phones, and what servers of customers answer to our requests and handshakes. */

const handshake = (headers: string): string =>
  [
    "GET / HTTP/1.1",
    "Host: sip.test",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
    "Sec-WebSocket-Protocol: sip",
    ...headers === "" ? [] : [headers],
    "",
    "",
  ].join("\r\n");

/** Turns of the event loop in which a connection is read; a pace lets one wait longer after its burst. */
const turns = 40;

/** Gives bytes to a WebSocket of a phone, from its first byte on. */
async function receive(bytes: Uint8Array): Promise<void> {
  const ours = new Duplex({ read() {}, write: (_chunk, _coding, done) => done() });
  const socket = Object.assign(ours, { remoteAddress: "192.0.2.1", remotePort: 5060 });
  ours.on("error", () => {});
  acceptWebSocket(socket as unknown as Socket, {
    protocol: "WS",
    nameAt: () => ({ sentBy: "sip.test", contact: "sip:sip.test" }),
    clock: handClock(),
    events: { onConnect: () => () => {}, onMessage: () => {}, onClose: () => {} },
    isTrustedProxy: () => true,
  });
  for (let at = 0; at < bytes.length; at += 64 << 10) ours.push(bytes.slice(at, at + (64 << 10)));
  for (let n = 0; n < turns && !ours.destroyed; n++) {
    await new Promise<void>((turn) => setImmediate(turn));
  }
  ours.destroy();
}

const encode = (text: string) => new TextEncoder().encode(text);

const sipOverWebSocket: Parser = {
  name: "frames of WebSockets",
  sizes: [2_000, 60_000],
  usual: (size) => concat(encode(handshake("")), repeated(frameOf("\r\n\r\n", {}), size)),
  dear(random, size) {
    const opcode = pick(random, [...Object.values(opcodes), 10, 3]);
    const last = random(3) > 0;
    const payload = bytesOf(random, pick(random, [0, 0, 1, 8, 125]));
    const part = pick(random, [
      () => frameOf(payload, { opcode, last }),
      () => frameHead(pick(random, [0, 1, 126, 70_000, 2 ** 31]), { opcode, last }),
      () => concat(frameOf("", { last: false }), frameOf("", { opcode: 0, last })),
      () => frameOf("\r\n\r\n", {}),
    ])();
    const frames = concat(frameOf("", { last: false }), repeated(part, size));
    const many = random(2) === 0 ? frames : repeated(part, size);
    return concat(encode(handshake("")), random(3) === 0 ? mutateBytes(many, random) : many);
  },
  read: receive,
};

const headWords = [
  "a",
  "#",
  ":",
  ": ",
  ",",
  ", ",
  ";",
  "=",
  " ",
  "\t",
  '"',
  "websocket",
  "Upgrade",
  "sip",
  "sip, ",
  "\r\n",
  "\r\na: b",
  "\r\n#: b",
  "\r\n#:",
  "\r\nUpgrade: a",
  "\r\nX-Forwarded-For: 192.0.2.1",
  "\r\nForwarded: for=a",
  "\r\nSet-Cookie: a=b",
  "for=",
  "permessage-deflate; ",
  "[",
  "]",
  "é",
];

const handshakes = textParser({
  name: "handshakes of WebSockets",
  sizes: [1_000, 8_000],
  words: headWords,
  sample: handshake("X-Forwarded-For: 192.0.2.1"),
  usual: (size) =>
    handshake(`X-Forwarded-For: 192.0.2.1\r\nCookie: ${"abcdefgh".repeat(size / 10)}`),
  slots: [
    (fill) => handshake(fill),
    (fill) => fill,
    ...["Upgrade", "Connection", "Sec-WebSocket-Protocol", "Forwarded", "X-Forwarded-For", "Cookie"]
      .map((name) => (fill: string) => handshake(`${name}: ${fill}`)),
    (fill) => handshake("").replace("/", `/${fill.replaceAll("$", "")}`),
  ],
  // The bytes after a head are frames.
  read: (text) => receive(encode(text.split("\r\n\r\n", 1).join("") + "\r\n\r\n")),
});

/** A server that answers each request by the text that is next, and closes. */
let next = "";
let listening: Promise<Server> | undefined;
const listen = (): Promise<Server> =>
  listening ??= new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(encode(next)));
    });
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
const portOf = (server: Server): number => (server.address() as { port: number }).port;

const answer = (headers: string, body = "ok"): string =>
  [
    "HTTP/1.1 200 OK",
    "Content-Type: text/xml; charset=utf-8",
    ...headers === "" ? [] : [headers],
    ...headers.includes("Transfer-Encoding") ? [] : [`Content-Length: ${encode(body).length}`],
    "",
    body,
  ].join("\r\n");

const answerWords = [
  ...headWords,
  "\r\n ",
  "1\r\na\r\n",
  "0\r\n\r\n",
  "1;a=b\r\na\r\n",
  "ffff\r\n",
  "\r\nLocation: /",
  "\r\nContent-Length: 2",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\n\r\n",
];

const usualAnswer = (size: number): string =>
  answer(
    `Server: nginx\r\nSet-Cookie: ${"abcdefgh".repeat(Math.min(400, size / 20))}`,
    usualText(size / 2),
  );
const answerSlots: ((fill: string) => string)[] = [
  (fill) => fill,
  (fill) => answer(fill),
  (fill) => answer(`Transfer-Encoding: chunked`, fill),
  (fill) => answer(`Content-Encoding: gzip`, fill),
  (fill) => answer("").replace("OK", fill.replaceAll("$", "")),
  (fill) => `${fill}${answer("")}`,
  ...["Content-Type", "Content-Encoding", "Location", "Set-Cookie", "Connection", "X-A"].map((
    name,
  ) =>
  (fill: string) => answer(`${name}: ${fill}`)),
];

const send = agentRequests();
const answers = textParser({
  name: "answers of application servers",
  sizes: [1_000, 14_000, 60_000],
  words: answerWords,
  sample: answer("Server: nginx"),
  usual: usualAnswer,
  slots: answerSlots,
  async read(text) {
    next = text;
    const url = new URL(`http://127.0.0.1:${portOf(await listen())}/`);
    const signal = AbortSignal.timeout(60_000);
    const got = await send({ method: "GET", url, headers: {}, body: "", signal });
    await responseOf(got).bytes();
  },
});

const serverHandshakes = textParser({
  name: "handshakes of stream servers",
  sizes: [1_000, 14_000],
  words: answerWords,
  sample: answer("Upgrade: websocket"),
  usual: usualAnswer,
  slots: answerSlots.flatMap((slot) => [
    slot,
    (fill: string) => slot(fill).replace("200 OK", "101 Switching Protocols"),
  ]),
  async read(text) {
    next = text;
    const url = `ws://127.0.0.1:${portOf(await listen())}/`;
    const closed = Promise.withResolvers<void>();
    openServerSocket({ url, headers: {} }, { mayReach: () => true }, {
      onOpen() {},
      onText() {},
      onPong() {},
      onClose: () => closed.resolve(),
    });
    await closed.promise;
  },
});

export const connectionParsers: Parser[] = [
  sipOverWebSocket,
  handshakes,
  answers,
  serverHandshakes,
];

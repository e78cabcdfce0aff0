import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { sipLimits } from "../../../sip/base/limits.ts";
import { followMessages } from "../../../sip/transport/message_progress.ts";
import { upgrade } from "../../../sip/transport/ws_library.ts";

/**
 * The rules of RFC 6455 for what a server receives, as tables, of the library as it is configured:
 * each row is written as bytes here, and the close code is read from what the library sends.
 */

/** What the other side of a WebSocket sent: a whole message, or a control frame. */
type Received =
  | { type: "message"; text: string }
  | { type: "ping"; payload: Buffer }
  | { type: "pong" }
  | { type: "close"; code: number };

/** Why a WebSocket is closed (RFC 6455 §7.4.1). */
const closeCodes = { protocolError: 1002, notUtf8: 1007, tooBig: 1009 } as const;

interface Frame {
  opcode: number;
  fin?: boolean;
  rsv?: number;
  masked?: boolean;
  payload?: Uint8Array | string;
  /** The form of the length: 7, 16 or 64 bits; the shortest unless given. */
  form?: 7 | 16 | 64;
}

const key = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);
const bytesOf = (payload: Uint8Array | string = "") =>
  typeof payload === "string" ? new TextEncoder().encode(payload) : payload;

/** The bytes of a frame (RFC 6455 §5.2), whether it may be or not. */
function bytes({ opcode, fin = true, rsv = 0, masked = true, payload, form }: Frame): Uint8Array {
  const data = bytesOf(payload);
  const { length } = data;
  const bits = form ?? (length < 126 ? 7 : length < 65_536 ? 16 : 64);
  const extended = new Uint8Array(bits === 7 ? 0 : bits / 8);
  if (bits === 16) new DataView(extended.buffer).setUint16(0, length);
  if (bits === 64) new DataView(extended.buffer).setBigUint64(0, BigInt(length));
  const first = (fin ? 0x80 : 0) | rsv << 4 | opcode;
  const second = (masked ? 0x80 : 0) | (bits === 7 ? length : bits === 16 ? 126 : 127);
  const body = masked ? data.map((byte, at) => byte ^ key[at % 4]!) : data;
  return Uint8Array.of(first, second, ...extended, ...(masked ? key : []), ...body);
}

/** What a server receives of frames that come whole, or byte by byte; the code if it refuses. */
async function read(frames: (Frame | Uint8Array)[], byByte = false): Promise<Received[] | number> {
  const all = Buffer.concat(frames.map((one) => one instanceof Uint8Array ? one : bytes(one)));
  const written: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  const closed = new Promise((resolve) => stream.on("close", resolve));
  const none = new Uint8Array();
  const webSocket = upgrade("dGhlIHNhbXBsZSBub25jZQ==", stream as unknown as Socket, none); // Its part.
  const found: Received[] = [];
  let isBroken = false;
  webSocket.on("message", (text) => found.push({ type: "message", text: text.toString() }));
  webSocket.on("ping", (payload) => found.push({ type: "ping", payload: Buffer.from(payload) }));
  webSocket.on("pong", () => found.push({ type: "pong" }));
  webSocket.on("error", () => isBroken = true);
  for (const chunk of byByte ? [...all].map((byte) => Buffer.of(byte)) : [all]) stream.push(chunk);
  await new Promise((resolve) => setImmediate(resolve)); // All that was pushed is read by then.
  stream.push(null);
  await closed;
  const answer = Buffer.concat(written);
  const frame = answer.subarray(answer.indexOf("\r\n\r\n") + 4);
  if (frame.length === 0) return found;
  assert.equal(frame[0], 0x80 | close);
  const code = frame[1] === 0 ? 1005 : frame.readUInt16BE(2);
  return isBroken ? code : [...found, { type: "close", code }];
}

/** Whether a message is said to be on its way behind frames that come byte by byte. */
function isPartial(frames: (Frame | Uint8Array)[]): boolean {
  const progress = followMessages();
  for (const one of frames) {
    for (const byte of one instanceof Uint8Array ? one : bytes(one)) {
      progress.take(Uint8Array.of(byte));
    }
  }
  return progress.partial;
}

async function check(
  frames: (Frame | Uint8Array)[],
  expected: Received[] | number,
  what: string,
) {
  for (const byByte of [false, true]) {
    const found = await read(frames, byByte);
    assert.deepEqual(found, expected, `${what}${byByte ? ", byte by byte" : ""}`);
  }
  if (typeof expected !== "number") assert.equal(isPartial(frames), false, `${what} is complete`);
}

const { protocolError, notUtf8, tooBig } = closeCodes;
const [continuation, text, binary, close, ping, pong] = [0, 1, 2, 8, 9, 10] as const;
const message = (found: string): Received => ({ type: "message", text: found });
const data = (found: string) => Buffer.from(found);

Deno.test("RFC 6455 §5.2: each opcode is read or refused by 1002", async () => {
  const allowed: Record<number, Received> = {
    [text]: message("x"),
    [binary]: message("x"),
    [ping]: { type: "ping", payload: data("x") },
    [pong]: { type: "pong" },
  };
  for (let opcode = 0; opcode < 16; opcode++) {
    if (opcode === close) continue; // A close frame has a code: §5.5.1, below.
    const found = allowed[opcode];
    await check([{ opcode, payload: "x" }], found ? [found] : protocolError, `opcode ${opcode}`);
  }
});

Deno.test("RFC 6455 §5.2: no reserved bit may be set, and a client masks every frame", async () => {
  for (const opcode of [text, binary, close, ping, pong]) {
    for (let rsv = 1; rsv < 8; rsv++) {
      await check([{ opcode, rsv }], protocolError, `${opcode} ${rsv}`);
    }
    await check([{ opcode, masked: false }], protocolError, `opcode ${opcode} without a mask`);
  }
});

Deno.test("RFC 6455 §5.2: a length is read in any form that holds it, without a highest bit", async () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536]) {
    const payload = "x".repeat(length);
    const shortest = length < 126 ? 7 : length < 65_536 ? 16 : 64;
    // A sender has to use the shortest; what a receiver does about another is left open.
    for (const form of [7, 16, 64] as const) {
      if (form < shortest) continue;
      const frame: Frame = { opcode: text, payload, form };
      assert.deepEqual(await read([frame]), [message(payload)], `${length} in ${form}`);
      assert.equal(isPartial([frame]), false);
    }
  }
  const negative = Uint8Array.of(0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1);
  await check([negative], tooBig, "the highest bit of 64");
});

Deno.test("RFC 6455 §5.4: fragments make one message, in order and of one kind", async () => {
  const part = (opcode: number, payload: string, fin = false): Frame => ({ opcode, payload, fin });
  const rows: [string, Frame[], Received[] | number][] = [
    ["two", [part(text, "a"), part(continuation, "b", true)], [message("ab")]],
    ["empty ones", [part(text, ""), part(continuation, ""), part(continuation, "", true)], [
      message(""),
    ]],
    ["of binary", [part(binary, "a"), part(continuation, "b", true)], [message("ab")]],
    ["an end alone", [part(continuation, "a", true)], protocolError],
    ["a middle alone", [part(continuation, "a")], protocolError],
    ["text within text", [part(text, "a"), part(text, "b", true)], protocolError],
    ["binary within text", [part(text, "a"), part(binary, "b", true)], protocolError],
    ["an end twice", [
      part(text, "a"),
      part(continuation, "b", true),
      part(continuation, "c", true),
    ], protocolError],
    ["control between", [
      part(text, "a"),
      part(ping, "p", true),
      part(pong, "", true),
      part(continuation, "b", true),
    ], [{ type: "ping", payload: data("p") }, { type: "pong" }, message("ab")]],
    ["then another message", [
      part(text, "a"),
      part(continuation, "b", true),
      part(text, "c", true),
    ], [message("ab"), message("c")]],
  ];
  for (const [what, frames, expected] of rows) await check(frames, expected, what);
});

Deno.test("RFC 6455 §5.5: control frames are whole, and of at most 125 bytes", async () => {
  for (const opcode of [close, ping, pong]) {
    await check([{ opcode, fin: false }], protocolError, `${opcode} in fragments`);
    await check([{ opcode, payload: "x".repeat(126) }], protocolError, `${opcode} of 126 bytes`);
    await check([{ opcode, form: 16 }], protocolError, `${opcode} with a length of 16 bits`);
  }
  const longest = "x".repeat(125);
  await check(
    [{ opcode: ping, payload: longest }],
    [{ type: "ping", payload: data(longest) }],
    "longest",
  );
});

Deno.test("RFC 6455 §5.5.1, §7.4: a close frame is empty, or has a code that may be sent", async () => {
  const closing = (code: number, reason: Uint8Array | string = ""): Frame => ({
    opcode: close,
    payload: Uint8Array.of(code >> 8, code & 0xff, ...bytesOf(reason)),
  });
  const registered = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014];
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const codes = [...range(0, 1_100), ...range(2_990, 3_010), ...range(4_990, 5_010), 65_535];
  for (const code of codes) {
    const isAllowed = registered.includes(code) || code >= 3000 && code < 5000;
    const expected = isAllowed ? [{ type: "close" as const, code }] : protocolError;
    assert.deepEqual(await read([closing(code)]), expected, `code ${code}`);
  }
  await check([{ opcode: close }], [{ type: "close", code: 1005 }], "no code");
  await check([{ opcode: close, payload: "x" }], protocolError, "half a code");
  await check(
    [closing(1000, "x".repeat(123))],
    [{ type: "close", code: 1000 }],
    "the longest reason",
  );
  await check([closing(1000, "x".repeat(124))], protocolError, "a reason that is too long");
  await check([closing(1000, Uint8Array.of(0xff))], notUtf8, "a reason that is not UTF-8");
});

/** Sequences of RFC 3629 §3 and §4, in hexadecimal digits: those that are UTF-8, and those that are not. */
const valid = [
  "00",
  "7f",
  "c280",
  "dfbf",
  "e0a080",
  "ed9fbf",
  "ee8080",
  "efbfbd",
  "efbfbe",
  "efbfbf",
  "efbbbf61",
  "f0908080",
  "f48fbfbf",
  "ceba0acf8ce1bdb9",
];
const invalid = [
  "80",
  "bf",
  "fe",
  "ff",
  "c0af",
  "c1bf",
  "c0",
  "c328",
  "e08080",
  "e09fbf",
  "eda080",
  "edbfbf",
  "eda080edb080",
  "e28228",
  "e282",
  "f0808080",
  "f08fbfbf",
  "f4908080",
  "f5808080",
  "f0288cbc",
  "f09028bc",
  "f0908cbc80",
  "f0908c",
  "f888808080",
  "fc8480808080",
];

Deno.test("RFC 6455 §8.1: text is UTF-8 in one frame and in any fragments, else 1007", async () => {
  for (
    const [digits, isValid] of [
      ...valid.map((one) => [one, true] as const),
      ...invalid.map((
        one,
      ) => [one, false] as const),
    ]
  ) {
    const payload = Uint8Array.fromHex(digits);
    const expected = isValid ? [message(Buffer.from(payload).toString())] : notUtf8;
    await check([{ opcode: text, payload }], expected, digits);
    for (let at = 0; at <= payload.length; at++) {
      const parts: Frame[] = [
        { opcode: text, fin: false, payload: payload.subarray(0, at) },
        { opcode: continuation, payload: payload.subarray(at) },
      ];
      await check(parts, expected, `${digits} cut at ${at}`);
    }
  }
});

Deno.test("a message is on its way from its first octet until the last of its last frame", () => {
  const parts = [
    ...bytes({ opcode: text, payload: "a".repeat(200), fin: false }),
    ...bytes({ opcode: ping, payload: "p" }),
    ...bytes({ opcode: continuation, fin: false, masked: false, form: 64 }),
    ...bytes({ opcode: pong }),
    ...bytes({ opcode: continuation, payload: "b" }),
  ];
  const whole = Uint8Array.from(parts);
  for (let cut = 1; cut < whole.length; cut++) {
    const progress = followMessages();
    assert.equal(progress.take(whole.subarray(0, cut)), false, `${cut} octets complete it`);
    assert.ok(progress.partial, `${cut} octets are part of it`);
    assert.ok(progress.take(whole.subarray(cut)), `what follows ${cut} octets completes it`);
    assert.equal(progress.partial, false);
    assert.equal(progress.take(Uint8Array.of(...whole, ...whole.subarray(0, cut))), true);
    assert.ok(progress.partial, `${cut} octets behind another are part of one`);
  }
});

Deno.test("RFC 6455 §10.4: a message longer than messageBytes is refused by 1009 at its head", async () => {
  const most = sipLimits.messageBytes;
  const head = bytes({ opcode: text, payload: "x".repeat(most + 1) }).subarray(0, 10);
  assert.equal(await read([head]), tooBig);
  const begun: Frame = { opcode: text, fin: false, payload: "x".repeat(most) };
  assert.equal(await read([begun, { opcode: continuation, payload: "x" }]), tooBig);
  assert.deepEqual(await read([begun, { opcode: continuation }]), [message("x".repeat(most))]);
});

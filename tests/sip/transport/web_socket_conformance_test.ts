import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sipLimits } from "../../../sip/base/limits.ts";
import {
  closeCodes,
  createFrameReader,
  FrameError,
  type Received,
} from "../../../sip/transport/web_socket_frames.ts";

/** The rules of RFC 6455 for what a server reads, as tables: each row is written as bytes here. */

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

/** What a server reads of frames that come whole, or byte by byte; the close code where it refuses. */
function read(frames: (Frame | Uint8Array)[], byByte = false): Received[] | number {
  const all = Buffer.concat(frames.map((one) => one instanceof Uint8Array ? one : bytes(one)));
  const reader = createFrameReader({ masked: true });
  const found: Received[] = [];
  const chunks = byByte ? [...all].map((byte) => Buffer.of(byte)) : [all];
  try {
    for (const chunk of chunks) {
      reader.add(chunk);
      for (let one = reader.next(); one !== undefined; one = reader.next()) found.push(one);
    }
    return found;
  } catch (error) {
    if (error instanceof FrameError) return error.code;
    throw error;
  }
}

function check(frames: (Frame | Uint8Array)[], expected: Received[] | number, what: string) {
  for (const byByte of [false, true]) {
    assert.deepEqual(read(frames, byByte), expected, `${what}${byByte ? ", byte by byte" : ""}`);
  }
}

const { protocolError, notUtf8, tooBig } = closeCodes;
const [continuation, text, binary, close, ping, pong] = [0, 1, 2, 8, 9, 10] as const;
const message = (found: string): Received => ({ type: "message", text: found });
const data = (found: string) => Buffer.from(found);

Deno.test("RFC 6455 §5.2: each opcode is read or refused by 1002", () => {
  const allowed: Record<number, Received> = {
    [text]: message("x"),
    [binary]: message("x"),
    [ping]: { type: "ping", payload: data("x") },
    [pong]: { type: "pong" },
  };
  for (let opcode = 0; opcode < 16; opcode++) {
    if (opcode === close) continue; // A close frame has a code: §5.5.1, below.
    const found = allowed[opcode];
    check([{ opcode, payload: "x" }], found ? [found] : protocolError, `opcode ${opcode}`);
  }
});

Deno.test("RFC 6455 §5.2: no reserved bit may be set, and a client masks every frame", () => {
  for (const opcode of [text, binary, close, ping, pong]) {
    for (let rsv = 1; rsv < 8; rsv++) check([{ opcode, rsv }], protocolError, `${opcode} ${rsv}`);
    check([{ opcode, masked: false }], protocolError, `opcode ${opcode} without a mask`);
  }
});

Deno.test("RFC 6455 §5.2: a length has its shortest form, and no highest bit", () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536]) {
    const payload = "x".repeat(length);
    const shortest = length < 126 ? 7 : length < 65_536 ? 16 : 64;
    for (const form of [7, 16, 64] as const) {
      if (form < shortest) continue;
      const expected = form === shortest ? [message(payload)] : protocolError;
      assert.deepEqual(read([{ opcode: text, payload, form }]), expected, `${length} in ${form}`);
    }
  }
  const negative = Uint8Array.of(0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1);
  check([negative], protocolError, "the highest bit of 64");
});

Deno.test("RFC 6455 §5.4: fragments make one message, in order and of one kind", () => {
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
  for (const [what, frames, expected] of rows) check(frames, expected, what);
});

Deno.test("RFC 6455 §5.5: control frames are whole, and of at most 125 bytes", () => {
  for (const opcode of [close, ping, pong]) {
    check([{ opcode, fin: false }], protocolError, `${opcode} in fragments`);
    check([{ opcode, payload: "x".repeat(126) }], protocolError, `${opcode} of 126 bytes`);
    check([{ opcode, form: 16 }], protocolError, `${opcode} with a length of 16 bits`);
  }
  const longest = "x".repeat(125);
  check(
    [{ opcode: ping, payload: longest }],
    [{ type: "ping", payload: data(longest) }],
    "longest",
  );
});

Deno.test("RFC 6455 §5.5.1, §7.4: a close frame is empty, or has a code that may be sent", () => {
  const closing = (code: number, reason: Uint8Array | string = ""): Frame => ({
    opcode: close,
    payload: Uint8Array.of(code >> 8, code & 0xff, ...bytesOf(reason)),
  });
  const registered = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014];
  for (let code = 0; code < 65_536; code++) {
    const isAllowed = registered.includes(code) || code >= 3000 && code < 5000;
    const expected = isAllowed ? [{ type: "close" as const, code }] : protocolError;
    assert.deepEqual(read([closing(code)]), expected, `code ${code}`);
  }
  check([{ opcode: close }], [{ type: "close", code: 1005 }], "no code");
  check([{ opcode: close, payload: "x" }], protocolError, "half a code");
  check([closing(1000, "x".repeat(123))], [{ type: "close", code: 1000 }], "the longest reason");
  check([closing(1000, "x".repeat(124))], protocolError, "a reason that is too long");
  check([closing(1000, Uint8Array.of(0xff))], notUtf8, "a reason that is not UTF-8");
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

Deno.test("RFC 6455 §8.1: text is UTF-8 in one frame and in any fragments, else 1007", () => {
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
    check([{ opcode: text, payload }], expected, digits);
    for (let at = 0; at <= payload.length; at++) {
      const parts: Frame[] = [
        { opcode: text, fin: false, payload: payload.subarray(0, at) },
        { opcode: continuation, payload: payload.subarray(at) },
      ];
      check(parts, expected, `${digits} cut at ${at}`);
    }
  }
});

Deno.test("RFC 6455 §8.1: a fragment that can be no part of UTF-8 is refused before the last", () => {
  const broken = Uint8Array.of(0x61, 0xff);
  check([{ opcode: text, fin: false, payload: broken }], notUtf8, "the first fragment");
  const parts: Frame[] = [
    { opcode: text, fin: false, payload: Uint8Array.of(0xe2) },
    { opcode: continuation, fin: false, payload: Uint8Array.of(0x28) },
  ];
  check(parts, notUtf8, "a character that ends wrongly in the second");
});

Deno.test("RFC 6455 §10.4: a message longer than messageBytes is refused by 1009 at its head", () => {
  const most = sipLimits.messageBytes;
  const head = bytes({ opcode: text, payload: "x".repeat(most + 1) }).subarray(0, 10);
  assert.equal(read([head]), tooBig);
  const begun: Frame = { opcode: text, fin: false, payload: "x".repeat(most) };
  assert.equal(read([begun, { opcode: continuation, payload: "x" }]), tooBig);
  assert.deepEqual(read([begun, { opcode: continuation }]), [message("x".repeat(most))]);
});

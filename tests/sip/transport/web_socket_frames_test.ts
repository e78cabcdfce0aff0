import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sipLimits } from "../../../sip/base/limits.ts";
import {
  closeCodes,
  closePayload,
  createFrameReader,
  FrameError,
  opcodes,
  type Received,
  writeFrame,
} from "../../../sip/transport/web_socket_frames.ts";

/** What a server reads out of bytes, given in chunks. */
function readAll(...chunks: Uint8Array[]): Received[] {
  const reader = createFrameReader({ masked: true });
  const found: Received[] = [];
  for (const chunk of chunks) {
    reader.add(Buffer.from(chunk));
    for (let one = reader.next(); one !== undefined; one = reader.next()) found.push(one);
  }
  return found;
}

const frame = (payload: string | Uint8Array, opcode: number = opcodes.text) =>
  writeFrame(opcode, payload, { masked: true });

/** A frame that is not the last of its message. */
function begun(payload: string, opcode: number = opcodes.text): Buffer {
  const whole = frame(payload, opcode);
  whole[0]! &= 0x7f;
  return whole;
}

const message = (text: string): Received => ({ type: "message", text });

for (const size of [0, 125, 126, 65_535, 65_536]) {
  Deno.test(`createFrameReader() reads what writeFrame() wrote, of ${size} bytes`, () => {
    const text = "é".repeat(size / 2) + "x".repeat(size % 2);
    const reader = createFrameReader({ masked: false });
    reader.add(writeFrame(opcodes.text, text, { masked: false }));

    assert.deepEqual(reader.next(), message(text));
    assert.deepEqual(readAll(frame(text)), [message(text)]);
    assert.equal(reader.partial, false);
  });
}

Deno.test("createFrameReader() reads frames that come together or byte by byte", () => {
  const bytes = Buffer.concat([frame("zwölf"), frame("", opcodes.pong), frame("x".repeat(300))]);
  const expected = [message("zwölf"), { type: "pong" }, message("x".repeat(300))];

  assert.deepEqual(readAll(bytes), expected);
  assert.deepEqual(readAll(...[...bytes].map((byte) => Uint8Array.of(byte))), expected);
});

Deno.test("createFrameReader() takes control frames between the frames of a message", () => {
  const [first, last] = [Buffer.from("zwö").subarray(0, 3), Buffer.from("zwö").subarray(3)];
  const begin = frame(first);
  begin[0]! &= 0x7f;

  const found = readAll(
    begin,
    frame("are you there", opcodes.ping),
    begun("", opcodes.continuation),
    frame(last, opcodes.continuation),
    frame("next"),
  );

  const ping = { type: "ping", payload: Buffer.from("are you there") };
  assert.deepEqual(found, [ping, message("zwö"), message("next")]);
});

Deno.test("createFrameReader() reads the codes that may close", () => {
  const codeOf = (payload: Uint8Array) => readAll(frame(payload, opcodes.close));

  for (const code of [1000, 1001, 1003, 1007, 1014, 3000, 4999]) {
    assert.deepEqual(codeOf(closePayload(code)), [{ type: "close", code }]);
  }
  assert.deepEqual(codeOf(closePayload(closeCodes.none)), [{ type: "close", code: 1005 }]);
});

const closing = (...bytes: number[]) => frame(Uint8Array.from(bytes), opcodes.close);
const { protocolError, notUtf8, tooBig } = closeCodes;
const half = sipLimits.messageBytes / 2;
const broken: Record<string, [code: number, ...chunks: Uint8Array[]]> = {
  "that is not masked": [protocolError, writeFrame(opcodes.text, "x", { masked: false })],
  "with reserved bits": [protocolError, Uint8Array.of(0xc1, 0x80)],
  "of an unknown opcode": [protocolError, Uint8Array.of(0x83, 0x80)],
  "of an unknown control opcode": [protocolError, Uint8Array.of(0x8b, 0x80)],
  "of control that is too long": [protocolError, Uint8Array.of(0x89, 0xfe)],
  "of control that is fragmented": [protocolError, begun("", opcodes.ping)],
  "that continues nothing": [protocolError, frame("x", opcodes.continuation)],
  "that begins inside a message": [protocolError, begun("x"), frame("y")],
  "with half a close code": [protocolError, closing(3)],
  "with a close code that stands for none": [protocolError, closing(0x03, 0xed)],
  "with a close code of nobody": [protocolError, closing(0x07, 0xd0)],
  "with a close reason that is no text": [notUtf8, closing(0x03, 0xe8, 0xff)],
  "with text that is no UTF-8": [notUtf8, frame(Uint8Array.of(0x61, 0xc3, 0x28))],
  "with text cut inside a character": [notUtf8, frame(Uint8Array.of(0x61, 0xc3))],
  "of one byte too many": [tooBig, Uint8Array.of(0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 1)],
  "of more than a number holds": [tooBig, Uint8Array.of(0x81, 0xff, 0x7f, ...Array(7).fill(0xff))],
  "that makes its message too long": [
    tooBig,
    begun("x".repeat(half)),
    frame("x".repeat(half + 1), opcodes.continuation).subarray(0, 10),
  ],
};

for (const [what, [code, ...chunks]] of Object.entries(broken)) {
  Deno.test(`createFrameReader() gives up at a frame ${what}`, () => {
    assert.throws(
      () => readAll(...chunks),
      (error) => error instanceof FrameError && error.code === code,
    );
  });
}

Deno.test("createFrameReader() takes a message in frames as long as one may be", () => {
  const found = readAll(begun("x".repeat(half)), frame("x".repeat(half), opcodes.continuation));

  assert.deepEqual(found, [message("x".repeat(sipLimits.messageBytes))]);
});

Deno.test("createFrameReader() refuses a masked frame of a server", () => {
  const reader = createFrameReader({ masked: false });
  reader.add(frame("x"));

  assert.throws(() => reader.next(), FrameError);
});

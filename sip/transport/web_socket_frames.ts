import { Buffer, isUtf8 } from "node:buffer";
import { randomFillSync } from "node:crypto";
import { sipLimits } from "../base/limits.ts";
import { createByteBuffer } from "../base/byte_buffer.ts";
import { storeText } from "../base/stored_text.ts";

/** What a frame is for (RFC 6455 §5.2). */
export const opcodes = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

/** Why a WebSocket is closed (RFC 6455 §7.4.1). */
export const closeCodes = {
  goingAway: 1001,
  protocolError: 1002,
  /** Never sent: the close frame has no code. */
  none: 1005,
  notUtf8: 1007,
  policy: 1008,
  tooBig: 1009,
  internalError: 1011,
} as const;

/** Frames that break the rules; the WebSocket ends with this code. */
export class FrameError extends Error {
  override readonly name = "FrameError";
  constructor(readonly code: number, why: string) {
    super(`Cannot read a WebSocket frame: ${why}`);
  }
}

/** What a WebSocket brought: a whole message, or a control frame. */
export type Received =
  | { type: "message"; text: string }
  | { type: "ping"; payload: Uint8Array }
  | { type: "pong" }
  | { type: "close"; code: number };

/** Cuts a stream of bytes into messages and control frames (RFC 6455 §5). */
export interface FrameReader {
  add(chunk: Uint8Array): void;
  /** The next that is whole; throws FrameError as soon as the head of a frame says it may not be. */
  next(): Received | undefined;
  /** Whether a frame, or a message of several, has begun and is not whole yet. */
  readonly partial: boolean;
  /** The same of the message alone. */
  readonly assembling: boolean;
}

interface Head {
  opcode: number;
  last: boolean;
  /** Of the head itself, and of what follows it. */
  size: number;
  length: number;
}

/** `masked` is whether the peer has to mask, as a client has, or must not (§5.1). */
export const createFrameReader = ({ masked }: { masked: boolean }): FrameReader =>
  new BufferedReader(masked);

/** A class, since getters of a literal would give each reader a hidden class of its own. */
class BufferedReader implements FrameReader {
  readonly #masked: boolean;
  readonly #bytes = createByteBuffer();
  /** What came of a message in several frames, and its first opcode. */
  readonly #fragments = createByteBuffer();
  #began: number | undefined;
  /** Of the fragments of a text. */
  #decoder: TextDecoder | undefined;
  /** Whether the latest payload is known to be: then it is text at a fifth of the cost. */
  #isAscii = false;

  constructor(masked: boolean) {
    this.#masked = masked;
  }
  get partial() {
    return this.#began !== undefined || this.#bytes.held.length > 0;
  }
  get assembling() {
    return this.#began !== undefined;
  }
  add(chunk: Uint8Array) {
    this.#bytes.add(chunk);
  }
  next() {
    for (;;) {
      const { held } = this.#bytes;
      const head = readHead(held, this.#masked);
      if (head === undefined) return undefined;
      checkData(head, this.#began, this.#fragments.held.length);
      if (held.length < head.size + head.length) return undefined;
      const payload = this.#take(head);
      if (isControl(head.opcode)) return readControl(head.opcode, payload);
      const message = this.#assemble(head, payload);
      if (message !== undefined) return message;
    }
  }
  /** The payload of the next frame, unmasked where it lies. */
  #take({ size, length }: Head): Buffer {
    const { held } = this.#bytes;
    const payload = held.subarray(size, size + length);
    this.#isAscii = this.#masked && mask(payload, held.readInt32BE(size - 4));
    this.#bytes.drop(size + length);
    return payload;
  }
  /** A character may go on in the next fragment; what can be no part of one ends here (§8.1). */
  #checkFragment(payload: Buffer, last: boolean): void {
    this.#decoder ??= new TextDecoder("utf-8", { fatal: true });
    try {
      this.#decoder.decode(payload, { stream: !last });
    } catch {
      throw notUtf8("a fragment");
    }
    if (last) this.#decoder = undefined;
  }
  /** The message, when this frame is its last. */
  #assemble({ opcode, last }: Head, payload: Buffer): Received | undefined {
    const first = this.#began ?? opcode;
    if (last && this.#began === undefined) return readMessage(first, payload, this.#isAscii);
    if (payload.length > 0) this.#fragments.add(payload);
    if (first === opcodes.text) this.#checkFragment(payload, last);
    this.#began = last ? undefined : first;
    if (!last) return undefined;
    const whole = this.#fragments.held;
    this.#fragments.drop(whole.length);
    return readMessage(first, whole, false);
  }
}

/** Of its payload, and what stands for a length of 16 bits; the one of 64 is next (§5.2). */
const longestControl = 125;
const long16 = 126;
const long64 = 127;

const isControl = (opcode: number) => opcode >= opcodes.close;
const known: ReadonlySet<number> = new Set(Object.values(opcodes));

const wrong = (why: string) => new FrameError(closeCodes.protocolError, why);
const notUtf8 = (what: string) => new FrameError(closeCodes.notUtf8, `${what} is not UTF-8`);

/** The head of a frame (§5.2), once its length is there; what is wrong before throws. */
function readHead(held: Buffer, masked: boolean): Head | undefined {
  if (held.length < 2) return undefined;
  const first = held.readUInt8(0);
  const second = held.readUInt8(1);
  const opcode = first & 0x0f;
  const short = second & 0x7f;
  const last = (first & 0x80) !== 0;
  if ((first & 0x70) !== 0) throw wrong("a reserved bit is set");
  if (!known.has(opcode)) throw wrong(`there is no opcode ${opcode}`);
  if (((second & 0x80) !== 0) !== masked) throw wrong(masked ? "it is not masked" : "it is masked");
  if (isControl(opcode) && short > longestControl) throw wrong("a control frame is too long");
  if (isControl(opcode) && !last) throw wrong("a control frame is fragmented");
  const lengthEnd = short < long16 ? 2 : short === long16 ? 4 : 10;
  if (held.length < lengthEnd) return undefined;
  const size = lengthEnd + (masked ? 4 : 0);
  const length = short < long16 ? short : longLength(held, lengthEnd);
  return { opcode, last, size, length };
}

/** A length of 16 or 64 bits; the shortest form that holds it is the one that may be (§5.2). */
function longLength(held: Buffer, lengthEnd: number): number {
  if (lengthEnd === 10 && (held[2]! & 0x80) !== 0) {
    throw wrong("the highest bit of its length is set");
  }
  const length = lengthEnd === 4
    ? held.readUInt16BE(2)
    : held.readUInt32BE(2) * 2 ** 32 + held.readUInt32BE(6);
  if (lengthEndOf(length) !== lengthEnd) throw wrong("its length is not in the shortest form");
  return length;
}

function checkData({ opcode, length }: Head, began: number | undefined, heldBytes: number): void {
  // These may come between the frames of a message (§5.4).
  if (isControl(opcode)) return;
  if (opcode === opcodes.continuation && began === undefined) throw wrong("it continues nothing");
  if (opcode !== opcodes.continuation && began !== undefined) throw wrong("a message is not over");
  if (heldBytes + length > sipLimits.messageBytes) {
    throw new FrameError(closeCodes.tooBig, "the message is too long");
  }
}

/** Text has to be UTF-8 (§8.1); in binary, where no rule says so, what is not is replaced. */
function readMessage(opcode: number, payload: Buffer, isAscii: boolean): Received {
  if (isAscii) return { type: "message", text: payload.toString("latin1") };
  if (opcode === opcodes.text && !isUtf8(payload)) throw notUtf8("its text");
  return { type: "message", text: payload.toString("utf8") };
}

function readControl(opcode: number, payload: Buffer): Received {
  if (opcode === opcodes.ping) return { type: "ping", payload };
  if (opcode === opcodes.pong) return { type: "pong" };
  if (payload.length === 0) return { type: "close", code: closeCodes.none };
  if (payload.length === 1) throw wrong("half a close code");
  const code = payload.readUInt16BE(0);
  if (!mayClose(code)) throw wrong(`${code} closes nothing`);
  if (!isUtf8(payload.subarray(2))) throw notUtf8("its reason");
  return { type: "close", code };
}

/** The codes that stand in close frames, by the registry and for private use (§7.4). */
const mayClose = (code: number) =>
  code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code) || code >= 3000 && code < 5000;

/** One frame with all of a message; only a client masks. */
export function writeFrame(
  opcode: number,
  payload: string | Uint8Array,
  { masked }: { masked: boolean },
): Buffer {
  if (typeof payload === "string" && !masked) return writeText(opcode, payload);
  const length = typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
  const lengthEnd = lengthEndOf(length);
  const start = lengthEnd + (masked ? 4 : 0);
  const frame = Buffer.allocUnsafe(start + length);
  writeHead(frame, opcode, length);
  if (typeof payload === "string") frame.write(payload, start);
  else frame.set(payload, start);
  if (!masked) return frame;
  frame[1]! |= 0x80;
  randomFillSync(frame, lengthEnd, 4);
  mask(frame.subarray(start), frame.readInt32BE(lengthEnd));
  return frame;
}

/** Of most frames: the text is written once, and its length is known by then. */
function writeText(opcode: number, text: string): Buffer {
  const { slab, from, end } = storeText(text, lengthEndOf(Infinity));
  const length = end - from;
  const frame = slab.subarray(from - lengthEndOf(length), end);
  writeHead(frame, opcode, length);
  return frame;
}

const lengthEndOf = (length: number): number => length < long16 ? 2 : length < 1 << 16 ? 4 : 10;

function writeHead(frame: Buffer, opcode: number, length: number): void {
  const lengthEnd = lengthEndOf(length);
  frame[0] = 0x80 | opcode;
  frame[1] = lengthEnd === 2 ? length : lengthEnd === 4 ? long16 : long64;
  if (lengthEnd === 4) frame.writeUInt16BE(length, 2);
  else if (lengthEnd === 10) frame.writeBigUInt64BE(BigInt(length), 2);
}

/** The payload of a close frame. */
export const closePayload = (code: number): Uint8Array =>
  code === closeCodes.none ? new Uint8Array() : Uint8Array.of(code >> 8, code & 0xff);

/** Masks, or unmasks, with the key in network order (§5.3); tells whether the result is ASCII. */
function mask(payload: Uint8Array, key: number): boolean {
  const { buffer, byteOffset, length } = payload;
  const words = new DataView(buffer, byteOffset, length);
  const whole = length & ~3;
  let seen = 0;
  for (let i = 0; i < whole; i += 4) {
    const word = words.getInt32(i) ^ key;
    words.setInt32(i, word);
    seen |= word;
  }
  let turned = key;
  for (let i = whole; i < length; i++) {
    turned = turned << 8 | turned >>> 24;
    seen |= (payload[i]! ^= turned) & 0xff;
  }
  return (seen & 0x80808080) === 0;
}

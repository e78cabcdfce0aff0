import assert from "node:assert/strict";
import { concat } from "../../sip/media/webrtc/dtls_bytes.ts";
import { sipLimits } from "../../sip/base/limits.ts";
import {
  createFrameReader,
  FrameError,
  type Received,
} from "../../sip/transport/web_socket_frames.ts";
import { opcodes } from "../support/sip/raw_websocket.ts";
import { bytesOf, mutateBytes, once, pick, type Random } from "./generator.ts";
import type { Target } from "./target.ts";

/** Frames of WebSockets: what they bring does not depend on how a stream is cut, or ends with a code. */

interface Frame {
  opcode: number;
  last?: boolean;
  payload: Uint8Array;
}

const encode = (text: string) => new TextEncoder().encode(text);

function masked({ opcode, last = true, payload }: Frame, random: Random): Uint8Array {
  const mask = bytesOf(random, 4);
  const { length } = payload;
  const size = length < 126
    ? [length]
    : length < 65_536
    ? [126, length >> 8, length & 0xff]
    : [127, 0, 0, 0, 0, 0, length >> 16, length >> 8 & 0xff, length & 0xff];
  const body = payload.map((byte, i) => byte ^ mask[i % 4]!);
  return concat(
    Uint8Array.of((last ? 0x80 : 0) | opcode, 0x80 | size[0]!, ...size.slice(1)),
    mask,
    body,
  );
}

/** A text in one frame or several, with control frames in between, and what is received of it. */
function conversation(random: Random) {
  const frames: Frame[] = [];
  const expected: Received[] = [];
  const ping = () => {
    const payload = bytesOf(random, random(20));
    frames.push({ opcode: opcodes.ping, payload });
    expected.push({ type: "ping", payload });
  };
  for (let count = random(5); count > 0; count--) {
    const word = pick(random, ["x", "é漢\u{1f4de}", "OPTIONS "]);
    const most = once(random, 9) ? sipLimits.messageBytes / encode(word).length : 60;
    const text = word.repeat(random(Math.floor(most) + 1));
    const bytes = encode(text);
    const parts = 1 + random(4);
    for (let i = 0; i < parts; i++) {
      const [from, to] = [i, i + 1].map((part) => Math.floor(bytes.length * part / parts));
      if (once(random, 5)) ping();
      frames.push({
        opcode: i > 0 ? opcodes.continuation : once(random, 4) ? opcodes.binary : opcodes.text,
        last: i === parts - 1,
        payload: bytes.slice(from, to),
      });
    }
    expected.push({ type: "message", text });
  }
  return { frames, expected };
}

/** Everything received of a stream that comes in chunks, and the code that ended it. */
function read(chunks: Uint8Array[]): { received: Received[]; code?: number } {
  const reader = createFrameReader({ masked: true });
  const received: Received[] = [];
  try {
    for (const chunk of chunks) {
      reader.add(chunk.slice());
      for (let next = reader.next(); next; next = reader.next()) {
        // What it holds is lent, and may be written over.
        received.push(next.type === "ping" ? { ...next, payload: next.payload.slice() } : next);
        if (next.type === "message") {
          assert.ok(
            encode(next.text).length <= 3 * sipLimits.messageBytes,
            "a message is too long",
          );
        }
      }
    }
  } catch (error) {
    assert.ok(error instanceof FrameError, `it throws ${error}`);
    assert.ok(error.code >= 1000 && error.code < 1012, `it closes by ${error.code}`);
    return { received, code: error.code };
  }
  return { received };
}

function cut(bytes: Uint8Array, random: Random): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(pick(random, [2, 20, 2_000]));
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const plain = (received: Received[]) =>
  received.map((each) =>
    each.type === "ping" ? `ping ${each.payload.toHex()}` : JSON.stringify(each)
  );

export const target: Target = {
  run(random) {
    const { frames, expected } = conversation(random);
    const stream = concat(...frames.map((frame) => masked(frame, random)));
    const whole = read(cut(stream, random));
    assert.deepEqual(plain(whole.received), plain(expected));
    assert.equal(whole.code, undefined);

    const broken = mutateBytes(stream, random);
    const [atOnce, inPieces] = [read([broken]), read(cut(broken, random))];
    assert.deepEqual(plain(atOnce.received), plain(inPieces.received));
    assert.equal(atOnce.code, inPieces.code);
  },
};

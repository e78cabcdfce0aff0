import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import { countFrames, type FrameGate, gateFrames } from "../../../core/base/frame_gate.ts";

/** A frame of RFC 6455 with a payload of so many bytes, masked as those of clients are. */
function frameOf(length: number, { opcode = 0x81, masked = false } = {}): Uint8Array {
  const mask = masked ? 0x80 : 0;
  const head = length < 126
    ? [mask | length]
    : length < 65_536
    ? [mask | 126, length >> 8, length & 0xff]
    : [
      mask | 127,
      0,
      0,
      0,
      0,
      length >>> 24,
      length >> 16 & 0xff,
      length >> 8 & 0xff,
      length & 0xff,
    ];
  const bytes = new Uint8Array(1 + head.length + (masked ? 4 : 0) + length);
  bytes.set([opcode, ...head]);
  return bytes;
}

const joined = (parts: Uint8Array[]): Uint8Array => new Uint8Array(parts.flatMap((p) => [...p]));

Deno.test("countFrames() finds every frame, however its bytes are cut", () => {
  const lengths = [0, 1, 125, 126, 500, 65_535, 65_536, 70_000, 0, 0];
  for (const masked of [false, true]) {
    const stream = joined(lengths.map((length) => frameOf(length, { masked })));
    for (const piece of [1, 2, 3, 7, 1_000, stream.length]) {
      const counter = countFrames();
      let frames = 0;
      for (let at = 0; at < stream.length; at += piece) {
        const taken = counter.take(stream.subarray(at, at + piece), 100);
        frames += taken.frames;
        assert.equal(taken.bytes, Math.min(piece, stream.length - at));
      }
      assert.equal(frames, lengths.length);
    }
  }
});

Deno.test("take() stops before the frame that is one too many", () => {
  const counter = countFrames();
  const stream = joined([10, 0, 200, 5].map((length) => frameOf(length)));

  assert.deepEqual(counter.take(stream, 0), { bytes: 0, frames: 0 });
  assert.deepEqual(counter.take(stream, 2), { bytes: 12 + 2, frames: 2 });
  assert.deepEqual(counter.take(stream.subarray(14, 20), 1), { bytes: 6, frames: 1 });
  // What goes on of a frame that has begun is no frame more.
  assert.deepEqual(counter.take(stream.subarray(20), 0), { bytes: 198, frames: 0 });
});

/** A socket whose bytes the test sends, and the frames that pass. */
function gated(pace: { framesPerS: number; burstFrames: number; bytesPerS?: number }) {
  const socket = new EventEmitter() as EventEmitter & Socket;
  const passed: number[] = [];
  let calls: number[] = [];
  const counter = countFrames();
  socket.on("data", (bytes: Uint8Array) => {
    const { frames } = counter.take(bytes, Infinity);
    passed.push(...Array(frames).fill(clock.now));
    calls.push(frames);
  });
  const clock = { now: 0 };
  let isPaused = false;
  const webSocket = { pause: () => void (isPaused = true), resume: () => void (isPaused = false) };
  const bounds = { bytesPerS: 1 << 20, burstBytes: 8 << 20, ...pace };
  const gate: FrameGate = gateFrames(webSocket, socket, bounds, { now: () => clock.now });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    socket,
    passed,
    gate,
    clock,
    isPaused: () => isPaused,
    turn,
    takeCalls: () => [calls, calls = []][0]!,
  };
}

for (
  const [what, frame] of [
    ["marks", new TextEncoder().encode('..{"event":"mark","mark":{"name":"1"}}')],
    ["pings", frameOf(0, { opcode: 0x89 })],
    ["empty fragments", frameOf(0, { opcode: 0x00 })],
  ] as const
) {
  Deno.test(`gateFrames() hands on few ${what} in a turn, and lets the peer wait`, async () => {
    if (what === "marks") frame.set([0x81, frame.length - 2]);
    const { socket, passed, gate, isPaused, turn, takeCalls } = gated({
      framesPerS: 200,
      burstFrames: 1_000,
    });

    socket.emit("data", joined(Array(2_000).fill(frame)));
    const inOneTurn = passed.length;
    for (let i = 0; i < 200; i++) await turn();

    assert.ok(inOneTurn <= 32, `${inOneTurn} in a turn`);
    assert.ok(takeCalls().every((frames) => frames <= 32));
    assert.equal(passed.length, 1_000, "the burst, and no more while time stands still");
    assert.ok(isPaused());
    assert.equal(gate.heldMs, 0, "it has waited for no time yet");
    socket.emit("close");
  });
}

Deno.test("a peer that keeps to its pace never waits, and gets its order", async () => {
  const { socket, passed, gate, clock, isPaused, turn } = gated({
    framesPerS: 200,
    burstFrames: 400,
  });

  for (let i = 0; i < 1_000; i++) {
    clock.now += 20;
    socket.emit("data", frameOf(300));
    assert.equal(passed.length, i + 1);
  }
  socket.emit("data", joined(Array(100).fill(frameOf(300))));
  while (passed.length < 1_100) await turn();

  assert.equal(gate.heldMs, 0);
  assert.equal(isPaused(), false);
});

Deno.test("gateFrames() gives nothing on once the socket is closed", async () => {
  const { socket, passed, turn } = gated({ framesPerS: 200, burstFrames: 1_000 });

  socket.emit("data", joined(Array(500).fill(frameOf(1))));
  socket.emit("close");
  const before = passed.length;
  for (let i = 0; i < 20; i++) await turn();

  assert.equal(passed.length, before);
});

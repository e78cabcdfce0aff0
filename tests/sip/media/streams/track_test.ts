import assert from "node:assert/strict";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import { createTrackFrames } from "../../../../sip/media/streams/track.ts";

/** A track with a clock that the test moves; the first sample of each frame stands for it. */
function lab() {
  let now = 0;
  const frames: number[] = [];
  const track = createTrackFrames({ onFrame: (frame) => frames.push(frame[0]!), now: () => now });
  const packet = (sequence: number, samples = 160, value = 10_000 + sequence) => {
    const pcm: Pcm = Int16Array.from({ length: samples }, (_, i) => i % 2 === 0 ? value : -value);
    track.packet({ ssrc: 1, sequence }, () => pcm);
  };
  return {
    frames,
    packet,
    track,
    pass(ms: number) {
      for (const until = now + ms; now < until;) {
        now += 20;
        track.tick();
      }
    },
    at: (ms: number) => now = ms,
  };
}

Deno.test("createTrackFrames() hands on a packet as soon as it comes", () => {
  const { frames, packet } = lab();

  packet(1);
  packet(2);

  assert.deepEqual(frames, [10_001, 10_002]);
});

Deno.test("createTrackFrames() puts packets into their order, and leaves out what comes twice", () => {
  const { frames, packet } = lab();

  for (const sequence of [1, 3, 2, 2, 4, 1]) packet(sequence);

  assert.deepEqual(frames, [10_001, 10_002, 10_003, 10_004]);
});

Deno.test("createTrackFrames() conceals a packet that is lost, once two more have come", () => {
  const { frames, packet } = lab();

  packet(65_535);
  packet(1);
  packet(2);
  assert.equal(frames.length, 1);
  packet(3);

  assert.equal(frames.length, 5);
  assert.notEqual(frames[1], 0);
});

Deno.test("createTrackFrames() cuts packets of any length into frames", () => {
  const { frames, packet } = lab();

  for (let sequence = 1; sequence <= 4; sequence++) packet(sequence, 240);

  assert.equal(frames.length, 6);
});

Deno.test("createTrackFrames() has silence stand for a time in which nothing comes", () => {
  const { frames, packet, pass } = lab();

  packet(1);
  pass(1_000);

  assert.ok(Math.abs(frames.length - 48) <= 1, String(frames.length));
  assert.ok(frames.slice(1).every((value) => value === 0));
});

Deno.test("createTrackFrames() catches up with the time after a burst, by what is quiet", () => {
  const { frames, packet, pass } = lab();
  pass(1_000);
  for (let sequence = 1; sequence <= 50; sequence++) packet(sequence);
  const after = frames.length;

  for (let sequence = 51; sequence <= 60; sequence++) packet(sequence, 160, 0);

  assert.ok(after > 90, String(after));
  assert.equal(frames.length, after);
});

Deno.test("createTrackFrames() goes on with a stream that begins to count anew", () => {
  const { frames, packet } = lab();

  packet(22_000);
  packet(5);
  packet(6);

  assert.deepEqual(frames, [32_000, 10_005, 10_006]);
});

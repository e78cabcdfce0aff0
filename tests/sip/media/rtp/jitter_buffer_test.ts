import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import { createJitterBuffer } from "../../../../sip/media/rtp/jitter_buffer.ts";
import type { Pcm } from "../../../../sip/media/base/port.ts";
import type { RtpPacket } from "../../../../sip/media/rtp/rtp.ts";
import { numbers } from "../../../support/media/synthetic_speech.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

const FRAME_MS = 20;

interface Sending {
  pcm: Pcm;
  /** Samples in a packet. */
  size?: number;
  timestamp?: number;
  sequence?: number;
}

const packetsOf = ({ pcm, size = 160, timestamp = 50_000, sequence = 1_000 }: Sending) =>
  Array.from({ length: Math.floor(pcm.length / size) }, (_, i): RtpPacket => ({
    payloadType: 0,
    marker: i === 0,
    sequence: (sequence + i) & 0xffff,
    timestamp: (timestamp + i * size) >>> 0,
    ssrc: 1,
    payload: encodeG711("PCMU", pcm.slice(i * size, (i + 1) * size)),
  }));

/** A packet and when it arrives, in ms. */
type Arrival = [atMs: number, packet: RtpPacket];

/** Packets of `sizeMs` that arrive after a delay each. */
const delayed = (packets: RtpPacket[], delay: (index: number) => number, sizeMs = 20): Arrival[] =>
  packets.map((packet, i) => [i * sizeMs + delay(i), packet]);

/** Plays what arrives for some time, a frame every 20 ms from 10 ms on. */
function play(arrivals: Arrival[], seconds: number, buffer = createJitterBuffer()) {
  const waiting = [...arrivals].sort(([a], [b]) => a - b);
  const frames: Pcm[] = [];
  let next = 0;
  for (let now = 10; now < seconds * 1_000; now += FRAME_MS) {
    for (; next < waiting.length && waiting[next]![0] <= now; next++) {
      const packet = waiting[next]![1];
      if (packet.payloadType === 101) buffer.pushEvent(packet);
      else buffer.push(packet, "PCMU");
    }
    frames.push(buffer.pull());
  }
  return {
    ...buffer.counts,
    frames,
    sound: Int16Array.from(frames.flatMap((frame) => [...frame])),
  };
}

/** The largest step between two samples. */
const largestStep = (sound: Int16Array) =>
  sound.reduce(
    (most, sample, i) => i === 0 ? 0 : Math.max(most, Math.abs(sample - sound[i - 1]!)),
    0,
  );

/** Where the first sample is that is not silence. */
const beginning = (sound: Int16Array) => sound.findIndex((sample) => Math.abs(sample) > 100);

const clean = (result: { late: number; concealed: number }) => {
  assert.equal(result.late, 0, "late packets");
  assert.equal(result.concealed, 0, "samples made up");
};

Deno.test("pull() gives what was pushed, sample by sample, after a delay", () => {
  const pcm = Int16Array.from(tone(1_000, 1), (sample) => Math.round(sample));
  const packets = packetsOf({ pcm });
  const result = play(delayed(packets, () => 0), 1.1);

  const start = beginning(result.sound);
  const sent = play(delayed(packets, () => 0), 1.1).sound;
  assert.deepEqual(sent, result.sound);
  assert.ok(start <= 640, `begins after ${start} samples`);
  assert.ok(
    Math.abs(amplitudeOf(1_000, result.sound.subarray(start, start + 7_200)) - 8_000) < 150,
  );
  assert.equal(result.late, 0);
});

Deno.test("pull() loses nothing of packets that come up to 40 ms late and out of order", () => {
  const random = numbers(7);
  const packets = packetsOf({ pcm: tone(400, 30) });
  const { late, concealed, sound } = play(delayed(packets, () => random() * 40), 29.8);

  clean({ late, concealed });
  assert.ok(largestStep(sound.subarray(2_000)) < 4_000, "no clicks");
});

Deno.test("pull() waits at once for packets that come up to 100 ms late and out of order", () => {
  const random = numbers(7);
  const packets = packetsOf({ pcm: tone(400, 30) });
  const arrivals = delayed(packets, () => random() * 100);
  const [begun, whole] = [play(arrivals, 1), play(arrivals, 29.8)];

  assert.equal(whole.late, 0);
  assert.ok(begun.concealed <= 320, `${begun.concealed} samples made up in the first second`);
  assert.equal(whole.concealed, begun.concealed, "none made up after that");
  assert.ok(largestStep(whole.sound.subarray(2_000)) < 4_000, "no clicks");
});

Deno.test("pull() is 60 ms behind a calm network, from the first second on", () => {
  const clickAt = (second: number) => second * 8_000;
  const pcm = new Int16Array(12 * 8_000);
  for (const second of [1, 10]) pcm.fill(8_000, clickAt(second), clickAt(second) + 80);
  const { sound } = play(delayed(packetsOf({ pcm }), () => 20), 11.9);

  const behind = [1, 10].map((second) => {
    const from = sound.subarray(clickAt(second));
    return beginning(from) / 8 - 20;
  });
  // Beside that comes what the packet took, 20 ms, and what the next tick is away, 10 ms.
  assert.ok(behind[0]! <= 60, `${behind}`);
  assert.ok(behind[1]! <= 40, `${behind}`);
});

Deno.test("pull() keeps its first delay for seconds after one late packet, not for good", () => {
  const pcm = new Int16Array(12 * 8_000);
  const clicks = [1, 5, 10];
  for (const second of clicks) pcm.fill(8_000, second * 8_000, second * 8_000 + 80);
  const { sound } = play(delayed(packetsOf({ pcm }), (i) => i === 30 ? 45 : 20), 11.9);

  const behind = clicks.map((second) => beginning(sound.subarray(second * 8_000)) / 8 - 20);
  assert.ok(behind.slice(0, 2).every((ms) => ms > 40 && ms <= 70), `${behind}`);
  assert.ok(behind[2]! <= 40, `${behind}`);
});

Deno.test("pull() counts those that come later than any delay allows", () => {
  const packets = packetsOf({ pcm: tone(400, 10) });
  const { late } = play(delayed(packets, (i) => i % 100 === 50 ? 400 : 0), 9.8);
  assert.equal(late, 5);
});

Deno.test("pull() learns a delay that holds what came too late at first", () => {
  const random = numbers(3);
  const packets = packetsOf({ pcm: tone(400, 40) });
  const arrivals = delayed(packets, () => random() * 170);
  const before = play(arrivals, 10);
  const buffer = createJitterBuffer();
  const after = play(arrivals, 39.7, buffer);

  assert.equal(after.late, before.late, "none is late after 10 s");
});

Deno.test("pull() comes back to a short delay when the network is calm again", () => {
  const random = numbers(5);
  const packets = packetsOf({ pcm: tone(400, 40) });
  const { sound, late } = play(delayed(packets, (i) => i < 500 ? random() * 100 : 0), 41);

  assert.equal(late, 0);
  const end = sound.length - [...sound].reverse().findIndex((sample) => Math.abs(sample) > 4_000);
  assert.ok(end <= 8 * 40_080, `${(end / 8 - 40_000).toFixed(0)} ms behind at the end`);
});

for (const sizeMs of [10, 20, 30, 60]) {
  Deno.test(`pull() takes packets of ${sizeMs} ms`, () => {
    const packets = packetsOf({ pcm: tone(500, 12), size: sizeMs * 8 });
    const result = play(delayed(packets, () => sizeMs, sizeMs), 11.8);

    clean(result);
    assert.ok(largestStep(result.sound.subarray(2_000)) < 4_500, "no clicks");
    assert.ok(Math.abs(amplitudeOf(500, result.sound.subarray(60_000)) - 8_000) < 400);
  });
}

Deno.test("pull() goes on through the wrap of timestamps and sequence numbers", () => {
  const packets = packetsOf({ pcm: tone(500, 4), timestamp: 0xffff_ff00, sequence: 0xfff8 });
  const result = play(delayed(packets, () => 0), 3.8);

  clean(result);
  assert.ok(largestStep(result.sound.subarray(2_000)) < 4_500, "no clicks");
});

for (const drift of [0.001, -0.001]) {
  Deno.test(`pull() follows a clock ${drift * 100} % off for 10 minutes`, () => {
    const sizeMs = 20 / (1 + drift);
    const packets = packetsOf({ pcm: tone(400, 600) });
    const arrivals: Arrival[] = packets.map((packet, i) => [i * sizeMs, packet]);
    const seconds = Math.floor(packets.length * sizeMs / 1_000) - 1;
    const { late, concealed, sound } = play(arrivals, seconds);

    assert.equal(late, 0);
    assert.equal(concealed, 0);
    assert.ok(largestStep(sound.subarray(2_000)) < 4_500, "no clicks");
  });
}

Deno.test("pull() drops duplicates, before and after they were played", () => {
  const packets = packetsOf({ pcm: tone(400, 4) });
  const once = play(delayed(packets, () => 0), 3.8);
  const again = play([
    ...delayed(packets, () => 0),
    ...delayed(packets.slice(0, 160), (i) => i % 2 === 0 ? 1 : 300),
  ], 3.8);

  assert.equal(again.duplicate, 160);
  assert.equal(again.late, 0);
  assert.deepEqual(again.sound, once.sound);
});

Deno.test("pull() conceals a lost packet by the sound going on", () => {
  const packets = packetsOf({ pcm: tone(400, 2) });
  const { concealed, sound } = play(delayed(packets, () => 0).filter((_, i) => i !== 40), 1.9);

  assert.equal(concealed, 160);
  assert.ok(largestStep(sound.subarray(2_000, 14_000)) < 4_500, "no clicks");
  const gap = sound.subarray(8 * 20 * 40 + 960, 8 * 20 * 40 + 960 + 320);
  assert.ok(amplitudeOf(400, gap) > 5_500, "the tone goes on");
});

Deno.test("pull() fades out in a burst of losses and comes back without a click", () => {
  const packets = packetsOf({ pcm: tone(400, 4) });
  const arrivals = delayed(packets, () => 0).filter((_, i) => i < 50 || i >= 65);
  const { concealed, frames, sound, late } = play(arrivals, 3.8);

  assert.equal(late, 0);
  assert.ok(concealed > 0 && concealed <= 480, `${concealed} samples made up`);
  assert.ok(frames.slice(50).some((frame) => frame.every((sample) => sample === 0)));
  assert.ok(largestStep(sound.subarray(2_000)) < 4_500, "no clicks");
  assert.ok(amplitudeOf(400, sound.subarray(16_000, 24_000)) > 7_500);
});

Deno.test("pull() hears a peer again whose clock stood still in a pause", () => {
  const first = packetsOf({ pcm: tone(400, 1) });
  const second = packetsOf({ pcm: tone(400, 2), timestamp: 58_000, sequence: 1_050 });
  for (const marker of [true, false]) {
    second[0]!.marker = marker;
    const { sound } = play([
      ...delayed(first, () => 0),
      ...delayed(second, () => 10_000),
    ], 12);
    assert.ok(amplitudeOf(400, sound.subarray(8 * 10_500, 8 * 11_500)) > 7_500, `${marker}`);
  }
});

Deno.test("pull() hears a peer soon again when both of us stood still, time after time", () => {
  const buffer = createJitterBuffer();
  const packets = packetsOf({ pcm: tone(400, 60) }).values();
  /** So many packets come, and then so many frames are pulled; how many of those are sound. */
  const go = (pushed: number, pulled: number) => {
    for (const packet of packets.take(pushed)) buffer.push(packet, "PCMU");
    const frames = Array.from({ length: pulled }, () => buffer.pull());
    return frames.filter((frame) => amplitudeOf(400, frame) > 5_000).length;
  };
  for (let round = 0; round < 8; round++) {
    go(50, 11); // A second in which this process did nothing, and made up for a part of it.
    go(0, 12); // The peer's clock stood still.
    const heard = Array.from({ length: 200 }, () => go(1, 1)).reduce((sum, one) => sum + one, 0);
    assert.ok(heard > 170, `${heard} frames of 200 in round ${round}`);
  }
});

Deno.test("pull() goes on with another source, and with one whose timestamps jump", () => {
  const first = packetsOf({ pcm: tone(400, 2) });
  for (const changes of [{ ssrc: 2 }, { ssrc: 1 }]) {
    const second = packetsOf({ pcm: tone(600, 2), timestamp: 3_000_000_000, sequence: 1_100 })
      .map((packet) => ({ ...packet, ...changes }));
    const { sound, late } = play([
      ...delayed(first, () => 0),
      ...delayed(second, () => 2_000),
    ], 3.9);
    assert.equal(late, 0);
    assert.ok(amplitudeOf(600, sound.subarray(8 * 2_500, 8 * 3_500)) > 7_500);
    assert.ok(largestStep(sound.subarray(2_000, 30_000)) < 6_000, "no clicks");
  }
});

Deno.test("pushEvent() makes silence of the time that a digit takes, and no loss", () => {
  const packets = packetsOf({ pcm: tone(400, 4) });
  const isEvent = (i: number) => i >= 60 && i < 70;
  const arrivals = delayed(packets, () => 0).map(([at, packet], i): Arrival => {
    if (!isEvent(i)) return [at, packet];
    const duration = (i - 59) * 160;
    const payload = Uint8Array.of(5, 10, duration >> 8, duration & 0xff);
    return [at, { ...packet, payloadType: 101, timestamp: packets[60]!.timestamp, payload }];
  });
  const { late, concealed, sound } = play(arrivals, 3.8);

  clean({ late, concealed });
  const silent = sound.filter((sample, i) => i > 2_000 && sample === 0).length;
  assert.ok(silent >= 1_590, `${silent} samples of silence`);
});

Deno.test("pull() gives silence before anything came, and for packets that are no sound", () => {
  const buffer = createJitterBuffer();
  const [packet] = packetsOf({ pcm: tone(400, 0.02) });
  buffer.push({ ...packet!, payload: new Uint8Array() }, "PCMU");
  buffer.push({ ...packet!, payload: new Uint8Array(60_000) }, "PCMU");

  for (let i = 0; i < 100; i++) assert.ok(buffer.pull().every((sample) => sample === 0));
});

Deno.test("pull() gives whole frames whatever comes, and the next honest sound", () => {
  const random = numbers(11);
  const below = (most: number) => Math.floor(random() * most);
  for (let round = 0; round < 20; round++) {
    const buffer = createJitterBuffer();
    let last = { ssrc: 1, sequence: 0, timestamp: 0 };
    for (let i = 0; i < 2_000; i++) {
      const jumps = random() < 0.02;
      last = {
        ssrc: random() < 0.005 ? below(3) : last.ssrc,
        sequence: jumps ? below(0x1_0000) : (last.sequence + below(3)) & 0xffff,
        timestamp: jumps ? below(2 ** 32) : (last.timestamp + 80 * below(5)) >>> 0,
      };
      const payload = new Uint8Array(below(6) * below(400)).map(() => below(256));
      const packet = { ...last, payload, payloadType: 0, marker: random() < 0.05 };
      if (random() < 0.1) buffer.pushEvent(packet);
      else buffer.push(packet, "PCMU");
      if (random() < 0.9) assert.equal(buffer.pull().length, 160);
    }
    const packets = packetsOf({ pcm: tone(600, 3) }).map((packet) => ({ ...packet, ssrc: 9 }));
    const { sound } = play(delayed(packets, () => 0), 2.9, buffer);
    assert.ok(amplitudeOf(600, sound.subarray(8_000, 22_000)) > 6_000, `round ${round}`);
  }
});

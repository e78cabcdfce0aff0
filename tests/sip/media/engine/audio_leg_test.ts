import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import type { RtpPacket } from "../../../../sip/media/rtp/rtp.ts";
import type { Encoding } from "../../../../sip/media/sdp/sdp.ts";
import { audioLab } from "../../../support/media/audio_lab.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

const MULAW: [Encoding, number][] = [["PCMU", 0], ["telephone-event", 101]];
const ALAW: [Encoding, number][] = [["PCMA", 8], ["telephone-event", 96]];
const { signal } = new AbortController();

/** Sequence numbers and timestamps go on by one packet of 20 ms, from one source. */
function assertContinuous(packets: RtpPacket[]): void {
  for (let i = 1; i < packets.length; i++) {
    const [before, now] = [packets[i - 1]!, packets[i]!];
    assert.equal(now.ssrc, before.ssrc);
    assert.equal((now.sequence - before.sequence) & 0xffff, 1, `sequence of packet ${i}`);
    assert.equal((now.timestamp - before.timestamp) >>> 0, 160, `timestamp of packet ${i}`);
  }
}

Deno.test("createAudioLeg() sends silence while it has nothing else to send", () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);

  clock.advance(1_000);

  assert.equal(one.sent.length, 50);
  assert.ok(one.heard().every((sample) => sample === 0));
  assert.deepEqual(one.sent.map(({ marker }) => marker), [true, ...Array(49).fill(false)]);
  assertContinuous(one.sent);
  one.leg.close();
  assert.equal(clock.waiting(), 0);
});

Deno.test("play() plays all loops without a gap and resolves at the end", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  let ended = false;

  const playing = one.leg.play(tone(1_000, 0.05), { loop: 3, signal });
  void playing.then(() => ended = true);
  clock.advance(160);
  await Promise.resolve();
  assert.equal(ended, false);
  clock.advance(20);
  await playing;

  const heard = one.heard();
  assert.ok(Math.abs(amplitudeOf(1_000, heard.subarray(0, 1_200)) - 8_000) < 200);
  assert.ok(heard.subarray(1_200).every((sample) => sample === 0));
  assertContinuous(one.sent);
  one.leg.close();
});

Deno.test("play() goes on for ever when loop is 0, until it is aborted", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  const stop = new AbortController();

  const playing = one.leg.play(tone(1_000, 0.01), { loop: 0, signal: stop.signal });
  clock.advance(5_000);
  stop.abort();
  await playing;
  one.sent.length = 0;
  clock.advance(100);

  assert.ok(one.heard().every((sample) => sample === 0));
  one.leg.close();
});

Deno.test("play() resolves at once when aborted before, when empty and when the leg closes", async () => {
  const { connect } = audioLab();
  const one = connect(MULAW);

  await one.leg.play(tone(1_000, 1), { loop: 0, signal: AbortSignal.abort() });
  await one.leg.play(new Int16Array(), { loop: 0, signal });
  const playing = one.leg.play(tone(1_000, 1), { loop: 0, signal });
  one.leg.close();
  await playing;
  await one.leg.play(tone(1_000, 1), { loop: 0, signal });
});

Deno.test("play() ends the play before it", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);

  const first = one.leg.play(tone(1_000, 1), { loop: 0, signal });
  const second = one.leg.play(tone(2_000, 0.1), { loop: 1, signal });
  await first;
  clock.advance(120);
  await second;

  assert.ok(amplitudeOf(2_000, one.heard().subarray(0, 800)) > 7_000);
  assert.ok(amplitudeOf(1_000, one.heard().subarray(0, 800)) < 200);
  one.leg.close();
});

Deno.test("join() forwards audio both ways as one continuous stream", () => {
  const { clock, connect } = audioLab();
  // The first one has its turn at the end of each 20 ms.
  const [other, one] = [connect(MULAW), connect(MULAW)];
  clock.advance(100);

  one.leg.join(other.leg);
  for (let i = 0; i < 5; i++) {
    clock.advance(20);
    one.deliver({ payload: new Uint8Array(160).fill(i) });
  }
  one.leg.leave();
  clock.advance(100);

  assert.equal(other.sent.length, 15);
  assertContinuous(other.sent);
  assert.deepEqual(other.sent.slice(5, 10).map(({ payload }) => payload[0]), [0, 1, 2, 3, 4]);
  assert.deepEqual(other.sent.flatMap(({ marker }, i) => marker ? [i] : []), [0, 5, 10]);
  assert.equal(one.sent.length, 10, "silence before and after, nothing while joined");
  one.leg.close();
  other.leg.close();
  assert.equal(clock.waiting(), 0);
});

Deno.test("join() keeps losses and reordering for the peer's jitter buffer", () => {
  const { connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);

  for (const i of [0, 2, 1, 5]) {
    one.deliver({ sequence: 65_534 + i & 0xffff, timestamp: (0xffff_ff00 + i * 160) >>> 0 });
  }

  const first = other.sent[0]!;
  const steps = other.sent.map((each) => (each.sequence - first.sequence) & 0xffff);
  const times = other.sent.map((each) => ((each.timestamp - first.timestamp) >>> 0) / 160);
  assert.deepEqual(steps, [0, 2, 1, 5]);
  assert.deepEqual(times, [0, 2, 1, 5]);
  one.leg.close();
  other.leg.close();
});

Deno.test("join() goes on when the peer's source changes", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);

  one.deliver({});
  clock.advance(20);
  one.deliver({ ssrc: 7, sequence: 9, timestamp: 9 });

  assertContinuous(other.sent);
  assert.equal(other.sent[1]!.marker, true);
  one.leg.close();
  other.leg.close();
});

Deno.test("join() transcodes when the legs have different codecs", () => {
  const { connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(ALAW)];
  one.leg.join(other.leg);
  const pcm = tone(1_010, 0.1);

  for (let i = 0; i < 5; i++) {
    const frame = pcm.slice(i * 160, (i + 1) * 160);
    one.deliver({ payload: encodeG711("PCMU", frame) });
    other.deliver({ payloadType: 8, payload: encodeG711("PCMA", frame) });
  }

  for (const { sent, heard } of [one, other]) {
    assert.equal(sent.length, 5);
    assert.ok(Math.abs(amplitudeOf(1_010, heard()) - 8_000) < 200);
  }
  assert.ok(other.sent.every(({ payloadType }) => payloadType === 8));
  one.leg.close();
  other.leg.close();
});

Deno.test("join() begins anew where a source's own numbers jump", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);

  one.deliver({});
  clock.advance(20);
  one.deliver({ sequence: 30_000 });
  clock.advance(20);
  one.deliver({ timestamp: 2_000_000_000 });
  clock.advance(20);
  one.deliver({});

  assertContinuous(other.sent);
  assert.deepEqual(other.sent.map(({ marker }) => marker), [true, true, true, false]);
  one.leg.close();
  other.leg.close();
});

Deno.test("change() goes on in other codecs as the same stream", () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  clock.advance(40);
  const alaw = new Map(ALAW);
  one.leg.change({ incoming: new Map([[8, "PCMA"], [96, "telephone-event"]]), outgoing: alaw });
  clock.advance(40);
  one.deliver({ payloadType: 96, payload: Uint8Array.of(6, 0x8a, 0, 160) });
  one.deliver({ payloadType: 101, payload: Uint8Array.of(7, 0x8a, 0, 160) });

  assert.deepEqual(one.sent.map(({ payloadType }) => payloadType), [0, 0, 8, 8]);
  assert.deepEqual(one.digits, ["6"]);
  assertContinuous(one.sent);
  one.leg.close();
});

Deno.test("join() forwards digits by the other leg's payload type and reports them", () => {
  const { connect } = audioLab();
  const [one, other, mute] = [connect(MULAW), connect(ALAW), connect([["PCMU", 0]])];
  const press = { payloadType: 101, payload: Uint8Array.of(5, 10, 0, 160), timestamp: 90_000 };

  one.leg.join(other.leg);
  for (let i = 0; i < 3; i++) one.deliver(press);
  one.leg.join(mute.leg);
  one.deliver({ ...press, timestamp: 99_000 });

  assert.deepEqual(other.sent.map(({ payloadType }) => payloadType), [96, 96, 96]);
  assert.equal(new Set(other.sent.map(({ timestamp }) => timestamp)).size, 1);
  assert.deepEqual(mute.sent, []);
  assert.deepEqual(one.digits, ["5", "5"]);
  for (const { leg } of [one, other, mute]) leg.close();
});

Deno.test("join() ends a running play, and a later play is heard in place of the other leg", async () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  const running = one.leg.play(tone(1_000, 1), { loop: 0, signal });

  one.leg.join(other.leg);
  await running;
  const whisper = one.leg.play(tone(2_000, 0.1), { loop: 1, signal });
  for (let i = 0; i < 5; i++) {
    clock.advance(20);
    other.deliver({});
  }
  assert.equal(one.sent.length, 5);
  assert.ok(amplitudeOf(2_000, one.heard()) > 7_000);
  clock.advance(20);
  await whisper;
  other.deliver({});

  assert.equal(one.sent.length, 6);
  assertContinuous(one.sent);
  one.leg.close();
  other.leg.close();
});

Deno.test("join() takes a leg out of the conversation it was in", () => {
  const { clock, connect } = audioLab();
  const [one, other, third] = [connect(MULAW), connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);
  one.leg.join(third.leg);

  one.deliver({});
  other.deliver({});
  assert.deepEqual([one, other, third].map(({ sent }) => sent.length), [0, 0, 1]);

  third.leg.close();
  clock.advance(40);
  assert.deepEqual([one, other, third].map(({ sent }) => sent.length), [2, 2, 1]);
  one.leg.close();
  other.leg.close();
});

Deno.test("setListening() keeps a peer on hold silent while a play goes on in time", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  const playing = one.leg.play(tone(1_000, 0.2), { loop: 1, signal });
  clock.advance(100);

  one.leg.setListening(false);
  one.sent.length = 0;
  clock.advance(120);
  await playing;
  assert.deepEqual(one.sent, []);
  assert.equal(clock.waiting(), 0);

  one.leg.setListening(true);
  clock.advance(40);
  assert.equal(one.sent.length, 2);
  one.leg.close();
});

Deno.test("join() sends silence to one whose other side holds and says nothing", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);
  clock.advance(1_000);
  const talking = other.sent.length;

  one.leg.setSpeaking(false);
  clock.advance(1_000);
  const held = other.sent.slice(talking);
  for (let frame = 0; frame < 10; frame++) {
    one.deliver({ payload: encodeG711("PCMU", tone(1_000, 0.02)) });
    clock.advance(20);
  }
  const music = other.sent.slice(talking + held.length);
  one.leg.setSpeaking(true);
  clock.advance(1_000);

  assert.deepEqual([talking, held.length], [0, 50]);
  assert.equal(music.length, 10);
  assert.ok(music.every(({ payload }) => new Set(payload).size > 1));
  assert.equal(other.sent.length, 60);
  assertContinuous(other.sent);
  for (const { leg } of [one, other]) leg.close();
  assert.equal(clock.waiting(), 0);
});

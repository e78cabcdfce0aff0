import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import { FRAME_SAMPLES, type Pcm, SILENCE } from "../../../../sip/media/base/port.ts";
import type { Encoding } from "../../../../sip/media/sdp/sdp.ts";
import { audioLab, type LabLeg } from "../../../support/media/audio_lab.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

const MULAW: [Encoding, number][] = [["PCMU", 0], ["telephone-event", 101]];
const ALAW: [Encoding, number][] = [["PCMA", 8], ["telephone-event", 96]];
const { signal } = new AbortController();

/** The peer says a tone, a packet a frame, while the clock goes on. */
function say(leg: LabLeg, hz: number, seconds: number, advance: (ms: number) => void): void {
  const pcm = tone(hz, seconds);
  for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
    leg.deliver({ payload: encodeG711("PCMU", pcm.slice(at, at + FRAME_SAMPLES)) });
    advance(20);
  }
}

const joined = (frames: Pcm[]) => Int16Array.from(frames.flatMap((frame) => [...frame]));
const isSilent = (samples: Int16Array) => samples.every((sample) => sample === 0);

Deno.test("listen() hands on what the peer says, to all, a frame a tick, until it ends", () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  const [first, second]: [Pcm[], Pcm[]] = [[], []];
  const stopFirst = one.leg.listen((frame) => first.push(frame));
  const stopSecond = one.leg.listen((frame) => second.push(frame));

  clock.advance(100);
  assert.equal(first.length, 5);
  assert.ok(isSilent(joined(first)));
  say(one, 1_000, 1, clock.advance);
  stopFirst();
  clock.advance(100);

  assert.equal(first.length, 55);
  assert.equal(second.length, 60);
  assert.deepEqual(second.slice(0, 55), first);
  assert.ok(amplitudeOf(1_000, joined(first.slice(15))) > 7_500);
  stopSecond();
  one.leg.close();
  assert.equal(clock.waiting(), 0);
});

Deno.test("listen() hears a leg that is joined, plays and sends digits, and changes nothing", async () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(ALAW)];
  one.leg.join(other.leg);
  const frames: Pcm[] = [];
  one.leg.listen((frame) => frames.push(frame));
  const playing = one.leg.play(tone(500, 0.5), { loop: 1, signal });

  say(one, 1_000, 1, clock.advance);
  await playing;

  assert.ok(amplitudeOf(1_000, joined(frames.slice(15))) > 7_500);
  assert.equal(other.sent.length, 50);
  assert.ok(amplitudeOf(1_000, other.heard()) > 7_500);
  assert.equal(one.sent.length, 25);
  one.leg.close();
  other.leg.close();
});

Deno.test("listen() costs a joined leg no tick once it has ended", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);
  assert.equal(clock.waiting(), 0);
  const stop = one.leg.listen(() => {});
  assert.equal(clock.waiting(), 1);
  stop();
  stop();
  assert.equal(clock.waiting(), 0);
  one.leg.close();
  other.leg.close();
});

Deno.test("close() ends listening, and a closed leg is not listened to", () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  let frames = 0;
  one.leg.listen(() => frames++);
  one.leg.close();
  one.leg.listen(() => frames++);
  clock.advance(100);
  assert.equal(frames, 0);
  assert.equal(clock.waiting(), 0);
});

Deno.test("feed() sends what it is given at each tick, and silence for nothing", () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  const pcm = tone(1_000, 1);
  let at = 0;
  const stop = one.leg.feed(() => {
    const start = FRAME_SAMPLES * at++;
    return start < pcm.length ? pcm.slice(start, start + FRAME_SAMPLES) : undefined;
  });

  clock.advance(1_200);
  stop();
  clock.advance(100);

  assert.equal(at, 60);
  assert.equal(one.sent.length, 65);
  assert.ok(amplitudeOf(1_000, one.heard().subarray(0, 8_000)) > 7_800);
  assert.ok(isSilent(one.heard().subarray(8_000)));
  assert.deepEqual(one.sent.flatMap(({ marker }, i) => marker ? [i] : []), [0]);
  one.leg.close();
});

Deno.test("feed() takes the place of a join and of a feed, and a join that of a feed", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  const asked = { first: 0, second: 0 };
  one.leg.join(other.leg);
  const stopFirst = one.leg.feed(() => (asked.first++, SILENCE));
  clock.advance(40);
  other.deliver({});
  assert.deepEqual([one.sent.length, other.sent.length], [2, 2], "both send frames of their own");

  const stopSecond = one.leg.feed(() => (asked.second++, SILENCE));
  stopFirst();
  clock.advance(40);
  one.leg.join(other.leg);
  clock.advance(40);

  assert.deepEqual(asked, { first: 2, second: 2 });
  assert.equal(one.sent.length, 4);
  stopSecond();
  one.leg.close();
  other.leg.close();
});

Deno.test("play() goes before a feed, which is not asked meanwhile and goes on after", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  let asked = 0;
  one.leg.feed(() => (asked++, tone(500, 0.02)));
  clock.advance(100);
  const playing = one.leg.play(tone(2_000, 0.1), { loop: 1, signal });
  clock.advance(100);
  assert.equal(asked, 5);
  clock.advance(100);
  await playing;

  assert.equal(asked, 10);
  assert.ok(amplitudeOf(2_000, one.heard().subarray(800, 1_600)) > 7_800);
  assert.ok(amplitudeOf(500, one.heard().subarray(1_600)) > 7_800);
  one.leg.close();
});

Deno.test("at one moment all that listen are called before any source is asked, also to catch up", () => {
  const { clock, connect } = audioLab();
  const legs = [connect(MULAW), connect(MULAW)];
  const calls: string[] = [];
  for (const { leg } of legs) {
    leg.turn.moveTo(legs[0]!.leg.turn.moment!);
    leg.feed(() => (calls.push("feed"), undefined));
    leg.listen(() => calls.push("listen"));
  }

  clock.advance(70, 30);

  const tick = ["listen", "listen", "feed", "feed"];
  assert.deepEqual(calls, [...tick, ...tick, ...tick]);
  for (const { leg } of legs) leg.close();
});

Deno.test("a source or a listener that throws ends nobody else's sound", () => {
  const errors: unknown[] = [];
  const { clock, connect } = audioLab((error) => errors.push(error));
  const [one, other] = [connect(MULAW), connect(MULAW)];
  const fail = () => {
    throw new Error("broken");
  };
  one.leg.feed(fail);
  one.leg.listen(fail);
  let frames = 0;
  other.leg.listen(() => frames++);

  clock.advance(100);

  assert.equal(frames, 5);
  assert.equal(other.sent.length, 5);
  assert.equal(errors.length, 10);
  one.leg.close();
  other.leg.close();
});

Deno.test("setMuted() silences a peer for listeners and for whom it is joined with", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);
  const frames: Pcm[] = [];
  one.leg.listen((frame) => frames.push(frame));
  say(one, 1_000, 0.4, clock.advance);
  assert.equal(other.sent.length, 20);

  one.leg.setMuted(true);
  assert.equal(one.leg.isMuted, true);
  frames.length = other.sent.length = 0;
  say(one, 1_000, 0.4, clock.advance);

  assert.ok(isSilent(joined(frames)));
  assert.equal(other.sent.length, 20, "frames go on");
  assert.ok(isSilent(other.heard()));
  other.deliver({});
  assert.equal(one.sent.length, 1, "it still hears");

  one.leg.setMuted(false);
  frames.length = other.sent.length = 0;
  say(one, 1_000, 0.4, clock.advance);
  assert.ok(amplitudeOf(1_000, joined(frames)) > 7_500);
  assert.equal(other.sent.length, 20);
  assert.ok(amplitudeOf(1_000, other.heard()) > 7_500);
  one.leg.close();
  other.leg.close();
  assert.equal(clock.waiting(), 0);
});

Deno.test("setMuted() lets digits count, and reach the other leg", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(ALAW)];
  one.leg.setMuted(true);
  one.leg.join(other.leg);
  one.deliver({ payloadType: 101, payload: Uint8Array.of(5, 10, 0, 160), timestamp: 90_000 });
  clock.advance(400);

  assert.deepEqual(one.digits, ["5"]);
  const events = other.sent.filter(({ payloadType }) => payloadType === 96);
  assert.deepEqual(events.map(({ payload }) => payload[0]), Array(7).fill(5));
  one.leg.close();
  other.leg.close();
});

import assert from "node:assert/strict";
import type { RtpPacket } from "../../../../sip/media/rtp/rtp.ts";
import type { Encoding } from "../../../../sip/media/sdp/sdp.ts";
import { createDigitReceiver } from "../../../../sip/media/rtp/telephone_event.ts";
import { audioLab } from "../../../support/media/audio_lab.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

const MULAW: [Encoding, number][] = [["PCMU", 0], ["telephone-event", 101]];
const { signal } = new AbortController();

const isEvent = ({ payloadType }: RtpPacket) => payloadType === 101;
const duration = ({ payload }: RtpPacket) => (payload[2]! << 8) | payload[3]!;
const isLast = ({ payload }: RtpPacket) => (payload[1]! & 0x80) !== 0;

/** What another end makes of packets. */
function digitsOf(packets: RtpPacket[]): string {
  let digits = "";
  const receive = createDigitReceiver((digit) => (digits += digit) !== "");
  packets.filter(isEvent).forEach(receive);
  return digits;
}

Deno.test("sendDigits() sends events of 100 ms with 60 ms between them", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  clock.advance(40);
  const sending = one.leg.sendDigits("15", signal);
  clock.advance(400);
  await sending;

  const events = one.sent.filter(isEvent);
  assert.deepEqual(events.map(({ payload }) => payload[0]), [
    ...Array(7).fill(1),
    ...Array(7).fill(5),
  ]);
  assert.deepEqual(events.slice(0, 7).map(duration), [160, 320, 480, 640, 800, 800, 800]);
  assert.deepEqual(events.map(isLast), [...first7, ...first7]);
  assert.deepEqual(events.map(({ marker }) => marker), [...began7, ...began7]);
  assert.deepEqual(new Set(events.slice(0, 7).map(({ timestamp }) => timestamp)).size, 1);
  assert.equal(events[7]!.timestamp - events[0]!.timestamp, 8 * 160);
  assert.equal(digitsOf(one.sent), "15");
  assertTimesFit(one.sent);
  one.leg.close();
});

const first7 = [false, false, false, false, true, true, true];
const began7 = [true, false, false, false, false, false, false];

/** Sequence numbers go on by one, and sound has the time at which it is sent. */
function assertTimesFit(packets: RtpPacket[]): void {
  let due = packets[0]!.timestamp;
  for (const [i, packet] of packets.entries()) {
    assert.equal((packet.sequence - packets[0]!.sequence) & 0xffff, i);
    if (isEvent(packet)) due = (packet.timestamp + duration(packet)) >>> 0;
    else {
      assert.equal(packet.timestamp, due, `time of packet ${i}`);
      due = (due + 160) >>> 0;
    }
  }
}

Deno.test("sendDigits() knows all digits, and pauses for w and W", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  const sending = one.leg.sendDigits("w0123456789*#ABCDW", signal);
  clock.advance(480);
  assert.equal(one.sent.filter(isEvent).length, 0);
  clock.advance(40 + 16 * 160);
  assert.equal(digitsOf(one.sent), "0123456789*#ABCD");
  let ended = false;
  void sending.then(() => ended = true);
  clock.advance(960);
  await Promise.resolve();
  assert.equal(ended, false);
  clock.advance(40);
  await sending;
  one.leg.close();
});

Deno.test("sendDigits() sends dual tones to a peer that takes no events", async () => {
  const { clock, connect } = audioLab();
  const one = connect([["PCMU", 0]]);
  const sending = one.leg.sendDigits("0D", signal);
  clock.advance(340);
  await sending;

  const sound = one.heard();
  for (const [at, row, column] of [[0, 941, 1_336], [1_280, 941, 1_633]] as const) {
    const digit = sound.subarray(at, at + 800);
    assert.ok(amplitudeOf(row, digit) > 7_000, `${row} Hz`);
    assert.ok(amplitudeOf(column, digit) > 7_000, `${column} Hz`);
    assert.ok(sound.subarray(at + 800, at + 1_280).every((sample) => sample === 0));
  }
  one.leg.close();
});

Deno.test("sendDigits() goes before a play and a join, and both go on in between", async () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.join(other.leg);
  const sending = one.leg.sendDigits("1", signal);
  for (let i = 0; i < 9; i++) {
    clock.advance(20);
    other.deliver({});
  }
  await sending;
  assert.deepEqual(one.sent.map(({ payloadType }) => payloadType), [
    ...Array(7).fill(101),
    0,
    0,
    0,
    0,
  ]);
  assert.equal(clock.waiting(), 0, "a joined leg needs no ticks again");

  one.sent.length = 0;
  const playing = one.leg.play(tone(1_000, 0.4), { loop: 1, signal });
  void one.leg.sendDigits("2", signal);
  clock.advance(420);
  await playing;
  assert.deepEqual(
    one.sent.map(({ payloadType }) => payloadType),
    [...Array(7).fill(101), ...Array(15).fill(0)],
  );
  assertTimesFit(one.sent);
  one.leg.close();
  other.leg.close();
});

Deno.test("sendDigits() sends the digits of two calls one after the other", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  const sending = [one.leg.sendDigits("12", signal), one.leg.sendDigits("34", signal)];
  clock.advance(1_000);
  await Promise.all(sending);
  assert.equal(digitsOf(one.sent), "1234");
  one.leg.close();
});

Deno.test("sendDigits() ends at once when aborted or closed, and ends the event", async () => {
  const { clock, connect } = audioLab();
  const one = connect(MULAW);
  const stop = new AbortController();
  const sending = one.leg.sendDigits("11", stop.signal);
  clock.advance(40);
  stop.abort();
  await sending;
  clock.advance(40);
  const events = one.sent.filter(isEvent);
  assert.deepEqual(events.map(isLast), [false, false, true, true, true]);
  assert.deepEqual(events.map(duration), [160, 320, 320, 320, 320]);
  assertTimesFit(one.sent);

  await one.leg.sendDigits("1", AbortSignal.abort());
  const last = one.leg.sendDigits("1", signal);
  one.leg.close();
  await last;
  await one.leg.sendDigits("1", signal);
  assert.equal(clock.waiting(), 0);
});

Deno.test("sendDigits() rejects what is no digit, and names it", async () => {
  const { connect } = audioLab();
  const one = connect(MULAW);
  await assert.rejects(one.leg.sendDigits("12x", signal), /Cannot send digits: "x" is none/);
  one.leg.close();
});

Deno.test("takeDigit() counts like a digit in the media and reaches the other leg as an event", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(MULAW), connect(MULAW)];
  one.leg.takeDigit("7");
  one.leg.join(other.leg);
  for (const digit of "42#") one.leg.takeDigit(digit);
  clock.advance(600);

  assert.deepEqual(one.digits, ["7", "4", "2", "#"]);
  assert.deepEqual(other.digits, []);
  assert.equal(digitsOf(other.sent), "42#");

  for (let i = 0; i < 1_000; i++) one.leg.takeDigit("1");
  clock.advance(60_000);
  assert.ok(other.sent.filter(isEvent).length <= 7 * 40, "a flood is bounded");
  one.leg.close();
  other.leg.close();
  assert.equal(clock.waiting(), 0);
});

Deno.test("onDigits() calls all that listen, until each ends", () => {
  const { connect } = audioLab();
  const one = connect(MULAW);
  const heard: string[] = [];
  const stop = one.leg.onDigits((digit) => (heard.push(`a${digit}`), stop()));
  one.leg.onDigits((digit) => heard.push(`b${digit}`));
  one.leg.takeDigit("1");
  one.leg.takeDigit("2");
  assert.deepEqual(heard, ["a1", "b1", "b2"]);
  one.leg.close();
});

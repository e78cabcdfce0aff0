import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import type { Encoding } from "../../../../sip/media/sdp/sdp.ts";
import { createToneReceiver } from "../../../../sip/media/engine/tone_receiver.ts";
import { createDigitReceiver } from "../../../../sip/media/rtp/telephone_event.ts";
import { audioLab, type LabLeg } from "../../../support/media/audio_lab.ts";
import { keypad } from "../../../support/media/keypad.ts";
import { framesOf, inTurn, silence } from "../../../support/media/synthetic_speech.ts";

const withEvents: [Encoding, number][] = [["PCMU", 0], ["telephone-event", 101]];
const withoutEvents: [Encoding, number][] = [["PCMU", 0]];

/** The peer presses keys as tones. */
function press(one: LabLeg, keys: string): void {
  for (const frame of framesOf(inTurn(keypad(keys), silence(0.1)))) {
    one.deliver({ payload: encodeG711("PCMU", frame) });
  }
}

Deno.test("a leg hears keys as tones where its peer has no telephone events, and else not", () => {
  const { connect } = audioLab();
  const [one, other] = [connect(withoutEvents), connect(withEvents)];
  for (const each of [one, other]) press(each, "12#");

  assert.deepEqual([one.digits, other.digits], [["1", "2", "#"], []]);
  // A later offer has them, or no more.
  const agreed = (formats: [Encoding, number][]) => ({
    incoming: new Map(formats.map(([encoding, type]) => [type, encoding])),
    outgoing: new Map(formats),
  });
  one.leg.change(agreed(withEvents));
  other.leg.change(agreed(withoutEvents));
  for (const each of [one, other]) press(each, "9");

  assert.deepEqual([one.digits, other.digits], [["1", "2", "#"], ["9"]]);
});

Deno.test("keys as tones reach who is joined as sound alone, and as digits from who is muted", () => {
  const { clock, connect } = audioLab();
  const [one, other] = [connect(withoutEvents), connect(withEvents)];
  one.leg.join(other.leg);
  press(one, "5");
  clock.advance(400);

  const events = () => other.sent.filter(({ payloadType }) => payloadType === 101);
  assert.equal(events().length, 0);
  assert.ok(other.heard().some((sample) => Math.abs(sample) > 4_000));
  one.leg.setMuted(true);
  press(one, "6");
  clock.advance(400);

  assert.deepEqual(one.digits, ["5", "6"]);
  assert.equal(new Set(events().map(({ payload }) => payload[0])).size, 1);
  assert.equal(events()[0]!.payload[0], 6);
});

/** The packets of a key as a telephone event of 100 ms. */
function event(one: LabLeg, key: string, timestamp: number): void {
  for (const [flags, duration] of [[10, 160], [10, 640], [0x8a, 800], [0x8a, 800]] as const) {
    const payload = Uint8Array.of(
      "0123456789*#".indexOf(key),
      flags,
      duration >> 8,
      duration & 0xff,
    );
    one.deliver({ payloadType: 101, timestamp, payload });
  }
}

/** A peer that presses each key by two ways. */
function bothWays(ways: readonly ("event" | "tone" | "info")[]) {
  const { clock, connect } = audioLab();
  const one = connect(ways.includes("event") ? withEvents : withoutEvents);
  let timestamp = 100_000;
  const by = {
    event: (key: string) => event(one, key, timestamp += 8_000),
    tone: (key: string) => press(one, key),
    info: (key: string) => one.leg.takeDigit(key),
  };
  return { clock, connect, one, by };
}

const pairs = [["event", "info"], ["info", "event"], ["tone", "info"], ["info", "tone"]] as const;
for (const [first, second] of pairs) {
  Deno.test(`a key that comes as ${first} and then as ${second} is one key`, () => {
    const { clock, one, by } = bothWays([first, second]);
    for (const key of "1223#") {
      by[first](key);
      clock.advance(mediaLimits.sameKeyMs - 20);
      by[second](key);
    }
    assert.equal(one.digits.join(""), "1223#");
    // The second way lags behind.
    clock.advance(mediaLimits.sameKeyMs);
    for (const way of [first, second]) for (const key of "4454") by[way](key);
    assert.equal(one.digits.join(""), "1223#4454");
  });

  Deno.test(`keys that come by ${first} alone, and then by ${second} alone, all count`, () => {
    const { clock, one, by } = bothWays([first, second]);
    for (const key of "5566") by[first](key);
    clock.advance(mediaLimits.sameKeyMs);
    for (const key of "6655") by[second](key);
    assert.equal(one.digits.join(""), "55666655");
  });

  Deno.test(`a key that comes as ${first} and as ${second} reaches the other leg once`, () => {
    for (const others of [withEvents, withoutEvents]) {
      const { clock, connect, one, by } = bothWays([first, second]);
      const other = connect(others);
      one.leg.join(other.leg);
      by[first]("8");
      clock.advance(400);
      by[second]("8");
      clock.advance(400);
      assert.equal(keysSent(other), "8");
    }
  });
}

/** The keys in what a leg sent, as events and as tones of 40 ms or more. */
function keysSent({ sent }: LabLeg): string {
  let keys = "";
  const onEvent = createDigitReceiver((digit) => (keys += digit) !== "");
  const onTone = createToneReceiver((digit) => keys += digit);
  for (const packet of sent) {
    if (packet.payloadType === 101) onEvent(packet);
    else onTone(packet, "PCMU");
  }
  return keys;
}

Deno.test("a long press that is signalled at its end is one key", () => {
  for (const way of ["event", "tone"] as const) {
    const { clock, one, by } = bothWays([way, "info"]);
    const pressMs = 2 * mediaLimits.sameKeyMs;
    const sound = framesOf(inTurn(keypad("9", { ms: pressMs })));
    for (let ms = 0; ms < pressMs; ms += 20) {
      const duration = ms * 8;
      if (way === "tone") one.deliver({ payload: encodeG711("PCMU", sound[ms / 20]!) });
      else {
        const payload = Uint8Array.of(9, 10, duration >> 8, duration & 0xff);
        one.deliver({ payloadType: 101, timestamp: 90_000, payload });
      }
      clock.advance(20);
    }
    by.info("9");
    assert.deepEqual(one.digits, ["9"]);
  }
});

Deno.test("keys by two ways that are long apart are two keys", () => {
  const { clock, one, by } = bothWays(["event", "info"]);
  by.event("5");
  clock.advance(mediaLimits.sameKeyMs);
  by.info("5");
  assert.deepEqual(one.digits, ["5", "5"]);
});

Deno.test("tones beside telephone events bring no key twice to a leg that takes none", () => {
  const { clock, connect, one, by } = bothWays(["event"]);
  const other = connect(withoutEvents);
  one.leg.join(other.leg);
  for (const key of "3*") {
    by.event(key);
    clock.advance(400);
    press(one, key);
  }
  assert.deepEqual(one.digits, ["3", "*"]);
  assert.equal(keysSent(other), "3*");
});

Deno.test("packets that come twice or late bring no digit again", () => {
  const { connect } = audioLab();
  const one = connect(withoutEvents);
  const frames = framesOf(keypad("5")).map((frame) => encodeG711("PCMU", frame));
  for (let time = 0; time < 2; time++) {
    frames.forEach((payload, i) => one.deliver({ payload, sequence: 2_000 + i }));
  }
  assert.deepEqual(one.digits, ["5"]);
});

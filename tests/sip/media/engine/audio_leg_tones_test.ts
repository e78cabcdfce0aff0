import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import type { Encoding } from "../../../../sip/media/sdp/sdp.ts";
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

Deno.test("a peer that signals its digits is not heard twice, nor listened to for tones any more", () => {
  const { clock, connect } = audioLab();
  const one = connect(withoutEvents);
  press(one, "5");
  one.leg.takeDigit("5");
  press(one, "6");
  one.leg.takeDigit("6");
  one.leg.takeDigit("6");
  assert.deepEqual(one.digits, ["5", "6", "6"]);

  const slow = connect(withoutEvents);
  press(slow, "5");
  clock.advance(mediaLimits.toneAgainMs);
  slow.leg.takeDigit("5");
  assert.deepEqual(slow.digits, ["5", "5"]);
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

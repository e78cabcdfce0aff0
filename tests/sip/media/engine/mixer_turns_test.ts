import assert from "node:assert/strict";
import { FRAME_SAMPLES, SILENCE } from "../../../../sip/media/base/port.ts";
import { createMixer, type MixedMedia } from "../../../../sip/media/engine/mixer.ts";
import { createTicker } from "../../../../sip/media/base/ticker.ts";
import { handClock } from "../../../support/process/hand_clock.ts";

/** Legs with turns of their own; each says how many frames it said, times a weight. */
function turnLab() {
  const clock = handClock();
  const ticker = createTicker(clock);
  const conference = createMixer();
  const open = (weight: number) => {
    const turn = ticker.turn();
    const heard: { value: number; at: number }[] = [];
    let said = 0;
    const media: MixedMedia = {
      turn,
      listen: (onFrame) =>
        turn.listen("hear", () => onFrame(new Int16Array(FRAME_SAMPLES).fill(weight * ++said))),
      feed: (source) =>
        turn.listen("send", () => {
          const frame = source() ?? SILENCE;
          assert.ok(frame.every((sample) => sample === frame[0]));
          heard.push({ value: frame[0]!, at: clock.now() });
        }),
    };
    // As a leg that is played to while it waits.
    const endWait = turn.listen("send", () => {});
    const participant = conference.enter(media);
    return { turn, heard, participant, said: () => said, endWait };
  };
  return { clock, conference, open };
}

Deno.test("of members with turns at other moments each frame is in the mix once, in order", () => {
  const { clock, conference, open } = turnLab();
  const [one, two, away, listener] = [open(1), open(100), open(10_000), open(0)];
  const legs = [one, two, away, listener];
  assert.equal(new Set(legs.map(({ turn }) => turn.moment)).size, 4);
  const recorded: number[] = [];
  conference.listen((frame) => recorded.push(frame[0]!));
  for (const { participant, endWait } of [two, one, listener]) {
    clock.advance(33);
    participant.setPresent(true);
    endWait();
  }

  clock.advance(1_000);

  assert.equal(new Set([one, two, listener].map(({ turn }) => turn.moment)).size, 1);
  const count = listener.heard.length;
  assert.equal(count, 50);
  const [first] = listener.heard;
  const shift = { one: first!.value % 100 - 1, two: Math.floor(first!.value / 100) - 1 };
  listener.heard.forEach(({ value, at }, i) => {
    assert.equal(value, (shift.one + i + 1) + 100 * (shift.two + i + 1), `frame ${i}`);
    if (i > 0) assert.equal(at - listener.heard[i - 1]!.at, 20);
  });
  // What they say at a tick is heard at it, and all that was said was.
  assert.equal(one.heard.at(-1)!.value, 100 * two.said());
  assert.equal(two.heard.at(-1)!.value, one.said());
  assert.deepEqual(
    one.heard.map(({ value }) => value / 100),
    range(two.said() - one.heard.length + 1, two.said()),
  );
  assert.deepEqual(two.heard.slice(-one.said()).map(({ value }) => value), range(1, one.said()));
  // A mix is over when the next begins.
  assert.deepEqual(recorded.slice(-count), [
    recorded.at(-count)!,
    ...listener.heard.slice(0, -1).map(({ value }) => value),
  ]);
  away.endWait();
  for (const { participant } of legs) participant.leave();
  assert.equal(clock.waiting(), 0);
});

Deno.test("a conference goes on at its moment when who came first goes, and anew when all went", () => {
  const { clock, open } = turnLab();
  const [one, two, three] = [open(1), open(1), open(1)];
  one.participant.setPresent(true);
  two.participant.setPresent(true);
  const moment = one.turn.moment;
  one.participant.leave();
  three.participant.setPresent(true);
  assert.deepEqual([two.turn.moment, three.turn.moment], [moment, moment]);
  two.participant.leave();
  three.participant.leave();
  const other = open(1);
  assert.notEqual(other.turn.moment, moment);
  const own = other.turn.moment;
  other.participant.setPresent(true);
  assert.equal(other.turn.moment, own);
  clock.advance(100);
  other.participant.leave();
  for (const { endWait } of [one, two, three, other]) endWait();
  assert.equal(clock.waiting(), 0);
});

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

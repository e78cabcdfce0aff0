import assert from "node:assert/strict";
import {
  FRAME_SAMPLES,
  type MediaParticipant,
  type Pcm,
  SILENCE,
} from "../../../../sip/media/base/port.ts";
import { createMixer, type MixedMedia, type Mixer } from "../../../../sip/media/engine/mixer.ts";
import { enterBeep, waitMusic } from "../../../../sip/media/audio/conference_sounds.ts";
import { createTicker } from "../../../../sip/media/base/ticker.ts";
import { handClock } from "../../../support/process/hand_clock.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

/** Legs that speak and hear in frames, without codecs and clocks. */
function lab() {
  const speaking: (() => void)[] = [];
  const hearing: (() => void)[] = [];
  const conference: Mixer = createMixer();
  const ticker = createTicker(handClock());

  /** A leg that says a sound over and over; `heard` is what it was told since. */
  function enter(
    sound: Pcm = SILENCE,
  ): { participant: MediaParticipant; heard: number[]; last: () => Pcm } {
    const heard: number[] = [];
    let last = SILENCE;
    let at = 0;
    const media: MixedMedia = {
      turn: ticker.turn(),
      listen(onFrame) {
        const speak = () => {
          if (sound === SILENCE) return onFrame(SILENCE);
          onFrame(sound.slice(at, at + FRAME_SAMPLES));
          at = (at + FRAME_SAMPLES) % sound.length;
        };
        speaking.push(speak);
        return () => void speaking.splice(speaking.indexOf(speak), 1);
      },
      feed(source) {
        const hear = () => heard.push(...(last = source() ?? SILENCE));
        hearing.push(hear);
        return () => void hearing.splice(hearing.indexOf(hear), 1);
      },
    };
    return { participant: conference.enter(media), heard, last: () => last };
  }
  return {
    conference,
    enter,
    /** A leg that is there from the beginning. */
    present(sound?: Pcm) {
      const leg = enter(sound);
      leg.participant.setPresent(true);
      return leg;
    },
    /** Lets 20 ms pass so many times. */
    run(frames: number) {
      for (let i = 0; i < frames; i++) {
        speaking.forEach((speak) => speak());
        hearing.forEach((hear) => hear());
      }
    },
  };
}

const pitches = [500, 750, 1_000] as const;
const levels = (heard: number[]) => pitches.map((hz) => Math.round(amplitudeOf(hz, heard)));
/** Of G.711's loudness; a tone that is not there is some hundredths of a percent of it. */
const around = (level: number) => (found: number) => Math.abs(found - level) < 20;

Deno.test("createConference() lets everybody hear all others, and not themselves", () => {
  const { present, run } = lab();
  const legs = pitches.map((hz) => present(tone(hz, 0.2)));

  run(50);

  legs.forEach(({ heard }, own) => {
    levels(heard).forEach((level, other) =>
      assert.ok(around(own === other ? 0 : 8_000)(level), `${own} hears ${levels(heard)}`)
    );
  });
});

Deno.test("createConference() hands on what two say as it is, in one frame for all who are silent", () => {
  const { present, run } = lab();
  const spoken = tone(500, 0.02);
  const speaker = present(spoken);
  const [one, two] = [present(), present()];

  run(1);

  assert.deepEqual(one.last(), spoken);
  assert.equal(one.last(), two.last());
  assert.equal(speaker.last(), SILENCE);
  const other = present(tone(750, 0.02));
  run(1);
  assert.equal(one.last(), two.last());
  assert.notEqual(one.last(), other.last());
});

Deno.test("a participant that is muted hears and is not heard; one that is not present does neither", () => {
  const { enter, present, run } = lab();
  const [muted, speaker] = [present(tone(500, 0.2)), present(tone(750, 0.2))];
  const away = enter(tone(1_000, 0.2));
  muted.participant.setMuted(true);

  run(50);
  assert.deepEqual(levels(muted.heard).map(around(8_000)), [false, true, false]);
  assert.deepEqual(levels(speaker.heard), [0, 0, 0]);
  assert.equal(away.heard.length, 0);

  speaker.heard.length = 0;
  muted.participant.setMuted(false);
  away.participant.setPresent(true);
  run(50);
  assert.deepEqual(levels(speaker.heard).map(around(8_000)), [true, false, true]);

  speaker.heard.length = 0;
  away.participant.leave();
  run(50);
  assert.deepEqual(levels(speaker.heard).map(around(8_000)), [true, false, false]);
});

Deno.test("ticks at which nobody is told do not pile up", () => {
  const { conference, present, run } = lab();
  const heard: Pcm[] = [];
  let say = (_: Pcm) => {};
  // Its peer holds the call: it speaks and asks for nothing.
  const holding = conference.enter({
    turn: createTicker(handClock()).turn(),
    listen: (onFrame) => (say = onFrame, () => {}),
    feed: () => () => {},
  });
  holding.setPresent(true);
  for (let i = 0; i < 10; i++) say(tone(500, 0.02));
  const listener = present();
  say(tone(500, 0.02));
  run(1);
  heard.push(listener.last());

  assert.deepEqual(heard, [tone(500, 0.02)]);
});

Deno.test("many who shout are turned down, not cut off", () => {
  const { present, run } = lab();
  const loud = pitches.map((hz) => present(tone(hz, 0.2, 8_000, 30_000)));
  const listener = present();

  run(100);

  const settled = listener.heard.slice(8_000);
  const [first, ...others] = levels(settled);
  assert.ok(first! > 10_000 && others.every((level) => Math.abs(level - first!) < 100), `${first}`);
  assert.ok(settled.every((sample) => Math.abs(sample) <= 32_000));
  // What a sum that is cut off has most of: tones that nobody said.
  for (const hz of [250, 1_250, 1_500, 1_750, 2_000, 2_250, 2_500, 3_000]) {
    const share = amplitudeOf(hz, settled) / first!;
    assert.ok(share < 0.02, `${hz} Hz is ${share.toFixed(3)} of it`);
  }
  loud.slice(1).forEach(({ participant }) => participant.leave());
  run(100);
  assert.ok(around(30_000)(amplitudeOf(500, listener.heard.slice(-8_000))));
});

Deno.test("the first frame of a shout does not wrap around", () => {
  const { present, run } = lab();
  for (const hz of pitches) present(tone(hz, 0.2, 8_000, 32_767));
  const listener = present();

  run(1);

  const parts = pitches.map((hz) => tone(hz, 0.02, 8_000, 32_767));
  listener.heard.forEach((sample, at) => {
    const whole = parts.reduce((sum, part) => sum + part[at]!, 0);
    assert.ok(whole * sample >= 0, `sample ${at} is ${sample} of ${whole}: it wrapped around`);
  });
});

Deno.test("announce() is heard by all, one sound after the other, beside what is said", () => {
  const { conference, present, run } = lab();
  const speaker = present(tone(1_000, 0.2));
  const listener = present();
  conference.announce(tone(500, 0.2));
  conference.announce(tone(750, 0.205));

  run(25);

  const [first, second] = [listener.heard.slice(0, 1_600), listener.heard.slice(1_600, 3_200)];
  assert.deepEqual(levels(first).map(around(8_000)), [true, false, true]);
  assert.deepEqual(levels(second).map(around(8_000)), [false, true, true]);
  assert.deepEqual(levels(listener.heard.slice(-480)).map(around(8_000)), [false, false, true]);
  assert.deepEqual(levels(speaker.heard.slice(0, 1_600)).map(around(8_000)), [true, false, false]);
});

Deno.test("listen() hands on all that is said, as those hear it who say nothing", () => {
  const { conference, enter, present, run } = lab();
  const away = enter(tone(1_000, 0.2));
  present(tone(500, 0.2));
  present(tone(750, 0.2)).participant.setMuted(true);
  const frames: Pcm[] = [];
  const stop = conference.listen((frame) => frames.push(frame));
  run(52);
  stop();
  run(5);

  assert.equal(frames.length, 52);
  const heard = frames.slice(2).flatMap((frame) => [...frame]);
  assert.deepEqual(levels(heard).map(around(8_000)), [true, false, false]);
  away.participant.leave();
});

Deno.test("the sounds of a conference are quiet, and begin and end without a click", () => {
  const music = waitMusic();
  const peak = (sound: Pcm) => sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

  assert.ok(peak(music) <= 3_000 && peak(music) > 2_900);
  assert.ok(peak(enterBeep) <= 4_000 && peak(enterBeep) > 3_500);
  for (const sound of [music, enterBeep]) {
    const seam = Math.abs(sound[0]! - sound.at(-1)!);
    assert.ok(seam < 1_000, `the sound jumps by ${seam} where it begins again`);
  }
  assert.ok(amplitudeOf(523.25, enterBeep.subarray(0, 1_200)) > 2_000);
  assert.equal(music.length / 8_000, 12.8);
});

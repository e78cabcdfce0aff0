import { createListeners, type Listeners } from "../base/listeners.ts";
import type { FrameSource } from "./record_sources.ts";
import { createLimiter, type Limiter } from "../audio/limiter.ts";
import {
  FRAME_SAMPLES,
  type MediaConference,
  type MediaParticipant,
  type Pcm,
  SILENCE,
} from "../base/port.ts";
import type { Turn } from "../base/ticker.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** A conference within an engine: it hands on frames, and takes whatever speaks and hears in them. */
export interface Mixer extends Pick<MediaConference, "announce"> {
  enter(media: MixedMedia): MediaParticipant;
  /** Hands on all that is said and announced, a frame for each tick at which there are participants. */
  listen: FrameSource;
}

/** Audio that a leg receives and sends, frame by frame. */
export interface MixedMedia {
  listen: FrameSource;
  /** Moment of both. */
  readonly turn: Turn;
  /**
   * What the leg sends from now on when it plays nothing: asked for a frame at each tick at which it
   * is sent; undefined is silence. Takes the place of a join and of a feed before it. The result
   * ends it. Of all legs whose turns are at one moment the listeners are called before the first source
   * is asked, so that a mixer collects and then hands out.
   */
  feed(source: () => Pcm | undefined): () => void;
}

/** One tick of the mix. All participants are read before the first one gets its frame. */
interface Mix {
  /** Number of those present, and their moment: that of the first of them. */
  present: number;
  moment: number | undefined;
  tick: number;
  sum: Int32Array;
  /** Parts of the sum; a single one is heard as it is. */
  parts: number;
  only: Pcm;
  /** Mix for all that said nothing themselves. */
  common: Pcm | undefined;
  /** A participant has read the mix of this tick: the next frame belongs to the next tick. */
  isTold: boolean;
  limiter: Limiter;
  /** Sounds to announce, what is left of them. */
  sounds: Pcm[];
  listeners: Listeners<Pcm>;
}

interface Member {
  muted: boolean;
  /** The one that alone hears it; null: nobody does. */
  coached: Member | null | undefined;
  /** Those that only it hears. */
  coaches: Set<Member>;
  /** Frame of the tick at which it was heard last. */
  said: Pcm;
  tick: number;
  limiter: Limiter;
}

/** A conference without anybody. */
export function createMixer(): Mixer {
  const mix: Mix = {
    present: 0,
    moment: undefined,
    tick: 0,
    sum: new Int32Array(FRAME_SAMPLES),
    parts: 0,
    only: SILENCE,
    common: undefined,
    isTold: true,
    limiter: createLimiter(),
    sounds: [],
    listeners: createListeners(),
  };
  return {
    enter: (media) => participantOf(mix, media),
    announce: (sound) => void mix.sounds.push(sound),
    listen: mix.listeners.add,
  };
}

const members = new WeakMap<MediaParticipant, Member>();

function participantOf(mix: Mix, media: MixedMedia): MediaParticipant {
  const member: Member = {
    muted: false,
    coached: undefined,
    coaches: new Set(),
    said: SILENCE,
    tick: -1,
    limiter: createLimiter(),
  };
  let stops: (() => void)[] = [];
  const participant: MediaParticipant = {
    setPresent(present) {
      if (present === stops.length > 0) return;
      stops.forEach((stop) => stop());
      stops = present ? take(mix, member, media) : [];
    },
    setMuted(muted) {
      member.muted = muted;
    },
    setCoached(coached) {
      member.coached?.coaches.delete(member);
      member.coached = coached && members.get(coached);
      member.coached?.coaches.add(member);
    },
    leave() {
      participant.setPresent(false);
      participant.setCoached(undefined);
    },
  };
  members.set(participant, member);
  return participant;
}

function take(mix: Mix, member: Member, media: MixedMedia): (() => void)[] {
  const { turn } = media;
  if (mix.moment !== undefined) turn.moveTo(mix.moment);
  const stops = [
    media.listen((frame) => hear(mix, member, frame)),
    media.feed(() => tell(mix, member)),
  ];
  mix.present++;
  mix.moment ??= turn.moment;
  return [...stops, () => {
    if (--mix.present === 0) mix.moment = undefined;
  }];
}

function hear(mix: Mix, member: Member, frame: Pcm): void {
  if (mix.isTold || member.tick === mix.tick) begin(mix);
  member.tick = mix.tick;
  member.said = member.muted ? SILENCE : frame;
  if (member.said !== SILENCE && member.coached === undefined) add(mix, frame);
}

function begin(mix: Mix): void {
  if (mix.listeners.size > 0) mix.listeners.call(whole(mix));
  mix.tick++;
  mix.sum.fill(0);
  mix.parts = 0;
  mix.only = SILENCE;
  mix.common = undefined;
  mix.isTold = false;
  const [sound] = mix.sounds;
  if (sound === undefined) return;
  const frame = new Int16Array(FRAME_SAMPLES);
  frame.set(sound.subarray(0, FRAME_SAMPLES));
  add(mix, frame);
  if (sound.length <= FRAME_SAMPLES) mix.sounds.shift();
  else mix.sounds[0] = sound.subarray(FRAME_SAMPLES);
}

function add(mix: Mix, frame: Pcm): void {
  const { sum } = mix;
  for (let i = 0; i < FRAME_SAMPLES; i++) sum[i]! += frame[i]!;
  mix.parts++;
  mix.only = frame;
}

function tell(mix: Mix, member: Member): Pcm {
  mix.isTold = true;
  const { said, tick, limiter, coached, coaches } = member;
  const isInSum = tick === mix.tick && said !== SILENCE && coached === undefined;
  const own = isInSum ? said : undefined;
  if (coaches.size > 0) return withCoaches(mix, { own, coaches, limiter });
  const others = mix.parts - (own === undefined ? 0 : 1);
  if (others === 0) return SILENCE;
  return own === undefined ? whole(mix) : limiter.limit(mix.sum, own);
}

/** Mix for a coached participant: without its own part, and with those that speak to it alone. */
function withCoaches(
  mix: Mix,
  { own, coaches, limiter }: {
    own: Pcm | undefined;
    coaches: ReadonlySet<Member>;
    limiter: Limiter;
  },
): Pcm {
  const sum = mix.sum.slice();
  for (const { said, tick } of coaches) {
    if (tick === mix.tick) { for (let i = 0; i < FRAME_SAMPLES; i++) sum[i]! += said[i]!; }
  }
  return own === undefined ? limiter.limit(sum) : limiter.limit(sum, own);
}

/** All of it, as those hear it who say nothing. */
function whole(mix: Mix): Pcm {
  if (mix.parts < 2) return mix.only;
  return mix.common ??= mix.limiter.limit(mix.sum);
}

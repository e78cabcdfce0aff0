import {
  type Agreed,
  type AudioLegOptions,
  createState,
  type Digits,
  type Source,
  type State,
} from "./audio_leg_state.ts";
import { course, pcmFrames } from "../base/course.ts";
import { dualTone, pressedFrames } from "../base/digits.ts";
import { mediaLimits } from "../base/limits.ts";
import type { Way } from "./keys.ts";
import { createOutgoing } from "./outgoing.ts";
import { type MediaLeg, type Pcm, SILENCE } from "../base/port.ts";
import type { Law } from "../codecs/g711.ts";
import type { MixedMedia } from "./mixer.ts";
import type { RtpPacket } from "../rtp/rtp.ts";
import { playFrom, tap } from "./audio_leg_streams.ts";
import { createToneReceiver } from "./tone_receiver.ts";
import type { Track } from "../base/stream_port.ts";
import { withDurationScaled } from "../rtp/telephone_event.ts";

/** Operations of a leg of the port on sound. */
type Sound = Pick<
  MediaLeg,
  | "play"
  | "setMuted"
  | "isMuted"
  | "onDigits"
  | "takeDigit"
  | "sendDigits"
>;

type PlayOptions = Parameters<MediaLeg["play"]>[1];

/** Inside of a leg, for those that it is joined with: a WeakMap would outlive each call. */
const inside = Symbol("inside");

/** The sound of one leg: what it sends at each moment, and where what it receives goes. */
export interface AudioLeg extends Sound, MixedMedia {
  readonly [inside]: State;
  /** RTP may flow from now on, in these codecs. */
  start(agreed: Agreed): void;
  /** Other codecs were agreed; before `start` this is for nothing. */
  change(agreed: Agreed): void;
  /** RTP from the peer, that came now unless given. */
  receive(packet: RtpPacket, at?: number): void;
  /** True where the peer wants audio; false while it holds the call. */
  setListening(listening: boolean): void;
  /** True where the peer sends audio; one that holds the call may say nothing for long. */
  setSpeaking(speaking: boolean): void;
  /** Packets that came too late to be played, since it was last asked. */
  takeLate(): number;
  /** Hands on the frames of a track, each as soon as it is complete; the result ends it. */
  tap(track: Track, onFrame: (frame: Pcm) => void): () => void;
  /**
   * Sends what the source has at each tick, in place of what the leg is fed and of the leg it is joined
   * with; the result ends it.
   */
  playFrom(source: Source): () => void;
  join(other: AudioLeg): void;
  /** Given a leg, only where it is the one joined. */
  leave(from?: AudioLeg): void;
  close(): void;
}

export function createAudioLeg(options: AudioLegOptions): AudioLeg {
  const state: State = createState(options, (digit) => takeDigit(state, digit, "event"));
  const leg = {
    [inside]: state,
    turn: options.turn,
    isMuted: false,
    start: (agreed: Agreed) => start(state, agreed),
    change: (agreed: Agreed) => change(state, agreed),
    receive: (packet: RtpPacket, at = state.now()) => receive(state, packet, at),
    setSpeaking(speaking: boolean) {
      state.speaking = speaking;
      if (state.joined !== undefined) adjustTicking(state.joined);
    },
    setListening(listening: boolean) {
      state.listening = listening;
      adjustTicking(state);
    },
    takeLate: () => state.hearing.takeLate(),
    play: (pcm: Pcm, options: PlayOptions) => play(state, pcm, options),
    feed: (source: () => Pcm | undefined) => feed(state, source),
    tap: (track: Track, onFrame: (frame: Pcm) => void) => tap(state, track, onFrame),
    playFrom(source: Source) {
      const stop = playFrom(state, source);
      adjustTicking(state);
      return () => {
        stop();
        adjustTicking(state);
      };
    },
    listen: (onFrame: (frame: Pcm) => void) =>
      state.closed ? () => {} : state.hearing.listen(onFrame),
    setMuted(muted: boolean) {
      leg.isMuted = state.hearing.muted = muted;
      if (state.joined !== undefined) adjustTicking(state.joined);
    },
    join: (other: AudioLeg) => join(state, other[inside]),
    leave: (from?: AudioLeg) => leave(state, from?.[inside]),
    onDigits: state.digitListeners.add,
    takeDigit: (digit: string) => void takeDigit(state, digit, "info"),
    sendDigits: (digits: string, signal?: AbortSignal) =>
      Promise.try(sendDigits, state, digits, signal),
    close: () => close(state),
  };
  return leg;
}

function start(state: State, agreed: Agreed): void {
  if (state.closed) return;
  state.agreed = agreed;
  const { outgoing: formats, eventScale = 1 } = agreed;
  state.stream = createOutgoing({ ...state, formats, eventScale });
  adjustTicking(state);
}

function change(state: State, agreed: Agreed): void {
  if (state.stream === undefined) return;
  state.agreed = agreed;
  state.stream.setFormats(agreed.outgoing, agreed.eventScale);
}

/** True where what another leg receives goes out as it comes. */
const isForwarding = ({ joined }: State) => joined !== undefined && !joined.hearing.muted;

/** The same, and that leg speaks, or did a moment ago; else the leg sends frames of its own. */
const isSpokenTo = ({ joined, now }: State) =>
  joined !== undefined && !joined.hearing.muted &&
  (joined.speaking || now() - joined.heardAt < mediaLimits.talkspurtGapMs);

/**
 * A leg needs frames of its own also while the other side holds, since a trunk may end a call that it
 * hears nothing of.
 */
function adjustTicking(state: State): void {
  const { stream, closed, playing, digits, listening } = state;
  const needed = stream !== undefined && !closed &&
    (playing !== undefined || digits.length > 0 || state.streamed.length > 0 ||
      (listening && !(isForwarding(state) && state.joined?.speaking)));
  if (needed) return void (state.stopTicking ??= state.turn.listen("send", () => tick(state)));
  state.stopTicking?.();
  state.stopTicking = undefined;
}

/** Digits go before a play, and that before a stream, what the leg is fed and what it forwards. */
function tick(state: State): void {
  const pressed = state.digits[0]?.next();
  const played = state.playing?.next();
  const [source] = state.streamed;
  const streamed = source?.next();
  state.pressing = pressed !== undefined;
  if (state.stream === undefined || !state.listening) return;
  if (pressed !== undefined) {
    state.stream.press(pressed);
    const { outbound } = state.taps;
    if (outbound.size > 0) outbound.call({ frame: dualTone(pressed) });
  } else if (played !== undefined) say(state, played);
  else if (source !== undefined) {
    source.onSend?.();
    say(state, streamed ?? SILENCE);
  } else if (!isSpokenTo(state)) say(state, state.source?.() ?? SILENCE);
}

function say({ stream, taps }: State, frame: Pcm): void {
  stream?.frame(frame);
  taps.outbound.call({ frame });
}

function receive(state: State, received: RtpPacket, at: number): void {
  const { incoming, eventScale = 1 } = state.agreed ?? {};
  const encoding = incoming?.get(received.payloadType);
  if (encoding === undefined) return;
  const packet = encoding === "telephone-event" && eventScale !== 1
    ? { ...received, payload: withDurationScaled(received.payload, 1 / eventScale) }
    : received;
  state.heardAt = at;
  state.hearing.receive(packet, encoding);
  const isNew = encoding === "telephone-event"
    ? receiveEvent(state, packet)
    : receiveAudio(state, packet, encoding);
  // The digit may have ended the conversation.
  const other = state.joined;
  if (!isNew || other === undefined || state.hearing.muted || !other.listening) return;
  if (other.playing !== undefined || other.pressing || other.streamed.length > 0) return;
  other.stream?.forward(packet, encoding, at);
  if (encoding !== "telephone-event") {
    other.taps.outbound.call({ packet, law: encoding, isMuted: false });
  }
}

/** Takes a packet of a telephone event; returns whether its press is a key of its own. */
function receiveEvent(state: State, packet: RtpPacket): boolean {
  const counts = state.receiveDigit(packet);
  state.keys.holds("event");
  return counts;
}

/** Takes a packet of audio; returns whether it is none of a key that another way has brought. */
function receiveAudio(state: State, packet: RtpPacket, law: Law): boolean {
  const sounds = hearTones(state, packet, law);
  if (sounds) state.keys.holds("tone");
  state.taps.inbound.call({ packet, law, isMuted: state.hearing.muted });
  return !(sounds && state.isToneRepeat);
}

const takesEvents = ({ stream }: State): boolean => stream?.takesEvents() === true;

/**
 * Listens for tones; returns whether a key sounds. A peer without telephone events presses its keys as
 * tones, if at all. A leg joined with it gets each key as a tone, so that none may reach it twice.
 */
function hearTones(state: State, packet: RtpPacket, law: Law): boolean {
  const { joined } = state;
  if (takesEvents(state) && (joined === undefined || takesEvents(joined))) return false;
  state.hearTones ??= createToneReceiver((digit) => takeTone(state, digit));
  return state.hearTones(packet, law);
}

function takeTone(state: State, digit: string): void {
  state.isToneRepeat = takesEvents(state)
    ? state.keys.isRepeat(digit, "tone")
    : !takeDigit(state, digit, "tone");
}

/** Takes a press; returns whether it is a key that no other way has brought. */
function takeDigit(state: State, digit: string, way: Way): boolean {
  if (!state.keys.take(digit, way)) return false;
  state.digitListeners.call(digit);
  const other = state.joined;
  if (other === undefined) return true;
  const goesOn = way === "tone" || (way === "event" && takesEvents(other));
  const isForwarded = goesOn && !state.hearing.muted;
  if (isForwarded || other.digits.length >= mediaLimits.relayedDigits) return true;
  void sendDigits(other, digit);
  return true;
}

function sendDigits(state: State, digits: string, signal?: AbortSignal): Promise<void> {
  const frames = pressedFrames(digits);
  if (state.closed || signal?.aborted || digits === "") return Promise.resolve();
  const sending: Digits = course(frames, signal, () => {
    state.digits = state.digits.filter((each) => each !== sending);
    state.pressing = false;
    adjustTicking(state);
  });
  state.digits.push(sending);
  adjustTicking(state);
  return sending.ended;
}

function play(
  state: State,
  pcm: Pcm,
  { loop, signal }: PlayOptions,
): Promise<void> {
  state.playing?.end();
  if (state.closed || signal.aborted || pcm.length === 0) return Promise.resolve();
  const playing = course(pcmFrames(pcm, loop), signal, () => {
    if (state.playing === playing) state.playing = undefined;
    adjustTicking(state);
  });
  state.playing = playing;
  adjustTicking(state);
  return playing.ended;
}

function feed(state: State, source: () => Pcm | undefined): () => void {
  if (state.closed) return () => {};
  leave(state);
  // Of its own, that a later feed by the same source is not ended by the result.
  const own = () => source();
  state.source = own;
  return () => {
    if (state.source === own) state.source = undefined;
  };
}

function join(one: State, other: State): void {
  if (one.closed || other.closed || one === other) return;
  for (const state of [one, other]) {
    leave(state);
    state.source = undefined;
    state.playing?.end();
  }
  one.joined = other;
  other.joined = one;
  for (const state of [one, other]) adjustTicking(state);
}

function leave(state: State, from = state.joined): void {
  const other = state.joined;
  if (other === undefined || other !== from) return;
  state.joined = undefined;
  other.joined = undefined;
  for (const each of [state, other]) adjustTicking(each);
}

function close(state: State): void {
  if (state.closed) return;
  leave(state);
  state.closed = true;
  state.source = undefined;
  state.streamed = [];
  state.hearing.close();
  state.playing?.end();
  for (const each of [...state.digits]) each.end();
  adjustTicking(state);
}

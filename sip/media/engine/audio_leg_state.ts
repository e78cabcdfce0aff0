import type { Course } from "../base/course.ts";
import type { Pressed } from "../base/digits.ts";
import { createHearing, type Hearing } from "./hearing.ts";
import { createListeners, type Listeners } from "../base/listeners.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Law } from "../codecs/g711.ts";
import type { Pcm } from "../base/port.ts";
import type { Track } from "../base/stream_port.ts";
import type { RtpPacket } from "../rtp/rtp.ts";
import type { Encoding, Formats } from "../sdp/sdp.ts";
import { createDigitReceiver } from "../rtp/telephone_event.ts";
import type { Turn } from "../base/ticker.ts";
import { createKeys, type Keys } from "./keys.ts";
import type { createToneReceiver } from "./tone_receiver.ts";

/** The codecs that were agreed. */
export interface Agreed {
  /** Encodings that the peer may send, by payload type. */
  incoming: ReadonlyMap<number, Encoding>;
  /** Encodings that the peer takes. */
  outgoing: Formats;
  /** The peer's units of a duration of a telephone event for one of ours, of 1/8000 s. */
  eventScale?: number;
}

export interface AudioLegOptions {
  turn: Turn;
  ssrc: number;
  now: () => number;
  send: (packet: RtpPacket, at: number) => void;
}

export type Digits = Course<Pressed | undefined>;

/** State of a leg; `audio_leg.ts` is its only user. */
export interface State extends AudioLegOptions {
  agreed: Agreed | undefined;
  stream: Outgoing | undefined;
  listening: boolean;
  speaking: boolean;
  /** Time at which the peer was heard last. */
  heardAt: number;
  hearing: Hearing;
  playing: Course<Pcm> | undefined;
  source: (() => Pcm | undefined) | undefined;
  joined: State | undefined;
  /** Digits to send, one call after the other, and whether one is being sent at this moment. */
  digits: Digits[];
  pressing: boolean;
  digitListeners: Listeners<string>;
  receiveDigit: ReturnType<typeof createDigitReceiver>;
  /** Detector of tones, where the peer has no telephone events. */
  hearTones: ReturnType<typeof createToneReceiver> | undefined;
  /** Of all ways that the peer brings its keys by. */
  keys: Keys;
  /** The tone that sounds, or sounded last, is a key that another way has brought. */
  isToneRepeat: boolean;
  /** Listeners to packets of the peer, and to those that it is sent, as they come. */
  taps: Record<Track, Listeners<Tapped>>;
  /** Sources of sound that go before all but plays and digits, the newest first. */
  streamed: Source[];
  stopTicking: (() => void) | undefined;
  closed: boolean;
}

/** Packets of a leg at each tick. */
export interface Source {
  /** The next frame; undefined is silence. */
  next(): Pcm | undefined;
  /** Called before a frame of it is sent. */
  onSend?(): void;
}

/** A packet of a peer. */
export interface TappedPacket {
  packet: RtpPacket;
  law: Law;
  isMuted: boolean;
}

/** A part of a track: a packet that came, or a frame of our own. */
export type Tapped = TappedPacket | { frame: Pcm };

/** Creates a state; `onEvent` hears of each press by telephone events, and returns whether it counts. */
export function createState(options: AudioLegOptions, onEvent: (digit: string) => boolean): State {
  return {
    ...options,
    agreed: undefined,
    stream: undefined,
    listening: true,
    speaking: true,
    heardAt: -Infinity,
    hearing: createHearing(options.turn),
    playing: undefined,
    source: undefined,
    joined: undefined,
    digits: [],
    pressing: false,
    digitListeners: createListeners(),
    receiveDigit: createDigitReceiver(onEvent),
    hearTones: undefined,
    keys: createKeys(options.now),
    isToneRepeat: false,
    taps: { inbound: createListeners(), outbound: createListeners() },
    streamed: [],
    stopTicking: undefined,
    closed: false,
  };
}

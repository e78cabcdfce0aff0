import {
  type LegOptions,
  type MediaKind,
  MediaShortage,
  type Mismatch,
  NoCommonCodec,
  type Pcm,
  type Received,
  type ShortOf,
} from "../base/port.ts";
import type { StreamEnd, StreamFault, StreamSettings } from "../base/stream_port.ts";
import type { MediaPlaces } from "../transports/transports.ts";

/**
 * Messages between the companion's main thread and the engine in its Worker. Legs, conferences,
 * participants, taps, tasks and sounds are numbered by the main side, so that it need not wait to
 * speak of them.
 */

/** A task ends with a `done`, sooner after a `stop`. */
export type Order =
  | {
    type: "open";
    task: number;
    leg: number;
    offer?: string;
    kind?: MediaKind;
    options?: LegOptions;
  }
  | { type: "accept"; task: number; leg: number; sdp: string; isEarly?: boolean }
  | { type: "reanswer" | "reaccept"; task: number; leg: number; sdp: string }
  | { type: "reoffer"; task: number; leg: number; isHolding?: boolean }
  | { type: "play"; task: number; leg: number; sound: SentSound; loop: number }
  | { type: "sendDigits"; task: number; leg: number; digits: string }
  | { type: "echo"; task: number; leg: number }
  | { type: "recordLeg"; task: number; leg: number }
  | { type: "recordLegs"; task: number; leg: number; other: number }
  | { type: "recordConference"; task: number; conference: number }
  | { type: "monitor"; task: number; leg: number; other: number }
  | { type: "monitorConference"; task: number; conference: number; leg: number }
  | { type: "stream"; stream: number; leg: number; settings: StreamSettings }
  | { type: "stopStream"; stream: number }
  | { type: "stop"; task: number }
  | { type: "listen"; tap: number; leg: number }
  | { type: "unlisten"; tap: number }
  | { type: "join"; leg: number; other: number }
  | { type: "leave"; leg: number; from?: number }
  | { type: "mute"; leg: number; muted: boolean }
  | { type: "takeDigit"; leg: number; digit: string }
  | { type: "closeLeg"; leg: number }
  | { type: "enter"; participant: number; conference: number; leg: number }
  | { type: "participant"; participant: number; present?: boolean; muted?: boolean }
  | { type: "coach"; participant: number; coached: number | null | undefined }
  | { type: "leaveConference"; participant: number }
  | { type: "announce"; conference: number; sound: SentSound }
  | { type: "forgetSound"; sound: number }
  /** The memory of a `heard` comes back, to be used again. */
  | { type: "spent"; samples: Pcm }
  | { type: "ping"; task: number }
  | { type: "close"; task: number };

/** The first message to a Worker; the task is done when its engine is there. */
export interface Start {
  type: "start";
  task: number;
  places: MediaPlaces;
  /** True where streams may go to servers at private addresses. */
  mayReachPrivate: boolean;
  /** The Workers that read what servers of streams send; those of the product unless given. */
  socketScript?: string;
}

/** The orders of a type. */
export type OrderOf<T extends Order["type"]> = Extract<Order, { type: T }>;

/** Its samples come along the first time; they are kept until it is forgotten. */
export interface SentSound {
  id: number;
  pcm?: Pcm;
}

/** The messages of the engine. */
export type Report =
  /** The value is an SDP, where one was asked for. */
  | { type: "done"; task: number; value?: string }
  | { type: "failed"; task: number; error: SentError }
  | { type: "connected"; leg: number }
  | { type: "unconnected"; leg: number; error: SentError }
  | { type: "lost"; leg: number; why: string }
  | { type: "quiet"; leg: number; ms: number }
  | { type: "unknownSource"; leg: number; address: string }
  | { type: "digit"; leg: number; digit: string }
  /** Frames of several taps: so many of each, one after the other; then the rest. */
  | { type: "heard"; taps: { tap: number; frames: number }[]; samples: Pcm }
  | { type: "recorded"; task: number; samples: Pcm }
  | { type: "streamOpen"; stream: number }
  | { type: "streamProblem"; stream: number; fault: StreamFault; message: string }
  | { type: "streamLost"; stream: number; frames: number }
  | { type: "streamEnd"; stream: number; end: StreamEnd }
  | { type: "received"; received: Received }
  /** A Worker that reads what servers of streams send may hang for ever. */
  | { type: "stuck" }
  | { type: "log"; line: string; fields?: Record<string, unknown> };

/** An error as it crosses between the two. */
export interface SentError {
  /** Tells `NoCommonCodec` and `MediaShortage` from the others. */
  name: string;
  message: string;
  /** Of a `NoCommonCodec`. */
  mismatch?: Mismatch;
  /** Of a `MediaShortage`. */
  shortOf?: ShortOf;
}

/** Whatever was thrown, to be sent. */
export const sentError = (error: unknown): SentError =>
  error instanceof Error
    ? {
      name: error.name,
      message: error.message,
      ...error instanceof NoCommonCodec && { mismatch: error.mismatch },
      ...error instanceof MediaShortage && { shortOf: error.of },
    }
    : { name: "Error", message: String(error) };

import type { MediaStream, StreamEvents, StreamSettings } from "./stream_port.ts";

/**
 * The media port: what call control asks of a media engine. Legs are created and steered from the
 * companion's main thread; an engine may live in the same thread, in a Worker, or elsewhere, so
 * everything is asynchronous, nothing here exposes packets, and no sound that a peer is sent waits
 * for the caller.
 */

/** 8 kHz mono 16-bit samples, the engine's inner format. */
export type Pcm = Int16Array<ArrayBuffer>;

/** Samples in a frame, which is 20 ms. */
export const FRAME_SAMPLES = 160;

/** A frame of silence; read only. */
export const SILENCE: Pcm = new Int16Array(FRAME_SAMPLES);

/** Why a leg that was closed will not be connected; one for all, since an error's stack costs much. */
export const LEG_CLOSED = new Error("Cannot connect media: the leg is closed");

/** Transport of media: ICE and DTLS-SRTP (browsers), or plain RTP (trunks, UDP softphones). */
export type MediaKind = "webrtc" | "rtp";

/** Options of a leg that is not WebRTC. */
export interface LegOptions {
  /** Our address in the SDP; by default that of the transport. */
  host?: string;
  /**
   * IP addresses and networks by which signalling knows the peer, beside the address of its SDP: RTP is
   * taken from them, at any port. Packets from everywhere else are dropped.
   */
  sources?: readonly string[];
  /** Security of the audio in an offer of ours; none unless given. */
  secure?: Secure;
  /** Whose tenant's share of the ports it counts for. */
  accountSid?: string;
}

/**
 * Of the profile RTP/SAVP with keys (RFC 4568) and a fingerprint (RFC 5763), of which the peer
 * takes one; or of the profile for DTLS, which some phones ask for.
 */
export type Secure = "either" | "dtls";

/** Takes samples of 8 kHz, those of several channels interleaved. */
export type WriteSamples = (samples: Pcm) => void;

/** Makes legs and conferences, and ends them all. */
export interface MediaEngine {
  /**
   * A leg of the kind that the offer asks for by its profile. `localSdp` is our answer; throws
   * `NoCommonCodec` (488).
   */
  answer(offer: string, options?: LegOptions): Promise<MediaLeg>;
  /** A leg for an INVITE we send. `localSdp` is our offer; finish it with `accept`. */
  offer(kind?: MediaKind, options?: LegOptions): Promise<MediaLeg>;
  /** A conference without anybody, for legs of this engine. */
  conference(): MediaConference;
  /** Tells whether the tenant of an account may have a leg for an offer now, where that is bounded. */
  hasRoomFor?(accountSid: string, offer: string): boolean;
  /** Ends every leg. */
  close(): Promise<void>;
}

/** Packets of one leg since the last report. */
export interface Received {
  /** RTP packets that came. */
  received: number;
  /** Those whose sequence numbers are missing. */
  lost: number;
  /** Those that came too late to be played. */
  late: number;
  /** Interarrival jitter (RFC 3550, A.8) at this moment. */
  jitterMs: number;
}

/** A conference in which each leg hears all others: their sum without its own part. */
export interface MediaConference {
  /** Adds a leg, without audio in either direction until `setPresent`. */
  enter(leg: MediaLeg): MediaParticipant;
  /** Plays a sound to all present participants, after the sounds already queued. */
  announce(sound: Pcm): void;
  /**
   * Writes all audio and announcements while a participant is present, in pieces of at most 0.5 s.
   * The result ends the recording, and resolves when the last piece was written.
   */
  record(write: WriteSamples): () => Promise<void>;
  /**
   * Has a leg hear all audio and announcements, without being a participant: nobody hears it. The result
   * ends it.
   */
  monitor(listener: MediaLeg): () => void;
}

/** A leg in a conference. */
export interface MediaParticipant {
  /** Connects the leg to the conference, or disconnects it so that sounds can be played to it. */
  setPresent(present: boolean): void;
  /** Silences the audio of the leg in the conference. */
  setMuted(muted: boolean): void;
  /** Has one participant alone hear the leg, which hears all; null: nobody, undefined: everybody. */
  setCoached(coached: MediaParticipant | null | undefined): void;
  leave(): void;
}

/** The media of one leg of a call. */
export interface MediaLeg {
  readonly localSdp: string;
  /**
   * Takes the peer's answer to our offer; throws `NoCommonCodec`. Another answer follows an early
   * one: the same again, or that of another fork (RFC 3261 §13.2.2.4). If the connection to an early
   * peer is lost, `lost` resolves only when its answer is final.
   */
  accept(answer: string, isEarly?: boolean): Promise<void>;
  /** Resolves when audio can flow (ICE and DTLS done); rejects when it cannot. */
  readonly connected: Promise<void>;
  /** Resolves once, with the reason, when the transport failed or ended without `close`. */
  readonly lost: Promise<string>;
  /**
   * Calls back every few seconds while the peer should send audio and has sent neither RTP nor RTCP for
   * 25 s or longer, with the time since its last packet in ms. Never while either side holds the call,
   * nor of WebRTC by the companion, whose peer is asked for its consent (RFC 7675). The result ends it.
   */
  onQuiet(listener: (ms: number) => void): () => void;
  /**
   * Resolves once, with the address, when RTP came from an address that signalling does not know, and
   * was dropped.
   */
  readonly unknownSource: Promise<string>;
  /**
   * Plays samples to the peer, in place of what it is fed and of the leg it is joined with; resolves
   * at the end, or at once when aborted or the leg closed. A leg that is lost plays on, unheard.
   */
  play(pcm: Pcm, options: { loop: number; signal: AbortSignal }): Promise<void>;
  /**
   * Sends the peer what it says itself, each frame at the tick at which it came, whenever it plays
   * nothing. Takes the place of a join and of a conference before it. The result ends it.
   */
  echo(): () => void;
  /**
   * Hands on what the peer says in frames of 20 ms (160 samples), lost packets concealed; silence
   * while nothing comes or the leg is muted. Frames come up to 0.1 s late, several at once, but before
   * a digit that was pressed after them. Any number of listeners, also while it plays or is joined;
   * they must not write to a frame, and copy it to keep it. The result ends it at once.
   */
  listen(onFrame: (frame: Pcm) => void): () => void;
  /**
   * Hands on what this leg and another say, this one on the first channel, in pieces of at most
   * 0.5 s. The result ends it, and resolves when the last piece was handed on.
   */
  recordWith(other: MediaLeg, write: WriteSamples): () => Promise<void>;
  /** The same of what the peer says and what it is sent, whatever the leg does meanwhile. */
  recordLeg(write: WriteSamples): () => Promise<void>;
  /**
   * Has the peer hear what the peer of another leg says and hears, whatever that leg does; nobody hears
   * this one. Takes the place of a join and of a conference. The result ends it.
   */
  monitor(other: MediaLeg): () => void;
  /**
   * Forwards audio and digits both ways until `leave` on either leg, or until either is joined with
   * another, echoes or enters a conference; ends a running play.
   */
  join(other: MediaLeg): void;
  /** Ends that; given a leg, only where it is the one joined. */
  leave(from?: MediaLeg): void;
  /** Silences the audio of the peer for all listeners; its digits still count. */
  setMuted(muted: boolean): void;
  isMuted: boolean;
  /**
   * Calls back for each digit the peer pressed, once per press, as a telephone event or, where the peer
   * has none, as tones; the result ends it. A press that comes by two ways counts once.
   */
  onDigits(listener: (digit: string) => void): () => void;
  /** Takes a digit that came by signalling; it counts unless the media have brought that press. */
  takeDigit(digit: string): void;
  /**
   * Sends digits (0-9 A-D * #) as telephone events (RFC 4733), or as tones where the peer takes none:
   * 100 ms each and 60 ms between them; `w` is a pause of 0.5 s, `W` of 1 s. They go out after those
   * that are under way, and in place of all sound. Resolves at the end, or at once when aborted or
   * the leg closed; rejects when a character is none of these.
   */
  sendDigits(digits: string, signal: AbortSignal): Promise<void>;
  /**
   * Opens a WebSocket that carries the audio of the leg, whatever the leg does meanwhile, until either
   * side ends it or the leg closes. Audio of the server is played in place of all else but digits and
   * what `play` plays.
   */
  stream(settings: StreamSettings, events: StreamEvents): MediaStream;
  /**
   * Our SDP for a later offer (re-INVITE, RFC 3264 §8): the peer may hold and resume, restart ICE, and
   * over plain RTP move and change codecs; throws, and all stays, when it wants more.
   */
  reanswer(offer: string): Promise<string>;
  /**
   * A later offer of ours: the present session, with call hold switched where `isHolding` is given. On
   * hold we send audio and want none. `reaccept` takes the answer.
   */
  reoffer(isHolding?: boolean): Promise<string>;
  /** Takes the answer to a later offer; throws when it wants more than `reanswer` lets it. */
  reaccept(answer: string): Promise<void>;
  close(): void;
}

/** Part of a session description that cannot be accepted. */
export type Mismatch = "media type" | "transport" | "address" | "codec" | "description";

/** The media that a peer offers are none we speak: SIP 488. */
export class NoCommonCodec extends Error {
  override readonly name = "NoCommonCodec";

  constructor(message: string, readonly mismatch: Mismatch = "codec") {
    super(message);
  }
}

/** Resource that this machine lacks; `share`: for this tenant alone. */
export type ShortOf = "ports" | "descriptors" | "sockets" | "share";

/** This machine has no room for the media of another leg: SIP 503. */
export class MediaShortage extends Error {
  override readonly name = "MediaShortage";

  constructor(message: string, readonly of: ShortOf) {
    super(message);
  }
}

/** The shortage for which the system refused a socket. */
export const shortageOf = (what: string, cause: unknown): MediaShortage => {
  const why = cause instanceof Error ? cause.message : String(cause);
  const isDescriptors = /too many open files|EMFILE|ENFILE/i.test(why);
  return new MediaShortage(`${what}: ${why}`, isDescriptors ? "descriptors" : "sockets");
};

/**
 * Source of audio: fetches and decodes a URL within a bounded time, or throws an Error that
 * says why it cannot.
 */
export type LoadAudio = (url: string, signal: AbortSignal) => Promise<Pcm>;

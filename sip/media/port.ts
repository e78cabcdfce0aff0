/**
 * The media port: what call control asks of a media engine. Legs are created and steered from the
 * companion's main thread; an engine may live in the same process, in Workers, or elsewhere, so
 * everything is asynchronous and nothing here exposes packets.
 */

/** 8 kHz mono 16-bit samples, the engine's inner format. */
export type Pcm = Int16Array<ArrayBuffer>;

/** How media travel: by ICE and DTLS-SRTP (browsers), or as plain RTP (trunks, UDP softphones). */
export type MediaKind = "webrtc" | "rtp";

export interface MediaEngine {
  /**
   * A leg of the kind that the offer asks for by its profile. `localSdp` is our answer; throws
   * `NoCommonCodec` (488).
   */
  answer(offer: string): Promise<MediaLeg>;
  /** A leg for an INVITE we send. `localSdp` is our offer; finish it with `accept`. */
  offer(kind?: MediaKind): Promise<MediaLeg>;
  /** Ends every leg. */
  close(): Promise<void>;
}

export interface MediaLeg {
  readonly localSdp: string;
  /** Takes the peer's answer to our offer; throws `NoCommonCodec`. */
  accept(answer: string): Promise<void>;
  /** Resolves when audio can flow (ICE and DTLS done); rejects when it cannot. */
  readonly connected: Promise<void>;
  /** Resolves once, when the transport failed, fell silent for good or went away without `close`. */
  readonly lost: Promise<void>;
  /** Plays samples to the peer; resolves at the end, or at once when aborted or the leg closed. */
  play(pcm: Pcm, options: { loop: number; signal: AbortSignal }): Promise<void>;
  /** Forwards audio and digits both ways until `leave` on either leg; ends a running play. */
  join(other: MediaLeg): void;
  /** Ends that; given a leg, only where it is the one joined. */
  leave(from?: MediaLeg): void;
  /** Called for each digit the peer pressed (RFC 4733), once per press. */
  onDigit: ((digit: string) => void) | undefined;
  /**
   * Our SDP for a later offer (re-INVITE, RFC 3264 §8): the peer may hold and resume, and over plain
   * RTP also move and change codecs; throws, and all stays, when it wants more.
   */
  reanswer(offer: string): Promise<string>;
  close(): void;
}

/** The peer offers no codec we speak: SIP 488. */
export class NoCommonCodec extends Error {
  override readonly name = "NoCommonCodec";
}

/**
 * Where audio comes from: fetches and decodes a URL within a bounded time, or throws an Error that
 * says why it cannot.
 */
export type LoadAudio = (url: string, signal: AbortSignal) => Promise<Pcm>;

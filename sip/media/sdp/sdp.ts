import { type Mismatch, NoCommonCodec } from "../base/port.ts";
import type { CryptoLine } from "../srtp/crypto_suites.ts";

/** Encodings of ours; every clock runs at 8 kHz, but where a peer has Opus alone. */
export const encodings = ["PCMU", "PCMA", "telephone-event"] as const;
export type Encoding = typeof encodings[number];

/**
 * Clocks of telephone events in Hz, the best first. Events run by the clock of the audio beside them
 * (RFC 4733 §2.1); phones that have Opus often know those of 8 kHz alone.
 */
export const EVENT_RATES = { narrow: [8_000], opus: [48_000, 8_000] } as const;

/** The clock that durations of telephone events have within the companion, in Hz. */
export const OUR_EVENT_RATE = 8_000;

/** Clock of a section's telephone events in Hz. */
export const eventRateOf = ({ opus = false, eventRate }: Omit<Coding, "formats">): number =>
  eventRate ?? EVENT_RATES[opus ? "opus" : "narrow"][0];

/** Name and clock as SDP has them; with Opus in place of PCMU there is no PCMA. */
export function rtpmapOf(encoding: Encoding, coding: Omit<Coding, "formats">): string {
  if (encoding === "telephone-event") return `${encoding}/${eventRateOf(coding)}`;
  if (!coding.opus) return `${encoding}/8000`;
  return encoding === "PCMU" ? "opus/48000/2" : "";
}

/** Payload types of what we speak, the most wanted first. */
export type Formats = ReadonlyMap<Encoding, number>;

/** Formats of our offers: RFC 7874 §3 asks every WebRTC peer for these, and trunks have them. */
export const OUR_FORMATS: Formats = new Map<Encoding, number>([
  ["PCMU", 0],
  ["PCMA", 8],
  ["telephone-event", 101],
]);

/** The id of our audio where the peer has given it none. */
export const OUR_MID = "0";

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";
export type Setup = "actpass" | "active" | "passive";

interface CodedAudio {
  mid: string | undefined;
  direction: Direction;
  formats: Formats;
  /**
   * The peer has neither PCMU nor PCMA: what stands as PCMU is Opus on the wire (RFC 7587), whose clock
   * runs at 48 kHz.
   */
  opus?: boolean;
  /** Clock of telephone events in Hz, where it is not that of the audio. */
  eventRate?: number;
}

/** Coding of a section's audio. */
export type Coding = Pick<CodedAudio, "formats" | "opus" | "eventRate">;

/** Returns the coding of a section's audio, for another section. */
export const codingOf = ({ formats, opus, eventRate }: CodedAudio): Coding => ({
  formats,
  ...(opus && { opus }),
  ...(eventRate !== undefined && { eventRate }),
});

/** Audio reached by ICE and secured by DTLS-SRTP. */
export interface WebrtcAudio extends CodedAudio {
  kind: "webrtc";
  setup: Setup;
  ufrag: string;
  password: string;
  /** Hash function and bytes, as RFC 8122 §5 writes them; a peer's may be several, with commas. */
  fingerprint: string;
  candidates: string[];
  /** It only answers checks of ICE (RFC 8445 §2.5). */
  lite?: boolean;
}

/** True where a side that says this begins ICE anew (RFC 8839 §4.4.3). */
export const isIceRestart = (before: WebrtcAudio, now: WebrtcAudio): boolean =>
  before.ufrag !== now.ufrag || before.password !== now.password;

/** True where what was said twice is of one peer, with which ICE and DTLS go on. */
export const isSamePeer = (before: WebrtcAudio, now: WebrtcAudio): boolean =>
  !isIceRestart(before, now) && before.fingerprint.toUpperCase() === now.fingerprint.toUpperCase();

interface Sdes {
  crypto: CryptoLine[];
}

interface DtlsSrtp {
  fingerprint: string;
  setup: Setup;
}

/**
 * Security of RTP without ICE: by keys in the SDP (RFC 4568), or by DTLS (RFC 5763). An offer of
 * ours may leave that to the answer.
 */
export type RtpSecurity =
  | { kind: "sdes" } & Sdes
  | { kind: "dtls" } & DtlsSrtp
  | { kind: "either" } & Sdes & DtlsSrtp;

/** Audio at one address. */
export interface RtpAudio extends CodedAudio {
  kind: "rtp";
  address: string;
  port: number;
  /** The same as `port` when RTP and RTCP share it (RFC 5761). */
  rtcpPort: number;
  /** In the clear without it. */
  security?: RtpSecurity;
}

/** The audio section of a session: how its media are reached, secured and coded. */
export type AudioSection = WebrtcAudio | RtpAudio;

/** A section that we turn down but whose place in the answer is kept (RFC 3264 §6). */
export interface OtherSection {
  /** Its m= line. */
  line: string;
  mid: string | undefined;
}

/** A session of which one audio section is used, among others in the order of the offer. */
export interface Session<Audio extends AudioSection = AudioSection> {
  id: string;
  version: number;
  bundled: boolean;
  protocol: string;
  audio: Audio;
  before: OtherSection[];
  after: OtherSection[];
}

/** A section's m= line, or the origin of the whole session, with what stands below it. */
export interface Section {
  line: string;
  attributes: Map<string, string[]>;
  /** Address of its c= lines (RFC 8866 §5.7). */
  connections: string[];
}

/** The error that refuses a session description. */
export const refusal = (why: string, mismatch: Mismatch = "description") =>
  new NoCommonCodec(`Cannot take the SDP: ${why}`, mismatch);

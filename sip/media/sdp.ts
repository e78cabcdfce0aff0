import { mediaLimits } from "./limits.ts";
import { NoCommonCodec } from "./port.ts";
import { readAudio } from "./read_audio.ts";

/** What we speak; every clock runs at 8 kHz. */
export const encodings = ["PCMU", "PCMA", "telephone-event"] as const;
export type Encoding = typeof encodings[number];

/** Payload types of what we speak, the most wanted first. */
export type Formats = ReadonlyMap<Encoding, number>;

/** What our offers offer: RFC 7874 §3 asks every WebRTC peer for these, and trunks have them. */
export const OUR_FORMATS: Formats = new Map<Encoding, number>([
  ["PCMU", 0],
  ["PCMA", 8],
  ["telephone-event", 101],
]);

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";
export type Setup = "actpass" | "active" | "passive";

interface CodedAudio {
  mid: string | undefined;
  direction: Direction;
  formats: Formats;
}

/** Audio reached by ICE and secured by DTLS-SRTP. */
export interface WebrtcAudio extends CodedAudio {
  kind: "webrtc";
  setup: Setup;
  ufrag: string;
  password: string;
  /** Hash function and bytes, as RFC 8122 §5 writes them. */
  fingerprint: string;
  candidates: string[];
}

/** Audio in the clear at one address. */
export interface RtpAudio extends CodedAudio {
  kind: "rtp";
  address: string;
  port: number;
  /** The same as `port` when RTP and RTCP share it (RFC 5761). */
  rtcpPort: number;
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
  /** What its c= lines say (RFC 8866 §5.7). */
  connections: string[];
}

/** The profiles we speak; plain RTP with early feedback is taken as plain RTP (RFC 4585 §4). */
const PROFILES: Record<string, AudioSection["kind"]> = {
  "UDP/TLS/RTP/SAVPF": "webrtc",
  "UDP/TLS/RTP/SAVP": "webrtc",
  "RTP/AVP": "rtp",
  "RTP/AVPF": "rtp",
};

/** Reads an offer or answer; throws `NoCommonCodec` when we cannot take it. */
export function parseSdp(text: string): Session {
  const [head, ...sections] = splitSections(text);
  const spoken = (section: Section) => PROFILES[profileOf(section)] !== undefined;
  // A peer may offer the same audio in several profiles, each in a section of its own.
  const audios = sections.filter(({ line }) => /^audio [1-9]/.test(line));
  const section = audios.find(spoken) ?? audios[0];
  if (head === undefined || section === undefined) throw refusal("it has no audio");
  const protocol = profileOf(section);
  const kind = PROFILES[protocol];
  if (kind === undefined) throw refusal(`its transport is "${protocol}"`);

  const [, id = "0", version = "0"] = head.line.split(" ");
  const index = sections.indexOf(section);
  const others = sections.map((each) => ({ line: each.line, mid: readMid(each) }));
  return {
    id,
    version: Number(version) || 0,
    bundled: (head.attributes.get("group") ?? []).some((group) => group.startsWith("BUNDLE")),
    protocol,
    audio: readAudio({ kind, section, head, mid: readMid(section) }),
    before: others.slice(0, index),
    after: others.slice(index + 1),
  };
}

/** A session whose audio is of a kind; throws `NoCommonCodec` when it is of another. */
export function ofKind<Kind extends AudioSection["kind"]>(
  kind: Kind,
  session: Session,
): Session<Extract<AudioSection, { kind: Kind }>> {
  if (session.audio.kind === kind) return session as ReturnType<typeof ofKind<Kind>>;
  throw refusal(`its transport is "${session.protocol}"`);
}

/** The error that refuses a session description. */
export const refusal = (why: string) => new NoCommonCodec(`Cannot take the SDP: ${why}`);

const profileOf = ({ line }: Section) => line.split(" ")[2] ?? "";

/** The session's own part, its "line" being the origin, and then each media section. */
function splitSections(text: string): Section[] {
  const begin = (line: string): Section => ({ line, attributes: new Map(), connections: [] });
  const sections = [begin("")];
  for (const line of text.split(/\r?\n/, mediaLimits.sdpLines)) {
    const value = line.slice(2).trim();
    if (line.startsWith("m=")) sections.push(begin(value));
    const current = sections.at(-1)!;
    if (line.startsWith("o=")) current.line = value;
    if (line.startsWith("c=")) current.connections.push(value);
    if (!line.startsWith("a=")) continue;
    const [, name = "", content = ""] = /^([^:]*):?(.*)$/.exec(value) ?? [];
    current.attributes.set(name, [...current.attributes.get(name) ?? [], content]);
  }
  if (sections.length > mediaLimits.mediaSections + 1) throw refusal("it has too many sections");
  return sections;
}

const readMid = (section: Section) =>
  section.attributes.get("mid")?.find((mid) => /^[\w!#$%&'*+.^`{|}~-]{1,32}$/.test(mid));

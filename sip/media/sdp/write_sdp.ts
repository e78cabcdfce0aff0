import { isIPv6 } from "node:net";
import { writeCrypto } from "./sdes.ts";
import {
  type AudioSection,
  type Direction,
  type OtherSection,
  type RtpAudio,
  rtpmapOf,
  type Session,
  type WebrtcAudio,
} from "./sdp.ts";

/** The stream that we send: its source, and the name that ties a sender's streams together. */
export interface Stream {
  ssrc: number;
  /** RFC 7022: unlike that of any other call. */
  cname: string;
}

const reversed: Record<Direction, Direction> = {
  sendrecv: "sendrecv",
  sendonly: "recvonly",
  recvonly: "sendonly",
  inactive: "inactive",
};

/** Our answer: the sections of the offer in their order, all but the audio turned down. */
export const answerTo = (
  offer: Session,
  ours: Pick<Session, "id" | "version"> & { audio: AudioSection },
): Session => ({
  ...offer,
  id: ours.id,
  version: ours.version,
  audio: {
    ...ours.audio,
    mid: offer.audio.mid,
    direction: reversed[offer.audio.direction],
  },
});

/** Writes a session that is complete: every candidate is in it. */
export function writeSdp(session: Session, stream?: Stream): string {
  const { id, version, audio, protocol } = session;
  const bundle = session.bundled && audio.mid !== undefined;
  const lines = [
    "v=0",
    `o=- ${id} ${version} IN ${audio.kind === "rtp" ? host(audio.address) : host("127.0.0.1")}`,
    "s=-",
    "t=0 0",
    ...(bundle ? [`a=group:BUNDLE ${audio.mid}`] : []),
    ...session.before.flatMap(rejectedLines),
    ...(audio.kind === "webrtc" ? webrtcLines(audio, protocol) : rtpLines(audio, protocol)),
    ...(stream === undefined ? [] : streamLines(audio, stream)),
    ...session.after.flatMap(rejectedLines),
  ];
  return lines.join("\r\n") + "\r\n";
}

const host = (address: string) => `${isIPv6(address) ? "IP6" : "IP4"} ${address}`;

function webrtcLines(audio: WebrtcAudio, protocol: string): string[] {
  const { candidates } = audio;
  // The default destination (RFC 8839 §4.2.1.2) is our first candidate.
  const [, , , , address = "0.0.0.0", port = "9"] = candidates[0]?.split(" ") ?? [];
  return [
    ...codedLines(audio, { protocol, address, port }),
    "a=rtcp-mux",
    `a=setup:${audio.setup}`,
    `a=fingerprint:${audio.fingerprint}`,
    `a=ice-ufrag:${audio.ufrag}`,
    `a=ice-pwd:${audio.password}`,
    ...candidates.map((candidate) => `a=candidate:${candidate}`),
    ...(candidates.length > 0 ? ["a=end-of-candidates"] : []),
  ];
}

const rtpLines = (audio: RtpAudio, protocol: string): string[] => [
  ...codedLines(audio, { protocol, address: audio.address, port: audio.port }),
  audio.rtcpPort === audio.port ? "a=rtcp-mux" : `a=rtcp:${audio.rtcpPort}`,
  ...securityLines(audio),
];

function securityLines({ security }: RtpAudio): string[] {
  if (security === undefined) return [];
  const { crypto } = { crypto: [], ...security };
  return [
    ...crypto.map(writeCrypto),
    ...(security.kind === "sdes"
      ? []
      : [`a=setup:${security.setup}`, `a=fingerprint:${security.fingerprint}`]),
  ];
}

function codedLines(
  audio: AudioSection,
  { protocol, address, port }: { protocol: string; address: string; port: string | number },
): string[] {
  const { mid, direction, formats } = audio;
  const event = formats.get("telephone-event");
  return [
    `m=audio ${port} ${protocol} ${[...formats.values()].join(" ")}`,
    `c=IN ${host(address)}`,
    ...(mid === undefined ? [] : [`a=mid:${mid}`]),
    `a=${direction}`,
    ...[...formats].map(([encoding, type]) => `a=rtpmap:${type} ${rtpmapOf(encoding, audio)}`),
    ...(event === undefined ? [] : [`a=fmtp:${event} 0-15`]),
    "a=ptime:20",
  ];
}

const streamLines = ({ kind }: AudioSection, { ssrc, cname }: Stream): string[] => [
  ...(kind === "webrtc" ? ["a=msid:switchboard audio"] : []),
  `a=ssrc:${ssrc} cname:${cname}`,
];

const rejectedLines = ({ line, mid }: OtherSection) => [
  `m=${line.replace(/^(\S+) \S+/, "$1 0")}`,
  "c=IN IP4 0.0.0.0",
  ...(mid === undefined ? [] : [`a=mid:${mid}`]),
  "a=inactive",
];

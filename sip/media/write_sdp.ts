import { isIPv6 } from "node:net";
import type { AudioSection, Direction, OtherSection, Session } from "./sdp.ts";

/** The stream that we send: its source and the name that ties its streams together. */
const STREAM = "switchboard";

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

/** Writes a session that is complete: every candidate is in it. `ssrc` is that of our stream. */
export function writeSdp(session: Session, ssrc?: number): string {
  const { id, version, audio } = session;
  const lines = [
    "v=0",
    `o=- ${id} ${version} IN IP4 127.0.0.1`,
    "s=-",
    "t=0 0",
    ...(session.bundled ? [`a=group:BUNDLE ${audio.mid}`] : []),
    ...session.before.flatMap(rejectedLines),
    ...audioLines(audio, session.protocol),
    ...(ssrc === undefined ? [] : [`a=msid:${STREAM} audio`, `a=ssrc:${ssrc} cname:${STREAM}`]),
    ...session.after.flatMap(rejectedLines),
  ];
  return lines.join("\r\n") + "\r\n";
}

function audioLines(audio: AudioSection, protocol: string): string[] {
  const { formats, candidates } = audio;
  // The default destination (RFC 8839 §4.2.1.2) is our first candidate.
  const [, , , , address = "0.0.0.0", port = "9"] = candidates[0]?.split(" ") ?? [];
  const event = formats.get("telephone-event");
  return [
    `m=audio ${port} ${protocol} ${[...formats.values()].join(" ")}`,
    `c=IN ${isIPv6(address) ? "IP6" : "IP4"} ${address}`,
    `a=mid:${audio.mid}`,
    `a=${audio.direction}`,
    "a=rtcp-mux",
    ...[...formats].map(([encoding, type]) => `a=rtpmap:${type} ${encoding}/8000`),
    ...(event === undefined ? [] : [`a=fmtp:${event} 0-15`]),
    "a=ptime:20",
    `a=setup:${audio.setup}`,
    `a=fingerprint:${audio.fingerprint}`,
    `a=ice-ufrag:${audio.ufrag}`,
    `a=ice-pwd:${audio.password}`,
    ...candidates.map((candidate) => `a=candidate:${candidate}`),
    ...(candidates.length > 0 ? ["a=end-of-candidates"] : []),
  ];
}

const rejectedLines = ({ line, mid }: OtherSection) => [
  `m=${line.replace(/^(\S+) \S+/, "$1 0")}`,
  "c=IN IP4 0.0.0.0",
  ...(mid === undefined ? [] : [`a=mid:${mid}`]),
  "a=inactive",
];

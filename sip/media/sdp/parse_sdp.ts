import { mediaLimits } from "../base/limits.ts";
import { hasSrtp, readAudio, type Security } from "./read_audio.ts";
import { type AudioSection, refusal, type Section, type Session } from "./sdp.ts";

/** The profiles we speak; those with early feedback are taken as those without it (RFC 4585 §4). */
const PROFILES = new Map<string, Security>([
  ["UDP/TLS/RTP/SAVPF", "dtls"],
  ["UDP/TLS/RTP/SAVP", "dtls"],
  ["RTP/SAVP", "srtp"],
  ["RTP/SAVPF", "srtp"],
  ["RTP/AVP", "none"],
  ["RTP/AVPF", "none"],
]);

/** Reads an offer or answer; throws `NoCommonCodec` when we cannot take it. */
export function parseSdp(text: string): Session {
  const [head, ...all] = splitSections(text);
  if (head === undefined) throw refusal("it is empty");
  const bundles = bundlesOf(head);
  const sections = all.map((section) => inBundle(section, all, bundles));
  const spoken = (section: Section) => {
    const security = PROFILES.get(profileOf(section));
    return security !== undefined && (security !== "srtp" || hasSrtp(section, head));
  };
  // A peer may offer the same audio in several profiles, each in a section of its own.
  const audios = sections.filter(({ line }) => /^audio [1-9]/.test(line));
  const section = audios.find(spoken) ?? audios[0];
  if (section === undefined) throw refusal("it has no audio", "media type");
  const protocol = profileOf(section);
  const security = PROFILES.get(protocol);
  if (security === undefined) throw refusal(`its transport is "${protocol}"`, "transport");
  // With DTLS alone it is a phone's, with ICE a browser's.
  const hasIce = [section, head].some(({ attributes }) => attributes.has("ice-ufrag"));
  const kind = security === "dtls" && hasIce ? "webrtc" : "rtp";

  const [, id = "0", version = "0"] = head.line.split(" ");
  const index = sections.indexOf(section);
  const mid = readMid(section);
  const others = sections.map((each) => ({ line: each.line, mid: readMid(each) }));
  return {
    id,
    version: Number(version) || 0,
    bundled: mid !== undefined && bundles.some((mids) => mids.includes(mid)),
    protocol,
    audio: readAudio({ kind, security, section, head, mid }),
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
  throw refusal(`its transport is "${session.protocol}"`, "transport");
}

/** The identifiers of the sections of each bundle (RFC 9143 §5). */
const bundlesOf = ({ attributes }: Section): string[][] =>
  (attributes.get("group") ?? []).map((group) => group.split(" ")).filter(([semantics]) =>
    semantics === "BUNDLE"
  ).map(([, ...mids]) => mids.slice(0, mediaLimits.mediaSections));

/** Attributes that a section shares with its bundle (RFC 8859 §5). */
const SHARED = [
  "candidate",
  "crypto",
  "fingerprint",
  "ice-pwd",
  "ice-ufrag",
  "rtcp",
  "rtcp-mux",
  "setup",
];

/**
 * A section that is offered within its bundle alone has the port 0 (RFC 9143 §6): it goes by address
 * and keys of the first section of the bundle that has a port.
 */
function inBundle(
  section: Section,
  sections: readonly Section[],
  bundles: readonly string[][],
): Section {
  const mid = readMid(section);
  if (mid === undefined || hasPort(section) || !section.attributes.has("bundle-only")) {
    return section;
  }
  const mids = bundles.find((mids) => mids.includes(mid)) ?? [];
  const first = mids.map((each) => sections.find((other) => readMid(other) === each))
    .find((other) => other !== undefined && hasPort(other));
  if (first === undefined) return section;
  const shared = SHARED.flatMap((name) => {
    const values = first.attributes.get(name);
    return values === undefined ? [] : [[name, values] as const];
  });
  return {
    line: section.line.replace(/ \S+/, ` ${portOf(first)}`),
    attributes: new Map([...section.attributes, ...shared]),
    connections: first.connections,
  };
}

const portOf = ({ line }: Section) => line.split(" ", 2)[1] ?? "0";
const hasPort = (section: Section) => /^0*[1-9]/.test(portOf(section));

const profileOf = ({ line }: Section) => line.split(" ")[2] ?? "";

/** The session's own part, its "line" being the origin, and then each media section. */
function splitSections(text: string): Section[] {
  const begin = (line: string): Section => ({ line, attributes: new Map(), connections: [] });
  const sections = [begin("")];
  for (const line of text.split(/\r?\n/, mediaLimits.sdpLines)) {
    const value = line.slice(2).trim();
    if (line.startsWith("m=")) sections.push(begin(readMediaLine(value)));
    const current = sections.at(-1)!; // There is one from the beginning.
    // The origin is the whole session's, which media sections do not change (RFC 8866 §5).
    if (line.startsWith("o=") && sections.length === 1) current.line = value;
    if (line.startsWith("c=")) current.connections.push(value);
    if (!line.startsWith("a=")) continue;
    const [, name = "", content = ""] = /^([^:]*):?(.*)$/.exec(value) ?? [];
    const known = current.attributes.get(name);
    if (known === undefined) current.attributes.set(name, [content]);
    else known.push(content);
  }
  if (sections.length > mediaLimits.mediaSections + 1) throw refusal("it has too many sections");
  return sections;
}

/** A media line as RFC 8866 §5.14 has it, whose words may stand in our answer too (RFC 3264 §6). */
function readMediaLine(value: string): string {
  if (/^[!-~]+ \d{1,5}(?:\/\d{1,5})?(?: [!-~]+){2,}$/.test(value)) return value;
  throw refusal("it has a malformed media line");
}

const readMid = (section: Section) =>
  section.attributes.get("mid")?.find((mid) => /^[\w!#$%&'*+.^`{|}~-]{1,32}$/.test(mid));

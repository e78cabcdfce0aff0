import { isIP } from "node:net";
import { mediaLimits } from "./limits.ts";
import { NoCommonCodec } from "./port.ts";

/** What we speak; every clock runs at 8 kHz. */
export const encodings = ["PCMU", "PCMA", "telephone-event"] as const;
export type Encoding = typeof encodings[number];

/** Payload types of what we speak, the most wanted first. */
export type Formats = ReadonlyMap<Encoding, number>;

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";
export type Setup = "actpass" | "active" | "passive";

/** The audio section of a session: how its media are reached, secured and coded. */
export interface AudioSection {
  mid: string;
  direction: Direction;
  setup: Setup;
  ufrag: string;
  password: string;
  /** Hash function and bytes, as RFC 8122 §5 writes them. */
  fingerprint: string;
  candidates: string[];
  formats: Formats;
}

/** A section that we turn down but whose place in the answer is kept (RFC 3264 §6). */
export interface OtherSection {
  /** Its m= line. */
  line: string;
  mid: string | undefined;
}

/** A session of which one audio section is used, among others in the order of the offer. */
export interface Session {
  id: string;
  version: number;
  bundled: boolean;
  protocol: string;
  audio: AudioSection;
  before: OtherSection[];
  after: OtherSection[];
}

type Attributes = Map<string, string[]>;
interface Section {
  line: string;
  attributes: Attributes;
}

const DIRECTIONS = ["sendrecv", "sendonly", "recvonly", "inactive"] as const;
const SETUPS = ["actpass", "active", "passive"] as const;
/** Payload types that need no rtpmap (RFC 3551 §6). */
const STATIC_FORMATS = [["0", "pcmu/8000"], ["8", "pcma/8000"]] as const;
const PROTOCOLS = ["UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP"];

/** Reads an offer or answer of a WebRTC peer; throws `NoCommonCodec` when we cannot take it. */
export function parseSdp(text: string): Session {
  const [head, ...sections] = splitSections(text);
  const index = sections.findIndex(({ line }) => /^audio [1-9]/.test(line));
  const section = sections[index];
  if (head === undefined || section === undefined) throw refusal("it has no audio");
  const protocol = section.line.split(" ")[2] ?? "";
  if (!PROTOCOLS.includes(protocol)) throw refusal(`its transport is "${protocol}"`);
  if (!section.attributes.has("rtcp-mux")) throw refusal("it has no rtcp-mux");

  const [, id = "0", version = "0"] = head.line.split(" ");
  const others = sections.map((each) => ({ line: each.line, mid: readMid(each) }));
  return {
    id,
    version: Number(version) || 0,
    bundled: (head.attributes.get("group") ?? []).some((group) => group.startsWith("BUNDLE")),
    protocol,
    audio: readAudio(section, head),
    before: others.slice(0, index),
    after: others.slice(index + 1),
  };
}

/** The session's own part, its "line" being the origin, and then each media section. */
function splitSections(text: string): Section[] {
  const sections: Section[] = [{ line: "", attributes: new Map() }];
  for (const line of text.split(/\r?\n/, mediaLimits.sdpLines)) {
    const value = line.slice(2).trim();
    if (line.startsWith("m=")) sections.push({ line: value, attributes: new Map() });
    const current = sections.at(-1)!;
    if (line.startsWith("o=")) current.line = value;
    if (!line.startsWith("a=")) continue;
    const [, name = "", content = ""] = /^([^:]*):?(.*)$/.exec(value) ?? [];
    current.attributes.set(name, [...current.attributes.get(name) ?? [], content]);
  }
  if (sections.length > mediaLimits.mediaSections + 1) throw refusal("it has too many sections");
  return sections;
}

function readAudio(section: Section, head: Section): AudioSection {
  const all = (name: string) => section.attributes.get(name) ?? head.attributes.get(name) ?? [];
  const one = (name: string, pattern: RegExp) => {
    const value = all(name).find((each) => pattern.test(each));
    if (value === undefined) throw refusal(`it has no usable ${name}`);
    return value;
  };
  const has = (name: string) => section.attributes.has(name) || head.attributes.has(name);
  const setup = all("setup")[0] ?? "active";
  return {
    mid: readMid(section) ?? "0",
    direction: DIRECTIONS.find((direction) => section.attributes.has(direction)) ??
      DIRECTIONS.find(has) ?? "sendrecv",
    setup: SETUPS.find((each) => each === setup) ?? "active",
    ufrag: one("ice-ufrag", /^[A-Za-z0-9+/]{4,256}$/),
    password: one("ice-pwd", /^[A-Za-z0-9+/]{22,256}$/),
    // MD5, SHA-1 and the like no longer bind a certificate.
    fingerprint: one("fingerprint", /^sha-(256|384|512) [0-9A-F]{2}(:[0-9A-F]{2}){31,63}$/i),
    candidates: (section.attributes.get("candidate") ?? []).flatMap(readCandidate)
      .slice(0, mediaLimits.candidates),
    formats: readFormats(section),
  };
}

/** A UDP candidate at an IP address, else nothing: we look up no names that a peer chose. */
function readCandidate(value: string): string[] {
  const [foundation, component, transport, priority, address, port, , type] = value.split(" ");
  const usable = component === "1" && transport?.toLowerCase() === "udp" &&
    isIP(address ?? "") !== 0 && /^\d{1,10}$/.test(priority ?? "") &&
    /^\d{1,5}$/.test(port ?? "") &&
    /^[A-Za-z0-9+/]{1,32}$/.test(foundation ?? "") &&
    ["host", "srflx", "prflx", "relay"].includes(type ?? "");
  return usable ? [`${foundation} 1 UDP ${priority} ${address} ${port} typ ${type}`] : [];
}

function readFormats(section: Section): Formats {
  const maps = new Map<string, string>(STATIC_FORMATS);
  for (const each of section.attributes.get("rtpmap") ?? []) {
    const [payloadType = "", map = ""] = each.split(" ");
    maps.set(payloadType, map.toLowerCase().replace(/\/1$/, ""));
  }
  const formats = new Map<Encoding, number>();
  for (const payloadType of section.line.split(" ").slice(3)) {
    const map = maps.get(payloadType);
    const encoding = encodings.find((each) => `${each}/8000`.toLowerCase() === map);
    if (encoding === undefined || formats.has(encoding) || Number(payloadType) > 0x7f) continue;
    formats.set(encoding, Number(payloadType));
  }
  if (!formats.has("PCMU") && !formats.has("PCMA")) throw refusal("it has neither PCMU nor PCMA");
  return formats;
}

const readMid = (section: Section) =>
  section.attributes.get("mid")?.find((mid) => /^[\w!#$%&'*+.^`{|}~-]{1,32}$/.test(mid));

const refusal = (why: string) => new NoCommonCodec(`Cannot take the SDP: ${why}`);

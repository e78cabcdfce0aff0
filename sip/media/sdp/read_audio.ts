import { isIP } from "node:net";
import { mediaLimits } from "../base/limits.ts";
import type { CryptoLine } from "../srtp/crypto_suites.ts";
import { readCrypto } from "./sdes.ts";
import {
  type AudioSection,
  type Coding,
  type Direction,
  type Encoding,
  encodings,
  EVENT_RATES,
  refusal,
  type RtpAudio,
  rtpmapOf,
  type Section,
  type WebrtcAudio,
} from "./sdp.ts";

/** Security of audio by its profile: "srtp" by keys in the SDP, or by DTLS. */
export type Security = "none" | "srtp" | "dtls";

/** An audio section to read, with the session's part, whose attributes it falls back to. */
interface Source {
  kind: AudioSection["kind"];
  security: Security;
  section: Section;
  head: Section;
  mid: string | undefined;
}

const DIRECTIONS = ["sendrecv", "sendonly", "recvonly", "inactive"] as const;
const SETUPS = ["actpass", "active", "passive"] as const;
/** Payload types that need no rtpmap (RFC 3551 §6). */
const STATIC_FORMATS = [["0", "pcmu/8000"], ["8", "pcma/8000"]] as const;

/** Reads the audio section that was chosen; throws `NoCommonCodec` when we cannot take it. */
export const readAudio = (source: Source): AudioSection =>
  source.kind === "webrtc" ? readWebrtc(source) : readRtp(source);

function readWebrtc({ section, head, mid }: Source): WebrtcAudio {
  if (!section.attributes.has("rtcp-mux")) throw refusal("it has no rtcp-mux", "transport");
  const all = (name: string) => section.attributes.get(name) ?? head.attributes.get(name) ?? [];
  const one = (name: string, pattern: RegExp) => {
    const value = all(name).find((each) => pattern.test(each));
    if (value === undefined) throw refusal(`it has no usable ${name}`, "transport");
    return value;
  };
  return {
    kind: "webrtc",
    mid,
    direction: readDirection(section, head),
    ufrag: one("ice-ufrag", /^[A-Za-z0-9+/]{4,256}$/),
    password: one("ice-pwd", /^[A-Za-z0-9+/]{22,256}$/),
    ...readDtls({ section, head }),
    candidates: (section.attributes.get("candidate") ?? []).flatMap(readCandidate)
      .slice(0, mediaLimits.candidates),
    ...(head.attributes.has("ice-lite") && { lite: true }),
    ...readFormats(section),
  };
}

/** DTLS attributes of the section, else of the session. */
function readDtls(
  { section, head }: Pick<Source, "section" | "head">,
): Pick<WebrtcAudio, "setup" | "fingerprint"> {
  const all = (name: string) => section.attributes.get(name) ?? head.attributes.get(name) ?? [];
  const setup = SETUPS.find((each) => each === (all("setup")[0] ?? "active"));
  // "holdconn" too, which may not be there (RFC 5763 §5).
  if (setup === undefined) throw refusal(`its setup is "${all("setup")[0]}"`);
  return { setup, fingerprint: strongest(all("fingerprint")) };
}

/** The keys of a section that we can follow. */
const cryptoOf = ({ attributes }: Section): CryptoLine[] =>
  readCrypto(attributes.get("crypto") ?? []);

/** Some phones do DTLS under the profile of keys too; with ICE it would be a browser's. */
const hasDtls = (section: Section, head: Section): boolean => {
  const has = (name: string) => section.attributes.has(name) || head.attributes.has(name);
  return has("fingerprint") && !has("ice-ufrag");
};

/** True where a section of the profile RTP/SAVP can be followed. */
export const hasSrtp = (section: Section, head: Section): boolean =>
  cryptoOf(section).length > 0 || hasDtls(section, head);

function readSecurity({ security, section, head }: Source): Pick<RtpAudio, "security"> {
  if (security === "none") return {};
  if (security === "dtls") return { security: { kind: "dtls", ...readDtls({ section, head }) } };
  const crypto = cryptoOf(section);
  if (crypto.length > 0) return { security: { kind: "sdes", crypto } };
  if (!hasDtls(section, head)) throw refusal("it has no usable crypto", "transport");
  return { security: { kind: "dtls", ...readDtls({ section, head }) } };
}

function readRtp(source: Source): RtpAudio {
  const { section, head, mid } = source;
  const lines = section.connections.length > 0 ? section.connections : head.connections;
  const address = lines.map(readAddress).find((each) => each !== undefined);
  if (address === undefined) throw refusal("it has no IP address to send to", "address");
  const port = readPort(section.line.split(" ")[1]?.split("/")[0]);
  if (port === undefined) throw refusal("it has no usable port");
  const rtcpPort = readPort(section.attributes.get("rtcp")?.[0]?.split(" ")[0]) ?? port + 1;
  const direction = readDirection(section, head);
  return {
    kind: "rtp",
    mid,
    direction: isUnspecified(address) ? withoutListening[direction] : direction,
    address,
    port,
    rtcpPort: section.attributes.has("rtcp-mux") ? port : Math.min(rtcpPort, 0xffff),
    ...readSecurity(source),
    ...readFormats(section),
  };
}

/**
 * The fingerprints by the strongest hash function that is there, one of which is the certificate's
 * (RFC 8122 §5). MD5, SHA-1 and the like no longer bind a certificate.
 */
function strongest(values: string[]): string {
  const usable = values.flatMap((
    value,
  ) => [...value.matchAll(/^sha-(256|384|512) ([0-9A-F]{2}(?::[0-9A-F]{2}){31,63})$/gi)]);
  const bits = usable.map(([, each]) => Number(each));
  const most = Math.max(...bits);
  if (usable.length === 0) throw refusal("it has no usable fingerprint");
  const bytes = usable.filter((_, i) => bits[i] === most).map(([, , each]) => each);
  return `sha-${most} ${bytes.slice(0, mediaLimits.fingerprints).join(",")}`;
}

/** The oldest way to hold: "send to no address" (RFC 3264 §8.4). */
const withoutListening: Record<Direction, Direction> = {
  sendrecv: "sendonly",
  sendonly: "sendonly",
  recvonly: "inactive",
  inactive: "inactive",
};

/** True where an address is unspecified (0.0.0.0 or ::), as that of a peer on hold. */
export const isUnspecified = (address: string): boolean => /^[0:.]+$/.test(address);

/** The IP address of a c= line, else nothing: we look up no names that a peer chose. */
function readAddress(line: string): string | undefined {
  const [, , address = ""] = line.split(" ");
  const [ip = ""] = address.split("/");
  return isIP(ip) === 0 ? undefined : ip;
}

const readPort = (text = ""): number | undefined =>
  /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 0xffff ? Number(text) : undefined;

const readDirection = (section: Section, head: Section): Direction =>
  DIRECTIONS.find((direction) => section.attributes.has(direction)) ??
    DIRECTIONS.find((direction) => head.attributes.has(direction)) ?? "sendrecv";

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

function readFormats(section: Section): Coding {
  const maps = new Map<string, string>(STATIC_FORMATS);
  for (const each of section.attributes.get("rtpmap") ?? []) {
    const [payloadType = "", map = ""] = each.trim().split(/[ \t]+/, 2);
    maps.set(payloadType, map.toLowerCase().replace(/\/1$/, ""));
  }
  const types = section.line.split(" ", 3 + mediaLimits.formats).slice(3)
    .filter((type) => Number(type) <= 0x7f);
  const read = (opus: boolean): Coding => {
    const [rate, ...others] = EVENT_RATES[opus ? "opus" : "narrow"];
    const typeOf = (encoding: Encoding, eventRate?: number) => {
      const map = rtpmapOf(encoding, { opus, ...(eventRate && { eventRate }) }).toLowerCase();
      return types.findIndex((type) => map !== "" && maps.get(type) === map);
    };
    const eventRate = typeOf("telephone-event", rate) < 0
      ? others.find((each) => typeOf("telephone-event", each) >= 0)
      : undefined;
    const places = encodings.map((encoding) => [encoding, typeOf(encoding, eventRate)] as const)
      .filter(([, place]) => place >= 0).sort(([, one], [, other]) => one - other);
    return {
      formats: new Map(places.map(([encoding, place]) => [encoding, Number(types[place])])),
      ...(opus && { opus }),
      ...(eventRate && { eventRate }),
    };
  };
  const narrow = read(false);
  if (narrow.formats.has("PCMU") || narrow.formats.has("PCMA")) return narrow;
  const withOpus = read(true);
  if (!withOpus.formats.has("PCMU")) throw refusal("it has none of PCMU, PCMA and Opus", "codec");
  return withOpus;
}

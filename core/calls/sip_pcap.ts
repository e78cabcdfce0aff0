import type { Trace, TracedMessage } from "../protocol/traces.ts";

/** LINKTYPE_RAW: each packet begins with its IPv4 or IPv6 header. */
const linkTypeRaw = 101;
const udpProtocol = 17;
/** Address of the service where it advertises a name (RFC 5737). */
const ownAddress = [192, 0, 2, 1];

/**
 * A trace as a file of the format pcap 2.4. Each message is one UDP datagram, for all transports, so that any reader of such files finds the SIP in it.
 */
export function sipPcap({ messages }: Trace): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(24));
  header.setUint32(0, 0xa1b2c3d4, true);
  header.setUint16(4, 2, true);
  header.setUint16(6, 4, true);
  header.setUint32(16, 65_535, true); // The longest packet.
  header.setUint32(20, linkTypeRaw, true);
  return joined([new Uint8Array(header.buffer), ...messages.flatMap(packetOf)]);
}

function packetOf({ at, direction, local, remote, text }: TracedMessage): Uint8Array[] {
  const [from, to] = direction === "sent" ? [local, remote] : [remote, local];
  const [source, target] = sameFamily(bytesOf(from.host), bytesOf(to.host));
  const packet = ipPacket(
    { source, target },
    (pseudoHeader) => udpDatagram(from.port, to.port, new TextEncoder().encode(text), pseudoHeader),
  );
  const record = new DataView(new ArrayBuffer(16));
  record.setUint32(0, Math.floor(at / 1_000), true);
  record.setUint32(4, at % 1_000 * 1_000, true);
  record.setUint32(8, packet.length, true);
  record.setUint32(12, packet.length, true);
  return [new Uint8Array(record.buffer), packet];
}

/** The octets of an address; those of a name are `ownAddress`. */
function bytesOf(host: string): number[] {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return host.split(".").map(Number);
  const url = host.includes(":") ? URL.parse(`http://[${host.replace(/%.*/, "")}]`) : null;
  if (url === null) return ownAddress;
  const [head = "", tail = ""] = url.hostname.slice(1, -1).split("::");
  const [first = [], last = []] = [head, tail].map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].map((group) => parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255]);
}

/** Both addresses as IPv6 (RFC 4291 §2.5.5.2) where one is. */
function sameFamily(a: number[], b: number[]): [number[], number[]] {
  const mapped = (address: number[]) =>
    address.length === 16 ? address : [...Array(10).fill(0), 255, 255, ...address];
  return a.length === b.length ? [a, b] : [mapped(a), mapped(b)];
}

/** A packet of RFC 791 or RFC 8200 around a datagram, which gets the pseudo header of its checksum. */
function ipPacket(
  { source, target }: { source: number[]; target: number[] },
  datagramOf: (pseudoHeader: (length: number) => number[]) => Uint8Array,
): Uint8Array {
  const addresses = [...source, ...target];
  const payload = datagramOf((length) => [
    ...addresses,
    ...source.length === 4 ? [0, udpProtocol] : [0, 0, 0, udpProtocol],
    length >> 8,
    length & 255,
  ]);
  if (source.length === 16) {
    const length = [payload.length >> 8, payload.length & 255];
    return joined([[0x60, 0, 0, 0, ...length, udpProtocol, 64, ...addresses], payload]);
  }
  const size = 20 + payload.length;
  const head = [0x45, 0, size >> 8, size & 255, 0, 0, 0x40, 0, 64, udpProtocol, 0, 0, ...addresses];
  const sum = checksum(head);
  head[10] = sum >> 8;
  head[11] = sum & 255;
  return joined([head, payload]);
}

/** A datagram of RFC 768. */
function udpDatagram(
  from: number,
  to: number,
  data: Uint8Array,
  pseudoHeader: (length: number) => number[],
): Uint8Array {
  const length = 8 + data.length;
  const ports = [from >> 8, from & 255, to >> 8, to & 255, length >> 8, length & 255];
  const sum = checksum([...pseudoHeader(length), ...ports, 0, 0, ...data]) || 0xffff;
  return joined([[...ports, sum >> 8, sum & 255], data]);
}

/** The internet checksum (RFC 1071). */
function checksum(bytes: number[]): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes[at]! << 8) + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

function joined(parts: (Uint8Array | number[])[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

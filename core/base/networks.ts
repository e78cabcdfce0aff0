import { BlockList, isIP } from "node:net";

/**
 * Makes a test of addresses against a list of addresses and networks, such as
 * `192.0.2.0/24,2001:db8::1`.
 */
export function addressList(list: readonly string[]): (host: string) => boolean {
  // A test costs as much as reading a message.
  if (list.length === 0) return () => false;
  const listed = new BlockList();
  for (const entry of list) {
    const [address = "", bits] = entry.split("/");
    const family = familyOf(address);
    if (bits === undefined) listed.addAddress(address, family);
    else listed.addSubnet(address, Number(bits), family);
  }
  return (host) => isIP(host) !== 0 && listed.check(host, familyOf(host));
}

const familyOf = (address: string) => address.includes(":") ? "ipv6" : "ipv4";

/** The network that one host may use: an IPv4 address, or a /64 network of IPv6 (RFC 6177 §2). */
export function networkOf(host: string): string {
  // IPv4 addresses come as IPv6 ones, too (RFC 4291 §2.5.5.2).
  if (!host.includes(":") || host.includes(".")) return host.replace(/^.*:/, "");
  // One spelling for each (RFC 5952 §4): a proxy may name a host in any.
  const plain = host.toLowerCase().replaceAll(/(?<=^|:)0+(?=[0-9a-f])/g, "");
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  if (tail === undefined) return left.slice(0, 4).join(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}

/** The network that one site has at most, as it is counted: /24 of IPv4, /64 of IPv6. */
export function siteOf(host: string): string {
  const network = networkOf(host);
  return network.includes(":") ? network : network.split(".").slice(0, 3).join(".");
}

/** An address as it is written; of IPv4 behind an IPv6 socket, the IPv4 one. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

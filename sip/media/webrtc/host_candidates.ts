import { isIPv4, isIPv6 } from "node:net";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { isUnspecified } from "../sdp/read_audio.ts";

/** Addresses from which candidates of a socket follow. */
export interface CandidateSource {
  bindAddress: string;
  port: number;
  /** Address at which programs of this machine reach it besides. */
  machineAddress?: Address | undefined;
  publicAddress?: string | undefined;
}

/**
 * Host candidates (RFC 8445 §5.1.1.1) of a socket, as SDP has them; before them, where a 1:1 NAT gives
 * the machine another address, the server-reflexive one with it (§5.1.1.2): such a NAT keeps the port.
 */
export function candidatesOf(
  { bindAddress, port, machineAddress, publicAddress }: CandidateSource,
): string[] {
  const bound = isUnspecified(bindAddress) ? reachable(bindAddress) : [bindAddress];
  const places = bound.map((address): Address => ({ address, port }));
  if (machineAddress !== undefined) places.push(machineAddress);
  const hosts = places.slice(0, mediaLimits.candidates - 1).map(({ address, port }, index) =>
    `${index + 1} 1 UDP ${priorityOf(HOST, index)} ${address} ${port} typ host`
  );
  const isOther = publicAddress !== undefined && !bound.includes(publicAddress);
  if (!isOther || bound[0] === undefined) return hosts;
  const [base] = bound;
  const mapped = `${hosts.length + 1} 1 UDP ${priorityOf(SERVER_REFLEXIVE, 0)} ${publicAddress} ` +
    `${port} typ srflx raddr ${base} rport ${port}`;
  // The first one is the default destination (RFC 8839 §4.2.1.2): the most reachable goes there.
  return [mapped, ...hosts];
}

/** The preferences of the types (RFC 8445 §5.1.2.2). */
const HOST = 126;
const SERVER_REFLEXIVE = 100;

/** The type's preference, ours, and the component (§5.1.2.1). */
const priorityOf = (type: number, index: number): number =>
  type * 2 ** 24 + (0xffff - index) * 2 ** 8 + 255;

/** True where an IP address is of the machine itself alone. */
export const isLoopback = (address: string): boolean => /^(127\.|::1$)/.test(address);

/** Addresses at which a socket of every address is reached; of the loopback where there is no network. */
function reachable(bindAddress: string): string[] {
  const addresses = machineAddresses(bindAddress);
  return addresses.length > 0 ? addresses : ["127.0.0.1"];
}

/** The addresses that others may reach; a socket of IPv6 hears IPv4 too. */
export const machineAddresses = (bindAddress: string): string[] =>
  networkInterfaces()
    .filter(({ name }) => name !== "docker0")
    .map(({ address }) => address)
    .filter((address) => isIPv6(bindAddress) || isIPv4(address))
    .filter((address) => !isLoopback(address) && !/^fe80:/i.test(address));

let interfaces: Deno.NetworkInterfaceInfo[] = [];
let readAt = -Infinity;

/** The machine's interfaces, as they were a moment ago at most: reading them costs as much as a leg. */
export function networkInterfaces(): readonly Deno.NetworkInterfaceInfo[] {
  const now = performance.now();
  if (now - readAt > mediaLimits.ownAddressesMs) {
    interfaces = Deno.networkInterfaces();
    readAt = now;
  }
  return interfaces;
}

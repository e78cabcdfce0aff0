import { isIPv4, isIPv6 } from "node:net";
import { mediaLimits } from "../limits.ts";
import { isUnspecified } from "../read_audio.ts";

/** Host candidates (RFC 8445 §5.1.1.1) of a socket, as SDP has them. */
export function candidatesOf(bindAddress: string, port: number): string[] {
  const addresses = isUnspecified(bindAddress) ? machineAddresses(bindAddress) : [bindAddress];
  return addresses.slice(0, mediaLimits.candidates).map((address, index) => {
    // The type's preference for hosts, ours, and the component (§5.1.2.1).
    const priority = (126 * 2 ** 24) + (0xffff - index) * 2 ** 8 + 255;
    return `${index + 1} 1 UDP ${priority} ${address} ${port} typ host`;
  });
}

/** The addresses that others may reach; a socket of IPv6 hears IPv4 too. */
const machineAddresses = (bindAddress: string): string[] =>
  Deno.networkInterfaces()
    .filter(({ name }) => name !== "docker0")
    .map(({ address }) => address)
    .filter((address) => isIPv6(bindAddress) || isIPv4(address))
    .filter((address) => !/^(127\.|::1$|fe80:)/i.test(address));

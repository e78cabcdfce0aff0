import type { LocalName, Protocol } from "../flow.ts";

/** The user part of our Contact. */
export const contactUser = "switchboard";

/** Host and port as they stand in a URI; an IPv6 address gets its brackets. */
export const hostPort = (host: string, port: number): string => `${bracketed(host)}:${port}`;

export const bracketed = (host: string): string => host.includes(":") ? `[${host}]` : host;

/**
 * A peer of a WebSocket answers on its connection and nowhere else (RFC 7118 §5), so our domain
 * names us as well as any host. The transport is `ws` in either case; WSS has no name of its own.
 */
export const webSocketName = (domain: string): LocalName => ({
  sentBy: domain,
  contact: `sip:${contactUser}@${domain};transport=ws`,
});

/** The name of a socket that peers reach at a host and port. */
export function socketName(protocol: Protocol, host: string, port: number): LocalName {
  const sentBy = hostPort(host, port);
  // UDP goes without saying (RFC 3261 §19.1.1).
  const transport = protocol === "UDP" ? "" : `;transport=${protocol.toLowerCase()}`;
  return { sentBy, contact: `sip:${contactUser}@${sentBy}${transport}` };
}

/** An address as it is written; of IPv4 behind an IPv6 socket, the IPv4 one. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

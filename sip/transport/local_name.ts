import type { LocalName, Protocol } from "../base/flow.ts";

/** The user part of our Contact. */
export const contactUser = "switchboard";

/** Host and port as they stand in a URI; an IPv6 address gets its brackets. */
export const hostPort = (host: string, port: number): string => `${bracketed(host)}:${port}`;

export const bracketed = (host: string): string => host.includes(":") ? `[${host}]` : host;

/** A Host of HTTP (RFC 9110 §7.2) that may stand in a SIP URI. */
const hostField = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/i;

/** The ports of HTTP, which a WebSocket has where its URL names none (RFC 6455 §3). */
const webPorts = { WS: "80", WSS: "443" } as const;

/**
 * Name of a WebSocket by the Host of its handshake, that of the peer or of a proxy in between. The peer
 * can connect there again, so requests in a dialog can be routed to our Contact also by a phone that
 * looks at its host and port (RFC 3261 §12.2.1.1). Over TLS its transport is `wss`, for which RFC 7118 has
 * no value: a phone that routes by the Contact never connects without TLS. Undefined where the Host is
 * invalid.
 */
export function webSocketName(protocol: "WS" | "WSS", asked: string): LocalName | undefined {
  const [, host, port = webPorts[protocol]] = hostField.exec(asked) ?? [];
  return host === undefined ? undefined : nameOf(protocol, `${host}:${port}`);
}

/** The name of a socket that peers reach at a host and port. */
export function socketName(protocol: Protocol, host: string, port: number): LocalName {
  return nameOf(protocol, hostPort(host, port));
}

function nameOf(protocol: Protocol, sentBy: string): LocalName {
  // UDP goes without saying (RFC 3261 §19.1.1).
  const transport = protocol === "UDP" ? "" : `;transport=${protocol.toLowerCase()}`;
  return { sentBy, contact: `sip:${contactUser}@${sentBy}${transport}` };
}

/** Name where there is no connection. */
export const nameless = (domain: string): LocalName => ({
  sentBy: domain,
  contact: `sip:${contactUser}@${domain}`,
});

import { z } from "zod";
import { sipPublicHost } from "./machine_addresses.ts";
import { file, host, portOrOff, type Variable } from "./variable.ts";

const count = z.coerce.number("must be a number").int().min(0);

/**
 * Transports of SIP beside plain WebSocket. All are off unless set. Softphones in browsers need none of
 * them, and port 5060 of the internet draws scanners. One command starts the service also where another
 * SIP server has that port.
 */
export const transportVariables = {
  SIP_WSS_PORT: {
    group: "sip",
    schema: portOrOff,
    fallback: "0",
    help: "Port of SIP over secure WebSocket; 0: not listened on, as for the next three.",
  },
  SIP_UDP_PORT: {
    group: "sip",
    schema: portOrOff,
    fallback: "0",
    help: "Port of SIP over UDP, usually 5060; calls leave by UDP only where it is set.",
  },
  SIP_TCP_PORT: {
    group: "sip",
    schema: portOrOff,
    fallback: "0",
    help: "Port of SIP over TCP, usually 5060.",
  },
  SIP_TLS_PORT: {
    group: "sip",
    schema: portOrOff,
    fallback: "0",
    help: "Port of SIP over TLS, usually 5061.",
  },
  SIP_TLS_CERT: {
    group: "sip",
    schema: file,
    fallback: "",
    help: "PEM file of the certificate and its chain for SIP_TLS_PORT and SIP_WSS_PORT. " +
      "Renewed files are taken up within seconds.",
  },
  SIP_TLS_KEY: {
    group: "sip",
    schema: file,
    fallback: "",
    help: "PEM file of the key of SIP_TLS_CERT.",
  },
  SIP_CONNECTIONS_PER_ADDRESS: {
    group: "sip",
    schema: count,
    fallback: "1000",
    help:
      "Connections that one address may have to the companion, at most half of MAX_CONNECTIONS; " +
      "0: no bound. Those of TRUSTED_PROXIES are not counted.",
  },
  SIP_STRANGER_REQUESTS_PER_S: {
    group: "sip",
    schema: count,
    fallback: "200",
    help: "Requests a second served to one address before it proved a login; 0: no bound.",
  },
  SIP_PUBLIC_HOST: {
    group: "sip",
    schema: host,
    fallback: sipPublicHost,
    help:
      "Public host written into Via and Contact over UDP, TCP and TLS. Default: PUBLIC_IP, else SIP_HOST; " +
      "where that is every address, SIP_DOMAIN, or this machine's address where that is localhost.",
  },
  SIP_WS_URL: {
    group: "sip",
    schema: z.url({ protocol: /^wss?$/, error: "must be a ws or wss URL" }),
    fallback: ({ SIP_PUBLIC_HOST, SIP_WS_PORT, SIP_WSS_PORT }) => {
      const host = inUri(String(SIP_PUBLIC_HOST));
      return SIP_WSS_PORT ? `wss://${host}:${SIP_WSS_PORT}` : `ws://${host}:${SIP_WS_PORT}`;
    },
    help:
      "Where softphones in browsers connect, /softphone among them; a page that came over https " +
      "needs wss. Default: SIP_PUBLIC_HOST and SIP_WSS_PORT or SIP_WS_PORT.",
  },
  SIP_PEER_URI: {
    group: "companion",
    schema: z.string().regex(
      /^sips?:[^\s;,@?]+;transport=(wss?|tcp|tls)$/,
      "must be like sip:HOST:PORT;transport=ws",
    ),
    fallback: ({ SIP_PUBLIC_HOST, SIP_WS_PORT }) =>
      `sip:${inUri(String(SIP_PUBLIC_HOST))}:${SIP_WS_PORT};transport=ws`,
    help: "Where other companions reach this one, for calls to Clients registered here. " +
      "Default: SIP_PUBLIC_HOST and SIP_WS_PORT.",
  },
} satisfies Record<string, Variable>;

const inUri = (host: string): string => host.includes(":") ? `[${host}]` : host;

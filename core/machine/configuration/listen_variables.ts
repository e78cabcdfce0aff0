import { z } from "zod";
import { netLimits } from "../net/limits.ts";
import { file, networks, type Variable } from "./variable.ts";

const count = z.coerce.number("must be a number").int();

/** The variables of what listens: bounds, reverse proxies and TLS of the REST interface. */
export const listenVariables = {
  TLS_CERT: {
    group: "network",
    schema: file,
    fallback: "",
    help: "PEM file of the certificate and its chain, which makes the REST interface https. " +
      "Renewed files are taken up within seconds.",
  },
  TLS_KEY: {
    group: "network",
    schema: file,
    fallback: "",
    help: "PEM file of the key of TLS_CERT.",
  },
  TRUSTED_PROXIES: {
    group: "network",
    schema: networks,
    fallback: "",
    help: "Addresses and networks of reverse proxies. Their Forwarded or X-Forwarded-For header " +
      "gives the client address, for REST and SIP over WebSocket. Empty: both are ignored.",
  },
  CONNECTIONS_PER_ADDRESS: {
    group: "network",
    schema: count.min(0),
    fallback: String(netLimits.connectionsPerAddress),
    help: "Connections that one address may have to the REST interface, at most half of " +
      "MAX_CONNECTIONS; 0: no bound. Those of TRUSTED_PROXIES are not counted.",
  },
  MAX_CONNECTIONS: {
    group: "network",
    schema: count.min(16),
    fallback: String(netLimits.connections),
    help:
      "Most connections of a process. At the limit the oldest connection that has sent nothing is " +
      "closed; if there is none, the new one is refused. " +
      "Default under `deno task start`: half of the descriptor limit (ulimit -n).",
  },
} satisfies Record<string, Variable>;

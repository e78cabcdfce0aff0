import { host, portOrOff, secret, type Variable } from "./variable.ts";

/** The variables of metrics. */
export const metricsVariables = {
  METRICS_TOKEN: {
    group: "metrics",
    schema: secret,
    fallback: "",
    help:
      "Bearer token that reads /metrics of the REST interface. Empty: only the credentials of " +
      "the root account do.",
    secret: ["service"],
  },
  METRICS_HOST: {
    group: "metrics",
    schema: host,
    fallback: "127.0.0.1",
    help: "Address that METRICS_PORT and SIP_METRICS_PORT listen on.",
  },
  METRICS_PORT: {
    group: "metrics",
    schema: portOrOff,
    fallback: "0",
    help: "Port of the service's /metrics without credentials. 0: none.",
  },
  SIP_METRICS_PORT: {
    group: "metrics",
    schema: portOrOff,
    fallback: "0",
    help: "Port of the companion's /metrics, without credentials. 0: none.",
  },
} satisfies Record<string, Variable>;

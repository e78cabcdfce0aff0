import { z } from "zod";
import { isTurn } from "../../base/ice_servers.ts";
import { limits } from "../../base/limits.ts";
import {
  type MachineAddresses,
  machineVariable,
  onNetwork,
  publicHost,
  readMachineAddresses,
  withinMachine,
} from "./machine_addresses.ts";
import { consoleVariables } from "./console_variables.ts";
import { listenVariables } from "./listen_variables.ts";
import { limitVariables } from "./limit_variables.ts";
import { logVariables } from "./log_variables.ts";
import { mediaVariables } from "./media_variables.ts";
import { metricsVariables } from "./metrics_variables.ts";
import { messageVariables } from "./message_variables.ts";
import { iceSettings, reachVariables } from "./reach_variables.ts";
import { rateVariables } from "./rate_variables.ts";
import { supervisedVariable } from "../process/process.ts";
import { recordingVariables } from "./recording_variables.ts";
import { retentionVariables } from "./retention_variables.ts";
import { secretVariables } from "./secret_variables.ts";
import { speechVariables } from "./speech_variables.ts";
import { transportVariables } from "./transport_variables.ts";
import { trunkVariables } from "./trunk_variables.ts";
import type { ShownVariable } from "../../model/values/settings.ts";
import {
  address,
  databaseUrl,
  flag,
  host,
  httpUrl,
  microsOf,
  port,
  same,
  type Variable,
  wrongOf,
} from "./variable.ts";

const text = z.string();

/** Host and port as they stand in a URL. */
export const authority = (host: unknown, port: unknown): string =>
  `${String(host).includes(":") ? `[${host}]` : host}:${port}`;

/** An address of HTTP, of a host and a port. */
export const origin = (host: unknown, port: unknown, scheme = "http") =>
  `${scheme}://${authority(host, port)}`;

/**
 * Every variable that the service and the companion read; docs/reference/configuration.md is made
 * from it.
 */
export const variables = {
  HOST: {
    group: "service",
    schema: host,
    fallback: "127.0.0.1",
    help: "Address the REST interface listens on.",
  },
  PORT: {
    group: "service",
    schema: port,
    fallback: "8080",
    help: "Port of the REST interface.",
  },
  ...reachVariables,
  ...listenVariables,
  BASE_URL: {
    group: "service",
    sets: { baseUrl: same },
    schema: httpUrl,
    fallback: (values, machine) => {
      const scheme = values.TLS_CERT ? "https" : "http";
      return origin(publicHost(values.HOST, values, machine), values.PORT, scheme);
    },
    help:
      "Where customers reach the REST interface. Default: http://HOST:PORT, or https with TLS_CERT. If HOST is " +
      "not a loopback address, PUBLIC_IP replaces it where set; if HOST is 0.0.0.0, this machine's address does.",
  },
  DATA_DIR: {
    group: "service",
    schema: text.regex(/^[^,]+$/, "must not hold a comma"),
    fallback: "./data",
    help: "Directory of everything kept.",
  },
  KV_URL: {
    group: "service",
    schema: z.union([z.literal(""), httpUrl], "must be an http or https URL"),
    fallback: "",
    help:
      "KV Connect endpoint that instances share, its token in DENO_KV_ACCESS_TOKEN. Empty: a file.",
  },
  STORE_URL: {
    group: "service",
    schema: databaseUrl,
    fallback: "",
    help: "PostgreSQL database that instances share, postgres://user:password@host/database, in " +
      "place of KV_URL (docs/how-to/postgresql.md).",
    secret: ["service"],
  },
  EDGE: {
    group: "service",
    schema: flag,
    fallback: "false",
    help: "true: main.ts runs at an edge platform, without files (docs/how-to/edge.md).",
  },
  KV_NARROW_INDEX: {
    group: "service",
    schema: flag,
    fallback: "true",
    help: "Whether the start narrows an index in the file of the store, which nearly doubles the " +
      "rate of creations. false: the index stays as Deno made it.",
  },
  ...secretVariables,
  SERVICE_URL: {
    group: "companion",
    schema: httpUrl,
    fallback: ({ HOST, PORT, TLS_CERT, BASE_URL }) =>
      TLS_CERT ? String(BASE_URL) : origin(withinMachine(HOST), PORT),
    help: "Where the companion reaches the service. Default: http://HOST:PORT, on the loopback " +
      "where HOST is every address; with TLS_CERT, BASE_URL.",
  },
  SIP_DOMAIN: {
    group: "sip",
    sets: { sipDomain: same },
    schema: host.transform((name) => name.toLowerCase()),
    fallback: "localhost",
    help: "Domain of the Clients' addresses (sip:LOGIN@SIP_DOMAIN) and the digest realm.",
  },
  SIP_HOST: {
    group: "sip",
    schema: address,
    fallback: ({ HOST }) => HOST === "localhost" ? "127.0.0.1" : String(HOST),
    help: "IP address the companion listens on for softphones and media. Default: HOST.",
  },
  ...mediaVariables,
  SIP_WS_PORT: {
    group: "sip",
    schema: port,
    fallback: "8088",
    help: "Port of SIP over WebSocket.",
  },
  SIP_WS_HOST: {
    group: "sip",
    schema: address,
    fallback: ({ SIP_HOST }) => String(SIP_HOST),
    help: "IP address that SIP_WS_PORT listens on; 127.0.0.1 keeps it to a reverse proxy of this " +
      "machine. Default: SIP_HOST.",
  },
  ...transportVariables,
  BRIDGE_HOST: {
    group: "companion",
    schema: host,
    fallback: "127.0.0.1",
    help: "Address the companion's control listens on; the service alone needs to reach it.",
  },
  BRIDGE_PORT: {
    group: "companion",
    schema: port,
    fallback: "8090",
    help: "Port of the companion's control.",
  },
  BRIDGE_URL: {
    group: "companion",
    schema: httpUrl,
    fallback: ({ BRIDGE_HOST, BRIDGE_PORT }, machine) =>
      origin(onNetwork(BRIDGE_HOST, machine), BRIDGE_PORT),
    help:
      "Where the service reaches this companion. Default: http://BRIDGE_HOST:BRIDGE_PORT, with " +
      "this machine's address where that is every address.",
  },
  SIP_SHA256: {
    group: "sip",
    schema: flag,
    fallback: "false",
    help: "true offers SHA-256 to phones over UDP, TCP and TLS too; some know MD5 alone and fail.",
  },
  ...rateVariables,
  WEBHOOK_MAX_ATTEMPTS: {
    group: "webhooks",
    sets: { webhookMaxAttempts: same },
    schema: z.coerce.number("must be a number").int().min(1).max(20),
    fallback: "6",
    help: "How often a status callback is tried before it is given up with a Notification.",
  },
  ...consoleVariables,
  ...retentionVariables,
  COMPANION_ID: {
    group: "companion",
    schema: text.min(1).max(100),
    fallback: ({ SIP_HOST, SIP_WS_PORT }, machine) =>
      authority(onNetwork(SIP_HOST, machine), SIP_WS_PORT),
    help: "Name of the companion, start after start; each of several has its own. " +
      "Default: SIP_HOST:SIP_WS_PORT, with this machine's address where that is every address.",
  },
  CLIENT_PASSWORD_MIN: {
    group: "secrets",
    sets: { clientPasswordMin: same },
    schema: z.coerce.number("must be a number").int().min(1).max(limits.passwordLength),
    fallback: "4",
    help: "Characters that the password of a Client has at least.",
  },
  ...messageVariables,
  ...recordingVariables,
  REVISION: {
    group: "service",
    sets: { revision: same },
    schema: text,
    fallback: "",
    help: "Build revision that Supervisor metrics tell.",
  },
  NUMBERS_PROVIDER: {
    group: "numbers",
    schema: z.enum(["open", "inventory", "http"], "must be open, inventory or http"),
    fallback: "open",
    help: "Where phone numbers come from: open (bring your own), inventory (loaded) or http.",
  },
  NUMBERS_URL: {
    group: "numbers",
    schema: z.union([z.literal(""), httpUrl], "must be an http or https URL"),
    fallback: "",
    help: "The operator's endpoint that offers numbers, for NUMBERS_PROVIDER=http.",
  },
  NUMBERS_TOKEN: {
    group: "numbers",
    schema: text,
    fallback: "",
    help: "Bearer token that NUMBERS_URL expects.",
    secret: ["service"],
  },
  NUMBER_MONTHLY_PRICE: {
    group: "numbers",
    sets: { numberPriceMicros: microsOf },
    schema: z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, "must be an amount like 1.15").transform(
      Number,
    ),
    fallback: "0",
    help: "What a month of a phone number costs its account.",
  },
  CURRENCY: {
    group: "numbers",
    sets: { currency: (code: string) => code || null },
    schema: z.string().regex(/^(?:[A-Z]{3})?$/, "must be a code of ISO 4217 such as EUR"),
    fallback: "",
    help: "Currency of all prices (ISO 4217), such as EUR. Empty: prices have no currency, " +
      "and USD below /2010-04-01, where programs expect one.",
  },
  ...trunkVariables,
  ...limitVariables,
  ...speechVariables,
  ...logVariables,
  ...metricsVariables,
  DEMO: {
    group: "service",
    schema: flag,
    fallback: "true",
    help: "false makes no Client and no numbers to try on the first start.",
  },
  DRAIN_S: {
    group: "service",
    schema: z.coerce.number("must be a number of seconds").int().min(0).max(86_400),
    fallback: "0",
    help:
      "Seconds for which live calls go on at a stop. Meanwhile new calls are answered 503; then " +
      "calls end with BYE. A second signal ends them at once. 0: they end at once.",
  },
  DIAL_MAX_AGE_S: {
    group: "service",
    sets: { dialMaxAgeMs: (seconds: number) => seconds * 1_000 },
    schema: z.coerce.number("must be a number of seconds").int().min(5).max(3_600),
    fallback: "30",
    help:
      "Seconds within which a companion must take a call that was requested; then it fails (13244) " +
      "and is not placed late.",
  },
  ALLOW_PRIVATE_URLS: {
    group: "network",
    sets: { allowsPrivateUrls: same },
    schema: flag,
    fallback: "false",
    help: "true lets customers' URLs and SIP hosts be private and loopback addresses. For " +
      "development.",
  },
} satisfies Record<string, Variable>;

export type Config = { [K in keyof typeof variables]: z.output<(typeof variables)[K]["schema"]> };

/** An error of configuration: one clear line for each wrong variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads the configuration from an environment. Throws a ConfigError that names what is wrong. */
export function readConfig(
  get: (name: string) => string | undefined,
  machine: MachineAddresses = readMachineAddresses(get(machineVariable)),
): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, variable] of Object.entries<Variable>(variables)) {
    const { schema, fallback } = variable;
    const given = get(name) || undefined;
    // A default that follows from a wrong value needs no error of its own.
    if (given === undefined && typeof fallback === "function" && problems.length > 0) continue;
    const text = given ?? (typeof fallback === "function" ? fallback(values, machine) : fallback);
    const parsed = schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} ${wrongOf(parsed.error)}${shown(variable, text)}`);
  }
  // The supervisor has checked what belongs together, and hands each process its own secrets alone.
  if (get(supervisedVariable) !== "1") problems.push(...missingOf(values));
  if (problems.length > 0) {
    throw new ConfigError(`Cannot use the configuration: ${problems.join("; ")}`);
  }
  return values as Config;
}

/** Errors about variables that others require. */
function missingOf(values: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (values.NUMBERS_PROVIDER === "http" && values.NUMBERS_URL === "") {
    problems.push("NUMBERS_URL is required by NUMBERS_PROVIDER=http");
  }
  if (values.STORE_URL && values.KV_URL) {
    problems.push("STORE_URL and KV_URL name two stores: set one of them");
  }
  if (values.S3_BUCKET && !(values.S3_ACCESS_KEY && values.S3_SECRET_KEY)) {
    problems.push("S3_ACCESS_KEY and S3_SECRET_KEY are required by S3_BUCKET");
  }
  if (iceSettings(values).urls.some(isTurn) && !values.TURN_SECRET) {
    problems.push("TURN_SECRET is required by the TURN servers of ICE_SERVERS");
  }
  if (Boolean(values.TLS_CERT) !== Boolean(values.TLS_KEY)) {
    problems.push("TLS_CERT and TLS_KEY are required by each other");
  }
  const ofEdge = ["SECRET_KEY", "BRIDGE_SECRET", "ADMIN_AUTH_TOKEN", "S3_BUCKET"] as const;
  if (values.EDGE) {
    const missing = ofEdge.filter((name) => !values[name]);
    if (missing.length > 0) problems.push(`${missing.join(", ")} must be set with EDGE=true`);
  }
  for (const name of ["SIP_WSS_PORT", "SIP_TLS_PORT"]) {
    if (values[name] && !(values.SIP_TLS_CERT && values.SIP_TLS_KEY)) {
      problems.push(`SIP_TLS_CERT and SIP_TLS_KEY are required by ${name}`);
    }
  }
  return problems;
}

const shown = ({ secret }: Variable, text: string) =>
  secret !== undefined ? "" : ` (it is "${text}")`;

/** Credentials in a URL. */
const credentials = /(?<=\/\/)[^/\s@]+@/g;

/** The configuration as it runs, with secrets and credentials in URLs masked. */
export const shownConfiguration = (config: Config): ShownVariable[] =>
  Object.entries<Variable>(variables).map(([name, { secret, help, fallback }]) => {
    const value = String(config[name as keyof Config]);
    const isHidden = secret !== undefined && value !== "";
    return {
      name,
      value: isHidden ? "********" : value.replaceAll(credentials, "********@"),
      fallback: typeof fallback === "string" ? fallback : null,
      help,
    };
  });

/** The configuration as lines of NAME=value, with secrets masked. */
export const configLines = (config: Config): string[] =>
  shownConfiguration(config).map(({ name, value, help }) => `${name}=${value}  # ${help}`);

import { z } from "zod";

/** One environment variable: what it may hold, what it is when unset, and what it is for. */
interface Variable {
  schema: z.ZodType<string | number | boolean>;
  /** A fixed value, or one that follows from variables above it. */
  fallback: string | ((values: Record<string, unknown>) => string);
  help: string;
  /** Never printed. */
  secret?: boolean;
}

const port = z.coerce.number("must be a port number").int().min(0).max(65_535);
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((url) => url.replace(/\/+$/, ""));
const host = z.string().regex(/^[A-Za-z0-9.:\-_[\]]+$/, "must be a host name or an address");
const flag = z.enum(["true", "false"]).transform((text) => text === "true");
const text = z.string();
const secret = z.union([z.literal(""), z.string().min(16, "must have at least 16 characters")]);

const origin = (of: unknown, port: unknown) =>
  `http://${String(of).includes(":") ? `[${of}]` : of}:${port}`;

/** Every variable that the service and the companion read; the README's table is made from it. */
export const variables = {
  HOST: { schema: host, fallback: "127.0.0.1", help: "Address the REST interface listens on." },
  PORT: { schema: port, fallback: "8080", help: "Port of the REST interface; 0 picks a free one." },
  BASE_URL: {
    schema: z.union([z.literal(""), httpUrl]),
    fallback: ({ HOST, PORT }) => PORT === 0 ? "" : origin(HOST, PORT),
    help: "Where customers reach the REST interface. Default: http://HOST:PORT.",
  },
  DATA_DIR: { schema: text.min(1), fallback: "./data", help: "Directory of everything kept." },
  KV_URL: {
    schema: z.union([z.literal(""), httpUrl]),
    fallback: "",
    help: "A KV Connect endpoint shared by many instances. Empty: a file in DATA_DIR.",
  },
  ADMIN_EMAIL: {
    schema: z.email("must be an e-mail address"),
    fallback: "admin@localhost.localdomain",
    help: "E-mail address of the root account, on the first start.",
  },
  ADMIN_PASSWORD: {
    schema: text.max(128),
    fallback: "",
    help: "Password of the root account, on the first start. Empty: generated.",
    secret: true,
  },
  SECRET_KEY: {
    schema: secret,
    fallback: "",
    help: "Key that seals secrets at rest. Empty: generated into DATA_DIR/secret_key.",
    secret: true,
  },
  BRIDGE_SECRET: {
    schema: secret,
    fallback: "",
    help: "Signs what service and companion tell each other. Empty: DATA_DIR/bridge_secret.",
    secret: true,
  },
  SERVICE_URL: {
    schema: z.union([z.literal(""), httpUrl]),
    fallback: ({ HOST, PORT }) => origin(HOST, PORT),
    help: "Where the companion reaches the service. Default: http://HOST:PORT.",
  },
  SIP_DOMAIN: {
    schema: host,
    fallback: "localhost",
    help: "Domain of the Clients' addresses (sip:LOGIN@SIP_DOMAIN) and the digest realm.",
  },
  SIP_HOST: {
    schema: host,
    fallback: ({ HOST }) => String(HOST),
    help: "Address the companion listens on for softphones and media. Default: HOST.",
  },
  SIP_WS_PORT: { schema: port, fallback: "8088", help: "Port of SIP over WebSocket." },
  BRIDGE_HOST: {
    schema: host,
    fallback: "127.0.0.1",
    help: "Address the companion's control listens on; the service alone needs to reach it.",
  },
  BRIDGE_PORT: { schema: port, fallback: "8090", help: "Port of the companion's control." },
  BRIDGE_URL: {
    schema: httpUrl,
    fallback: ({ BRIDGE_PORT }) => `http://127.0.0.1:${BRIDGE_PORT}`,
    help: "Where the service reaches the companion. Default: http://127.0.0.1:BRIDGE_PORT.",
  },
  NUMBERS_PROVIDER: {
    schema: z.enum(["open", "inventory", "http"], "must be open, inventory or http"),
    fallback: "open",
    help: "Where phone numbers come from: open (bring your own), inventory (loaded) or http.",
  },
  NUMBERS_URL: {
    schema: z.union([z.literal(""), httpUrl]),
    fallback: "",
    help: "The operator's endpoint that offers numbers, for NUMBERS_PROVIDER=http.",
  },
  NUMBERS_TOKEN: {
    schema: text,
    fallback: "",
    help: "Bearer token that NUMBERS_URL expects.",
    secret: true,
  },
  NUMBER_MONTHLY_PRICE: {
    schema: z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, "must be an amount like 1.15").transform(
      Number,
    ),
    fallback: "0",
    help: "What a month of a phone number costs its account.",
  },
  ALLOW_PRIVATE_URLS: {
    schema: flag,
    fallback: "false",
    help: "true lets customers' URLs reach private and loopback addresses. For development.",
  },
} satisfies Record<string, Variable>;

export type Config = { [K in keyof typeof variables]: z.output<(typeof variables)[K]["schema"]> };

/** An error of configuration: one clear line for each wrong variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads the configuration from an environment. Throws a ConfigError that names what is wrong. */
export function readConfig(get: (name: string) => string | undefined): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, variable] of Object.entries<Variable>(variables)) {
    const { schema, fallback } = variable;
    const given = get(name);
    const text = given !== undefined && given !== ""
      ? given
      : typeof fallback === "function"
      ? fallback(values)
      : fallback;
    const parsed = schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} ${parsed.error.issues[0]!.message}${shown(variable, text)}`);
  }
  if (values.NUMBERS_PROVIDER === "http" && values.NUMBERS_URL === "") {
    problems.push("NUMBERS_URL is required by NUMBERS_PROVIDER=http");
  }
  if (problems.length > 0) {
    throw new ConfigError(`Cannot use the configuration: ${problems.join("; ")}`);
  }
  return values as Config;
}

const shown = ({ secret }: Variable, text: string) => secret === true ? "" : ` (it is "${text}")`;

/** The configuration as lines of NAME=value, with secrets masked. */
export const configLines = (config: Config): string[] =>
  Object.entries<Variable>(variables).map(([name, { secret, help }]) => {
    const value = String(config[name as keyof Config]);
    return `${name}=${secret === true && value !== "" ? "********" : value}  # ${help}`;
  });

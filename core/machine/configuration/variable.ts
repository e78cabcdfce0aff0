import { z } from "zod";
import type { Settings } from "../../model/values/settings.ts";
import type { MachineAddresses } from "./machine_addresses.ts";

/** The groups of variables: each is a table of docs/reference/configuration.md. */
export type VariableGroup =
  | "service"
  | "network"
  | "secrets"
  | "companion"
  | "sip"
  | "media"
  | "trunks"
  | "numbers"
  | "messages"
  | "webhooks"
  | "console"
  | "log"
  | "metrics"
  | "retention"
  | "recordings"
  | "speech";

/** Settings of core that follow from one value, by their names. */
export type SettingsOf<T> = { readonly [N in keyof Settings]?: (value: T) => Settings[N] };

/** One environment variable: its values, its default, its purpose, and the settings that it makes. */
export interface Variable {
  group: VariableGroup;
  /** Settings that follow from its value alone; `service_settings.ts` makes the others. */
  sets?: SettingsOf<never>;
  schema: z.ZodType<string | number | boolean>;
  /** A fixed value, or one that follows from variables above it and this machine's addresses. */
  fallback: string | ((values: Record<string, unknown>, machine: MachineAddresses) => string);
  help: string;
  /** Of a secret: the processes that need it. It is never printed, and no other process gets it. */
  secret?: readonly ProcessName[];
}

/** The processes that the supervisor starts. */
export type ProcessName = "service" | "companion" | "speech process";

/** The error of a value, with the bound that a number is beyond. */
export function wrongOf({ issues }: z.ZodError): string {
  const issue = issues[0]!; // An error of zod has one at least.
  const { message } = issue;
  if (issue.code === "too_small" && issue.origin === "number") {
    return `${message}, ${issue.minimum} or more`;
  }
  if (issue.code === "too_big" && issue.origin === "number") {
    return `${message}, ${issue.maximum} or less`;
  }
  const isFraction = issue.code === "invalid_type" && "format" in issue;
  return isFraction ? `${message}, without a fraction` : message;
}

/** A port that is always listened on. */
export const port = z.coerce.number("must be a port number").int().min(1).max(65_535);

/** A port, or 0 where none is wanted. */
export const portOrOff = z.coerce.number("must be a port number, or 0").int().min(0).max(65_535);

/** A host name or an address, IPv6 with or without brackets. */
export const host = z.string().transform((text) => text.replace(/^\[(.*)\]$/, "$1"))
  .pipe(z.string().regex(/^[A-Za-z0-9.:\-_]+$/, "must be a host name or an address"));

/** An IP address, IPv6 with or without brackets. */
export const address = host.pipe(z.union([z.ipv4(), z.ipv6()], "must be an IP address"));

/** An address of HTTP, without a slash at its end. */
export const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((url) => url.replace(/(?<!\/)\/+$/, ""));

/** A database of PostgreSQL, or none. The store says what else is wrong with it. */
export const databaseUrl = z.string().regex(
  /^(postgres(ql)?:\/\/[^\s/]+\/[^\s/?]+(\?\S*)?)?$/,
  "must be a URL like postgres://user:password@host:5432/database",
);

export const flag = z.enum(["true", "false"], "must be true or false").transform((text) =>
  text === "true"
);

/** A path that stands in a list of them. */
export const file = z.string().regex(/^[^,]*$/, "must not hold a comma");

const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** Addresses and networks separated by commas, or none. */
export const networks = z.string().refine(
  (list) => list === "" || list.split(",").every((entry) => network.safeParse(entry).success),
  "must be IP addresses or networks like 192.0.2.0/24 separated by commas",
);

/** A secret of some length, or none. */
export const secret = z.string().refine(
  (text) => text === "" || text.length >= 16,
  "must have at least 16 characters",
);

/** The entries of a list that is separated by commas. */
export const listOf = (text: string): string[] => text.split(",").filter((entry) => entry !== "");

/** A setting that has the value of its variable. */
export const same = <T>(value: T): T => value;

/** An amount in millionths, as prices are stored. */
export const microsOf = (amount: number): number => Math.round(amount * 1_000_000);

import { z } from "zod";
import type { Variable } from "./variable.ts";
import { proxyAddress } from "../../model/values/proxy_address.ts";
import { networks } from "./variable.ts";
import { isCountry } from "../../numbers/country.ts";

const text = z.string();

/** The variables that are about calls to numbers and other SIP hosts. */
export const trunkVariables = {
  OUTBOUND_PROXY: {
    group: "trunks",
    schema: z.union([z.literal(""), proxyAddress], "must be host, host:port or sip:host"),
    fallback: "",
    help: "SIP proxy for calls to numbers that no Gateway of the account or above takes.",
  },
  OUTBOUND_PROXY_USER: {
    group: "trunks",
    schema: text.max(128),
    fallback: "",
    help: "User name for OUTBOUND_PROXY. Empty: the proxy trusts the address of this service.",
  },
  OUTBOUND_PROXY_PASSWORD: {
    group: "trunks",
    schema: text.max(128),
    fallback: "",
    help: "Password of OUTBOUND_PROXY_USER.",
    secret: ["service"],
  },
  DIAL_SIP_HOSTS: {
    group: "trunks",
    schema: text.toLowerCase().regex(
      /^(?:(?:\*|(?:\*\.)?[a-z0-9][a-z0-9.-]*)(?:,(?!$)|$))*$/,
      "must be host names, *.domains or * separated by commas",
    ),
    fallback: "",
    help: "Hosts that may be dialled as sip: besides SIP_DOMAIN, comma-separated. *.example.com " +
      "allows the public hosts of a domain, * all public hosts. Empty: none.",
  },
  SIP_TRUSTED_SOURCES: {
    group: "trunks",
    schema: networks,
    fallback: "",
    help:
      "Addresses and networks of carriers. Their calls to numbers are accepted without a password. " +
      "List private addresses in their Contact headers too: a call by TCP or TLS goes on there once " +
      "its connection has closed. Empty: only calls from registered Gateways are accepted.",
  },
  STRICT_CALLER_ID: {
    group: "trunks",
    schema: z.enum(["true", "false", "auto"], "must be true, false or auto"),
    fallback: "auto",
    help:
      "true: an account adds a number of its own (OutgoingCallerIds) only by a call to it; the " +
      "root account adds numbers at once. false: every account adds them at once. auto: true where " +
      "OUTBOUND_PROXY or SIP_TRUSTED_SOURCES is set, or the root account has a Gateway.",
  },
  VIRTUAL_NUMBER_ACCOUNTS: {
    group: "trunks",
    schema: text.regex(
      /^(?:AC[0-9a-f]{32}(?:,(?!$)|$))*$/,
      "must be Sids of accounts separated by commas",
    ),
    fallback: "",
    help:
      "Accounts, by Sid, whose virtual numbers and patterns (isSIP) calls and texts of the operator's " +
      "trunks reach, and those of accounts below them. Empty: those of the root account alone.",
  },
  DEFAULT_COUNTRY: {
    group: "trunks",
    schema: z.union([z.literal(""), text.refine(isCountry)], "must be a code like US"),
    fallback: "",
    help:
      "Default country (ISO 3166) of numbers without +, such as US. Empty: they stay unchanged.",
  },
  DESTINATION_PREFIXES: {
    group: "trunks",
    schema: text.regex(
      /^(?:\+[1-9]\d{0,14}(?:,(?!$)|$))*$/,
      "must be prefixes like +49 separated by commas",
    ),
    fallback: "",
    help:
      "Prefixes of the numbers that calls and texts may leave to, such as +49,+1212. A number " +
      "without + is refused then, unless DEFAULT_COUNTRY completes it. Empty: every number.",
  },
  RATES_FILE: {
    group: "trunks",
    schema: text.regex(/^[^,]*$/, "must not hold a comma"),
    fallback: "",
    help: "CSV of call prices: number prefix, price per minute. Calls to other prefixes are free.",
  },
} satisfies Record<string, Variable>;

import { z } from "zod";
import type { Variable } from "./variable.ts";

const most = (highest: number) =>
  z.union([
    z.literal(""),
    z.coerce.number().int().min(0).max(highest).transform(String),
  ], `must be a number up to ${highest}`);

/** The variables of what all accounts together may use. Each is a limit of the root account. */
export const limitVariables = {
  MAX_CONCURRENT_CALLS: {
    group: "trunks",
    schema: most(1_000_000_000),
    fallback: "",
    help: "Outbound calls of all accounts that may be queued, ringing or in progress at once. " +
      "Empty: any number.",
  },
  MAX_CALLS_PER_SECOND: {
    group: "trunks",
    schema: most(1_000),
    fallback: "",
    help: "Outbound calls of all accounts that may be made within a second. Empty: any number.",
  },
  MAX_TEXTS_PER_DAY: {
    group: "trunks",
    schema: most(1_000_000_000),
    fallback: "",
    help: "Messages that all accounts may send on a UTC day. Empty: any number.",
  },
  MAX_EMAILS_PER_DAY: {
    group: "trunks",
    schema: most(1_000_000_000),
    fallback: "",
    help: "Recipients to whom all accounts may send e-mail on a UTC day. Empty: any number.",
  },
  MAX_SPEND_PER_DAY: {
    group: "trunks",
    schema: z.string().regex(
      /^(?:\d{1,9}(?:\.\d{1,6})?)?$/,
      "must be a decimal number such as 250.00",
    ),
    fallback: "",
    help:
      "What calls, messages, numbers and transcriptions of all accounts may cost on a UTC day, " +
      "by the prices of this service, such as 250.00. Empty: any amount.",
  },
  PREMIUM_PREFIXES: {
    group: "trunks",
    schema: z.string().regex(
      /^(?:\+[1-9]\d{0,14}(?:,(?!$)|$))*$/,
      "must be prefixes like +882 separated by commas",
    ),
    fallback: "",
    help:
      "Prefixes of the premium-rate, shared-cost, personal and satellite numbers that calls and " +
      "texts may leave to, such as +882,+1900. Empty: none.",
  },
} satisfies Record<string, Variable>;

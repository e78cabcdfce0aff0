import { z } from "zod";
import { wholeNumber } from "../../../base/fields.ts";
import { type AnyResource, paramsSchema } from "../../resource.ts";

/** The highest number that a limit of calls at once, or of texts a day, may be. */
const mostCount = 1_000_000_000;

/** Highest limit of calls a second: the time of each call of the last second is stored. */
const mostCallsPerSecond = 1_000;

const cleared = z.literal("").transform(() => null);

/** A number that an empty value clears. */
const most = (highest: number) => z.union([cleared, wholeNumber(0, highest)]).nullable();

const amount = z.union([
  cleared,
  z.string().regex(/^\d{1,9}(?:\.\d{1,6})?$/, "must be a decimal number such as 25.00, or empty"),
]).nullable();

/** A list of prefixes; the word none stands for an empty one. */
const prefixes = z.union([
  cleared,
  z.string().max(4_000).regex(
    /^(?:none|\+[1-9]\d{0,14}(?:,\+[1-9]\d{0,14})*)$/,
    "must be prefixes like +49 separated by commas, the word none, or empty",
  ),
]).nullable();

const sum = z.number().int().nullable();
const money = z.string().nullable();

/** Limits of an account, and their use. */
export const accountLimits: AnyResource = {
  type: "Limits",
  description:
    "Limits of an account. Each counts what the account and all accounts below it use, so the tightest limit of an account and of those above it is in force. The account above sets them.",
  path: "Limits",
  sidPrefix: "",
  irregular: true,
  fields: {
    maxConcurrentCalls: most(mostCount).describe(
      "Outbound calls that may be queued, ringing or in progress at once; no limit unless set. An empty value clears it.",
    ),
    maxCallsPerSecond: most(mostCallsPerSecond).describe(
      "Outbound calls that may be made within any second; no limit unless set. An empty value clears it.",
    ),
    maxTextsPerDay: most(mostCount).describe(
      "Messages that may be made on a UTC day, scheduled ones included; no limit unless set. An empty value clears it.",
    ),
    maxEmailsPerDay: most(mostCount).describe(
      "Recipients to whom e-mail may be sent on a UTC day, those of copies included; no limit unless set. An empty value clears it.",
    ),
    maxSpendPerDay: amount.describe(
      "What calls, messages, phone numbers and transcriptions may cost on a UTC day, such as 25.00; no limit unless set. An empty value clears it.",
    ),
    destinationPrefixes: prefixes.describe(
      "Prefixes of the numbers that calls and messages may leave to, such as +49,+43; every number unless set. The word none allows no number. An empty value clears it.",
    ),
    premiumPrefixes: prefixes.describe(
      "Prefixes of the premium-rate and satellite numbers that they may leave to, of those that PREMIUM_PREFIXES allows; those of the account above unless set. The word none allows no such number. An empty value clears it.",
    ),
    effectiveMaxConcurrentCalls: sum.describe(
      "The tightest MaxConcurrentCalls of the account and of those above it.",
    ),
    effectiveMaxCallsPerSecond: sum.describe("The tightest MaxCallsPerSecond, in the same way."),
    effectiveMaxTextsPerDay: sum.describe("The tightest MaxTextsPerDay, in the same way."),
    effectiveMaxEmailsPerDay: sum.describe("The tightest MaxEmailsPerDay, in the same way."),
    effectiveMaxSpendPerDay: money.describe("The tightest MaxSpendPerDay, in the same way."),
    concurrentCalls: sum.describe(
      "Outbound calls of the account and of those below it now; null where the account has no limits.",
    ),
    textsToday: sum.describe(
      "Messages that they sent on this UTC day; null where the account has no limits.",
    ),
    emailsToday: sum.describe(
      "Recipients of the e-mails that they sent on this UTC day; null where the account has no limits.",
    ),
    spendToday: money.describe(
      "What they were charged on this UTC day; null where the account has no limits.",
    ),
    spendReserved: money.describe(
      "What live calls and waiting messages will be charged at least; null where the account has no limits.",
    ),
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
  update: [
    "maxConcurrentCalls",
    "maxCallsPerSecond",
    "maxTextsPerDay",
    "maxEmailsPerDay",
    "maxSpendPerDay",
    "destinationPrefixes",
    "premiumPrefixes",
  ],
};

/** The parameters that change the limits of an account. */
export const limitParameters = paramsSchema(accountLimits.fields, [], accountLimits.update!);

/** Limits as the parameters set them: null clears a limit. */
export type LimitsSent = Partial<{
  maxConcurrentCalls: number | null;
  maxCallsPerSecond: number | null;
  maxTextsPerDay: number | null;
  maxEmailsPerDay: number | null;
  maxSpendPerDay: string | null;
  destinationPrefixes: string | null;
  premiumPrefixes: string | null;
}>;

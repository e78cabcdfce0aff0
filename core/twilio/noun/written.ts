import type { Base } from "../../base/record.ts";
import { rfc2822 } from "../../base/wire.ts";
import { formatNumber } from "../../model/values/phone_number.ts";
import { limits } from "../../base/limits.ts";
import type { Asked } from "./noun.ts";

/** A date as RFC 2822, null for none. */
export const date = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : rfc2822(ms);

/** A number as a text, null for none. */
export const text = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

/** A price as Twilio writes it: what was charged is negative. */
export const price = (charged: string | null | undefined): string | null =>
  !charged || Number(charged) === 0 ? charged ?? null : `-${charged}`;

/** The currency of prices. Twilio's libraries always have one: USD where none is configured. */
export const currency = (_: unknown, { ports }: Pick<Asked, "ports">): string =>
  ports.settings.currency ?? "USD";

/** A number in its national form, for people; anything else as it is. */
export const formatted = formatNumber;

/** The fields that most nouns begin with. */
export const basic = {
  sid: ({ sid }: Base) => sid,
  account_sid: ({ accountSid }: Base) => accountSid,
  date_created: ({ dateCreated }: Base) => date(dateCreated),
  date_updated: ({ dateUpdated }: Base) => date(dateUpdated),
};

/** The version of this interface, whichever made the record. */
export const apiVersion = () => limits.twilioApiVersion;

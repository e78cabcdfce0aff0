import type { Condition } from "../base/filters.ts";
import type { RecordOf } from "../model/resource.ts";
import type { availablePhoneNumbers } from "../model/resources/available_phone_numbers.ts";
import type { NumberOffer, NumberSearch } from "../model/values/offer.ts";
import { formatNumber } from "../model/values/phone_number.ts";

type AvailablePhoneNumber = Omit<
  RecordOf<typeof availablePhoneNumbers>,
  "areaCode" | "contains" | "voiceEnabled" | "smsEnabled" | "mmsEnabled"
>;

const capabilityOf: Record<string, string> = {
  voiceEnabled: "voiceCapable",
  smsEnabled: "smsCapable",
  mmsEnabled: "mmsCapable",
};

/** Filters of AvailablePhoneNumbers, beside the parts of the path. */
export function searchOf(where: Condition[], path: NumberSearch): NumberSearch {
  const sent = where.flatMap((condition) => "value" in condition ? [condition] : []);
  const able = sent.filter(({ field }) => field in capabilityOf)
    .map(({ field, value }) => [capabilityOf[field], value === "true"]);
  const others = sent.filter(({ field }) => !(field in capabilityOf))
    .map(({ field, value }) => [field, value]);
  const capabilities = able.length === 0 ? {} : { capabilities: Object.fromEntries(able) };
  return { ...path, ...Object.fromEntries(others), ...capabilities };
}

/**
 * An offer as AvailablePhoneNumbers shows it. It has no Sid and no dates, since no account holds
 * it.
 */
export const toAvailable = ({ kinds: _, ...offer }: NumberOffer): AvailablePhoneNumber => ({
  ...offer,
  sid: "",
  accountSid: "",
  dateCreated: 0,
  dateUpdated: 0,
  friendlyName: formatNumber(offer.phoneNumber),
});

import { z } from "zod";
import { method, url } from "../../../base/fields.ts";
import { limits } from "../../../base/limits.ts";
import { checkTrigger } from "../../job_kinds.ts";
import { type RecordOf, resource } from "../../resource.ts";

/** Category that a trigger watches, and the sum that counts. */
export const triggerCategories = [
  "calls",
  "sms",
  "phonenumbers",
  "transcriptions",
  "totalprice",
] as const;
export const triggerFields = ["count", "usage", "price"] as const;
export const triggerPeriods = ["daily", "monthly", "yearly", "alltime"] as const;

/** Usage of an account that is reported when it reaches a value. Internal to Twilio's libraries. */
export const usageTriggers = resource({
  type: "UsageTrigger",
  description: "A callback that is requested when the usage of an account reaches a value.",
  path: "UsageTriggers",
  sidPrefix: "UT",
  irregular: true,
  internal: true,
  fields: {
    friendlyName: z.string().max(limits.friendlyNameLength).nullable(),
    usageCategory: z.enum(triggerCategories),
    triggerBy: z.enum(triggerFields),
    /** A decimal number. */
    triggerValue: z.string(),
    recurring: z.enum(triggerPeriods),
    callbackUrl: url,
    callbackMethod: method,
    /** As it was when it was looked at last. */
    currentValue: z.string(),
    dateFired: z.number().nullable(),
    /** The beginning of the period for which it fired last, in ms. */
    firedFor: z.number().nullable(),
  },
  defaults: {
    friendlyName: null,
    triggerBy: "usage",
    recurring: "alltime",
    callbackMethod: "POST",
    currentValue: "0",
    dateFired: null,
    firedFor: null,
  },
  filters: { recurring: "equals", triggerBy: "equals", usageCategory: "equals" },
  created: (trigger) => ({
    record: trigger,
    jobs: [checkTrigger({ accountSid: trigger.accountSid, triggerSid: trigger.sid })],
  }),
});

export type UsageTrigger = RecordOf<typeof usageTriggers>;

import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { method, url } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import {
  triggerCategories,
  triggerFields,
  triggerPeriods,
  type UsageTrigger,
} from "../model/resources/internal/usage_triggers.ts";
import { triggerValue } from "../usage/trigger_value.ts";
import { equal } from "./noun/filters.ts";
import { action, needs, noun, works } from "./noun/noun.ts";
import { asFields, changed, fetched, given, listedOf, made, removed } from "./noun/regular.ts";
import { apiVersion, basic, date } from "./noun/written.ts";

/** Triggers of one account at most: each is looked at once a minute. */
const mostOfAccount = 100;

const changeable = {
  FriendlyName: works(z.string().max(limits.friendlyNameLength)),
  CallbackMethod: works(method),
};

/** Has usage reported when it reaches a value. */
export const usageTriggers = noun<UsageTrigger>({
  type: "UsageTrigger",
  path: "Usage/Triggers",
  plural: "usage_triggers",
  note: "looked at once a minute, with the usage of the accounts below; periods are those of UTC",
  fields: {
    ...basic,
    api_version: apiVersion,
    friendly_name: ({ friendlyName }) => friendlyName,
    usage_category: ({ usageCategory }) => usageCategory,
    trigger_by: ({ triggerBy }) => triggerBy,
    trigger_value: ({ triggerValue }) => triggerValue,
    recurring: ({ recurring }) => recurring === "alltime" ? "" : recurring,
    current_value: ({ currentValue }) => currentValue,
    callback_url: ({ callbackUrl }) => callbackUrl,
    callback_method: ({ callbackMethod }) => callbackMethod,
    date_fired: ({ dateFired }) => date(dateFired),
    usage_record_uri: ({ usageCategory, accountSid }) =>
      `/${limits.twilioApiVersion}/Accounts/${accountSid}/Usage/Records.json?Category=${usageCategory}`,
  },
  address: ({ sid }) => `Usage/Triggers/${sid}`,
  create: action({
    parameters: {
      UsageCategory: needs(z.enum(triggerCategories)),
      TriggerValue: needs(
        z.string().regex(/^\+?\d{1,12}(\.\d{1,6})?$/, "must be a number, or + and a number"),
        "with `+` so much more than now",
      ),
      CallbackUrl: needs(url),
      TriggerBy: works(z.enum(triggerFields), "usage unless sent"),
      Recurring: works(z.enum(triggerPeriods), "alltime unless sent: it fires once"),
      ...changeable,
    },
    async perform(asked, sent) {
      const { account: { sid: accountSid }, ports } = asked;
      const all = { where: [], skip: 0, limit: 1 };
      const { total } = await ports.records.usageTriggers.list(accountSid, all);
      if (total >= mostOfAccount) {
        throw new Fault("badParameter", `an account has at most ${mostOfAccount} triggers`);
      }
      const { TriggerBy: triggerBy = "usage", Recurring: recurring = "alltime", TriggerValue } =
        sent;
      const watched = { accountSid, usageCategory: sent.UsageCategory, triggerBy, recurring };
      const currentValue = await triggerValue(watched, ports);
      const value = TriggerValue.startsWith("+")
        ? String(Number((Number(currentValue) + Number(TriggerValue)).toFixed(6)))
        : TriggerValue;
      const fields = { ...asFields(sent), triggerBy, recurring, triggerValue: value, currentValue };
      return await made("usageTriggers", given(fields), asked);
    },
  }),
  fetch: fetched("usageTriggers"),
  update: action({
    parameters: { CallbackUrl: works(url), ...changeable },
    perform: (asked, sent) => changed("usageTriggers", asFields(sent), asked),
  }),
  remove: removed("usageTriggers"),
  listed: listedOf("usageTriggers", {
    Recurring: equal("recurring", triggerPeriods),
    TriggerBy: equal("triggerBy", triggerFields),
    UsageCategory: equal("usageCategory", triggerCategories),
  }),
});

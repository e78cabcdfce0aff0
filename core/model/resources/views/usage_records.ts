import { z } from "zod";
import { textNumber } from "../../../base/fields.ts";
import { resource } from "../../resource.ts";

export const usageCategory = z.enum([
  "calls",
  "sms",
  "phonenumbers",
  "transcriptions",
  "totalprice",
]);

/** Charges of one account on one day, for one category or in all. */
export const usageRecords = resource({
  type: "UsageRecord",
  description: "What an account was charged on one day, for one category or in total.",
  path: "Usage/Records",
  listType: "UsageRecords",
  sidPrefix: "",
  irregular: true,
  fields: {
    category: usageCategory.describe(
      "Category: calls, sms, phonenumbers, transcriptions, or totalprice for all of them.",
    ),
    startDate: z.string().describe("The day in UTC, as YYYY-MM-DD."),
    endDate: z.string().describe("The same day."),
    count: textNumber.describe("Number of charges, as a text."),
    usage: textNumber.describe("Amount that was charged, in usage_unit, as a text."),
    usageUnit: z.enum(["minutes", "messages", "numbers", "charges"]).describe("Unit of usage."),
    price: z.string().describe("Total price as a decimal text."),
    /** Midnight of the day, in ms. */
    day: z.number(),
  },
  hidden: ["sid", "dateCreated", "dateUpdated", "day"],
  filters: { category: "equals" },
  period: { start: "day", end: "day" },
});

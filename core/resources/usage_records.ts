import { z } from "zod";
import { textNumber } from "../base/fields.ts";
import { resource } from "../model/resource.ts";

export const usageCategory = z.enum([
  "calls",
  "sms",
  "phonenumbers",
  "transcriptions",
  "totalprice",
]);

/** What one account was charged on one day, for one category of things or in all. */
export const usageRecords = resource({
  type: "UsageRecord",
  path: "Usage/Records",
  listType: "UsageRecords",
  sidPrefix: "",
  irregular: true,
  fields: {
    category: usageCategory,
    /** The UTC day as YYYY-MM-DD; both are the same. */
    startDate: z.string(),
    endDate: z.string(),
    /** Things that were charged. */
    count: textNumber,
    usage: textNumber,
    usageUnit: z.enum(["minutes", "messages", "numbers", "charges"]),
    price: z.string(),
    /** Midnight of the day, in ms. */
    day: z.number(),
  },
  hidden: ["sid", "dateCreated", "dateUpdated", "day"],
  filters: { category: "equals" },
  period: { start: "day", end: "day" },
});

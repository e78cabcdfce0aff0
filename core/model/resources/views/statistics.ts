import { z } from "zod";
import { isoDate } from "../../../base/fields.ts";
import { type RecordOf, resource } from "../../resource.ts";

const count = z.number().int().nonnegative();
const ms = count.nullable();

/** The part of a span of time, and the outcomes of the calls that were created in it. */
const period = z.object({
  startTime: isoDate.describe("Start of the period."),
  total: count.describe("Calls that were created in the period."),
  live: count.describe("Of those, calls that have not ended."),
  completed: count.describe("Of those, calls that were answered and have ended."),
  busy: count.describe("Of those, calls whose callee was busy or refused."),
  noAnswer: count.describe("Of those, calls that were not answered in time."),
  canceled: count.describe("Of those, calls that were ended before the answer."),
  failed: count.describe("Of those, calls that could not be set up."),
});

/** Failed calls that ended alike. */
const failure = z.object({
  cause: z.string().nullable().describe(
    "What ended them, as disconnect_cause of their Progress; null where no companion reported it.",
  ),
  sipResponseCode: z.number().int().nullable().describe(
    "SIP status with which they were refused, null without one.",
  ),
  count: count.describe("Calls; the counts of all causes add up to the failed calls."),
});

/** Present state of an account's calls, Clients, Gateways and callbacks. */
export const statistics = resource({
  type: "Statistics",
  description: "What the calls, Clients, Gateways and callbacks of an account do now.",
  path: "Statistics",
  sidPrefix: "",
  irregular: true,
  fields: {
    startTime: isoDate.describe("Start of the span of time."),
    endTime: isoDate.describe("End of the span of time."),
    calls: count.describe(
      "Calls that were created in the span of time, those included that failed before an INVITE was sent.",
    ),
    sampledCalls: count.describe(
      "Calls that were looked at. Where more were created, outcomes are estimated from these, by period.",
    ),
    setupMedian: ms.describe(
      "Median of the milliseconds from the start of a call to its answer, null without an answered call.",
    ),
    setupLong: ms.describe(
      "The time that 95 % of the answered calls took at most, in milliseconds; null without one.",
    ),
    periods: z.array(period).describe("The span of time in equal periods, oldest first."),
    failures: z.array(failure).describe(
      "The calls that could not be set up by what ended them, the most frequent first.",
    ),
    clients: count.describe("Clients of the account."),
    registeredClients: count.nullable().describe(
      "Clients with a registered device, among the 200 that were made last; null while no SIP " +
        "companion is heard of.",
    ),
    registrationsUnknownSince: isoDate.nullable().describe(
      "Since when registrations are not known, or not all of them: date of the last heartbeat of a " +
        "SIP companion that is lost. Null while none is, and before the first heartbeat.",
    ),
    gatewaysDown: count.describe("Gateways that shall be registered and are not, of 200 at most."),
    queuedDeliveries: count.describe("Status callbacks that wait to be sent, or to be sent again."),
    oldestDelivery: isoDate.nullable().describe(
      "Date of the event that the oldest of them reports, null without one.",
    ),
    failedDeliveries: count.describe(
      "Status callbacks that were given up in the span of time, of 200 at most.",
    ),
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
});

export type Statistics = RecordOf<typeof statistics>;
export type CallPeriod = z.infer<typeof period>;
export type CallFailure = z.infer<typeof failure>;

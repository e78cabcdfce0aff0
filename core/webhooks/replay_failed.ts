import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { isoDate } from "../base/fields.ts";
import type { Base } from "../base/record.ts";
import { exponential, jobKind } from "../model/job.ts";
import type { ArgsOf } from "../model/job_kinds.ts";
import type { AnyResource } from "../model/resource.ts";
import type { Condition } from "../base/filters.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import { replay } from "./deliver.ts";

/** Deliveries that one replay sends again at most. */
export const mostReplayed = 1_000;

/** The span of one replay in ms, and Deliveries that are read at once. */
const [spanMs, atOnce] = [3_600_000, 100];

/** Sends the failed Deliveries of a span of time again. */
export const replayFailed = jobKind({
  kind: "webhook.replay",
  args: z.object({
    accountSid: z.string(),
    /** In ms; `before` itself is outside. */
    from: z.number(),
    before: z.number(),
    /** Deliveries that have changed since stay. */
    madeAt: z.number(),
  }),
  lane: ({ accountSid }) => `replays:${accountSid}`,
});

/** Parameters: the failed Deliveries of an hour. */
export const replayFailedParameters: Parameters = {
  schema: z.object({
    replay: z.enum(["failed"]).describe("Which Deliveries are sent again: failed."),
    startTime: z.iso.datetime({ offset: true, error: "must be an instant (ISO 8601)" }).describe(
      "Begin of the hour whose failed Deliveries are sent again: an instant (ISO 8601).",
    ),
  }),
};

/** Response: the hour, and how many Deliveries of it have failed. It is not stored. */
export const deliveryReplays: AnyResource = {
  type: "DeliveryReplay",
  description: "Failed Deliveries of an hour that are being sent again.",
  path: "Webhooks/Deliveries",
  sidPrefix: "",
  irregular: true,
  fields: {
    startTime: isoDate.describe("Begin of the hour."),
    endTime: isoDate.describe("End of the hour."),
    count: z.number().int().describe(`Deliveries that are sent again, ${mostReplayed} at most.`),
  },
  hidden: ["sid", "dateCreated", "dateUpdated"],
};

/** The hour from an instant on. */
export const hourFrom = (startTime: string) => {
  const from = Date.parse(startTime);
  return { from, before: from + spanMs };
};

export const failedWithin = ({ from, before }: { from: number; before: number }): Condition[] => [
  { field: "status", op: "equals", value: "failed" },
  { field: "startTime", op: "between", from, before },
];

/** The answer to a request. */
export const deliveryReplay = (
  accountSid: string,
  { from, before }: { from: number; before: number },
  total: number,
): Base => {
  const count = Math.min(total, mostReplayed);
  const shown = { startTime: from, endTime: before, count };
  return { sid: "", accountSid, dateCreated: 0, dateUpdated: 0, ...shown };
};

/** Performs `replayFailed`. A Delivery that fails again meanwhile is not sent a third time by it. */
export const replayFailedHandler: JobHandler<ArgsOf<typeof replayFailed>> = handler(replayFailed, {
  maxAttempts: 3,
  retryMs: exponential(1_000, 30_000),
  async work({ accountSid, from, before, madeAt }, { records, now }, { signal }) {
    const where = failedWithin({ from, before });
    for (let sent = 0, skip = 0; sent < mostReplayed;) {
      signal.throwIfAborted();
      const limit = Math.min(atOnce, mostReplayed - sent);
      const { items } = await records.deliveries.list(accountSid, { where, skip, limit });
      if (items.length === 0) return;
      for (const { sid, dateUpdated } of items) {
        if (dateUpdated > madeAt) skip++; // It was sent again, and has failed again.
        else sent += await sendAgain(accountSid, sid, { records, now });
      }
    }
  },
});

/** 1 where a Delivery is sent again, and 0 for one that is under way or gone. */
async function sendAgain(
  accountSid: string,
  sid: string,
  { records, now }: Pick<Ports, "records" | "now">,
): Promise<number> {
  try {
    await records.deliveries.update(accountSid, sid, (delivery) => replay(delivery, now()));
    return 1;
  } catch (error) {
    const isOver = error instanceof Fault && ["deliveryQueued", "notFound"].includes(error.fault);
    if (!isOver) throw error;
    return 0;
  }
}

import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { rfc2822 } from "../base/wire.ts";
import type { Ports } from "../model/ports/ports.ts";
import { replay, webhookDelivery } from "../webhooks/deliver.ts";

/** Parameters of a request for jobs, and of one that changes them. */
export const jobsQuery = z.object({});
export const jobsParams = z.object({
  retry: z.string().regex(/^\w{1,64}$/, "must be the id of a job").describe(
    "Id of a dead job, which becomes due now, with all its attempts before it.",
  ),
});

export type JobsParams = z.infer<typeof jobsParams>;

const dateOf = (ms: number | null) => ms === null ? null : rfc2822(ms);

/** The jobs of the store by kind, and those that failed for good, by the names of the wire. */
export async function jobs({ jobs }: Pick<Ports, "jobs">): Promise<Record<string, unknown>> {
  const { kinds, dead, isWhole } = await jobs.overview();
  return {
    whole: isWhole,
    kinds: kinds.map(({ oldestDue, ...counts }) => ({ ...counts, oldest_due: dateOf(oldestDue) })),
    dead: dead.map(({ madeAt, ...job }) => ({ ...job, date_created: dateOf(madeAt) })),
  };
}

/**
 * Makes a dead job due again; a webhook is replayed, because its Delivery has failed and no job sends
 * it again. Throws where no dead job has the id.
 */
export async function retryJob(
  { retry: id }: JobsParams,
  { jobs, records, now }: Pick<Ports, "jobs" | "records" | "now">,
): Promise<Record<string, unknown>> {
  const dead = await jobs.dead(id);
  if (dead?.kind === webhookDelivery.kind) {
    const { accountSid } = webhookDelivery.args.parse(dead.args);
    await records.deliveries.update(accountSid, id, (delivery) => replay(delivery, now()));
    await jobs.discard(id);
  } else if (!await jobs.retry(id)) throw new Fault("notFound", id);
  return { id, status: "due" };
}

import { batches, subtree } from "../accounts/walk.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, closeAccount } from "../model/job_kinds.ts";
import type { Records } from "../model/ports/ports.ts";
import type { Base } from "../base/record.ts";
import type { AnyCollection } from "../model/store.ts";
import type { AnyResource } from "../model/resource.ts";
import { resources } from "../model/resources/mod.ts";

/** Records that are deleted with their account; the compiler demands an entry for each resource. */
const atClose: Record<keyof Records, "deleted" | "kept"> = {
  clients: "deleted",
  addresses: "deleted",
  applications: "deleted",
  flowVersions: "deleted",
  gateways: "deleted",
  incomingPhoneNumbers: "deleted",
  outgoingCallerIds: "deleted",
  recordings: "deleted",
  transcriptions: "deleted",
  notifications: "deleted",
  deliveries: "deleted",
  documentRequests: "deleted",
  idempotencyKeys: "deleted",
  keys: "deleted",
  usageTriggers: "deleted",
  calls: "kept",
  messages: "kept",
  emails: "kept",
  geolocations: "kept",
  conferences: "kept",
  participants: "kept",
  queues: "kept",
  streams: "kept",
  sandboxes: "kept",
  simulatedLegs: "kept",
  partialTexts: "kept",
  removedRecords: "kept",
  erasures: "kept",
  auditEntries: "kept",
  consoleSessions: "deleted",
  consoleGuards: "deleted",
};

/** The resources whose records a closed account loses, in the order of their removal. */
export const deletedAtClose = (Object.keys(atClose) as (keyof Records)[])
  .filter((name) => atClose[name] === "deleted");

/** Performs `closeAccount`. */
export const closeAccountHandler: JobHandler<ArgsOf<typeof closeAccount>> = handler(closeAccount, {
  maxAttempts: 50,
  retryMs: exponential(500, 300_000),

  async work({ accountSid }, ports, { signal }) {
    for await (const sid of subtree(accountSid, ports.accounts)) {
      for (const name of deletedAtClose) {
        const { removed }: AnyResource = resources[name];
        const records: AnyCollection = ports.records[name];
        for await (const batch of batches(records, sid)) {
          signal.throwIfAborted();
          // All of it has ended when this run is over, or the next one would meet it.
          const ends = await Promise.allSettled(batch.map((one) => remove(records, one, removed)));
          const failed = ends.find((end) => end.status === "rejected");
          if (failed !== undefined) throw failed.reason;
        }
      }
    }
  },
});

async function remove(
  records: AnyCollection,
  { accountSid, sid }: Base,
  removed: AnyResource["removed"],
): Promise<void> {
  try {
    await records.remove(accountSid, sid, removed);
  } catch (error) {
    const isGone = error instanceof Fault && error.fault === "notFound";
    if (!isGone) throw error;
  }
}

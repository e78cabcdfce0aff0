import { batches } from "../accounts/walk.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, clearReferences } from "../model/job_kinds.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { AnyCollection } from "../model/store.ts";
import type { AnyRecord, AnyResource } from "../model/resource.ts";
import { resources } from "../model/resources/mod.ts";

/** Performs `clearReferences`. */
export const clearReferencesHandler: JobHandler<ArgsOf<typeof clearReferences>> = handler(
  clearReferences,
  {
    maxAttempts: 10,
    retryMs: exponential(500, 60_000),

    async work({ accountSid, to, sid }, ports) {
      for (const [name, { references = {} }] of Object.entries<AnyResource>(resources)) {
        const fields = Object.keys(references).filter((field) => references[field] === to);
        const records: AnyCollection = ports.records[name as keyof typeof resources];
        for (const field of fields) await clear(records, { accountSid, field, sid }, ports);
      }
    },
  },
);

async function clear(
  records: AnyCollection,
  { accountSid, field, sid }: { accountSid: string; field: string; sid: string },
  { now }: Ports,
): Promise<void> {
  for await (const batch of batches(records, accountSid, [{ field, op: "equals", value: sid }])) {
    for (const naming of batch) {
      await records.update(accountSid, naming.sid, (record: AnyRecord) => ({
        record: record[field] === sid ? { ...record, [field]: null, dateUpdated: now() } : record,
      }));
    }
  }
}

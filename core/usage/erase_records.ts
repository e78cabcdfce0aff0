import { exponential } from "../model/job.ts";
import { type ArgsOf, eraseRecords } from "../model/job_kinds.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Ports, Records } from "../model/ports/ports.ts";
import type { Erasure } from "../model/resources/erasures.ts";
import { erase } from "./erase.ts";
import { maskedSubject } from "./erasure_subject.ts";

const dayMs = 86_400_000;

/** Performs `eraseRecords`. */
export const eraseRecordsHandler: JobHandler<ArgsOf<typeof eraseRecords>> = handler(eraseRecords, {
  maxAttempts: 10_000, // `maxAgeMs` comes first.
  maxAgeMs: dayMs,
  retryMs: exponential(1_000, 60_000),

  async work(args, ports, { signal }) {
    const erasure = await ports.records.erasures.get(args.accountSid, args.erasureSid);
    if (erasure === null || erasure.status === "completed") return;
    await change(args, ports, (one) => ({ ...one, status: "in-progress" }));
    const counting = counter(args, ports);
    const { inUse } = await erase(erasure, ports, { signal, onErased: counting.add })
      .finally(counting.settled);
    // Another run comes: the caller of a live call is not erased before the call has ended.
    if (inUse > 0) throw new Error(`${inUse} records of the subject are in use`);
    await change(args, ports, (one) => ({
      ...one,
      status: "completed",
      subject: maskedSubject(one.subject),
      dateCompleted: ports.now(),
    }));
  },

  async spent(args, ports) {
    await change(args, ports, (one) => ({ ...one, status: "failed" }));
    return [];
  },
});

async function change(
  { accountSid, erasureSid }: ArgsOf<typeof eraseRecords>,
  { records, now }: Ports,
  make: (erasure: Erasure) => Erasure,
): Promise<void> {
  await records.erasures.update(accountSid, erasureSid, (erasure) => ({
    record: { ...make(erasure), dateUpdated: now() },
  }));
}

/** Adds erased records to the counts of an erasure, one change after the other. */
function counter(args: ArgsOf<typeof eraseRecords>, ports: Ports) {
  let last = Promise.resolve();
  return {
    add(name: keyof Records, count: number) {
      last = last.then(() =>
        change(
          args,
          ports,
          (one) =>
            name in one ? { ...one, [name]: Number(one[name as keyof Erasure]) + count } : one,
        )
      );
    },
    settled: () => last,
  };
}

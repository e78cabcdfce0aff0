import { learnedTenant } from "../../core/base/learned_tenants.ts";
import type { EventsAnswer, SentReport } from "../../core/protocol/companion.ts";
import { sipLimits } from "../base/limits.ts";
import { failureOf } from "./service_link.ts";
import { refusalOf, type ServiceLink } from "./service_link.ts";

/** Makes the report of a leg when it is sent: until then more may come to it. Null: nothing is to be sent. */
export type MakeReport = () => SentReport | null;

interface Waiting {
  make: MakeReport;
  resolve(): void;
  reject(error: unknown): void;
}

interface Sending extends Waiting {
  report: SentReport;
}

/**
 * Sends the service the events that need no script. A busy companion has events of many legs at once:
 * those that occur while requests are under way share the next request, since a request costs both
 * sides more than the event in it. Resolves when the service has the report; rejects with
 * `ServiceError`. A leg's next event is sent after that. A request has events of one tenant, since it is
 * answered when all of them are taken. Tenants take turns, and one alone leaves a request to the others.
 */
export function createEventSender(
  link: Pick<ServiceLink, "events">,
): (make: MakeReport, accountSid: string) => Promise<void> {
  const queues = new Map<string, Waiting[]>();
  const underWay = new Map<string, number>();
  let all = 0;

  async function send(group: Sending[]): Promise<void> {
    try {
      const reports = group.map(({ report }) => report);
      const { outcomes } = await link.events({ reports });
      for (const [at, waiting] of group.entries()) settle(waiting, outcomes[at] ?? "outage");
    } catch (error) {
      // A report that the service cannot read must not cost those that were sent with it.
      if (group.length > 1 && failureOf(error) === "refusal") {
        for (const waiting of group) await send([waiting]);
      } else for (const { reject } of group) reject(error);
    }
  }

  const own = (tenant: string): number => underWay.get(tenant) ?? 0;
  const mayBegin = (tenant: string): boolean =>
    all < sipLimits.eventsRequests &&
    (own(tenant) === 0 || own(tenant) < sipLimits.eventsRequestsOfTenant);

  function begin(): void {
    for (const [tenant, queue] of [...queues]) {
      if (!mayBegin(tenant)) continue;
      queues.delete(tenant); // The rest comes after other tenants.
      const group = queue.splice(0, sipLimits.eventsAtOnce).flatMap(made);
      if (queue.length > 0) queues.set(tenant, queue);
      if (group.length > 0) void run(tenant, group);
    }
  }

  async function run(tenant: string, group: Sending[]): Promise<void> {
    all++;
    underWay.set(tenant, own(tenant) + 1);
    await send(group);
    all--;
    const left = own(tenant) - 1;
    if (left > 0) underWay.set(tenant, left);
    else underWay.delete(tenant);
    begin();
  }

  return (make, accountSid) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const tenant = learnedTenant(accountSid);
    const queue = queues.get(tenant) ?? [];
    queue.push({ make, resolve, reject });
    queues.set(tenant, queue);
    // Reports of the same turn of the event loop go along.
    if (mayBegin(tenant) && queue.length === 1) queueMicrotask(begin);
    return promise;
  };
}

/** A waiting report. */
function made(waiting: Waiting): Sending[] {
  const report = waiting.make();
  if (report !== null) return [{ ...waiting, report }];
  waiting.resolve();
  return [];
}

function settle({ resolve, reject }: Waiting, outcome: EventsAnswer["outcomes"][number]): void {
  const refusal = refusalOf(outcome);
  if (refusal === undefined) resolve();
  else reject(refusal);
}

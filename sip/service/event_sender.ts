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
 * `ServiceError`. A leg's next event is sent after that.
 */
export function createEventSender(
  link: Pick<ServiceLink, "events">,
): (make: MakeReport) => Promise<void> {
  const queue: Waiting[] = [];
  let underWay = 0;

  async function send(group: Sending[]): Promise<void> {
    try {
      const reports = group.map(({ report }) => report);
      const { outcomes } = await link.events({ reports });
      for (const [at, waiting] of group.entries()) settle(waiting, outcomes[at] ?? "outage");
    } catch (error) {
      // What the service cannot read of one is no fault of those that it came together with.
      if (group.length > 1 && failureOf(error) === "refusal") {
        for (const waiting of group) await send([waiting]);
      } else for (const { reject } of group) reject(error);
    }
  }

  async function run(): Promise<void> {
    underWay++;
    while (queue.length > 0) {
      const group = queue.splice(0, sipLimits.eventsAtOnce).flatMap(made);
      if (group.length > 0) await send(group);
    }
    underWay--;
  }

  return (make) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.push({ make, resolve, reject });
    // What the same turn of the event loop brings goes along.
    if (underWay < sipLimits.eventsRequests && queue.length === 1) queueMicrotask(run);
    return promise;
  };
}

/** What waits, with its report. */
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

import { Fault } from "../base/faults.ts";
import {
  type Companion,
  protocolLimits,
  type RunOrder,
  runsAtOnce,
} from "../protocol/companion.ts";
import type { ClientOf, CompanionRequests } from "../protocol/requests.ts";

type Control = Pick<ClientOf<CompanionRequests>, "run" | "runs">;

interface Waiting {
  order: RunOrder;
  resolve(companion: Companion | null): void;
  reject(error: unknown): void;
}

/** Orders to one companion. */
interface Queue {
  waiting: Waiting[];
  underWay: number;
}

/**
 * Sends scripts to the companions at addresses. Orders that come up while requests to an address are
 * under way share the next one, since a request costs both sides more than the order in it. Resolves
 * with the run of the companion that has the leg, null where it is not there; rejects with a Fault.
 */
export function createRunOrders(
  controlAt: (url: string) => Control,
): (url: string, order: RunOrder) => Promise<Companion | null> {
  const queues = new Map<string, Queue>();

  async function run(url: string, queue: Queue): Promise<void> {
    queue.underWay++;
    while (queue.waiting.length > 0) {
      const group = queue.waiting.splice(0, runsAtOnce);
      await send(controlAt(url), group).catch((error) => {
        // The companion did not answer: the orders behind would only wait for the same time limit.
        const unanswered = statusOf(error) === undefined ? queue.waiting.splice(0) : [];
        for (const { reject } of [...group, ...unanswered]) reject(error);
      });
    }
    if (--queue.underWay === 0) queues.delete(url);
  }

  return (url, order) => {
    const queue = queues.get(url) ?? { waiting: [], underWay: 0 };
    queues.set(url, queue);
    const { promise, resolve, reject } = Promise.withResolvers<Companion | null>();
    queue.waiting.push({ order, resolve, reject });
    if (queue.underWay < protocolLimits.runRequests) void run(url, queue);
    return promise;
  };
}

async function send(control: Control, group: Waiting[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  if (group.length === 1) return first.resolve((await control.run(first.order)).companion);
  try {
    const { answers } = await control.runs({ orders: group.map(({ order }) => order) });
    for (const [at, { resolve, reject }] of group.entries()) {
      const answer = answers[at];
      if (answer) resolve(answer.companion);
      else reject(new Fault("unavailable", "The SIP companion takes no calls"));
    }
  } catch (error) {
    if ((statusOf(error) ?? 500) >= 500) throw error;
    // One order that a companion refuses must not fail those sent together with it.
    const alone = (one: Waiting) => send(control, [one]).catch(one.reject);
    await Promise.all(group.map(alone));
  }
}

/** The status of an answer that failed a request; undefined where there was none. */
const statusOf = (error: unknown): number | undefined =>
  error instanceof Fault && typeof error.cause === "number" ? error.cause : undefined;

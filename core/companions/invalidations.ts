import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { ClientOf, CompanionRequests } from "../protocol/requests.ts";

interface Waiting {
  logins: string[];
  resolve(): void;
  reject(error: unknown): void;
}

/** Messages to one companion: one is under way. */
interface Queue {
  waiting: Waiting[];
  sentAt: number;
}

/**
 * Makes companions at addresses remove cached logins. Requests that arise while a message to an
 * address is under way share the next one. Rejects with a Fault; at once while the companion has
 * left a message unanswered for `limits.inForceMs`.
 */
export function createInvalidations(
  controlAt: (url: string) => Pick<ClientOf<CompanionRequests>, "invalidate">,
  steadyNow: () => number,
): (url: string, logins: string[]) => Promise<void> {
  const queues = new Map<string, Queue>();

  async function run(url: string, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const group = queue.waiting.splice(0, limits.invalidationsAtOnce);
      const logins = [...new Set(group.flatMap(({ logins }) => logins))];
      queue.sentAt = steadyNow();
      try {
        await controlAt(url).invalidate({ logins });
        for (const { resolve } of group) resolve();
      } catch (error) {
        // Those behind would only wait for the same time limit.
        for (const { reject } of [...group, ...queue.waiting.splice(0)]) reject(error);
      }
    }
    queues.delete(url);
  }

  return (url, logins) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const queue = queues.get(url);
    if (queue === undefined) {
      const begun = { waiting: [{ logins, resolve, reject }], sentAt: steadyNow() };
      queues.set(url, begun);
      void run(url, begun);
    } else if (steadyNow() - queue.sentAt > limits.inForceMs) {
      reject(new Fault("unavailable", "The SIP companion does not answer"));
    } else queue.waiting.push({ logins, resolve, reject });
    return promise;
  };
}

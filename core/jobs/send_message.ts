import { z } from "zod";
import { Fault, type FaultName } from "../faults.ts";
import { exponential, job, type JobKind } from "../job.ts";
import { limits } from "../limits.ts";
import { routeOf } from "../messages/routing.ts";
import { settle } from "../messages/settle.ts";
import { notification } from "../notify.ts";
import type { Ports } from "../ports.ts";
import type { Message } from "../resources/messages.ts";

const args = z.object({ accountSid: z.string(), messageSid: z.string() });

/** Sends a message by the first route that leads to its recipient, or fails it with a Notification. */
export const sendMessage: JobKind<z.infer<typeof args>> = job({
  kind: "message.send",
  args,
  lane: ({ accountSid }) => `messages:${accountSid}`, // Phones that are silent hold up their own.
  maxAttempts: limits.messageAttempts,
  retryMs: exponential(1_000, 60_000),

  async work({ accountSid, messageSid }, ports, { signal }) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    if (message?.status !== "sending") return; // This is a second run.
    const route = await routeOf(message, ports);
    if (route === null) {
      const detail = `no route to ${message.to} is configured`;
      return await fail(message, ports, { fault: "noMessageRoute", detail });
    }
    const delivery = await route.send(message, signal) ?? {};
    const at = ports.now();
    await ports.records.messages.update(
      accountSid,
      messageSid,
      (now) => settle(now, { at, delivery }),
    );
  },

  async spent({ accountSid, messageSid }, ports, error) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    if (message !== null) await fail(message, ports, failureOf(error));
    return [];
  },
});

/** What a Notification says of it: the fault by which a route refused, else that none worked. */
function failureOf(error: unknown): { fault: FaultName; detail: string } {
  if (error instanceof Fault && error.kind !== "unavailable") {
    return { fault: error.fault, detail: error.detail ?? "" };
  }
  return {
    fault: "messageNotSent",
    detail: error instanceof Error ? error.message : String(error),
  };
}

async function fail(
  { accountSid, sid }: Message,
  ports: Ports,
  { fault, detail }: { fault: FaultName; detail: string },
): Promise<void> {
  await ports.records.messages.update(accountSid, sid, (message) => {
    const change = settle(message, { at: ports.now(), fault });
    if (change.record === message) return change;
    const about = `${sid}: ${detail}`;
    const notice = { accountSid, callSid: null, fault, detail: about, level: "error" } as const;
    return { ...change, also: [notification(notice, ports)] };
  });
}

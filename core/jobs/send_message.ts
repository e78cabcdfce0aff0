import { isTest } from "../accounts/access.ts";
import { plainReason } from "../base/plain_reason.ts";
import { Fault, type FaultName } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, sendMessage } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { failMessage } from "../messages/fail_message.ts";
import { routesOf } from "../messages/routing.ts";
import { priceOf, refusedRecipient } from "../messages/reserve.ts";
import { sendSimulated } from "../messages/send_simulated.ts";
import { settle } from "../messages/settle.ts";
import { limitFaultOf } from "../model/values/account_limits.ts";
import { MaybeDelivered, Undelivered } from "../model/values/undelivered.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Delivery, MessageRoute } from "../model/ports/providers.ts";
import type { Message } from "../model/resources/messages.ts";
import type { UpdatedIn } from "../model/record_types.ts";

/** Performs `sendMessage`. */
export const sendMessageHandler: JobHandler<ArgsOf<typeof sendMessage>> = handler(sendMessage, {
  maxAttempts: limits.messageAttempts,
  retryMs: exponential(1_000, 300_000, 4),
  maxAgeMs: limits.messageWaitMs,

  async work({ accountSid, messageSid }, ports, { signal }) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    if (message?.status !== "sending" || message.carrierId) return; // This is a second run.
    const account = ports.accounts.recent(accountSid) ?? await ports.accounts.get(accountSid);
    if (account !== null && isTest(account)) return await sendSimulated(message, ports);
    const routes = await routesOf(message, ports);
    if (routes.length === 0) {
      const detail = `no route to ${message.to} is configured`;
      return await failMessage(message, { fault: "noMessageRoute", detail }, ports);
    }
    const limit = account && await refusedRecipient(message.to, account, ports);
    if (limit) return await failMessage(message, limit, ports);
    const price = routes.some((route) => ports.messageRoutes.includes(route))
      ? priceOf(message, ports)
      : 0;
    const refused = await reserve(message, price, ports);
    if (refused !== null) {
      const { fault, detail = "" } = refused;
      return await failMessage(message, { fault, detail }, ports);
    }
    const { route, delivery } = await sendBy(routes, message, signal).catch(async (error) => {
      if (error instanceof MaybeDelivered) {
        await keepHeld(message, error, ports).catch((cause) =>
          ports.log("Cannot store who may have a message", { sid: messageSid, error: cause })
        );
      }
      throw error; // Also where it was not stored: `failed` stores it with the end of the attempt.
    });
    const at = ports.now();
    const priceMicros = ports.messageRoutes.includes(route) ? price : 0;
    await ports.records.messages.update(
      accountSid,
      messageSid,
      (now) => settle(now, { at, delivery, priceMicros, currency: ports.settings.currency }),
    );
  },

  failed({ accountSid, messageSid: sid }, _ports, error) {
    const isHeld = error instanceof MaybeDelivered;
    return Promise.resolve(isHeld ? [holding({ accountSid, sid }, error)] : []);
  },

  async spent({ accountSid, messageSid }, ports, error) {
    const message = await ports.records.messages.get(accountSid, messageSid);
    if (message !== null) await failMessage(message, failureOf(error), ports);
    return [];
  },
});

/**
 * Counts the price of a message in the limits of money, where that was not done when it was made: rates may
 * have changed since. Returns the refusal of a limit, or null.
 */
async function reserve(
  { accountSid, sid, limitedBy, reservedMicros }: Message,
  priceMicros: number,
  { records }: Ports,
): Promise<Fault | null> {
  if (!limitedBy?.length || (reservedMicros ?? 0) >= priceMicros) return null;
  return await records.messages.update(accountSid, sid, (now) => ({
    record: now.status === "sending" ? { ...now, reservedMicros: priceMicros } : now,
  })).then(() => null, limitFaultOf);
}

/** The record of a message with the server that may have it, for the next attempt. */
const holding = (
  { accountSid, sid }: Pick<Message, "accountSid" | "sid">,
  { heldBy }: MaybeDelivered,
): UpdatedIn<"messages"> => ({
  into: "messages",
  accountSid,
  sid,
  change: (now) => ({ ...now, heldBy }),
});

/** Stores the server that may have a message at once: a service that stops commits no end of the attempt. */
async function keepHeld(message: Message, error: MaybeDelivered, { records }: Ports) {
  const { accountSid, sid, change } = holding(message, error);
  await records.messages.update(accountSid, sid, (now) => ({ record: change(now) }));
}

/** Fault and detail of a failed sending: the refusal of a route, else that none worked. */
function failureOf(error: unknown): { fault: FaultName; detail: string } {
  if (error instanceof Fault && error.fault === "expired") {
    const hours = limits.messageWaitMs / 3_600_000;
    return { fault: "messageNotSent", detail: `the message was queued for more than ${hours} h` };
  }
  if (error instanceof Fault && error.kind !== "unavailable") {
    return { fault: error.fault, detail: error.detail ?? "" };
  }
  return {
    fault: "messageNotSent",
    detail: plainReason(error),
  };
}

/** Sends by the first route that does not throw `Untaken`. Throws the error of the last one. */
async function sendBy(
  routes: MessageRoute[],
  message: Message,
  signal: AbortSignal,
): Promise<{ route: MessageRoute; delivery: Delivery }> {
  let untaken: Undelivered | undefined;
  for (const route of routes) {
    try {
      return { route, delivery: await route.send(message, signal) ?? {} };
    } catch (error) {
      if (!(error instanceof Undelivered)) throw error;
      untaken = error;
    }
  }
  throw untaken;
}

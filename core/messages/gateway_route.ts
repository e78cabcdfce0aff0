import { Fault } from "../base/faults.ts";
import { trunkRoutes } from "../numbers/trunk_routes.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { MessageRoute } from "../model/ports/providers.ts";
import type { Message } from "../model/resources/messages.ts";
import { isPassing } from "./client_route.ts";
import { MaybeDelivered, Undelivered } from "../model/values/undelivered.ts";

/**
 * The way to a number elsewhere by SIP MESSAGE (RFC 3428) through a Gateway of the account, of those
 * above it, or the operator's proxy.
 */
export const gatewayRoute = (ports: Ports): MessageRoute => ({
  reaches: async (message) => (await routesFor(message, ports)).length > 0,

  holds: ({ heldBy }) => Boolean(heldBy),

  async send(message) {
    const { sid, from, to, body, heldBy: held } = message;
    const routes = await routesFor(message, ports);
    const order = { sid, from, to, body, routes, ...held && { heldBy: held } };
    const outcome = routes.length === 0 ? { status: null } : await ports.control.sendOut(order);
    const { status } = outcome;
    const heldBy = "heldBy" in outcome ? outcome.heldBy : status === null ? held : undefined;
    if (heldBy) {
      const why = `a Gateway may have sent it and did not say so (${status ?? "it is gone"})`;
      throw new MaybeDelivered(why, heldBy);
    }
    if (status === null) throw new Undelivered("no Gateway was within reach");
    if (status < 300) return;
    const answer = `the Gateway answered ${status}`;
    if (isPassing(status)) throw new Error(answer);
    throw new Fault("messageRefused", answer);
  },
});

async function routesFor({ accountSid, to }: Message, ports: Ports) {
  if (!to.startsWith("+")) return [];
  const account = await ports.accounts.get(accountSid);
  return account === null ? [] : await trunkRoutes(account, ports);
}

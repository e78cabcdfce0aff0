import { subtree } from "../accounts/walk.ts";
import { eachApart } from "../notifications/each_apart.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../ports/ports.ts";
import type { Delivery } from "../resources/deliveries.ts";

const isWaiting = ({ status }: Delivery): boolean => status === "queued";

/**
 * Removes the deliveries of all accounts that are older than they are kept, in batches. One that
 * waits to be sent, as after a replay, stays until it has come to its end.
 */
export async function removeOldDeliveries(ports: Ports, signal: AbortSignal): Promise<void> {
  const before = ports.now() - ports.settings.deliveryKeptMs;
  const [root] = await ports.accounts.children("");
  if (root === undefined) return;
  await eachApart(subtree(root.sid, ports.accounts), {
    name: "remove the old deliveries of accounts",
    label: (accountSid) => accountSid,
    async act(accountSid) {
      let removed: number = limits.removedAtOnce;
      while (removed === limits.removedAtOnce && !signal.aborted) {
        removed = await ports.records.deliveries.removeOld(accountSid, before, isWaiting);
      }
    },
  }, ports);
}

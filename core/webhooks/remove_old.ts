import { subtree } from "../accounts/walk.ts";
import { limits } from "../limits.ts";
import type { Ports } from "../ports.ts";

/** Removes the deliveries of all accounts that are older than they are kept, in batches. */
export async function removeOldDeliveries(ports: Ports, signal: AbortSignal): Promise<void> {
  const before = ports.now() - ports.settings.deliveryKeptMs;
  const [root] = await ports.accounts.children("");
  if (root === undefined) return;
  for await (const accountSid of subtree(root.sid, ports.accounts)) {
    let removed: number;
    do {
      if (signal.aborted) return;
      removed = await ports.records.deliveries.removeOld(accountSid, before);
    } while (removed === limits.removedAtOnce);
  }
}

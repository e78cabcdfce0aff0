import { z } from "zod";
import { subtree } from "../accounts/walk.ts";
import { iso8601 } from "../base/wire.ts";
import { limits } from "../base/limits.ts";
import type { Ports, Records } from "../model/ports/ports.ts";

/** Parameters of a request for store statistics. */
export const storeQuery = z.object({});

/**
 * State of the store, by the names of the wire: its kind and layout, and the records of each resource
 * in the accounts below the root, `limits.countedAccounts` at most.
 */
export async function storeStatistics(ports: Ports): Promise<Record<string, unknown>> {
  const { accounts, records, store } = ports;
  const [root] = await accounts.children("");
  const counts: Record<string, number> = {};
  let counted = 0;
  let isWhole = true;
  const sids = root === undefined ? [] : subtree(root.sid, accounts);
  for await (const accountSid of sids) {
    isWhole = ++counted <= limits.countedAccounts;
    if (!isWhole) break;
    const totals = Object.keys(records).map(async (name) => {
      const list = records[name as keyof Records].list(accountSid, none);
      counts[name] = (counts[name] ?? 0) + (await list).total;
    });
    await Promise.all(totals);
  }
  const { kind, layout, bytes, building } = await store.statistics();
  const failure = store.failure();
  return {
    kind,
    failure: failure?.reason ?? null,
    date_failed: failure === null ? null : iso8601(failure.since),
    layout,
    bytes,
    building,
    whole: isWhole,
    accounts: Math.min(counted, limits.countedAccounts),
    records: Object.entries(counts).sort().map(([name, count]) => ({ name, count })),
  };
}

const none = { where: [], skip: 0, limit: 1 };

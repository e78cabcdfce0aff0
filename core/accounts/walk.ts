import { limits } from "../limits.ts";
import type { Accounts, Base, Collection, Query } from "../ports.ts";

/** An account's Sid and those of all its descendants: what a change of Status applies to. */
export async function* subtree(sid: string, accounts: Accounts): AsyncGenerator<string> {
  yield sid;
  for (const child of await accounts.children(sid)) yield* subtree(child.sid, accounts);
}

/** The records of an account that pass, batch by batch, newest first; they may change meanwhile. */
export async function* batches<T extends Base>(
  records: Collection<T>,
  accountSid: string,
  where: Query["where"] = [],
): AsyncGenerator<T[]> {
  let cursor: { after?: string } = {};
  for (;;) {
    const query = { where, skip: 0, limit: limits.accountBatch, ...cursor };
    const { items } = await records.list(accountSid, query);
    if (items.length > 0) yield items;
    if (items.length < limits.accountBatch) return;
    cursor = { after: items.at(-1)!.sid };
  }
}

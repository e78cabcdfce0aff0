import { limits } from "../base/limits.ts";
import { betweenPieces } from "../base/loop_work.ts";
import type { Accounts } from "../model/ports/ports.ts";
import type { Base } from "../base/record.ts";
import type { Collection, Query, Slice } from "../model/store.ts";
import type { Account } from "../model/resources/accounts.ts";

/** An account's Sid and those of all its descendants, to which a change of Status applies. */
export async function* subtree(sid: string, accounts: Accounts): AsyncGenerator<string> {
  yield sid;
  for (const child of await accounts.childSids(sid)) yield* subtree(child, accounts);
}

/** One page of an account's direct sub-accounts, newest first; only those that it shows are read. */
export async function listChildren(
  sid: string,
  { skip, limit, after }: Omit<Query, "where">,
  accounts: Pick<Accounts, "get" | "childSids">,
): Promise<Slice<Account>> {
  const sids = await accounts.childSids(sid);
  const from = after === undefined ? skip : sids.filter((child) => child >= after).length;
  const items = await Promise.all(sids.slice(from, from + limit).map(accounts.get));
  return { items: items.filter((child) => child !== null), total: sids.length };
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
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    if (items.length < limits.accountBatch) return;
    await betweenPieces();
    cursor = { after: last.sid };
  }
}

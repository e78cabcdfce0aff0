import { tenantOf } from "../../core/accounts/tenant.ts";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Account } from "../../core/model/resources/accounts.ts";

type BoundPorts = Pick<Ports, "now"> & {
  records: { idempotencyKeys: Pick<Ports["records"]["idempotencyKeys"], "list"> };
  accounts: Pick<Ports["accounts"], "childSids">;
};

/** Idempotency-Keys of a tenant: those in the store at a time in ms, with those taken since. */
interface Counted {
  keys: number;
  at: number;
}

const counts = new WeakMap<BoundPorts["records"], Map<string, Promise<Counted>>>();

/**
 * Throws `throttled` when the tenant of an account has as many keys as the service keeps for one. The
 * keys in the store are counted anew every while, and those that this instance takes are added.
 */
export async function checkKeyBound(
  account: Pick<Account, "sid" | "ancestors">,
  ports: BoundPorts,
): Promise<void> {
  const tenant = tenantOf(account);
  const counted = await countedOf(tenant, ports);
  const most = limits.idempotencyKeys;
  if (counted.keys < most) return void counted.keys++;
  throw new Fault(
    "throttled",
    `account ${tenant} and its sub-accounts have at most ${most} Idempotency-Keys of the last 24 hours`,
    { retryAfterS: limits.removeOldMs / 1_000 },
  );
}

async function countedOf(tenant: string, ports: BoundPorts): Promise<Counted> {
  const known = counts.get(ports.records) ?? new Map<string, Promise<Counted>>();
  counts.set(ports.records, known);
  const before = await known.get(tenant);
  if (before !== undefined && !isStale(before, ports.now())) return before;
  const counting = count(tenant, ports);
  known.delete(tenant); // It becomes the newest one.
  known.set(tenant, counting);
  counting.catch(() => known.delete(tenant));
  const [oldest = tenant] = known.keys();
  if (known.size > limits.recentAccounts) known.delete(oldest);
  return await counting;
}

/** The nearer the bound, the sooner: other instances take keys as well. */
function isStale({ keys, at }: Counted, now: number): boolean {
  const isNear = keys >= limits.idempotencyKeys / 2;
  const age = now - at;
  return age < 0 || age >= (isNear ? 60_000 : 600_000);
}

async function count(tenant: string, { records, accounts, now }: BoundPorts): Promise<Counted> {
  const at = now();
  const none = { where: [], skip: 0, limit: 1 };
  let keys = 0;
  for (const sid of [tenant, ...await accounts.childSids(tenant)]) {
    keys += (await records.idempotencyKeys.list(sid, none)).total;
  }
  return { keys, at };
}

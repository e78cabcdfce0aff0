import { checkPermission } from "../accounts/access.ts";
import { Fault } from "../base/faults.ts";
import type { Job } from "../model/job.ts";
import { endPaidCalls } from "../model/job_kinds.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { LimitsSent } from "../model/resources/views/account_limits.ts";
import { type AccountLimits, noLimits } from "../model/values/account_limits.ts";
import { countEarlierUses } from "./count_uses.ts";

/**
 * Changes the limits of an account for a caller above it. Throws `denied` for the account itself: a
 * stolen key must not raise its own limits. Those of the root account are the operator's, set by
 * environment variables alone.
 */
export async function setLimits(
  { caller, account }: { caller: Account; account: Account },
  sent: LimitsSent,
  ports: Ports,
): Promise<void> {
  checkPermission(caller, "setLimits");
  if (account.ancestors.length === 0) {
    throw new Fault(
      "denied",
      "the operator sets the limits of the root account, by MAX_CONCURRENT_CALLS, " +
        "MAX_CALLS_PER_SECOND, MAX_TEXTS_PER_DAY, MAX_EMAILS_PER_DAY, MAX_SPEND_PER_DAY, " +
        "DESTINATION_PREFIXES and PREMIUM_PREFIXES",
    );
  }
  if (caller.sid === account.sid) {
    throw new Fault("denied", "an account cannot set its own limits: an account above it can");
  }
  await changeLimits(account.sid, changesOf(sent), ports);
}

/** Changes of the limits by parameters; limits that were not sent stay. */
function changesOf({ maxSpendPerDay, ...sent }: LimitsSent): Partial<AccountLimits> {
  const { destinationPrefixes, premiumPrefixes, ...numbers } = sent;
  return {
    ...numbers,
    ...maxSpendPerDay !== undefined && {
      maxSpendMicros: maxSpendPerDay ? microsOf(maxSpendPerDay) : null,
    },
    ...destinationPrefixes !== undefined && { destinationPrefixes: listOf(destinationPrefixes) },
    ...premiumPrefixes !== undefined && { premiumPrefixes: listOf(premiumPrefixes) },
  };
}

const microsOf = (amount: string): number => Math.round(Number(amount) * 1_000_000);

const listOf = (text: string | null): string[] | null =>
  !text ? null : text === "none" ? [] : text.split(",");

/** Changes limits. Uses of this day before the first limits are counted at once. */
export async function changeLimits(
  accountSid: string,
  changes: Partial<AccountLimits>,
  ports: Ports,
): Promise<void> {
  const { since, isFirst } = await ports.accounts.setLimits(accountSid, (before) => {
    const limits = { ...before, ...changes };
    const jobs: Job[] = isLowered(before, limits) ? [endPaidCalls({ accountSid })] : [];
    return { limits, jobs };
  });
  if (!isFirst || since === null) return;
  await countEarlierUses({ accountSid, since }, ports); // Its job does the rest after a crash.
}

const isLowered = (before: AccountLimits, after: AccountLimits): boolean =>
  after.maxSpendMicros !== null && after.maxSpendMicros < (before.maxSpendMicros ?? Infinity);

/** Configured limits of all accounts together; an empty text is no limit. */
export interface RootLimits {
  MAX_CONCURRENT_CALLS: string;
  MAX_CALLS_PER_SECOND: string;
  MAX_TEXTS_PER_DAY: string;
  MAX_EMAILS_PER_DAY: string;
  MAX_SPEND_PER_DAY: string;
}

const countOf = (text: string): number | null => text === "" ? null : Number(text);

/** Gives the root account the limits of the configuration, where it has others. */
export async function limitRoot(root: Account, config: RootLimits, ports: Ports): Promise<void> {
  const spend = countOf(config.MAX_SPEND_PER_DAY);
  const wanted: AccountLimits = {
    ...noLimits,
    maxConcurrentCalls: countOf(config.MAX_CONCURRENT_CALLS),
    maxCallsPerSecond: countOf(config.MAX_CALLS_PER_SECOND),
    maxTextsPerDay: countOf(config.MAX_TEXTS_PER_DAY),
    maxEmailsPerDay: countOf(config.MAX_EMAILS_PER_DAY),
    maxSpendMicros: spend === null ? null : Math.round(spend * 1_000_000),
  };
  const own = (await ports.accounts.limitStates(root.sid)).find(({ level }) => level === 0);
  const { limits = noLimits } = own?.state ?? {};
  const isSame = (Object.keys(wanted) as (keyof AccountLimits)[])
    .every((limit) => wanted[limit] === (limits[limit] ?? null));
  if (!isSame) await changeLimits(root.sid, wanted, ports);
}

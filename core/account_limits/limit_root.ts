import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type AccountLimits, noLimits } from "../model/values/account_limits.ts";
import { changeLimits } from "./set_limits.ts";

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

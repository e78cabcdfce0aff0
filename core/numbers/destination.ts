import type { FaultName } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { whoseLimit } from "../model/values/account_limits.ts";
import { beginsWithAny, mayLeaveTo } from "../model/values/destinations.ts";
import { isPremium } from "../model/values/premium_number.ts";

/** Reason for which a call or a message may not leave to a number. */
export interface NotAllowed {
  fault: FaultName;
  detail: string;
}

/**
 * Returns whether calls and messages of an account may leave to a number: the prefixes of the operator and
 * those of the account and of each one above have to allow it. Premium-rate and satellite numbers need
 * a prefix of their own. Null: they may.
 */
export async function refusedDestination(
  number: string,
  account: Pick<Account, "sid">,
  { accounts, settings: { trunks } }: Pick<Ports, "accounts" | "settings">,
): Promise<NotAllowed | null> {
  if (!mayLeaveTo(number, trunks.prefixes)) {
    return { fault: "destinationNotAllowed", detail: number };
  }
  const states = await accounts.limitStates(account.sid);
  for (const { level, isRoot, state: { limits: { destinationPrefixes: prefixes } } } of states) {
    if (prefixes === null || beginsWithAny(number, prefixes)) continue;
    const { of, raisedBy } = whoseLimit(level, isRoot);
    const detail = `${number}: DestinationPrefixes of ${of} is ${listed(prefixes)}; ${raisedBy}`;
    return { fault: "destinationLimit", detail };
  }
  if (!isPremium(number, trunks.country)) return null;
  for (const { level, isRoot, state: { limits: { premiumPrefixes: prefixes } } } of states) {
    if (prefixes === null || beginsWithAny(number, prefixes)) continue;
    const { of, raisedBy } = whoseLimit(level, isRoot);
    const detail = `${number}: PremiumPrefixes of ${of} is ${listed(prefixes)}; ${raisedBy}`;
    return { fault: "premiumNotAllowed", detail };
  }
  if (!beginsWithAny(number, trunks.premiumPrefixes)) {
    const allowed = listed(trunks.premiumPrefixes);
    const detail = `${number}: PREMIUM_PREFIXES is ${allowed}; the operator of the service sets it`;
    return { fault: "premiumNotAllowed", detail };
  }
  return null;
}

const listed = (prefixes: readonly string[]): string =>
  prefixes.length === 0 ? "empty" : prefixes.join(",");

import type { Base } from "../base/record.ts";
import type { Ports } from "../model/ports/ports.ts";
import {
  type AccountLimits,
  limitText,
  noLimits,
  tightest,
  useAt,
} from "../model/values/account_limits.ts";

const moneyOf = (micros: number | null): string | null =>
  micros === null ? null : limitText("maxSpendMicros", micros);

const listOf = (prefixes: string[] | null): string | null =>
  prefixes === null ? null : prefixes.length === 0 ? "none" : prefixes.join(",");

/** Limits of an account as responses show them, with their use. */
export async function limitsOf(
  accountSid: string,
  { accounts, now, settings: { trunks } }: Pick<Ports, "accounts" | "now" | "settings">,
): Promise<Base> {
  const account = await accounts.get(accountSid);
  const isRoot = account?.ancestors.length === 0; // The operator's prefixes are those of the root.
  const states = await accounts.limitStates(accountSid);
  const all: AccountLimits[] = states.map(({ state }) => state.limits);
  const own = states.find(({ level }) => level === 0);
  const limits = { ...noLimits, ...own?.state.limits };
  const { maxSpendMicros, destinationPrefixes, premiumPrefixes, ...numbers } = limits;
  const use = own === undefined ? null : useAt(own.state.use, now());
  const shown = {
    sid: "",
    accountSid,
    dateCreated: 0,
    dateUpdated: 0,
    ...numbers,
    maxSpendPerDay: moneyOf(maxSpendMicros),
    destinationPrefixes: isRoot ? trunks.prefixes.join(",") || null : listOf(destinationPrefixes),
    premiumPrefixes: listOf(isRoot ? trunks.premiumPrefixes : premiumPrefixes),
    effectiveMaxConcurrentCalls: tightest(all, "maxConcurrentCalls"),
    effectiveMaxCallsPerSecond: tightest(all, "maxCallsPerSecond"),
    effectiveMaxTextsPerDay: tightest(all, "maxTextsPerDay"),
    effectiveMaxEmailsPerDay: tightest(all, "maxEmailsPerDay"),
    effectiveMaxSpendPerDay: moneyOf(tightest(all, "maxSpendMicros")),
    concurrentCalls: use && use.liveCalls,
    textsToday: use && use.texts,
    emailsToday: use && (use.emails ?? 0),
    spendToday: use && moneyOf(use.spentMicros),
    spendReserved: use && moneyOf(use.reservedMicros),
  };
  return shown;
}

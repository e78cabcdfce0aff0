/**
 * Limits of accounts. A thief of a key, or of a softphone's password, calls premium-rate numbers in
 * as many calls at once as the trunk carries.
 *
 * - The commit that makes the call, message or charge checks its limit
 *   (`kv/collections/limit_uses.ts`): 100 requests at once, or several services, cannot pass it
 *   together.
 * - Uses follow the record. A call or message names the accounts that count it (`limitedBy`), and
 *   each commit that changes the record moves their sums by the difference of its `uses`. A counter
 *   of live calls that a killed process does not lower would refuse calls for ever. A first limit
 *   counts live calls and the charges of the day once, by the job `countUses`.
 * - Minutes are paid in advance (`core/account_limits/count_minute.ts`).
 * - A leg of a Dial is `limited`: the companion asks by its report `inviting`, and sends the INVITE
 *   when the answer is `connect`. Legs of accounts without limits do not ask. A companion of an
 *   older program does not ask either: its legs are counted and not refused.
 * - An account above sets the limits, and environment variables set those of the root account: no
 *   stolen key raises its own limits (`core/account_limits/set_limits.ts`).
 */
import { Fault, type FaultName } from "../../base/faults.ts";

/**
 * Limits of an account. Each counts the use by the account and all accounts below it, so the
 * tightest one of an account and of those above it is in force. null: no such limit.
 */
export interface AccountLimits {
  /** Outbound calls that are queued, ringing or in progress. */
  maxConcurrentCalls: number | null;
  /** Outbound calls that are made within any second. */
  maxCallsPerSecond: number | null;
  /** Messages that are sent on a UTC day. */
  maxTextsPerDay: number | null;
  /** Recipients of e-mails that are sent on a UTC day; absent from limits of a former version. */
  maxEmailsPerDay?: number | null;
  /** Charges for calls, messages, numbers and transcriptions of a UTC day, in millionths. */
  maxSpendMicros: number | null;
  /** Prefixes of the numbers that calls and messages may leave to. */
  destinationPrefixes: string[] | null;
  /** Prefixes of premium-rate and satellite numbers that they may leave to besides. */
  premiumPrefixes: string[] | null;
}

export const noLimits: AccountLimits = {
  maxConcurrentCalls: null,
  maxCallsPerSecond: null,
  maxTextsPerDay: null,
  maxEmailsPerDay: null,
  maxSpendMicros: null,
  destinationPrefixes: null,
  premiumPrefixes: null,
};

/** The limits that count something. */
export type CountedLimit = Exclude<
  keyof AccountLimits,
  "destinationPrefixes" | "premiumPrefixes"
>;

/** Use by an account and those below it. */
export interface LimitUse {
  liveCalls: number;
  /** Times of the calls of the last second, in ms of the steady clock. */
  callsAt: number[];
  /** The UTC day of the sums that follow, in days since 1970. */
  day: number;
  texts: number;
  /** Recipients of e-mails; absent where a former version wrote it. */
  emails?: number;
  /** Charges of the day, in millionths. */
  spentMicros: number;
  /**
   * Least charges to come for live calls and waiting messages. They count for the day on which
   * these end, as in the ledger, so they go on from day to day.
   */
  reservedMicros: number;
  /** Days on which a Notification warned that a limit is near. */
  warnedOn: Partial<Record<CountedLimit, number>>;
}

/** Limits of one account as the store has them. */
export interface LimitState {
  /** Time of the account's first limit, in ms: records that limits count name it. */
  since: number;
  limits: AccountLimits;
  use: LimitUse;
  /** True when the charges of the day before the first limit are counted. */
  countsEarlier: boolean;
}

/** Use that one commit adds to an account's limits, or removes from them. */
export interface Taking {
  liveCalls: number;
  newCalls: number;
  texts: number;
  emails: number;
  reservedMicros: number;
  spentMicros: number;
  /** Nothing of the commit has happened yet. What has happened already is counted beyond the limit. */
  isRefusable: boolean;
}

export const dayMs = 86_400_000;
const secondMs = 1_000;

/** The share of a limit at which the account is warned. */
const warningShare = 0.8;

export const unused = (now: number): LimitUse => ({
  liveCalls: 0,
  callsAt: [],
  day: Math.floor(now / dayMs),
  texts: 0,
  spentMicros: 0,
  reservedMicros: 0,
  warnedOn: {},
});

/** An instant by both clocks, in ms. */
export interface Instant {
  now: number;
  steadyNow: number;
}

/** The use of an account at an instant in ms: a new day begins without sums. */
export function useAt(use: LimitUse, now: number): LimitUse {
  const day = Math.max(use.day, Math.floor(now / dayMs)); // A clock that was set back begins no day.
  return day === use.day ? use : { ...use, day, texts: 0, emails: 0, spentMicros: 0 };
}

/** Used part of a limit. */
export const usedOf = (use: LimitUse, limit: CountedLimit): number =>
  ({
    maxConcurrentCalls: use.liveCalls,
    maxCallsPerSecond: use.callsAt.length,
    maxTextsPerDay: use.texts,
    maxEmailsPerDay: use.emails ?? 0,
    maxSpendMicros: use.spentMicros + use.reservedMicros,
  })[limit];

/** Part of a limit that a commit adds. */
const takenOf = (taking: Taking, limit: CountedLimit): number =>
  ({
    maxConcurrentCalls: taking.liveCalls,
    maxCallsPerSecond: taking.newCalls,
    maxTextsPerDay: taking.texts,
    maxEmailsPerDay: taking.emails,
    maxSpendMicros: taking.spentMicros + taking.reservedMicros,
  })[limit];

const counted = [
  "maxConcurrentCalls",
  "maxCallsPerSecond",
  "maxTextsPerDay",
  "maxEmailsPerDay",
  "maxSpendMicros",
] as const satisfies CountedLimit[];

/** Limits that are warned of: the sums of a day. */
const warnedOf = ["maxTextsPerDay", "maxEmailsPerDay", "maxSpendMicros"] as const;

/** Result of a taking. */
export type Taken =
  | { use: LimitUse; near: CountedLimit[] }
  | { exceeded: CountedLimit; use: LimitUse };

/** Takes from the limits of an account at an instant in ms, or says which limit is in the way. */
export function take(
  { limits, use: before }: LimitState,
  taking: Taking,
  { now, steadyNow }: Instant,
): Taken {
  const callsAt = before.callsAt.filter((at) => Math.abs(steadyNow - at) < secondMs);
  const use = { ...useAt(before, now), callsAt };
  const exceeded = counted.find((limit) => {
    const taken = takenOf(taking, limit);
    const most = limits[limit] ?? null;
    return most !== null && taken > 0 && usedOf(use, limit) + taken > most;
  });
  if (exceeded !== undefined && taking.isRefusable) return { exceeded, use };
  const after: LimitUse = {
    ...use,
    liveCalls: Math.max(0, use.liveCalls + taking.liveCalls),
    callsAt: limits.maxCallsPerSecond === null
      ? []
      : [...use.callsAt, ...Array.from({ length: taking.newCalls }, () => steadyNow)],
    texts: use.texts + taking.texts,
    emails: (use.emails ?? 0) + taking.emails,
    spentMicros: use.spentMicros + taking.spentMicros,
    reservedMicros: Math.max(0, use.reservedMicros + taking.reservedMicros),
  };
  const near = warnedOf.filter((limit) => isNear(after, limits, limit));
  for (const limit of near) after.warnedOn = { ...after.warnedOn, [limit]: after.day };
  return { use: after, near };
}

function isNear(use: LimitUse, limits: AccountLimits, limit: CountedLimit): boolean {
  const most = limits[limit] ?? null;
  if (most === null || most === 0 || use.warnedOn[limit] === use.day) return false;
  return usedOf(use, limit) >= most * warningShare;
}

/** The limit that is the tightest of several accounts' ones, from that of the account itself up. */
export function tightest(all: readonly AccountLimits[], limit: CountedLimit): number | null {
  const set = all.map((one) => one[limit] ?? null).filter((most) => most !== null);
  return set.length === 0 ? null : Math.min(...set);
}

/** The names of the limits in the interface. */
export const limitNames: Record<CountedLimit, string> = {
  maxConcurrentCalls: "MaxConcurrentCalls",
  maxCallsPerSecond: "MaxCallsPerSecond",
  maxTextsPerDay: "MaxTextsPerDay",
  maxEmailsPerDay: "MaxEmailsPerDay",
  maxSpendMicros: "MaxSpendPerDay",
};

export const limitFaults = {
  maxConcurrentCalls: "concurrentCallsLimit",
  maxCallsPerSecond: "callsPerSecondLimit",
  maxTextsPerDay: "textsPerDayLimit",
  maxEmailsPerDay: "emailsPerDayLimit",
  maxSpendMicros: "spendPerDayLimit",
} as const satisfies Record<CountedLimit, FaultName>;

/** An error that is the refusal of a limit; rejects with any other. */
export function limitFaultOf(error: unknown): Fault {
  const names: readonly FaultName[] = Object.values(limitFaults);
  if (error instanceof Fault && names.includes(error.fault)) return error;
  throw error;
}

/** Millionths of a currency as a decimal text. */
const decimal = (micros: number): string => {
  const text = (micros / 1_000_000).toFixed(6).replace(/(?<!0)0+$/, "");
  return text.replace(/\.(\d?)$/, (_, digit: string) => `.${digit.padEnd(2, "0")}`);
};

/** The value of a limit as people read it. */
export const limitText = (limit: CountedLimit, value: number): string =>
  limit === "maxSpendMicros" ? decimal(value) : String(value);

/** Account of a limit as a text, seen from the account that meets it: so many levels above. */
export function whoseLimit(level: number, isRoot: boolean): { of: string; raisedBy: string } {
  const of = level === 0 ? "this account" : level === 1 ? "the account above" : "an account above";
  return isRoot
    ? { of: level === 0 ? of : "the service", raisedBy: "the operator of the service can raise it" }
    : {
      of,
      raisedBy: level === 0
        ? "the account above can raise it"
        : "an account above that account can raise it",
    };
}

/** Seconds after which it is worth trying again. */
export function retryAfterS(limit: CountedLimit, now: number): number {
  if (limit === "maxCallsPerSecond") return 1;
  if (limit === "maxConcurrentCalls") return 10;
  return Math.max(1, Math.ceil((dayMs - now % dayMs) / secondMs));
}

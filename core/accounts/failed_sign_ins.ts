import { consoleLimits } from "./session_limits.ts";

/**
 * Says which failed sign-ins get an entry in the audit log of their account. Each entry is a durable
 * record that anonymous clients cause, so their number grows with the logarithm of the failures.
 */
export interface FailedSignIns {
  /**
   * Counts a failed sign-in of an account. Returns the failures of the last hour where this one gets
   * an entry: the first five, then the 10th, the 100th and so on; else null.
   */
  count(accountSid: string): number | null;
}

/** Counts in the memory of this instance; the account that failed longest ago is forgotten first. */
export function createFailedSignIns(now: () => number): FailedSignIns {
  const { auditedFailures, auditedMs, auditedAccounts } = consoleLimits;
  const counts = new Map<string, { since: number; failures: number }>();
  return {
    count(accountSid) {
      const known = counts.get(accountSid);
      const isCurrent = known !== undefined && now() - known.since < auditedMs;
      const { since, failures } = isCurrent ? known : { since: now(), failures: 0 };
      counts.delete(accountSid); // It becomes the newest.
      counts.set(accountSid, { since, failures: failures + 1 });
      const [oldest] = counts.keys();
      if (counts.size > auditedAccounts && oldest !== undefined) counts.delete(oldest);
      const isNoted = failures < auditedFailures || Number.isInteger(Math.log10(failures + 1));
      return isNoted ? failures + 1 : null;
    },
  };
}

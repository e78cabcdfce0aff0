import { effectiveStatus, isTokenOf } from "../accounts/access.ts";
import { findAccount } from "../accounts/find_account.ts";
import { isOfPassword, verifierOf } from "../accounts/password.ts";
import type { Ports } from "../ports/ports.ts";
import type { Account } from "../resources/accounts.ts";
import { createFailures } from "./failures.ts";
import { changeGuard, failed, guardOf } from "./guard.ts";
import { sha256 } from "./hash.ts";
import { consoleLimits } from "./limits.ts";
import { type Browser, openSession } from "./sessions.ts";

type SignInPorts = Pick<
  Ports,
  "records" | "accounts" | "newSid" | "now" | "settings" | "deriveToken"
>;

/** What came of a sign-in. `cookie` holds the session; `needsCode`: the second factor is next. */
export type SignInOutcome =
  | { outcome: "signedIn"; account: Account; cookie: string; needsCode: boolean }
  | { outcome: "wrong"; account: Account | null }
  | { outcome: "locked"; account: Account | null; waitMs: number };

export interface SignInWanted extends Browser {
  /** E-mail address or Sid. */
  name: string;
  /** Or the AuthToken. */
  password: string;
}

/** A Sid that no account has: its password is derived for an unknown name, to take as long. */
const absentSid = "AC" + "0".repeat(32);

/**
 * Signs in with a password or an AuthToken. The fifth failure locks the account for a minute, each
 * further one for twice as long, by the store: at all instances. An address is refused for a while after
 * 20 failures, by the memory of this instance. An unknown name is answered as a wrong password is.
 */
export function createSignIn(ports: SignInPorts): (wanted: SignInWanted) => Promise<SignInOutcome> {
  const { addressFailures, addressMs, failures, lockMs } = consoleLimits;
  const byAddress = createFailures(addressFailures, addressMs, ports.now);
  const unknown = createFailures(failures, lockMs, ports.now);
  let deriving = 0;

  /** What a session with this password is bound to; null where the password is wrong. */
  async function bindingOf(account: Account | null, password: string): Promise<string | null> {
    const tokens = account ?? { authToken: "-" };
    if (isTokenOf(tokens, password) && account !== null) return password;
    deriving++;
    try {
      const derived = await ports.deriveToken(account?.sid ?? absentSid, password);
      return isOfPassword(tokens, derived) && account !== null ? verifierOf(account) : null;
    } finally {
      deriving--;
    }
  }

  return async ({ name, password, from, userAgent }) => {
    const key = name.trim().toLowerCase();
    const account = await findAccount(name.trim(), ports.accounts);
    const guard = account && await guardOf(account.sid, ports);
    const lockedMs = account === null
      ? unknown.waitMs(key)
      : Math.max(0, (guard?.lockedUntil ?? 0) - ports.now());
    const busyMs = deriving >= consoleLimits.derivations ? 1_000 : 0;
    const waitMs = Math.max(lockedMs, byAddress.waitMs(from), busyMs);
    if (waitMs > 0) return { outcome: "locked", account, waitMs };

    const binding = await bindingOf(account, password);
    const isAccepted = binding !== null && account !== null &&
      await effectiveStatus(account, ports.accounts) === "active";
    if (!isAccepted) {
      byAddress.add(from);
      if (account === null) unknown.add(key);
      else await changeGuard(account.sid, (before) => failed(before, ports.now()), ports);
      return { outcome: "wrong", account };
    }
    const needsCode = (guard?.totpSecret ?? null) !== null;
    if (!needsCode && guard !== null && guard.failures > 0) {
      await changeGuard(account.sid, () => ({ failures: 0, lockedUntil: 0 }), ports);
    }
    const credentialHash = await sha256(binding);
    const opened = { from, userAgent, isComplete: !needsCode, credentialHash };
    const cookie = await openSession(account, opened, ports);
    return { outcome: "signedIn", account, cookie, needsCode };
  };
}

import { effectiveStatus, isTokenOf } from "./access.ts";
import { findAccount } from "./find_account.ts";
import { isOfPassword, verifierOf } from "./password.ts";
import { Busy, createGate } from "../base/gate.ts";
import { networkOf } from "../base/networks.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type Claim, createRefusalCap } from "../model/rest/refusal_cap.ts";
import { guardOf } from "./session_guard.ts";
import { sha256 } from "./hash.ts";
import { consoleLimits, signInRefusals } from "./session_limits.ts";
import { type Browser, openSession } from "./sessions.ts";

type SignInPorts = Pick<
  Ports,
  "records" | "accounts" | "newSid" | "now" | "steadyNow" | "settings" | "deriveToken"
>;

/** Outcome of a sign-in. `cookie` is that of the session; `needsCode`: the second factor is next. */
export type SignInOutcome =
  | { outcome: "signedIn"; account: Account; cookie: string; needsCode: boolean }
  | { outcome: "wrong"; account: Account | null }
  | { outcome: "locked"; account: Account | null; waitMs: number }
  /** Too many sign-ins of the network, or of all, wait at this instance. */
  | { outcome: "busy"; account: Account | null };

export interface SignInWanted extends Browser {
  /** E-mail address or Sid. */
  name: string;
  /** Or the AuthToken. */
  password: string;
}

/** A Sid that no account has: its password is derived for an unknown name, to take as long. */
const absentSid = "AC" + "0".repeat(32);

/**
 * Signs in with a password or an AuthToken. Failures are counted in the memory of this instance, by
 * name and network, and by network: five for a name, twenty for a network, then the client waits.
 * Failures of other networks lock no name. An AuthToken, which cannot be guessed, and a password
 * that was right lately are never refused. An unknown name is answered as a wrong password is.
 */
export function createSignIn(ports: SignInPorts): (wanted: SignInWanted) => Promise<SignInOutcome> {
  const refusals = createRefusalCap(ports.steadyNow, signInRefusals);
  const { derivations: most, waitingDerivations: waiting, networkDerivations } = consoleLimits;
  const inTurn = createGate({ most, waiting });
  const deriving = new Map<string, number>();

  /** Derives a password in its turn. Throws `Busy` where too many wait, of the network or of all. */
  async function derived(network: string, accountSid: string, password: string): Promise<string> {
    const count = deriving.get(network) ?? 0;
    if (count >= networkDerivations) throw new Busy("Cannot derive more passwords of a network");
    deriving.set(network, count + 1);
    try {
      return await inTurn(() => ports.deriveToken(accountSid, password));
    } finally {
      const left = (deriving.get(network) ?? 1) - 1;
      if (left > 0) deriving.set(network, left);
      else deriving.delete(network);
    }
  }

  /** Verifier that a session with this password is bound to; null where the password is wrong. */
  async function bindingOf(account: Account | null, claim: Claim): Promise<string | null> {
    const { password } = claim;
    const tokens = account ?? { authToken: "-" };
    const token = await derived(claim.network, account?.sid ?? absentSid, password);
    return isOfPassword(tokens, token) && account !== null ? verifierOf(account) : null;
  }

  return async ({ name, password, from, userAgent }) => {
    const account = await findAccount(name.trim(), ports.accounts);
    // One count for both names of an account.
    const user = account?.sid ?? name.trim();
    const claim = { network: networkOf(from), user, password };
    let binding = account !== null && isTokenOf(account, password) ? password : null;
    if (binding === null) {
      const waitS = refusals.waitOf(claim);
      if (waitS > 0) return { outcome: "locked", account, waitMs: waitS * 1_000 };
      try {
        binding = await bindingOf(account, claim);
      } catch (error) {
        if (error instanceof Busy) return { outcome: "busy", account };
        throw error;
      }
    }
    const isAccepted = binding !== null && account !== null &&
      await effectiveStatus(account, ports.accounts) === "active";
    if (binding === null || account === null || !isAccepted) {
      refusals.refused(claim);
      return { outcome: "wrong", account };
    }
    refusals.accepted(claim);
    const needsCode = ((await guardOf(account.sid, ports))?.totpSecret ?? null) !== null;
    const credentialHash = await sha256(binding);
    const opened = { from, userAgent, isComplete: !needsCode, credentialHash };
    const cookie = await openSession(account, opened, ports);
    return { outcome: "signedIn", account, cookie, needsCode };
  };
}

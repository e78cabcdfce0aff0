import { effectiveStatus, tokensOf } from "./access.ts";
import { verifierOf } from "./password.ts";
import { Fault } from "../base/faults.ts";
import { newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type ConsoleSession, consoleSessions } from "../model/resources/console/sessions.ts";
import { randomToken, sha256 } from "./hash.ts";
import { consoleLimits } from "./session_limits.ts";

/** A browser, as its requests show it. */
export interface Browser {
  /** Its IP address. */
  from: string;
  userAgent: string;
}

type SessionPorts = Pick<
  Ports,
  "records" | "accounts" | "newSid" | "now" | "steadyNow" | "settings"
>;

/**
 * Opens a session, which ends when `credentialHash` is of neither an AuthToken of the account nor the
 * verifier of its password any more. Resolves with its cookie, which is not stored.
 */
export async function openSession(
  account: Account,
  { from, userAgent, isComplete, credentialHash }:
    & Browser
    & Pick<ConsoleSession, "isComplete" | "credentialHash">,
  ports: SessionPorts,
): Promise<string> {
  await endOldestSessions(account.sid, ports);
  const token = randomToken(32);
  const base = newBase(consoleSessions, account.sid, ports);
  const record: ConsoleSession = {
    ...base,
    tokenHash: await sha256(token),
    credentialHash,
    isComplete,
    seenAt: base.dateCreated,
    begunSteadyAt: ports.steadyNow(),
    seenSteadyAt: ports.steadyNow(),
    from,
    userAgent: userAgent.slice(0, consoleLimits.userAgentLength),
  };
  await ports.records.consoleSessions.insert({ record });
  return token;
}

/** A session that is in force, with its account. */
export interface SignedIn {
  session: ConsoleSession;
  account: Account;
}

/**
 * The session of a cookie. Null without one, after too long a time or too long a pause, with a
 * credential that has changed, or when the account is not active. `isUse`: this keeps it from being
 * idle; what a page loads by itself does not.
 */
export async function sessionOf(
  token: string,
  ports: SessionPorts,
  { isUse = true } = {},
): Promise<SignedIn | null> {
  const session = await ports.records.consoleSessions.holder("tokenHash", await sha256(token));
  if (session === null) return null;
  const account = await ports.accounts.get(session.accountSid);
  const isInForce = !isOver(session, ports) && account !== null &&
    await isBound(session, account) &&
    await effectiveStatus(account, ports.accounts) === "active";
  if (!isInForce) {
    await endSession(session, ports);
    return null;
  }
  return { session: isUse ? await seen(session, ports) : session, account };
}

/** True when the credential that opened a session would open it now. */
async function isBound({ credentialHash }: ConsoleSession, account: Account): Promise<boolean> {
  const bindings = [...tokensOf(account), verifierOf(account)];
  return (await Promise.all(bindings.map(sha256))).includes(credentialHash);
}

/** True when a session is still in force. The check is no use of it. */
export async function isOpen(
  { accountSid, sid }: Pick<ConsoleSession, "accountSid" | "sid">,
  ports: SessionPorts,
): Promise<boolean> {
  const session = await ports.records.consoleSessions.get(accountSid, sid);
  return session !== null && !isOver(session, ports);
}

/** A session is over when it was idle for too long, or lasted too long. */
function isOver(
  session: ConsoleSession,
  { steadyNow, settings }: Pick<SessionPorts, "steadyNow" | "settings">,
): boolean {
  const { isComplete } = session;
  const age = steadyNow() - (session.begunSteadyAt ?? session.dateCreated);
  if (!isComplete) return age > consoleLimits.factorMs;
  return age > consoleLimits.sessionMs ||
    steadyNow() - seenSteadyAt(session) > settings.consoleIdleMs;
}

/**
 * Notes the use of a session, not more than once a minute. Where the store cannot write, pages are
 * shown all the same.
 */
async function seen(session: ConsoleSession, ports: SessionPorts): Promise<ConsoleSession> {
  const now = ports.steadyNow();
  if (now - seenSteadyAt(session) < consoleLimits.seenMs) return session;
  try {
    return await change(session, { seenAt: ports.now(), seenSteadyAt: now }, ports);
  } catch (error) {
    if (error instanceof Fault && error.kind === "unavailable") return session;
    throw error;
  }
}

/** Sessions of former versions have dates alone. */
const seenSteadyAt = (session: ConsoleSession): number => session.seenSteadyAt ?? session.seenAt;

/**
 * Ends a session that waited for its second factor, and opens one that did: the cookie of before is of
 * no use any more.
 */
export async function completeSession(
  { session, account }: SignedIn,
  browser: Browser,
  ports: SessionPorts,
): Promise<string> {
  await endSession(session, ports);
  const { credentialHash } = session;
  return await openSession(account, { ...browser, isComplete: true, credentialHash }, ports);
}

async function change(
  session: ConsoleSession,
  sent: Partial<ConsoleSession>,
  { records, now }: SessionPorts,
): Promise<ConsoleSession> {
  try {
    return await records.consoleSessions.update(
      session.accountSid,
      session.sid,
      (before) => ({ record: { ...before, ...sent, dateUpdated: now() } }),
    );
  } catch (error) {
    // It was ended meanwhile: this request began before.
    if (error instanceof Fault && error.fault === "notFound") return session;
    throw error;
  }
}

/** Ends a session; one that has ended already is no error. */
export async function endSession(
  { accountSid, sid }: Pick<ConsoleSession, "accountSid" | "sid">,
  { records }: Pick<Ports, "records">,
): Promise<void> {
  try {
    await records.consoleSessions.remove(accountSid, sid);
  } catch (error) {
    const isGone = error instanceof Fault && error.fault === "notFound";
    if (!isGone) throw error;
  }
}

/** The sessions of an account, newest first; those that are over are removed. */
export async function sessionsOf(
  accountSid: string,
  ports: SessionPorts,
): Promise<ConsoleSession[]> {
  const query = { where: [], skip: 0, limit: consoleLimits.sessions * 2 };
  const { items } = await ports.records.consoleSessions.list(accountSid, query);
  const over = items.filter((session) => isOver(session, ports));
  await Promise.all(over.map((session) => endSession(session, ports)));
  return items.filter((session) => !over.includes(session));
}

/** Ends all sessions of an account, `except` one. */
export async function endSessions(
  accountSid: string,
  ports: SessionPorts,
  except?: string,
): Promise<void> {
  const all = await sessionsOf(accountSid, ports);
  await Promise.all(
    all.filter(({ sid }) => sid !== except).map((session) => endSession(session, ports)),
  );
}

async function endOldestSessions(accountSid: string, ports: SessionPorts): Promise<void> {
  const all = await sessionsOf(accountSid, ports);
  const oldest = all.slice(consoleLimits.sessions - 1);
  await Promise.all(oldest.map((session) => endSession(session, ports)));
}

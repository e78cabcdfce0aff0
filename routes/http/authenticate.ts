import { createMiddleware } from "hono/factory";
import {
  actsFor,
  checkPermission,
  effectiveStatus,
  isSameSecret,
  type Permission,
} from "../../core/accounts/access.ts";
import { findAccount, isEmail } from "../../core/accounts/find_account.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Accounts } from "../../core/ports/ports.ts";
import type { RateLimits } from "../../core/rest/rate_limits.ts";
import { type Account, accounts as definition } from "../../core/resources/accounts.ts";
import type { Ctx, Env } from "./env.ts";

/**
 * Authenticates the request (RFC 7617) and puts its account on the context. With rate limits it throws
 * `throttled` when the account exceeds one.
 */
export function authenticate(accounts: Accounts, rates: RateLimits | null) {
  // An existing account that is read for an unknown user, so that both responses take as long.
  let decoySid = "";
  const cached = { get: async (sid: string) => accounts.recent(sid) ?? await accounts.get(sid) };

  /** Throws when the credentials are wrong. Makes the same reads for each kind of wrong ones. */
  async function check({ user, password }: Credentials): Promise<Account> {
    const known = await findAccount(user, accounts);
    const account = known ?? await accounts.get(decoySid);
    const isSame = isSameSecret(password, account?.authToken ?? "-");
    if (known !== null) decoySid = known.sid;
    if (known !== null && isSame) return known;
    if (known !== null && !isEmail(user)) await accounts.get(absentSid); // As for an unknown Sid.
    throw new Fault("badCredentials");
  }

  return createMiddleware<Env>(async (c, next) => {
    const credentials = basicCredentials(c.req.header("Authorization"));
    const caller = recentCaller(credentials, accounts) ?? await check(credentials);
    if (rates !== null) limitRate(c, caller.sid, rates);
    if (await effectiveStatus(caller, cached) !== "active") throw new Fault("accountInactive");
    c.set("caller", caller);
    await next();
  });
}

function limitRate(c: Ctx, accountSid: string, rates: RateLimits): void {
  const { retryAfterS, headers } = rates.admit(accountSid, c.req.method);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (retryAfterS > 0) throw new Fault("throttled", undefined, { retryAfterS });
}

/** A Sid that no account has. */
const absentSid = definition.sidPrefix + "0".repeat(32);

/** The account of correct credentials when it is in the cache, as for most requests. */
function recentCaller({ user, password }: Credentials, accounts: Accounts): Account | undefined {
  const account = accounts.recent(user);
  return account && isSameSecret(password, account.authToken) ? account : undefined;
}

/** Puts the account that the path names on the context, if the caller may act for it. */
export function accountScope(accounts: Accounts) {
  return createMiddleware<Env>(async (c, next) => {
    const { caller } = c.var;
    const named = c.req.param("account") ?? "";
    const account = named === caller.sid ? caller : await findAccount(named, accounts);
    // The same response for another's account and for none: it must not reveal which exist.
    if (account === null || !actsFor(caller, account)) {
      throw new Fault(
        "denied",
        "the path names an account that is neither the caller's nor one of its sub-accounts",
      );
    }
    c.set("account", account);
    await next();
  });
}

/** Refuses changes below an account that is not active; its caller may read only. */
export function readOnlyUnlessActive(accounts: Accounts) {
  return createMiddleware<Env>(async (c, next) => {
    const { caller, account } = c.var;
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead && account !== caller && await effectiveStatus(account, accounts) !== "active") {
      throw new Fault("accountInactive");
    }
    await next();
  });
}

/** Refuses callers without a permission. */
export function permitted(permission: Permission) {
  return createMiddleware<Env>(async (c, next) => {
    checkPermission(c.var.caller, permission);
    await next();
  });
}

interface Credentials {
  user: string;
  password: string;
}

function basicCredentials(header: string | undefined): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) throw new Fault("badCredentials");
  try {
    const text = new TextDecoder().decode(Uint8Array.fromBase64(encoded));
    const [user = "", ...password] = text.split(":");
    return { user, password: password.join(":") };
  } catch (cause) {
    throw new Fault(
      "badCredentials",
      "the credentials in the Authorization header must be Base64",
      { cause },
    );
  }
}

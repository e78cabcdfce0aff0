import { createMiddleware } from "hono/factory";
import {
  actsFor,
  checkPermission,
  effectiveStatus,
  isSameSecret,
  type Permission,
} from "../../core/accounts/access.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Accounts } from "../../core/ports/ports.ts";
import type { RequestCap } from "../../core/rest/request_cap.ts";
import { type Account, accounts as definition } from "../../core/resources/accounts.ts";
import { isSid } from "../../core/base/sid.ts";
import type { Env } from "./env.ts";

/**
 * Puts the account whose credentials the request carries on the context (RFC 7617). With a cap it
 * throws `throttled` when that account asks too much.
 */
export function authenticate(accounts: Accounts, cap: RequestCap | null) {
  // An account that exists, looked up when a user does not, so that both answers take as long.
  let decoySid = "";
  const lately = { get: async (sid: string) => accounts.recent(sid) ?? await accounts.get(sid) };

  /** Throws when the credentials are wrong, after the same reads whatever is wrong with them. */
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
    const retryAfterS = cap?.take(caller.sid) ?? 0;
    if (retryAfterS > 0) throw new Fault("throttled", undefined, { retryAfterS });
    if (await effectiveStatus(caller, lately) !== "active") throw new Fault("accountInactive");
    c.set("caller", caller);
    await next();
  });
}

/** A Sid that no account has. */
const absentSid = definition.sidPrefix + "0".repeat(32);

/** Whom right credentials name, when that account was read a moment ago: most requests, in a row. */
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
    // One answer for a foreign account and for none, so that it tells nothing.
    if (account === null || !actsFor(caller, account)) {
      throw new Fault("denied", "Not your account");
    }
    c.set("account", account);
    await next();
  });
}

/** Below an account that is not active, whoever acts for it may read but not change. */
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

/** Lets only callers through whose role has a permission. */
export function permitted(permission: Permission) {
  return createMiddleware<Env>(async (c, next) => {
    checkPermission(c.var.caller, permission);
    await next();
  });
}

/** Some clients send an address encoded, as they were given it. */
const decoded = (name: string): string => name.replace("%40", "@");
const isEmail = (name: string): boolean => decoded(name).includes("@");

/** An account by Sid or e-mail address, both in any case. */
async function findAccount(name: string, accounts: Accounts): Promise<Account | null> {
  if (isEmail(name)) return await accounts.byEmail(decoded(name));
  const sid = definition.sidPrefix + name.slice(2).toLowerCase();
  const isPrefixed = name.slice(0, 2).toUpperCase() === definition.sidPrefix;
  return isPrefixed && isSid(sid, definition.sidPrefix) ? await accounts.get(sid) : null;
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
    throw new Fault("badCredentials", "The Authorization header is not Base64", { cause });
  }
}

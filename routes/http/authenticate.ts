import { createMiddleware } from "hono/factory";
import {
  actsFor,
  checkKey,
  checkPermission,
  effectiveStatus,
  isTest,
  isTokenOf,
  type Permission,
} from "../../core/accounts/access.ts";
import { tenantOf } from "../../core/accounts/tenant.ts";
import { tokenUses } from "../../core/accounts/token_use.ts";
import { ownRequests } from "./own_requests.ts";
import { isKeySid } from "../../core/accounts/keyring.ts";
import { findAccount, isEmail } from "../../core/accounts/find_account.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Accounts, Caller, Ports } from "../../core/model/ports/ports.ts";
import { networkOf } from "../../core/base/networks.ts";
import {
  type Claim,
  createRefusalCap,
  type RefusalCap,
} from "../../core/model/rest/refusal_cap.ts";
import type { LoopShares } from "../../core/base/loop_work.ts";
import { enterShare } from "./loop_share.ts";
import { createRateLimits, type RateLimits } from "../../core/model/rest/rate_limits.ts";
import { accounts as definition } from "../../core/model/resources/accounts.ts";
import type { Ctx, Env } from "./env.ts";

/** Bounds of requests of accounts, and of clients without right credentials. */
export interface Bounds {
  /** Null: any number. */
  rates: RateLimits | null;
  refusals: RefusalCap;
  /** Null: requests wait for no share of the loop. */
  shares: LoopShares | null;
}

/** The bounds of this instance; each call counts anew. */
export const boundsOf = ({ settings, steadyNow }: Ports, shares: LoopShares | null): Bounds => ({
  shares,
  rates: createRateLimits(settings.requestRates, steadyNow),
  refusals: createRefusalCap(steadyNow),
});

/**
 * Authenticates the request (RFC 7617) and puts its account on the context. It throws `throttled`
 * when the tenant exceeds a rate limit or its share of the loop. After too many wrong credentials
 * of the client it does so before the store is read.
 */
export function authenticate(
  ports: Pick<Ports, "accounts" | "keyring" | "now" | "log">,
  { rates, refusals, shares }: Bounds,
) {
  const { accounts, keyring } = ports;
  const noteTokenUse = tokenUses(ports);
  const cached = { get: async (sid: string) => accounts.recent(sid) ?? await accounts.get(sid) };

  /** Throws when the credentials are wrong. Does the same work for each kind of wrong ones. */
  async function check({ user, password }: Credentials): Promise<Caller> {
    if (isKeySid(user)) {
      const caller = await keyring.callerOf(user, password);
      if (caller !== null) return caller;
      throw new Fault("badCredentials", wrongCredentials);
    }
    const known = await findAccount(user, accounts);
    const account = known ?? accounts.decoy();
    const isSame = isTokenOf(account ?? { authToken: "-" }, password);
    if (known !== null && isSame) return { account: known };
    if (known === null && isEmail(user)) await accounts.get(absentSid); // As for a known address.
    throw new Fault("badCredentials", wrongCredentials);
  }

  /** The same, unless the client has to wait. */
  async function checkInTurn(credentials: Credentials, client: string): Promise<Caller> {
    if (client === "") return await check(credentials);
    const claim = claimOf(credentials, client);
    const retryAfterS = refusals.waitOf(claim);
    if (retryAfterS > 0) {
      throw new Fault("throttled", "too many wrong credentials came from here", { retryAfterS });
    }
    try {
      const caller = await check(credentials);
      refusals.accepted(claim);
      return caller;
    } catch (error) {
      if (error instanceof Fault && error.fault === "badCredentials") refusals.refused(claim);
      throw error;
    }
  }

  return createMiddleware<Env>(async (c, next) => {
    const credentials = basicCredentials(c.req.header("Authorization"));
    const client = clientOf(c);
    const { account: caller, key } =
      recentCaller(credentials, client, { accounts, keyring, refusals }) ??
        await checkInTurn(credentials, client);
    if (rates !== null) limitRate(c, tenantOf(caller), rates);
    if (await effectiveStatus(caller, cached) !== "active") throw new Fault("accountInactive");
    if (key !== undefined) {
      checkKey(caller.role, c.req);
      await keyring.noteUse(key);
      c.set("key", key);
    } else if (!ownRequests.has(c.req.raw)) {
      await noteTokenUse(caller, credentials.password);
    }
    c.set("caller", caller);
    if (shares === null) return await next();
    const entered = enterShare(c, shares, { tenant: tenantOf(caller) });
    const leave = typeof entered === "function" ? entered : await entered;
    try {
      await next();
    } finally {
      const { sending } = c.var;
      if (sending === undefined) leave();
      else void sending.then(leave);
    }
  });
}

const claimOf = (credentials: Credentials, client: string): Claim => ({
  ...credentials,
  network: networkOf(client),
});

/** The address of the client; "" for a request from within the process. */
const clientOf = ({ env }: Ctx): string => (env as Env["Bindings"] | undefined)?.client ?? "";

function limitRate(c: Ctx, tenant: string, rates: RateLimits): void {
  const { retryAfterS, headers } = rates.admit(tenant, c.req.method);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (retryAfterS > 0) throw new Fault("throttled", undefined, { retryAfterS });
}

/** Message of a refusal; the same for an unknown account and a wrong AuthToken. */
const wrongCredentials =
  "no account or API key has these credentials. The user name is an account Sid, " +
  "an e-mail address or the Sid of an API key; the password is its AuthToken or secret";
const noCredentials = "the request has no Authorization header with HTTP Basic credentials";

/** A Sid that no account has. */
const absentSid = definition.sidPrefix + "0".repeat(32);

/**
 * The caller of correct credentials when the account is in the cache, as for most requests. Wrong
 * credentials put it there as well: right ones that were never looked up are noted then, so that the
 * bound for the wrong ones does not hold them up later.
 */
function recentCaller(
  credentials: Credentials,
  client: string,
  { accounts, keyring, refusals }: Pick<Ports, "accounts" | "keyring"> & Pick<Bounds, "refusals">,
): Caller | undefined {
  const { user, password } = credentials;
  const caller = isKeySid(user)
    ? keyring.recent(user, password)
    : recentOf(user, password, accounts);
  if (caller === undefined || client === "") return caller;
  const claim = claimOf(credentials, client);
  if (refusals.hasRefused(claim)) refusals.accepted(claim);
  return caller;
}

function recentOf(sid: string, token: string, accounts: Accounts): Caller | undefined {
  const account = accounts.recent(sid);
  return account && isTokenOf(account, token) ? { account } : undefined;
}

/**
 * Looks whether the credentials of a request would still be accepted: for a response that lasts. It
 * rejects while the store is out of reach.
 */
export function recheckOf(
  c: Ctx,
  { accounts, keyring }: Pick<Ports, "accounts" | "keyring">,
): () => Promise<boolean> {
  const { user, password } = basicCredentials(c.req.header("Authorization"));
  const find = async (): Promise<Caller | null> => {
    if (isKeySid(user)) return await keyring.callerOf(user, password);
    const account = await findAccount(user, accounts);
    return account !== null && isTokenOf(account, password) ? { account } : null;
  };
  const { sid } = c.var.account;
  return async () => {
    const [caller, account] = await Promise.all([find(), accounts.get(sid)]);
    if (caller === null || account === null || !actsFor(caller.account, account)) return false;
    return await effectiveStatus(caller.account, accounts) === "active";
  };
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

/** Refuses changes below a test account: nothing of it is to reach others. */
export function notForTests(reason: string) {
  return createMiddleware<Env>(async (c, next) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead && isTest(c.var.account)) throw new Fault("denied", reason);
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

const utf8 = new TextDecoder();

function basicCredentials(header: string | undefined): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) throw new Fault("badCredentials", noCredentials);
  try {
    const text = utf8.decode(Uint8Array.fromBase64(encoded));
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

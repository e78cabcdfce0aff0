import { Fault } from "../base/faults.ts";
import type { Accounts } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";

/** True when a caller may act for an account: itself or one of its descendants. */
export const actsFor = (caller: Account, account: Account): boolean =>
  account.sid === caller.sid || account.ancestors.includes(caller.sid);

/** True for a test account: its calls and messages are simulated, and none leaves the service. */
export const isTest = ({ type }: Pick<Account, "type">): boolean => type === "Test";

/** Actions of Administrators alone, as messages name them. */
const administration = {
  createAccounts: "create accounts",
  changeRoles: "change roles",
  manageGateways: "manage gateways",
  resetSecondFactors: "reset second factors",
  monitorCalls: "listen to calls and conferences",
  manageCredentials: "manage keys and AuthTokens",
  setLimits: "set limits of accounts",
  supervise: "supervise the service",
} as const;

export type Permission = keyof typeof administration;

/** Throws `denied` when the caller's role lacks a permission. */
export function checkPermission(caller: Account, permission: Permission): void {
  if (caller.role === "Administrator") return;
  throw new Fault("denied", `Role ${caller.role} may not ${administration[permission]}`);
}

/** Effective status: the worst of the account's own and its ancestors'. */
export async function effectiveStatus(
  account: Account,
  accounts: Pick<Accounts, "get">,
): Promise<Account["status"]> {
  const ancestors = await Promise.all(account.ancestors.map((sid) => accounts.get(sid)));
  const statuses = [account, ...ancestors].map((one) => one?.status ?? "closed");
  if (statuses.includes("closed")) return "closed";
  return statuses.includes("suspended") ? "suspended" : "active";
}

/** True when two secrets are equal. Takes a time that depends on the length of `given` alone. */
export function isSameSecret(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < given.length; i++) {
    difference |= given.charCodeAt(i) ^ expected.charCodeAt(i % expected.length);
  }
  return difference === 0;
}

/** AuthTokens of an account. */
export type Tokens = Pick<Account, "authToken" | "secondaryAuthToken">;

/** The AuthTokens of an account, which stand in no log. */
export const tokensOf = ({ authToken, secondaryAuthToken }: Tokens): string[] => [
  authToken,
  ...secondaryAuthToken ? [secondaryAuthToken] : [],
];

/** True when a password is one of the AuthTokens of an account. Takes as long for each account. */
export function isTokenOf(
  { authToken, secondaryAuthToken }: Tokens,
  password: string,
): boolean {
  const isFirst = isSameSecret(password, authToken);
  const isSecond = isSameSecret(password, secondaryAuthToken || "-");
  return isFirst || isSecond && Boolean(secondaryAuthToken);
}

/**
 * Throws `denied` where a key of role Developer would list or change accounts, or erase a person's
 * records. Responses about accounts have AuthTokens; an erasure cannot be undone. `path` is that of
 * the request, without `.json`.
 */
export function checkKey(
  role: Account["role"],
  { method, path }: { method: string; path: string },
): void {
  const [, , account, below] = path.split("/").filter((part) => part !== "");
  const isRead = account !== undefined && (method === "GET" || method === "HEAD");
  if (role === "Administrator" || isRead) return;
  if (below === "Erasures") {
    throw new Fault(
      "denied",
      "an API key of role Developer may not erase what is kept of a person",
    );
  }
  if (below !== undefined) return;
  throw new Fault("denied", "an API key of role Developer may not list or change accounts");
}

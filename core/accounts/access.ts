import { Fault } from "../base/faults.ts";
import type { Accounts } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";

/** Whether a caller may act for an account: itself or one of its descendants. */
export const actsFor = (caller: Account, account: Account): boolean =>
  account.sid === caller.sid || account.ancestors.includes(caller.sid);

/** Whether the calls and texts of an account are simulated: nothing of them leaves the service. */
export const isTest = ({ type }: Pick<Account, "type">): boolean => type === "Test";

/** What only an Administrator may do. */
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

/** The status that counts: the worst of the account's own and its ancestors'. */
export async function effectiveStatus(
  account: Account,
  accounts: Pick<Accounts, "get">,
): Promise<Account["status"]> {
  const ancestors = await Promise.all(account.ancestors.map((sid) => accounts.get(sid)));
  const statuses = [account, ...ancestors].map((one) => one?.status ?? "closed");
  if (statuses.includes("closed")) return "closed";
  return statuses.includes("suspended") ? "suspended" : "active";
}

/** Whether two secrets are equal, in a time that depends on the length of `given` alone. */
export function isSameSecret(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < given.length; i++) {
    difference |= given.charCodeAt(i) ^ expected.charCodeAt(i % expected.length);
  }
  return difference === 0;
}

/** What an account authenticates with. */
export type Tokens = Pick<Account, "authToken" | "secondaryAuthToken">;

/** The AuthTokens of an account, which stand in no log. */
export const tokensOf = ({ authToken, secondaryAuthToken }: Tokens): string[] => [
  authToken,
  ...secondaryAuthToken ? [secondaryAuthToken] : [],
];

/** Whether a password is one of the AuthTokens of an account. Takes as long for each account. */
export function isTokenOf(
  { authToken, secondaryAuthToken }: Tokens,
  password: string,
): boolean {
  const isFirst = isSameSecret(password, authToken);
  const isSecond = isSameSecret(password, secondaryAuthToken || "-");
  return isFirst || isSecond && Boolean(secondaryAuthToken);
}

/**
 * Throws `denied` where a key that is no Administrator's would list or change accounts, since the
 * responses have AuthTokens, or erase what is kept of a person, which nothing brings back. `path` is
 * that of the request, without `.json`.
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

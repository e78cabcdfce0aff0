import { Fault } from "../base/faults.ts";
import type { Accounts } from "../ports/ports.ts";
import type { Account } from "../resources/accounts.ts";

/** Whether a caller may act for an account: itself or one of its descendants. */
export const actsFor = (caller: Account, account: Account): boolean =>
  account.sid === caller.sid || account.ancestors.includes(caller.sid);

/** What only an Administrator may do. */
const administration = {
  createAccounts: "create accounts",
  changeRoles: "change roles",
  manageGateways: "manage gateways",
  resetSecondFactors: "reset second factors",
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

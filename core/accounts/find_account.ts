import { isSid } from "../base/sid.ts";
import type { Accounts } from "../model/ports/ports.ts";
import { type Account, accounts as definition } from "../model/resources/accounts.ts";

/** Some clients send an e-mail address percent-encoded. */
const decoded = (name: string): string => name.replace("%40", "@");

/** True when the name of an account is its e-mail address. */
export const isEmail = (name: string): boolean => decoded(name).includes("@");

/** An account by Sid or e-mail address, both in any case. */
export async function findAccount(name: string, accounts: Accounts): Promise<Account | null> {
  if (isEmail(name)) return await accounts.byEmail(decoded(name));
  const sid = definition.sidPrefix + name.slice(2).toLowerCase();
  const isPrefixed = name.slice(0, 2).toUpperCase() === definition.sidPrefix;
  return isPrefixed && isSid(sid, definition.sidPrefix) ? await accounts.get(sid) : null;
}

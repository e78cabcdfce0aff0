/**
 * Two AuthTokens during a change. Webhooks are signed with the first until the promotion: receivers
 * know one signature header of each kind, so that two signatures would not be read. Receivers
 * accept either token while they change. A new password ends both.
 */
import { randomBytes } from "node:crypto";
import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { verifierOf } from "./password.ts";

interface TokenPorts extends Pick<Ports, "now"> {
  accounts: Pick<Ports["accounts"], "update">;
}

const change = (
  { sid }: Account,
  fields: (account: Account) => Partial<Account>,
  { accounts, now }: TokenPorts,
): Promise<Account> =>
  accounts.update(sid, (account) => ({
    record: { ...account, ...fields(account), dateUpdated: now() },
  }));

/**
 * Makes a second AuthToken, which authenticates beside the first. Throws `alreadyExists` where
 * there is one.
 */
export async function makeSecondaryToken(account: Account, ports: TokenPorts): Promise<Account> {
  const secondaryAuthToken = randomBytes(16).toString("hex");
  return await change(account, (before) => {
    if (before.secondaryAuthToken) {
      throw new Fault(
        "alreadyExists",
        "the account has a secondary AuthToken; delete or promote it",
      );
    }
    return { secondaryAuthToken, dateSecondaryAuthTokenLastUsed: null };
  }, ports);
}

/** Removes the second AuthToken. Throws `notFound` where there is none. */
export async function removeSecondaryToken(account: Account, ports: TokenPorts): Promise<void> {
  await change(account, (before) => {
    if (!before.secondaryAuthToken) throw new Fault("notFound", "AuthTokens/Secondary");
    return { secondaryAuthToken: null, dateSecondaryAuthTokenLastUsed: null };
  }, ports);
}

/**
 * Puts the second AuthToken in the place of the first, which ends. The password stays what it is: it
 * signs in at the console. Throws `notFound` where there is no second token.
 */
export async function promoteToken(account: Account, ports: TokenPorts): Promise<Account> {
  return await change(account, (before) => {
    const { secondaryAuthToken } = before;
    if (!secondaryAuthToken) throw new Fault("notFound", "AuthTokens/Secondary");
    const passwordVerifier = verifierOf(before);
    return {
      authToken: secondaryAuthToken,
      dateAuthTokenLastUsed: before.dateSecondaryAuthTokenLastUsed ?? null,
      secondaryAuthToken: null,
      dateSecondaryAuthTokenLastUsed: null,
      passwordVerifier,
    };
  }, ports);
}

import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { hoursOfUse } from "./hours_of_use.ts";

/**
 * Notes the use of an AuthToken of an account, by the one that was sent, once an hour. An error is
 * logged: the token is good without it.
 */
export function tokenUses(
  { accounts, now, log }: Pick<Ports, "accounts" | "now" | "log">,
): (account: Account, sent: string) => Promise<void> {
  const hourOf = hoursOfUse(now);
  return async ({ sid, ...account }, sent) => {
    const isFirst = sent === account.authToken; // It was compared as a secret before.
    const field = isFirst ? "dateAuthTokenLastUsed" : "dateSecondaryAuthTokenLastUsed";
    const hour = hourOf(`${sid} ${field}`, account[field]);
    if (hour === null) return;
    // A token that was changed meanwhile has not been used.
    const isSame = (now: Account) => sent === (isFirst ? now.authToken : now.secondaryAuthToken);
    const change = (now: Account) => ({ record: isSame(now) ? { ...now, [field]: hour } : now });
    await accounts.update(sid, change).catch((error) =>
      log("Cannot note the use of an AuthToken", { accountSid: sid, error })
    );
  };
}

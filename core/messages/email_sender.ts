import { isTest } from "../accounts/access.ts";
import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";

const cure = "send from the EmailAddress of the account that the root account made, or ask the " +
  "operator to add the address to EMAIL_SENDERS";

/**
 * Throws `emailSenderNotAllowed` where an account may not send e-mail from an address: under
 * STRICT_EMAIL_FROM the operator's mail server vouches for the sender (SPF, DKIM), so that the operator
 * must have vouched for the address. The EmailAddress of an account that the root account made counts;
 * that of a sub-account of a tenant does not, since the tenant chose it.
 */
export async function assertEmailSender(
  from: string,
  account: Account,
  { accounts, settings }: Pick<Ports, "accounts" | "settings">,
): Promise<void> {
  const { strictEmailFrom, emailSenders } = settings;
  if (!strictEmailFrom || account.ancestors.length === 0 || isTest(account)) return;
  const address = from.toLowerCase();
  const line = [...account.ancestors, account.sid];
  const domain = address.slice(address.lastIndexOf("@"));
  const isAllowed = emailSenders.some(({ accountSid, sender }) =>
    (accountSid === null || line.includes(accountSid)) && [address, domain].includes(sender)
  );
  if (isAllowed) return;
  const tenant = await accounts.get(line[1] ?? account.sid);
  if (tenant?.emailAddress.toLowerCase() === address) return;
  throw new Fault("emailSenderNotAllowed", `From is ${from}: ${cure}`);
}

import { dialString, e164Of, formsOf } from "../values/dialled.ts";
import type { Ports } from "../ports/ports.ts";
import type { Account } from "../resources/accounts.ts";
import type { Call } from "../resources/calls.ts";

/**
 * How a caller shows at a Client: at one of its own account as it likes, at another account's as at a
 * number. In either case a Login is shown by its own account alone, whatever form names it.
 */
export async function callerIdAtClient(
  from: string,
  caller: { account: Pick<Account, "sid">; call: Call | null },
  owner: string,
  ports: Ports,
): Promise<string | null> {
  if (caller.account.sid !== owner) return await callerId(from, caller, ports);
  return await showsForeignLogin(from, caller, ports) ? null : from;
}

/** Whether a name reads as a Client of another account in our domain. */
export async function showsForeignLogin(
  from: string,
  { account, call }: { account: Pick<Account, "sid">; call: Call | null },
  { records }: Ports,
): Promise<boolean> {
  // What came in for a number of the account is passed on as it came.
  if (call !== null && call.phoneNumberSid !== null && call.from === from) return false;
  const login = from.replace(/^(?:client:|sips?:)/i, "").split("@")[0]!;
  // A Login that reads as a number does not reserve that number.
  if (!from.startsWith("client:") && dialString(login) !== null) return false;
  const client = await records.clients.holder("login", decoded(login));
  return client !== null && client.accountSid !== account.sid;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * How a caller shows at a number: `from` itself in the form that leaves, where the account may call
 * with it, else null. It may with its numbers, its OutgoingCallerIds and its Clients, and it may
 * pass on the caller of a call that came in for one of its numbers.
 */
export async function callerId(
  from: string,
  { account, call }: { account: Pick<Account, "sid">; call: Call | null },
  ports: Ports,
): Promise<string | null> {
  const { records, settings: { trunks } } = ports;
  const login = /^client:(.+)$/.exec(from)?.[1];
  if (login !== undefined) {
    const client = await records.clients.holder("login", login);
    return client?.accountSid === account.sid ? from : null;
  }
  const isPassedOn = call !== null && call.phoneNumberSid !== null && call.from === from;
  if (isPassedOn) return from;
  if (dialString(from) === null) return null;
  for (const form of formsOf(from, trunks.country)) {
    const number = await records.incomingPhoneNumbers.holder("phoneNumber", form);
    if (number?.accountSid === account.sid) return number.phoneNumber;
  }
  const value = e164Of(from, trunks.country) ?? from;
  const where = [{ field: "phoneNumber", op: "equals" as const, value }];
  const { total } = await records.outgoingCallerIds.list(account.sid, { where, skip: 0, limit: 1 });
  return total > 0 ? value : null;
}

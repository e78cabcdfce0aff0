import { isRoot, tenantOf } from "../accounts/tenant.ts";
import { dialString, e164Of, formsOf, numberLike } from "../model/values/dialled.ts";
import type { Ports } from "../model/ports/ports.ts";
import { ownPartyOf } from "./party.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Call } from "../model/resources/calls.ts";

/*
 * Caller IDs: a caller shows only what belongs to its account.
 *
 * - From of a call to a number is a number, an OutgoingCallerId or a Client of the account, or the caller
 *   of the inbound call of one of its numbers. Any other is error 21210. At Clients of its own account a
 *   call may show any name; at Clients of other accounts, sub-accounts included, the rule for numbers
 *   holds.
 * - A trunk shows the user part alone, so a spelling is no caller ID: an account with the Login or the
 *   virtual number `14155550142` showed another account's `+14155550142`. The contract allows such Logins,
 *   so they are judged where they show. One that reads as a number in E.164 form shows nowhere where an
 *   account of another tenant holds that number, unless it is an OutgoingCallerId. Under `STRICT_CALLER_ID`
 *   it shows to other tenants and by a trunk only as an OutgoingCallerId. Phones whose Login is their
 *   number need that number in their account, or validated.
 * - A customer's own Gateway names any caller, and the operator's trunk would vouch for it when the account
 *   passes that call on. To refuse such callers would stop a PBX that forwards by its own trunk. So under
 *   `STRICT_CALLER_ID` the call leaves by Gateways of the customer alone, and reaches no other tenant. The
 *   call notes whose Gateway brought it (`gatewayOf`).
 * - `STRICT_SMS_FROM` takes virtual numbers of the root account and of `VIRTUAL_NUMBER_ACCOUNTS` alone.
 */

/**
 * Caller ID at a Client: any at one of the caller's own account, at another account's the one that a number
 * would get. In either case a Login is shown by its own account alone, whatever form names it.
 */
export async function callerIdAtClient(
  from: string,
  caller: { account: Pick<Account, "sid">; call: Call | null },
  owner: string,
  ports: Ports,
): Promise<string | null> {
  if (caller.account.sid !== owner) {
    const toOthers = () => areOthers(caller.account.sid, owner, ports);
    return await callerId(from, { ...caller, toOthers }, ports);
  }
  if (await showsForeignLogin(from, caller, ports)) return null;
  return caller.call?.from === from ? from : await ownPartyOf(from, caller.account, ports);
}

/** Names a caller ID that is refused, the parameters that set it, and what it may be. */
export const callerIdRule = (from: string): string =>
  `${from}. From (callerId in markup) must be a phone number or an OutgoingCallerId of the account, ` +
  "or client: and the Login of one of its Clients";

/** Returns whether two accounts are of different tenants. */
export async function areOthers(
  one: string,
  other: string,
  { accounts }: Pick<Ports, "accounts">,
): Promise<boolean> {
  const [a, b] = await Promise.all([accounts.get(one), accounts.get(other)]);
  return a === null || b === null || tenantOf(a) !== tenantOf(b);
}

/** True when a name reads as a Client of another account in our domain. */
export async function showsForeignLogin(
  from: string,
  { account, call }: { account: Pick<Account, "sid">; call: Call | null },
  { records }: Ports,
): Promise<boolean> {
  // A call that came in for a number of the account is passed on as it came.
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

/** The caller whose caller ID it is. */
interface Shown {
  account: Pick<Account, "sid">;
  call: Call | null;
  /** True where the callee is elsewhere or of another tenant, who trusts what is shown; not unless given. */
  toOthers?: () => Promise<boolean>;
}

/**
 * Caller ID at a number: `from` itself in the form that leaves, where the account may call with it, else
 * null. It may with its numbers, its OutgoingCallerIds and its Clients, and it may
 * pass on the caller of a call that came in for one of its numbers. A Login or virtual number that reads
 * as a number shows only where that number could.
 */
export async function callerId(from: string, shown: Shown, ports: Ports): Promise<string | null> {
  const { records, settings: { trunks } } = ports;
  const { account, call } = shown;
  const login = /^client:(.+)$/.exec(from)?.[1];
  if (login !== undefined) {
    const client = await records.clients.holder("login", login);
    if (client?.accountSid !== account.sid) return null;
    return await mayShowAs(login, shown, ports) ? from : null;
  }
  const isPassedOn = call !== null && call.phoneNumberSid !== null && call.from === from;
  if (isPassedOn) return from;
  if (dialString(from) === null) return null;
  for (const form of formsOf(from, trunks.country)) {
    const number = await records.incomingPhoneNumbers.holder("phoneNumber", form);
    if (number?.accountSid !== account.sid) continue;
    if (!number.isSIP || await mayShowAs(number.phoneNumber, shown, ports)) {
      return number.phoneNumber;
    }
  }
  for (const value of new Set([e164Of(from, trunks.country) ?? from, from])) {
    if (await isDeclared(value, account, ports)) return value;
  }
  return null;
}

/**
 * True when a Login or virtual number of an account may show. One that reads as a number does not where an
 * unrelated account holds that number, nor, under STRICT_CALLER_ID, to others where none does.
 */
async function mayShowAs(
  text: string,
  { account, toOthers = () => Promise.resolve(false) }: Shown,
  ports: Ports,
): Promise<boolean> {
  const { records, accounts, settings: { trunks } } = ports;
  const number = numberLike(text, trunks.country);
  if (number === null) return true;
  const caller = await accounts.get(account.sid);
  if (caller === null) return false;
  if (isRoot(caller)) return true;
  const holder = await records.incomingPhoneNumbers.holder("phoneNumber", number);
  const owner = holder === null || holder.isSIP ? null : await accounts.get(holder.accountSid);
  const isFree = owner === null
    ? !await vouchesForCallerIds(caller, ports) || !await toOthers()
    : tenantOf(owner) === tenantOf(caller);
  return isFree || await isDeclared(number, account, ports);
}

/** Returns whether a number is one of the OutgoingCallerIds of an account. */
async function isDeclared(
  value: string,
  { sid }: Pick<Account, "sid">,
  { records }: Pick<Ports, "records">,
): Promise<boolean> {
  const where = [{ field: "phoneNumber", op: "equals" as const, value }];
  return (await records.outgoingCallerIds.list(sid, { where, skip: 0, limit: 1 })).total > 0;
}

/**
 * Returns whether a caller ID is one that only a customer's Gateway has named: the caller of a call that it
 * brought, which the account passes on. Under STRICT_CALLER_ID such a call leaves by the trunks of that
 * customer alone, whose carrier knows the customer, and reaches no other tenant.
 */
export async function isUnproven(
  from: string,
  { account, call }: Pick<Shown, "account" | "call">,
  ports: Ports,
): Promise<boolean> {
  if (call === null || call.gatewayOf === null || call.from !== from) return false;
  const owner = await ports.accounts.get(call.gatewayOf);
  if (owner === null || isRoot(owner) || !await vouchesForCallerIds(owner, ports)) return false;
  return await callerId(from, { account, call: null }, ports) === null;
}

/**
 * True when the operator's carrier vouches for the numbers that an account shows (STRICT_CALLER_ID). Unless
 * the variable is set, it does where a trunk of the operator is configured.
 */
export async function vouchesForCallerIds(
  { sid, ancestors: [root = sid] }: Pick<Account, "sid" | "ancestors">,
  { records, settings }: Pick<Ports, "records" | "settings">,
): Promise<boolean> {
  const first = { where: [], skip: 0, limit: 1 };
  return settings.strictCallerId ?? (await records.gateways.list(root, first)).total > 0;
}

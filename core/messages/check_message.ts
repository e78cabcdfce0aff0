import { isTest } from "../accounts/access.ts";
import { Fault } from "../base/faults.ts";
import { areOthers, callerId } from "../numbers/caller_id.ts";
import { isOperators } from "../numbers/find_number.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import { refusedRecipient } from "./reserve.ts";
import { refusalOf, senderRefusal } from "../model/values/test_calls.ts";
import type { Message } from "../model/resources/messages.ts";
import { e164Of } from "../model/values/dialled.ts";

const e164 = /^\+[1-9]\d{5,14}$/;
const shortCode = /^\d{3,8}$/;
const client = /^(?:client:)?([A-Za-z][A-Za-z0-9\-._+]{0,63})$/;
/** An alphanumeric sender, as carriers outside of North America show one (SMPP 3.4 §5.2.5). */
const senderName = /^(?=.*[A-Za-z])[A-Za-z0-9 &+_-]{1,11}$/;
const clientAddress = /^client:[A-Za-z0-9\-._+]{1,64}$/;

type Ends = Pick<Message, "from" | "to">;
type Wanted = Ends & { mayName?: boolean };

/**
 * The ends of a message that an account sends, as records have them: a number, or `client:LOGIN`
 * also for a Login alone. `mayName`: From may be a name where To is a number, as Twilio has it. Throws
 * `badTo`, `badFrom`, under STRICT_SMS_FROM `senderNotAllowed`, or where the limits of the account do
 * not allow the recipient `destinationLimit` or `premiumNotAllowed`.
 */
export async function checkMessage(
  ends: Wanted,
  account: Pick<Account, "sid" | "type">,
  ports: Ports,
): Promise<Ends> {
  if (isTest(account)) return checkTestMessage(ends, ports.settings);
  const { sid: accountSid } = account;
  const to = await recipient(ends.to, ports);
  const from = await sender({ ...ends, to }, accountSid, ports);
  await checkShown({ from, to }, accountSid, ports);
  const refused = await refusedRecipient(to, account, ports);
  if (refused !== null) throw new Fault(refused.fault, refused.detail);
  const { strictSmsFrom, smsShortCodes } = ports.settings;
  if (!strictSmsFrom || smsShortCodes.includes(from)) return { from, to };
  const number = await ports.records.incomingPhoneNumbers.holder("phoneNumber", from);
  if (number?.accountSid === accountSid && await isVouched(number, ports)) return { from, to };
  throw new Fault("senderNotAllowed", "From must be an SMS-capable number of the account");
}

/**
 * Returns whether texts may be sent from a number of an account. A virtual number, which the account chose
 * freely, may only where the operator's trunks reach it.
 */
async function isVouched(
  { accountSid, isSIP, capabilities }: IncomingPhoneNumber,
  { accounts, settings }: Ports,
): Promise<boolean> {
  if (!capabilities.smsCapable || !isSIP) return capabilities.smsCapable;
  const account = await accounts.get(accountSid);
  return account !== null && isOperators(account, settings.trunks);
}

/** Checks the ends for a test account: any sender is its own, except the magic numbers of refusals. */
function checkTestMessage(ends: Wanted, settings: Ports["settings"]): Ends {
  const { mayName = false } = ends;
  const to = numberOr(ends.to, settings);
  const from = shortCode.test(ends.from) ? ends.from : numberOr(ends.from, settings);
  if (!e164.test(to) && !clientAddress.test(to) || refusalOf(to) === "invalid") throw badTo();
  const login = client.exec(from)?.[1];
  const isName = mayName && e164.test(to) && senderName.test(from);
  const isKnown = e164.test(from) || shortCode.test(from) || isName || login !== undefined;
  const refusal = senderRefusal(from);
  if (!isKnown || refusal === "invalid") throw badFrom(mayName);
  if (refusal === "foreign") {
    throw new Fault("senderNotAllowed", "From must be an SMS-capable number of the account");
  }
  return { from: login === undefined || isName ? from : `client:${login}`, to };
}

/** Throws where From may not show at a Client of another account: the rule of calls to numbers. */
async function checkShown({ from, to }: Ends, accountSid: string, ports: Ports): Promise<void> {
  const login = /^client:(.+)$/.exec(to)?.[1];
  const client = login === undefined ? null : await ports.records.clients.holder("login", login);
  if (client === null || client.accountSid === accountSid) return;
  if (ports.settings.smsShortCodes.includes(from)) return;
  const toOthers = () => areOthers(accountSid, client.accountSid, ports);
  const caller = { account: { sid: accountSid }, call: null, toOthers };
  if (await callerId(from, caller, ports) === null) {
    throw new Fault(
      "senderNotAllowed",
      "From must be a number or Client of the account when To is a Client of another account",
    );
  }
}

/** A Client named with `client:` need not exist, one named by its Login alone must. */
async function recipient(written: string, { records, settings }: Ports): Promise<string> {
  const to = numberOr(written, settings);
  if (e164.test(to) || clientAddress.test(to)) return to;
  const login = client.exec(to)?.[1];
  if (login !== undefined && await records.clients.holder("login", login) !== null) {
    return `client:${login}`;
  }
  throw badTo();
}

/** The number in E.164 form that a text means, however it is written; any other text as it is. */
const numberOr = (text: string, { trunks }: Ports["settings"]): string =>
  e164Of(text, trunks.country) ?? text;

const badTo = () =>
  new Fault("badTo", "To must be a number in E.164 form (+ and digits), or client: and a Login");

async function sender(
  { from: written, to, mayName = false }: Wanted,
  accountSid: string,
  { records, settings }: Ports,
): Promise<string> {
  if (shortCode.test(written)) return written;
  const from = numberOr(written, settings);
  if (e164.test(from)) return from;
  const login = client.exec(from)?.[1];
  const holder = login === undefined ? null : await records.clients.holder("login", login);
  if (holder?.accountSid === accountSid) return `client:${holder.login}`;
  if (mayName && e164.test(to) && senderName.test(from)) return from;
  throw badFrom(mayName);
}

function badFrom(mayName: boolean): Fault {
  const name = mayName ? ", a name of at most 11 letters and digits towards a number" : "";
  const rule = `must be a number in E.164 form (+ and digits), a short code${name}`;
  return new Fault("badFrom", `From ${rule} or a Client of the account`);
}

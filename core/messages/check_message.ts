import { Fault } from "../faults.ts";
import type { Ports } from "../ports.ts";
import type { Message } from "../resources/messages.ts";

const e164 = /^\+[1-9]\d{5,14}$/;
const shortCode = /^\d{3,8}$/;
const client = /^(?:client:)?([A-Za-z][A-Za-z0-9\-._+]{0,63})$/;
const clientAddress = /^client:[A-Za-z0-9\-._+]{1,64}$/;

/**
 * Checks the ends of a message that an account sends. Throws `badTo`, `badFrom`, or under
 * STRICT_SMS_FROM `senderNotAllowed`.
 */
export async function checkMessage(
  { from, to }: Pick<Message, "from" | "to">,
  accountSid: string,
  ports: Ports,
): Promise<void> {
  if (!e164.test(to) && !clientAddress.test(to)) {
    throw new Fault("badTo", "To must be a number as + and its digits, or client: and a Login");
  }
  const isNumber = e164.test(from) || shortCode.test(from);
  if (!isNumber && !await isOwnClient(from, accountSid, ports)) {
    const rule = "must be a number as + and its digits, a short code or a Client of the account";
    throw new Fault("badFrom", `From ${rule}`);
  }
  const { strictSmsFrom, smsShortCodes } = ports.settings;
  if (!strictSmsFrom || smsShortCodes.includes(from)) return;
  const number = await ports.records.incomingPhoneNumbers.holder("phoneNumber", from);
  if (number?.accountSid === accountSid && number.capabilities.smsCapable) return;
  throw new Fault("senderNotAllowed", "From is no SMS-capable number of the account");
}

async function isOwnClient(from: string, accountSid: string, ports: Ports): Promise<boolean> {
  const login = client.exec(from)?.[1];
  const holder = login && await ports.records.clients.holder("login", login);
  return holder ? holder.accountSid === accountSid : false;
}

/**
 * The one form of a party of a call or text, made where a request brings it: what is stored, shown, sent to
 * application servers and filtered by is then what is dialled, whichever way it was typed. Inbound and
 * outbound records of a number agree.
 *
 * Clients, SIP addresses and names stay as they are. So does what a virtual number is spelt as, and what a
 * pattern of virtual numbers fits, unless it fits the number as well: `9…` and `*135#` of an account are no
 * numbers of the telephone network. Up to three digits, and up to six that the plan of the country does not
 * have, are dialled as they are: `112` and `1000`.
 *
 * Refused: to normalise where a number is used, or in the store. The typed text is not stored. Records from
 * before this rule keep their spelling, and a filter finds them by it.
 */
import { parseAddress } from "../model/values/address.ts";
import { dialString, e164Of } from "../model/values/dialled.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { numberFor } from "./find_number.ts";

/** Returns a party as records have it: a number in E.164 form where the text means one. */
export async function partyOf(text: string, account: Account, ports: Ports): Promise<string> {
  const address = parseAddress(text);
  if (address?.kind !== "number") return text;
  const { country } = ports.settings.trunks;
  const stored = e164Of(address.dialled, country) ?? address.dialled;
  if (stored === text) return text;
  const found = await numberFor(text, account, ports);
  if (found === null || !found.number.isSIP) return stored;
  const { sid, phoneNumber } = found.number;
  if (phoneNumber === text) return text;
  const isEither = (await numberFor(stored, account, ports))?.number.sid === sid;
  return isEither ? stored : address.dialled;
}

/**
 * Returns a caller ID as records have it: the virtual number of that spelling where the account has one, else
 * a number in E.164 form where the text means one.
 */
export async function ownPartyOf(
  text: string,
  { sid }: Pick<Account, "sid">,
  { records, settings }: Pick<Ports, "records" | "settings">,
): Promise<string> {
  const dialled = dialString(text);
  if (dialled === null) return text;
  const stored = e164Of(dialled, settings.trunks.country) ?? dialled;
  if (stored === text) return text;
  for (const spelling of new Set([text, dialled])) {
    const number = await records.incomingPhoneNumbers.holder("phoneNumber", spelling);
    if (number?.accountSid === sid) return number.phoneNumber;
  }
  return stored;
}

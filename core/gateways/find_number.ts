import { effectiveStatus } from "../accounts/access.ts";
import type { FoundNumber, NumberQuery } from "../protocol/trunks.ts";
import { formsOf } from "../values/dialled.ts";
import { fitsNumber } from "../values/number_pattern.ts";
import type { Ports } from "../ports/ports.ts";
import type { Account } from "../resources/accounts.ts";
import type { IncomingPhoneNumber } from "../resources/incoming_phone_numbers.ts";
import { areRelated, isWithin } from "./relation.ts";

/** Whether a call may reach a number of an account. */
type Reaches = (number: IncomingPhoneNumber, owner: Account) => boolean;

/** A number, whose it is, and what was dialled for it. */
export interface Found {
  number: IncomingPhoneNumber;
  owner: Account;
  dialled: string;
}

/**
 * The number that a trunk's call is for. What comes through a Gateway reaches the numbers of its
 * account and those below; an allowed source is the operator's, and reaches all.
 */
export async function numberOf(
  { dialled, gateway }: NumberQuery,
  ports: Ports,
): Promise<FoundNumber | null> {
  if (gateway !== null) {
    const { accountSid, gatewaySid } = gateway;
    if (await ports.records.gateways.get(accountSid, gatewaySid) === null) return null;
  }
  const reaches: Reaches = (_, owner) => gateway === null || isWithin(owner, gateway.accountSid);
  const found = await find(dialled, reaches, ports);
  return found === null ? null : {
    accountSid: found.owner.sid,
    numberSid: found.number.sid,
    dialled: found.dialled,
    allowed: await effectiveStatus(found.owner, ports.accounts) === "active",
  };
}

/**
 * The number of this service that an account means by what it dials: one of its own or of a related
 * account, or any real one where the provider of numbers verifies its holder. Otherwise any account
 * could provision a number, or a pattern, and receive the calls of others.
 */
export function numberFor(dialled: string, caller: Account, ports: Ports): Promise<Found | null> {
  const { numbersVouched } = ports.settings.trunks;
  const reaches: Reaches = (number, owner) =>
    areRelated(caller, owner) || numbersVouched && !number.isSIP;
  return find([dialled], reaches, ports);
}

/** Exact and E.164 forms first, then patterns: the longest, and of those the oldest. */
async function find(
  dialled: string[],
  reaches: Reaches,
  ports: Ports,
): Promise<Found | null> {
  const { records, accounts, settings: { trunks } } = ports;
  const reached = async (number: IncomingPhoneNumber, text: string): Promise<Found | null> => {
    const owner = await accounts.get(number.accountSid);
    return owner !== null && reaches(number, owner) ? { number, owner, dialled: text } : null;
  };
  const forms = dialled.map((text) => ({ text, forms: formsOf(text, trunks.country) }));
  for (const { text, forms: likely } of forms) {
    for (const form of likely) {
      const number = await records.incomingPhoneNumbers.holder("phoneNumber", form);
      const found = number && await reached(number, text);
      if (found !== null) return found;
    }
  }
  const patterns = await records.incomingPhoneNumbers.group("patterns", "any");
  for (const number of patterns.toSorted(byPrecedence)) {
    const fitting = forms.find(({ forms }) =>
      forms.some((form) => fitsNumber(form, number.phoneNumber))
    );
    const found = fitting === undefined ? null : await reached(number, fitting.text);
    if (found !== null) return found;
  }
  return null;
}

const byPrecedence = (a: IncomingPhoneNumber, b: IncomingPhoneNumber): number =>
  b.phoneNumber.length - a.phoneNumber.length || a.dateCreated - b.dateCreated ||
  (a.sid < b.sid ? -1 : 1);

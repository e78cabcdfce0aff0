/**
 * The purchase of a number. Number, first charge and the notice to the provider are one commit, and the
 * unique key of the number decides who holds it.
 *
 * A virtual number may have the text of a number that the provider offers later. Its purchase then removes
 * the virtual number in the same commit, where `NUMBERS_PROVIDER` vouches for holders; the log names the
 * account that lost it. Refused: to forbid such virtual numbers, which the contract allows; to keep virtual
 * numbers under names of their own.
 */
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { AlsoGone } from "../model/record_types.ts";
import { creation } from "../model/resource.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers as definition,
} from "../model/resources/incoming_phone_numbers.ts";
import { e164Of } from "../model/values/dialled.ts";
import { isPattern, isVirtualNumber } from "../model/values/number_pattern.ts";
import { type NumberOffer, usualCapabilities } from "../model/values/offer.ts";
import { formatNumber, type NumberKind, parseNumber } from "../model/values/phone_number.ts";
import { checkProgram, withinBounds } from "./pattern_bounds.ts";
import { availableNumbers } from "./search.ts";

/** Request for a number: the account, the kind and the parameters. */
export interface NumberWanted {
  accountSid: string;
  /** Absent, the kind is that of the number itself. */
  kind?: NumberKind;
  /** The parameters, with PhoneNumber or AreaCode among them. */
  sent: Partial<IncomingPhoneNumber>;
}

type NumberPorts = Pick<
  Ports,
  "accounts" | "numbers" | "records" | "settings" | "now" | "newSid" | "log"
>;

/** The number to provision: an offer, or a virtual number without a provider. */
type Granted = Pick<NumberOffer, "phoneNumber" | "kinds" | "capabilities"> & { isSIP: boolean };

/**
 * Gives a number to an account, with the charge for its first month: both, or neither. Of two requests
 * for one number at once, one succeeds. Throws `badPhoneNumber` (also where a
 * pattern is beyond the bounds of the tenant), `numberUnavailable` or `noNumberInArea`, and `badParameter` when neither PhoneNumber nor AreaCode was sent.
 */
export async function provisionNumber(
  wanted: NumberWanted,
  ports: NumberPorts,
): Promise<IncomingPhoneNumber> {
  const { sent, accountSid } = wanted;
  if (sent.areaCode !== undefined) return await inAreaCode(sent.areaCode, wanted, ports);
  if (sent.phoneNumber === undefined) {
    throw new Fault("badParameter", "PhoneNumber or AreaCode is required");
  }
  const granted = await grant(sent.phoneNumber, wanted, ports);
  if (!granted.isSIP || !isPattern(granted.phoneNumber)) return await take(granted, wanted, ports);
  return await withinBounds(
    accountSid,
    granted.phoneNumber,
    () => take(granted, wanted, ports),
    ports,
  );
}

/** A random number of those available in an area code of the United States or Canada. */
async function inAreaCode(
  areaCode: string,
  wanted: NumberWanted,
  ports: NumberPorts,
): Promise<IncomingPhoneNumber> {
  const offers = await availableNumbers({ areaCode }, ports);
  const left = offers.filter(({ isoCountry }) => isoCountry === "US" || isoCountry === "CA");
  for (let attempt = 0; attempt < limits.numberAttempts && left.length > 0; attempt++) {
    const [offer] = left.splice(randomBelow(left.length), 1);
    try {
      // `left` is not empty, and the index is below its length.
      return await take({ ...offer!, isSIP: false }, wanted, ports);
    } catch (error) {
      if (!(error instanceof Fault) || error.fault !== "numberUnavailable") throw error;
    }
  }
  throw new Fault("noNumberInArea", `no number with AreaCode ${areaCode} is available`);
}

const randomBelow = (bound: number): number =>
  crypto.getRandomValues(new Uint32Array(1))[0]! % bound; // The array has one element.

/**
 * The number that a text stands for. A virtual number is as it is given, unless the provider offers it:
 * then it is a real number, so that none leaves the inventory unnoticed.
 */
async function grant(
  text: string,
  { accountSid, sent }: NumberWanted,
  ports: NumberPorts,
): Promise<Granted> {
  const { isSIP = false } = sent;
  const number = parseNumber(isSIP ? text : e164Of(text, ports.settings.trunks.country) ?? text);
  const offer = number && await ports.numbers.offer(number.phoneNumber);
  if (offer !== null) return { ...offer, isSIP: false };
  if (isSIP) {
    const phoneNumber = number?.phoneNumber ?? text;
    checkProgram(phoneNumber);
    if (!isVirtualNumber(phoneNumber)) {
      throw new Fault(
        "badPhoneNumber",
        "PhoneNumber must be digits, *, # and +, or a pattern of them, when isSIP is true",
      );
    }
    return {
      phoneNumber,
      kinds: number?.kinds ?? ["local", "mobile", "tollFree"],
      capabilities: usualCapabilities,
      isSIP,
    };
  }
  if (number !== null) throw await unavailable(number.phoneNumber, accountSid, ports);
  throw new Fault(
    "badPhoneNumber",
    "PhoneNumber must be a possible number in E.164 form: + and digits",
  );
}

/** Reason for which a number is not available. Only its own account learns that a number is held, and by which Sid. */
async function unavailable(
  phoneNumber: string,
  accountSid: string,
  { records }: NumberPorts,
  cause?: Fault,
): Promise<Fault> {
  const holder = await records.incomingPhoneNumbers.holder("phoneNumber", phoneNumber);
  const why = holder?.accountSid === accountSid
    ? `PhoneNumber ${phoneNumber} belongs to this account already: its Sid is ${holder.sid}`
    : `PhoneNumber ${phoneNumber} is not available`;
  return new Fault("numberUnavailable", why, { cause });
}

async function take(
  granted: Granted,
  // A number is of one kind at least.
  { accountSid, kind = granted.kinds[0]!, sent }: NumberWanted,
  ports: NumberPorts,
): Promise<IncomingPhoneNumber> {
  const { phoneNumber, kinds, capabilities, isSIP } = granted;
  if (!kinds.includes(kind)) {
    throw new Fault("badPhoneNumber", `PhoneNumber must be a ${kindNames[kind]} number`);
  }
  const { areaCode: _, ...settings } = sent;
  const friendlyName = sent.friendlyName ??
    formatNumber(phoneNumber).slice(0, limits.friendlyNameLength);
  const now = ports.now();
  const change = creation(
    definition,
    { ...settings, friendlyName, phoneNumber, kind, capabilities, isSIP },
    { sid: ports.newSid(definition.sidPrefix), accountSid, dateCreated: now, dateUpdated: now },
  );
  const charges = [firstMonth(ports)];
  const insert = (gone: AlsoGone[] = []) =>
    ports.records.incomingPhoneNumbers.insert({ ...change, charges, gone });
  try {
    return await insert().catch(async (error) => {
      const holder = isTaken(error) ? await replaceable(granted, accountSid, ports) : null;
      if (holder === null) throw error;
      const { accountSid: loser, sid } = holder;
      ports.log("A number of the provider takes the place of a virtual one", {
        phoneNumber,
        accountSid: loser,
      });
      return await insert([{ from: "incomingPhoneNumbers", accountSid: loser, sid }]);
    });
  } catch (cause) {
    if (!isTaken(cause)) throw cause;
    throw await unavailable(phoneNumber, accountSid, ports, cause);
  }
}

const isTaken = (error: unknown): error is Fault =>
  error instanceof Fault && error.fault === "alreadyExists";

/**
 * The virtual number of another account that has the text of a number of the provider, which it must
 * not keep from buyers.
 */
async function replaceable(
  { phoneNumber, isSIP }: Granted,
  accountSid: string,
  { records, settings }: NumberPorts,
): Promise<IncomingPhoneNumber | null> {
  if (isSIP || !settings.trunks.numbersVouched) return null;
  const holder = await records.incomingPhoneNumbers.holder("phoneNumber", phoneNumber);
  return holder?.isSIP === true && holder.accountSid !== accountSid ? holder : null;
}

const kindNames: Record<NumberKind, string> = {
  local: "local",
  tollFree: "toll-free",
  mobile: "mobile",
};

const firstMonth = ({ settings, now }: NumberPorts) => ({
  category: "phonenumbers" as const,
  priceMicros: settings.numberPriceMicros,
  usage: 1,
  at: now(),
});

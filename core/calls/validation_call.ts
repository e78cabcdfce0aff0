/*
 * Caller IDs are validated by a call where a trunk carries what an account shows: the operator's carrier
 * answers for it. Both interfaces make the same call. The root account is the operator, so it may add
 * numbers without one.
 *
 * A declared number that stays pending until a code is typed was refused: every reader of caller IDs would
 * have to look at its state. Under `STRICT_CALLER_ID`, POST OutgoingCallerIds is error 21213, which names
 * `OutgoingCallerIds/ValidationRequests`. It is on where `OUTBOUND_PROXY` or `SIP_TRUSTED_SOURCES` is set
 * or the root account has a Gateway. A Gateway of a tenant changes nothing: its carrier knows its customer.
 *
 * The call comes from the first number of the account, else from its first OutgoingCallerId; without either
 * the request is refused. Its documents are addresses of the service (`validation:`), which no markup of a
 * customer can name. It always leaves, by the operator's trunks where there is one: a virtual number, a
 * pattern or a Gateway of the account could otherwise answer it and type the code. Three wrong codes end it.
 */
import { isTest } from "../accounts/access.ts";
import { isRoot } from "../accounts/tenant.ts";
import { Fault } from "../base/faults.ts";
import { validationUrls } from "../model/flows/address.ts";
import { vouchesForCallerIds } from "../numbers/caller_id.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Call } from "../model/resources/calls.ts";
import { ownedNumber } from "../model/resources/outgoing_caller_ids.ts";
import { formatNumber } from "../model/values/phone_number.ts";

/** Seconds after which the call that asks for the code is ended. */
const validationS = 180;

/** A request to validate a number. */
export interface ValidationWanted {
  /** The number in E.164 form, or as it is dialled in DEFAULT_COUNTRY. */
  phoneNumber: string;
  friendlyName?: string | undefined;
  /** Seconds until the number is called. */
  callDelay?: number | undefined;
  /** Keys that are sent first. */
  extension?: string | undefined;
  statusCallback?: string | undefined;
  statusCallbackMethod?: "GET" | "POST" | undefined;
}

/**
 * The parameters of the call that asks for a new code of six digits. Throws `callerIdNotAllowed` where
 * the account has no number that the call could come from.
 */
export async function validationCall(
  wanted: ValidationWanted,
  account: Pick<Account, "sid">,
  ports: Pick<Ports, "records" | "settings">,
): Promise<Record<string, unknown>> {
  const { friendlyName, callDelay, extension, ...callback } = wanted;
  const phoneNumber = ownedNumber(wanted.phoneNumber, ports.settings.trunks.country);
  const validation: Call["validation"] = {
    code: newCode(),
    phoneNumber,
    friendlyName: friendlyName ?? formatNumber(phoneNumber),
    tries: 0,
    ...callDelay && { delayS: callDelay },
    callerIdSid: null,
  };
  const call = {
    to: phoneNumber,
    from: await ownNumber(account, ports),
    url: validationUrls.ask,
    sendDigits: extension,
    timeLimit: validationS,
    ...callback,
    validation,
  };
  return Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined));
}

/** A code of six digits. */
const newCode = (): string =>
  String(crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000).padStart(6, "0");

/** A number of the account that the call may come from. */
async function ownNumber(
  { sid }: Pick<Account, "sid">,
  { records }: Pick<Ports, "records">,
): Promise<string> {
  const first = { where: [], skip: 0, limit: 1 };
  const [number] = (await records.incomingPhoneNumbers.list(sid, first)).items;
  const [validated] = (await records.outgoingCallerIds.list(sid, first)).items;
  const found = number?.phoneNumber ?? validated?.phoneNumber;
  if (found !== undefined) return found;
  const cure = "buy a number, or let the root account add one by POST OutgoingCallerIds";
  throw new Fault(
    "callerIdNotAllowed",
    `the account has no number that the call could come from; ${cure}`,
  );
}

/**
 * Throws `callerIdNotValidated` where `caller` may not add a number to the OutgoingCallerIds of an
 * account without a call to it: under STRICT_CALLER_ID, which is on by default where a trunk is
 * configured, only the root account may. A number of a test account shows nowhere.
 */
export async function assertMayDeclare(
  { caller, account }: Record<"caller" | "account", Account>,
  ports: Pick<Ports, "records" | "settings">,
): Promise<void> {
  if (isRoot(caller) || isTest(account)) return;
  if (await vouchesForCallerIds(caller, ports)) {
    throw new Fault(
      "callerIdNotValidated",
      "POST OutgoingCallerIds/ValidationRequests, and the number is called; or let the root " +
        "account add it",
    );
  }
}

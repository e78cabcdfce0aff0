import { actsFor, effectiveStatus, isTest } from "../accounts/access.ts";
import { tenantOf } from "../accounts/tenant.ts";
import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import { alteration } from "../model/resource.ts";
import type { Account } from "../model/resources/accounts.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers as definition,
  providerJobs,
} from "../model/resources/incoming_phone_numbers.ts";

import { isPattern } from "../model/values/number_pattern.ts";
import { withinBounds } from "./pattern_bounds.ts";

/** The number to change, and the account that asks. */
export interface NumberUpdate {
  caller: Account;
  account: Account;
  sid: string;
  sent: Partial<IncomingPhoneNumber>;
  /** The account to transfer the number to. */
  to?: string;
}

type UpdatePorts = Pick<Ports, "accounts" | "records" | "now">;

/** Changes a number. Throws `notFound`, or `badParameter` for what names no application or account. */
export async function updateNumber(
  { caller, account, sid, sent, to = account.sid }: NumberUpdate,
  ports: UpdatePorts,
): Promise<IncomingPhoneNumber> {
  const numbers = ports.records.incomingPhoneNumbers;
  const present = await numbers.get(account.sid, sid);
  if (present === null) throw new Fault("notFound", sid);
  if (to !== account.sid) await checkReceiver(caller, to, ports);
  const changed = (before: IncomingPhoneNumber) =>
    alteration(definition, before, { sent, now: ports.now() });
  if (to === account.sid) return await numbers.update(account.sid, sid, changed);

  let moved: IncomingPhoneNumber | undefined;
  const move = () =>
    numbers.remove(account.sid, sid, (before) => {
      const without = { ...before, ...noApplications, ...sent };
      const record = moved = { ...without, accountSid: to, dateUpdated: ports.now() };
      const also = [{ into: "incomingPhoneNumbers" as const, record }];
      return { record, also, jobs: providerJobs("transferred", record) };
    });
  if (await addsPattern(present, account, to, ports)) {
    await withinBounds(to, present.phoneNumber, move, ports);
  } else await move();
  return moved!; // remove() called the function, or threw.
}

/** Returns whether a transfer adds a pattern to those of another tenant. */
async function addsPattern(
  { isSIP, phoneNumber }: IncomingPhoneNumber,
  from: Account,
  to: string,
  { accounts }: UpdatePorts,
): Promise<boolean> {
  if (!isSIP || !isPattern(phoneNumber)) return false;
  const receiver = await accounts.get(to);
  return receiver !== null && tenantOf(receiver) !== tenantOf(from);
}

/** The applications of the account that gives a number away stay with that account. */
const noApplications = {
  voiceApplicationSid: null,
  smsApplicationSid: null,
  ussdApplicationSid: null,
  referApplicationSid: null,
};

/** One refusal for an account that is foreign, closed, suspended or missing: it discloses nothing. */
async function checkReceiver(caller: Account, sid: string, { accounts }: UpdatePorts) {
  const receiver = await accounts.get(sid);
  const mayReceive = receiver !== null && actsFor(caller, receiver) && !isTest(receiver) &&
    await effectiveStatus(receiver, accounts) === "active";
  if (!mayReceive) {
    throw new Fault(
      "badParameter",
      "AccountSid must be the caller's account or one of its sub-accounts, with Status active and Type Full",
    );
  }
}

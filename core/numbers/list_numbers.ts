import { matches } from "../filters.ts";
import { limits } from "../limits.ts";
import type { Ports, Query, Slice } from "../ports.ts";
import type { IncomingPhoneNumber } from "../resources/incoming_phone_numbers.ts";
import type { NumberKind } from "./phone_number.ts";

/** Which numbers to list: an account's, all or of one kind. */
export interface NumberList {
  accountSid: string;
  kind?: NumberKind;
}

/** The numbers that pass, by PhoneNumber. An account's numbers are few, so all are read and sorted. */
export async function listNumbers(
  { accountSid, kind }: NumberList,
  { where, skip, limit, after }: Query,
  { records }: Pick<Ports, "records">,
): Promise<Slice<IncomingPhoneNumber>> {
  const conditions = where.filter(({ field }) => field !== "beta");
  const passed: IncomingPhoneNumber[] = [];
  for await (const number of everyNumber(accountSid, records)) {
    const isKind = kind === undefined || number.kind === kind;
    if (isKind && matches({ ...number }, conditions)) passed.push(number);
  }
  passed.sort((a, b) => a.phoneNumber < b.phoneNumber ? -1 : 1);
  const from = after === undefined ? skip : passed.findIndex(({ sid }) => sid === after) + 1;
  return { items: passed.slice(from, from + limit), total: passed.length };
}

async function* everyNumber(
  accountSid: string,
  records: Ports["records"],
): AsyncGenerator<IncomingPhoneNumber> {
  let after: string | undefined;
  do {
    const cursor = after === undefined ? {} : { after };
    const query = { where: [], skip: 0, limit: limits.pageSizeMax, ...cursor };
    const { items } = await records.incomingPhoneNumbers.list(accountSid, query);
    yield* items;
    after = items.length === limits.pageSizeMax ? items.at(-1)!.sid : undefined;
  } while (after !== undefined);
}

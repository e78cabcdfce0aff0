import type { Condition } from "../base/filters.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Query, Slice } from "../model/store.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import type { NumberKind } from "../model/values/phone_number.ts";

/** The numbers to list: an account's, all or of one kind. */
export interface NumberList {
  accountSid: string;
  kind?: NumberKind;
}

/** The numbers that pass, by PhoneNumber. */
export function listNumbers(
  { accountSid, kind }: NumberList,
  query: Query,
  { records }: Pick<Ports, "records">,
): Promise<Slice<IncomingPhoneNumber>> {
  const asked = query.where.filter(({ field }) => field !== "beta");
  const ofKind: Condition[] = kind === undefined
    ? []
    : [{ field: "kind", op: "equals", value: kind }];
  return records.incomingPhoneNumbers.list(accountSid, { ...query, where: [...asked, ...ofKind] });
}

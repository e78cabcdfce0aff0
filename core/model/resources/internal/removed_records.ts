import { z } from "zod";
import type { Base } from "../../../base/record.ts";
import type { AlsoPut } from "../../record_types.ts";
import { type RecordOf, resource } from "../../resource.ts";

/**
 * Marks a record that a request removed and that a late writer could make anew: a part of a recording,
 * a report, an order or a text that comes once more. A removal is final, whatever is written later.
 * Internal: no interface shows it. Marks are stored for a day.
 */
export const removedRecords = resource({
  type: "RemovedRecord",
  description: "A record that was removed, and must not come back.",
  path: "RemovedRecords",
  sidPrefix: "RR",
  irregular: true,
  internal: true,
  fields: {
    recordSid: z.string(),
    /** Id at the carrier of an incoming text. */
    arrivalId: z.string().nullable(),
  },
  unique: ["arrivalId"],
});

export type RemovedRecord = RecordOf<typeof removedRecords>;

/** Sid of the mark of a record. */
const markSid = (sid: string): string => removedRecords.sidPrefix + sid.slice(2);

/** The mark of a record, as it stands in the store. */
export const markOf = (
  { accountSid, sid, dateCreated, dateUpdated, arrivalId = null }: Base & {
    arrivalId?: string | null;
  },
): RemovedRecord => {
  const base = { sid: markSid(sid), accountSid, dateCreated, dateUpdated };
  return { ...base, recordSid: sid, arrivalId };
};

/**
 * The mark, as a part of the change that removes a record. Its type says nothing: that of a change
 * follows from all resources, those with marks included.
 */
export function withMark(record: Base & { arrivalId?: string | null }): object {
  const put: AlsoPut[] = [{ into: "removedRecords", record: markOf(record) }];
  return { put };
}

/** Tells whether a record was removed. Look for the record itself first: a removal writes both at once. */
export const isRemoved = async (
  { accountSid, sid }: Pick<Base, "accountSid" | "sid">,
  { removedRecords: marks }: {
    removedRecords: { get(accountSid: string, sid: string): Promise<RemovedRecord | null> };
  },
): Promise<boolean> => await marks.get(accountSid, markSid(sid)) !== null;

import { reference } from "../../base/fields.ts";
import type { Base } from "../../base/record.ts";
import type { AlsoPut } from "../../model/record_types.ts";
import { type RecordOf, resource } from "../../model/resource.ts";

/**
 * Marks a Recording that was removed while its audio was still coming in: a part that arrives late must
 * not make the Recording anew. Internal: no interface shows it.
 */
export const removedRecordings = resource({
  type: "RemovedRecording",
  description: "A recording that was removed before its audio was whole.",
  path: "RemovedRecordings",
  sidPrefix: "RR",
  irregular: true,
  internal: true,
  fields: { recordingSid: reference("RE") },
});

export type RemovedRecording = RecordOf<typeof removedRecordings>;

/** Sid of the mark of a Recording. */
export const removedSid = (recordingSid: string): string =>
  removedRecordings.sidPrefix + recordingSid.slice(2);

/**
 * The mark, as a part of the change that removes the Recording. Its type says nothing: that of a change
 * follows from all resources, Recordings included.
 */
export function withMark({ accountSid, sid, dateCreated, dateUpdated }: Base): object {
  const base = { sid: removedSid(sid), accountSid, dateCreated, dateUpdated };
  const record: RemovedRecording = { ...base, recordingSid: sid };
  const put: AlsoPut[] = [{ into: "removedRecordings", record }];
  return { put };
}

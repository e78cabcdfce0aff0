/**
 * The commit of a record checks the records that it names, such as an Application: one that names a deleted
 * Application is refused, and a deletion clears the Sid in records that were written before it.
 */
import { Fault } from "../../core/base/faults.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import { resources } from "../../core/model/resources/mod.ts";
import { isSid } from "../../core/base/sid.ts";
import { pascal } from "../../core/base/wire.ts";
import type { Batch } from "../store/batch.ts";
import type { Transition } from "./indexes.ts";
import { keys } from "../store/keys.ts";
import type { Read } from "../store/reader.ts";

/**
 * Adds checks to a batch that the records which a changed record refers to exist at the commit. An
 * earlier removal of one refuses the batch; a later one finds the record and clears the reference.
 * Throws `badParameter` when a Sid is not of a record of the account.
 */
export async function stageReferences(
  batch: Batch,
  { read, account }: { read: Read; account: bigint },
  { references = {} }: AnyResource,
  { before, after }: Transition,
): Promise<void> {
  for (const [field, name] of Object.entries(references)) {
    const sid = after?.[field];
    if (typeof sid !== "string" || sid === before?.[field]) continue;
    const { sidPrefix, storedAs = sidPrefix }: AnyResource =
      resources[name as keyof typeof resources];
    const found = isSid(sid, sidPrefix)
      ? await read(keys.record(account, storedAs + sid.slice(2)))
      : undefined;
    if (found === undefined || found.versionstamp === null) {
      throw new Fault("badParameter", `${pascal(field)} must name one of the account's ${name}`);
    }
    batch.checks.push({ key: found.key, versionstamp: found.versionstamp });
  }
}

/**
 * Returns whether a reference of a refused batch has changed since, so that the batch may pass when
 * staged again.
 */
export async function isOvertaken({ checks }: Batch, read: Read): Promise<boolean> {
  const named = checks.filter(({ versionstamp }) => versionstamp !== null);
  const found = await Promise.all(named.map(({ key }) => read(key)));
  return found.some(({ versionstamp }, at) => versionstamp !== named[at]?.versionstamp);
}

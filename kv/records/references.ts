import { Fault } from "../../core/base/faults.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import { resources } from "../../core/resources/mod.ts";
import { isSid } from "../../core/base/sid.ts";
import { pascal } from "../../core/base/wire.ts";
import type { Batch } from "../store/batch.ts";
import type { Transition } from "./indexes.ts";
import { keys } from "../store/keys.ts";
import type { Read } from "../store/reader.ts";

/**
 * Has a batch check that what a record comes to name is there when it is committed. A removal that
 * comes first refuses the batch; one that comes later finds the record, and clears the name. Throws
 * `badParameter` when a Sid names no record of the account.
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

/** Whether what a refused batch named has changed since, so that it may pass when staged anew. */
export async function isOvertaken({ checks }: Batch, read: Read): Promise<boolean> {
  const named = checks.filter(({ versionstamp }) => versionstamp !== null);
  const found = await Promise.all(named.map(({ key }) => read(key)));
  return found.some(({ versionstamp }, at) => versionstamp !== named[at]?.versionstamp);
}

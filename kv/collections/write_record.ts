import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Base } from "../../core/base/record.ts";
import { isSid } from "../../core/base/sid.ts";
import type { Change } from "../../core/model/store.ts";
import { transferUniqueKeys } from "../records/transfer_unique_keys.ts";
import { type Batch, type Decoded, emptyBatch, type Named } from "../store/batch.ts";
import { jitter } from "../store/commit_retrying.ts";
import { keys } from "../store/keys.ts";
import { countCharges } from "./count_uses.ts";
import { stageCharges } from "./ledger.ts";
import { numberOf, type ResourceStore, stageReplace } from "./stage_record.ts";
import type { StoreContext } from "./store_context.ts";
import type { KvEntry } from "../store/key_value_store.ts";

/** A record by its account and its Sid. */
export interface Address {
  account: string;
  sid: string;
}

/** The entry of a record; null when there is none. */
export async function entryOf<T extends Base>(
  { store, definition }: ResourceStore<T>,
  { account, sid }: Address,
): Promise<KvEntry<unknown> & Named & Decoded | null> {
  if (!isSid(sid, definition.sidPrefix)) return null;
  const number = await store.accountNumber(account);
  if (number === null) return null;
  const entry = await store.read<unknown>(keys.record(number, sid));
  return entry.versionstamp === null ? null : entry;
}

/** Stages the further effects of a change. */
export async function stageEffects<T extends Base>(
  store: StoreContext,
  batch: Batch,
  { change, isNew = false }: { change: Change<T>; isNew?: boolean },
): Promise<void> {
  const { record: { accountSid }, charges = [], hasHappened = false } = change;
  await store.stageCaused(batch, change);
  if (charges.length > 0) {
    stageCharges(batch, await numberOf(store, accountSid), charges);
    await countCharges(store, batch, { accountSid, charges, isRefusable: isNew && !hasHappened });
  }
  transferUniqueKeys(batch);
}

/** Replaces or removes a record. Repeats while other writers change it first. */
export async function write<T extends Base>(
  state: ResourceStore<T>,
  at: Address,
  { change, removes = false }: { change: (record: T) => Change<T>; removes?: boolean },
): Promise<T> {
  const { committer } = state.store;
  for (let attempt = 1; attempt <= limits.commitAttempts; attempt++) {
    const { record, batch } = await staged(state, at, { change, removes });
    if (batch === null || await committer.commit(batch) !== null) return record;
    await jitter(attempt * 5);
  }
  throw tooBusy(at.sid);
}

/** The batch of a change of a record; null when it changes nothing. */
async function staged<T extends Base>(
  state: ResourceStore<T>,
  at: Address,
  { change, removes }: { change: (record: T) => Change<T>; removes: boolean },
): Promise<{ record: T; batch: Batch | null }> {
  const entry = await entryOf(state, at);
  if (entry === null) throw new Fault("notFound", at.sid);
  const before = state.recordOf(entry);
  const made = change(before);
  const { record, jobs = [], also = [] } = made;
  const isSame = record === before && jobs.length === 0 && also.length === 0;
  if (!removes && isSame) return { record: before, batch: null };
  const batch = emptyBatch();
  const { hasHappened } = made;
  const after = removes ? undefined : record;
  await stageReplace(state, batch, { entry, before, after, hasHappened });
  await stageEffects(state.store, batch, { change: made });
  return { record, batch };
}

/** Other writers have changed a record first, too often. */
export const tooBusy = (sid: string) =>
  new Fault("unavailable", `too many requests change ${sid} at the same time; retry`);

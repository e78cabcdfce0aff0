import { sidTime } from "../../core/base/sid.ts";
import type { Job } from "../../core/model/job.ts";
import type {
  AlsoWritten,
  InsertedInto,
  RecordTypes,
  ResourceName,
  UpdatedIn,
} from "../../core/model/record_types.ts";
import { stageJobs } from "../jobs/queue.ts";
import type { Batch } from "../store/batch.ts";
import type { StoredCollection } from "./collection.ts";
import type { Caused } from "./store_context.ts";

/** The collections by the names of their resources. */
export type StoredRecords = { [Name in ResourceName]: StoredCollection<RecordTypes[Name]> };

/** The collections of a store, with its clock and Sids. */
interface Staging {
  records: StoredRecords;
  now(): number;
  steadyNow(): number;
  newSid(prefix: string): string;
}

/** Stages the further effects of a change: its jobs, and its changes of other records. */
export async function stageCaused(
  staging: Staging,
  batch: Batch,
  { jobs = [], also = [], put = [], gone = [] }: Caused,
): Promise<void> {
  const { records } = staging;
  await stageCausedJobs(staging, batch, jobs);
  await stageAlso(records, batch, also);
  for (const one of put) await stagePut(records, batch, one);
  for (const one of gone) await records[one.from].stageChange(batch, one, () => undefined);
}

/** Stages jobs, each with the record that shows it. */
async function stageCausedJobs(
  { records, newSid, ...clocks }: Staging,
  batch: Batch,
  jobs: Job[],
): Promise<void> {
  const named = jobs.map((job) => job.shown ? { ...job, id: newSid(job.shown.sidPrefix) } : job);
  stageJobs(batch, named, clocks);
  for (const { shown, id } of named) {
    if (shown === undefined || id === undefined) continue;
    const dates = { dateCreated: sidTime(id), dateUpdated: sidTime(id) };
    const made = shown.make({ sid: id, accountSid: shown.accountSid, ...dates });
    await stageShown(records, batch, made);
  }
}

/** Stages records that are written with a job or another record. */
export async function stageAlso(
  records: StoredRecords,
  batch: Batch,
  also: AlsoWritten[],
): Promise<void> {
  for (const one of also) {
    if ("record" in one) await stageInsert(records, batch, one);
    else await stageUpdate(records, batch, one);
  }
}

async function stageInsert<Name extends ResourceName>(
  records: StoredRecords,
  batch: Batch,
  { into, record }: InsertedInto<Name>,
): Promise<void> {
  await records[into].stageInsert(batch, record);
}

async function stageUpdate<Name extends ResourceName>(
  records: StoredRecords,
  batch: Batch,
  one: UpdatedIn<Name>,
): Promise<void> {
  await records[one.into].stageChange(batch, one, one.change);
}

/** Stages the replacement of a record, or its insertion where there is none. */
async function stagePut<Name extends ResourceName>(
  records: StoredRecords,
  batch: Batch,
  one: InsertedInto<Name>,
): Promise<void> {
  const { into, record } = one;
  const isThere = await records[into].stageChange(batch, record, () => record);
  if (!isThere) await stageInsert(records, batch, one);
}

/** Stages the record that shows a job. The batch checks nothing: the job's id is new. */
async function stageShown<Name extends ResourceName>(
  records: StoredRecords,
  batch: Batch,
  { into, record }: InsertedInto<Name>,
): Promise<void> {
  await records[into].stageInsert(batch, record, false);
}

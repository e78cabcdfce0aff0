import { tenantOf } from "../accounts/tenant.ts";
import { batches } from "../accounts/walk.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { sidTime } from "../base/sid.ts";
import type { AnyRecord } from "../model/resource.ts";
import type { AnyCollection } from "../model/store.ts";
import type { Ports, Records } from "../model/ports/ports.ts";
import type { Erasure } from "../model/resources/erasures.ts";
import { type Erased, erased, type Search } from "./erased.ts";
import { pauseFor } from "./removal_pace.ts";
import { markOf } from "../model/resources/internal/removed_records.ts";
import { searchFor } from "./erasure_subject.ts";

type Entry = [name: keyof Records, erased: Erased];

/**
 * Erases the records of an account about the subject of an erasure, with pauses that leave the
 * store to requests. A record in use stays, with the records that it belongs to: a later run finds
 * it again. `onErased` is called after each batch. Rejects with the reason of the signal.
 */
export async function erase(
  { accountSid, subject }: Pick<Erasure, "accountSid" | "subject">,
  ports: Ports,
  { signal, onErased }: { signal: AbortSignal; onErased(name: keyof Records, count: number): void },
): Promise<{ inUse: number }> {
  const search = searchFor(subject);
  const entries = Object.entries(erased)
    .filter((entry): entry is Entry => entry[1] !== null);
  const walk = { accountSid, search, ports, signal };
  for (const entry of entries) await collect(entry, walk);
  // Records that others belong to go last.
  let inUse = 0;
  for (const entry of entries.toReversed()) {
    inUse += await eraseOf(entry, walk, (count) => onErased(entry[0], count));
  }
  const account = await ports.accounts.get(accountSid);
  const tenant = account === null ? accountSid : tenantOf(account);
  await ports.cookies.erase({ tenant, accountSid }, search.is);
  return { inUse };
}

interface Walk {
  accountSid: string;
  search: Search;
  ports: Ports;
  signal: AbortSignal;
}

/** The resources that records of others belong to. */
const owners: (keyof Records)[] = ["calls", "messages", "recordings", "geolocations"];

/** Adds the Sids of found records, so that records that belong to them are found. */
async function collect([name, { has }]: Entry, walk: Walk): Promise<void> {
  if (!owners.includes(name)) return;
  const { accountSid, search, ports, signal } = walk;
  const records: AnyCollection = ports.records[name];
  // A leg of a Dial is newer than the call that it belongs to, so a found call may find more.
  for (let found = -1; found !== search.sids.size;) {
    found = search.sids.size;
    for await (const batch of paced(batches(records, accountSid), ports, signal)) {
      for (const one of batch) if (has(one, search)) search.sids.add(one.sid);
    }
  }
}

/** Erases the found records of a resource. Returns how many are in use. */
async function eraseOf(
  [name, { has, isInUse = () => false }]: Entry,
  { accountSid, search, ports, signal }: Walk,
  onErased: (count: number) => void,
): Promise<number> {
  const records: AnyCollection = ports.records[name];
  let inUse = 0;
  for await (const batch of paced(batches(records, accountSid), ports, signal)) {
    const found = batch.filter((one) => has(one, search));
    const over = found.filter((one) => !isInUse(one));
    inUse += found.length - over.length;
    if (marked.includes(name)) await mark(over, ports);
    const gone = await records.erase(accountSid, over.map(({ sid }) => sid));
    if (gone.length > 0) onErased(gone.length);
  }
  return inUse;
}

/** Resources that a late report, order or message could create again. */
const marked: (keyof Records)[] = ["calls", "messages"];

/** Marks the recent ones of some records that are about to be erased. */
async function mark(records: AnyRecord[], { records: { removedRecords }, now }: Ports) {
  const recent = records.filter(({ sid }) => now() - sidTime(sid) < limits.idempotencyRetentionMs);
  await Promise.all(recent.map(async (record) => {
    await removedRecords.insert({ record: markOf(record) }).catch((error) => {
      if (!(error instanceof Fault) || error.fault !== "alreadyExists") throw error;
    });
  }));
}

/** The batches, each after the time that the work on the one before leaves to requests. */
async function* paced(
  all: AsyncGenerator<AnyRecord[]>,
  { steadyNow }: Pick<Ports, "steadyNow">,
  signal: AbortSignal,
): AsyncGenerator<AnyRecord[]> {
  let begun = steadyNow();
  for await (const batch of all) {
    signal.throwIfAborted();
    yield batch;
    await pauseFor(steadyNow() - begun, signal);
    begun = steadyNow();
  }
}

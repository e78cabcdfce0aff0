import { subtree } from "../accounts/walk.ts";
import { forEachIsolated } from "../webhooks/for_each_isolated.ts";
import { limits } from "../base/limits.ts";
import { earlierNow } from "../base/steady_clock.ts";
import type { AnyRecord } from "../model/resource.ts";
import type { AnyCollection } from "../model/store.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type CallStatus, isLive } from "../model/values/status.ts";
import { pauseFor } from "./removal_pace.ts";
import type { RetentionKind } from "../model/values/retention.ts";

/** A resource whose old records are removed, and those that stay whatever their age. */
interface Kept {
  resource: keyof Ports["records"];
  /** Absent: its age is fixed. */
  kind?: RetentionKind;
  stays?(record: AnyRecord): boolean;
}

const statusIs = (...statuses: string[]) => ({ status }: AnyRecord) =>
  statuses.includes(String(status));

/** Resources with an age, and their records that stay. A record in use stays until it has ended. */
const kept: readonly Kept[] = [
  { resource: "calls", kind: "calls", stays: ({ status }) => isLive(status as CallStatus) },
  { resource: "conferences", kind: "calls", stays: ({ status }) => status !== "completed" },
  { resource: "streams", kind: "calls", stays: statusIs("in-progress") },
  { resource: "messages", kind: "messages", stays: statusIs("queued", "sending") },
  { resource: "emails", kind: "messages", stays: statusIs("queued") },
  {
    resource: "geolocations",
    kind: "messages",
    stays: ({ responseStatus: status }) => status === "queued" || status === "processing",
  },
  { resource: "notifications", kind: "notifications" },
  { resource: "recordings", kind: "recordings", stays: statusIs("in-progress") },
  { resource: "transcriptions", kind: "recordings", stays: statusIs("in-progress") },
  { resource: "deliveries", kind: "deliveries", stays: statusIs("queued") },
  { resource: "idempotencyKeys" },
  { resource: "removedRecords" },
  { resource: "documentRequests", kind: "deliveries" },
  { resource: "auditEntries", kind: "audit" },
];

/** Age at which the records of a resource are removed, in ms. */
const keptMs = ({ kind }: Kept, settings: Ports["settings"]): number =>
  kind === undefined ? limits.idempotencyRetentionMs : settings.keptMs[kind];

/**
 * Removes the records of all accounts that have reached their age, oldest first and in batches, with
 * a pause after each batch. Ends early when the signal aborts.
 */
export async function removeOldRecords(ports: Ports, signal: AbortSignal): Promise<void> {
  await forEachIsolated(lists(ports), {
    name: "remove the old records of accounts",
    label: ({ accountSid, one }) => `${one.resource} of ${accountSid}`,
    act: (list) => removeFrom(list, ports, signal),
  }, ports);
}

/** One resource of one account. */
interface List {
  accountSid: string;
  one: Kept;
}

/** Lists of all accounts whose records have an age. */
async function* lists({ accounts, settings }: Ports): AsyncGenerator<List> {
  const [root] = await accounts.children("");
  const ending = kept.filter((one) => keptMs(one, settings) !== Infinity);
  if (root === undefined) return;
  for await (const accountSid of subtree(root.sid, accounts)) {
    for (const one of ending) yield { accountSid, one };
  }
}

async function removeFrom(
  { accountSid, one }: List,
  { records, settings, ...clocks }: Ports,
  signal: AbortSignal,
): Promise<void> {
  const { resource, stays } = one;
  const { steadyNow } = clocks;
  // A wall clock that is years ahead, until it is set right, removes nothing.
  const before = earlierNow(clocks) - keptMs(one, settings);
  const collection: AnyCollection = records[resource];
  for (let removed: number = limits.removedAtOnce; removed === limits.removedAtOnce;) {
    if (signal.aborted) return;
    const begun = steadyNow();
    removed = await collection.removeOld(accountSid, before, stays);
    if (removed > 0) await pauseFor(steadyNow() - begun, signal);
  }
}

import { Fault } from "../../core/base/faults.ts";
import type { Clocks } from "../../core/base/steady_clock.ts";
import { warnOfLimit } from "../../core/model/job_kinds.ts";
import {
  type CountedLimit,
  type Instant,
  limitFaults,
  limitNames,
  type LimitState,
  limitText,
  retryAfterS,
  take,
  usedOf,
  whoseLimit,
} from "../../core/model/values/account_limits.ts";
import { stageJobs } from "../jobs/queue.ts";
import {
  type Batch,
  emptyBatch,
  keyText,
  type Limiter,
  type StagedTaking,
  stageTaking,
  type StateChange,
  type TakenAmounts,
} from "../store/batch.ts";
import type { CommitLimits } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { Read } from "../store/reader.ts";
import type { KvEntryMaybe } from "../store/key_value_store.ts";

/**
 * Counts what commits take of the limits of accounts. The sums of an account stand in one entry, which
 * each commit that takes from it checks and replaces: so they are exact, whatever happens at the same
 * time or is killed. Changes that wait for a commit are counted together in one, in their order; else
 * a hundred requests at once would each make a commit fail. An account without limits has no such
 * entry, and its commits neither read nor write one.
 *
 * Refused: a bucket in the memory of each service (lost at a crash, and each service has its own); a
 * check of the entry's version by each commit (of 100 at once, each makes the others fail); counters
 * that are moved without a check (none can refuse). Services that share a store count anew where
 * another one was first.
 */
export function limitUses({ read, ...clocks }: { read: Read } & Clocks): CommitLimits {
  return {
    async take(batches) {
      const states = await statesOf(batches, read);
      const at = { now: clocks.now(), steadyNow: clocks.steadyNow() };
      const refused = new Map<Batch, Fault>();
      for (const batch of batches) {
        const fault = takeAll(states, batch, at);
        if (fault !== undefined) refused.set(batch, fault);
      }
      return { refused, counted: countedIn(states, clocks) };
    },
    async isOvertaken({ checks }) {
      const found = await Promise.all(checks.map(({ key }) => read(key)));
      return found.some(({ versionstamp }, at) => versionstamp !== checks[at]?.versionstamp);
    },
  };
}

/** The state of an account, as the batches so far leave it. */
interface Known {
  entry: KvEntryMaybe<LimitState>;
  accountSid: string;
  /** Null: the account has no limits. */
  state: LimitState | null;
  isChanged: boolean;
  near: CountedLimit[];
}

/** The states that batches take from, by the texts of their keys. */
type States = Map<string, Known>;

async function statesOf(batches: Batch[], read: Read): Promise<States> {
  const named = new Map<string, StagedTaking>();
  for (const { takings } of batches) {
    for (const taking of takings.values()) named.set(keyText(taking.key), taking);
  }
  const found = [...named].map(async ([name, { key, limiter: { accountSid } }]) => {
    const entry = await read<LimitState>(key);
    const known: Known = { entry, accountSid, state: entry.value, isChanged: false, near: [] };
    return [name, known] as const;
  });
  return new Map(await Promise.all(found));
}

/** Takes all that a batch takes, or nothing: then the fault that names the limit in the way. */
function takeAll(states: States, { takings }: Batch, at: Instant): Fault | undefined {
  const made: { known: Known; state: LimitState | null; near: CountedLimit[] }[] = [];
  for (const taking of takings.values()) {
    const known = states.get(keyText(taking.key))!; // All were read.
    const { change } = taking;
    if (change !== undefined) {
      made.push({ known, state: change(known.state) as LimitState | null, near: [] });
      continue;
    }
    const { state } = known;
    // An account that lost its limits and got new ones does not get back amounts counted before.
    if (state === null || state.since !== taking.limiter.since) continue;
    const taken = take(state, taking, at);
    if ("exceeded" in taken) return refusal(taken.exceeded, { state, taking, at });
    made.push({ known, state: { ...state, use: taken.use }, near: taken.near });
  }
  for (const { known, state, near } of made) {
    known.state = state;
    known.isChanged = true;
    known.near.push(...near);
  }
  return undefined;
}

function refusal(
  limit: CountedLimit,
  { state: { limits, use }, taking, at }: {
    state: LimitState;
    taking: StagedTaking;
    at: Instant;
  },
): Fault {
  const { level, isRoot } = taking.limiter;
  const { of, raisedBy } = whoseLimit(level, isRoot);
  const most = limitText(limit, limits[limit] ?? 0);
  const used = limitText(limit, usedOf(use, limit));
  const price = taking.reservedMicros + taking.spentMicros;
  const costs = limit === "maxSpendMicros" ? `, and this costs ${limitText(limit, price)}` : "";
  const detail = `${
    limitNames[limit]
  } of ${of} is ${most}, ${used} of it used${costs}; ${raisedBy}`;
  return new Fault(limitFaults[limit], detail, { retryAfterS: retryAfterS(limit, at.now) });
}

/** The writes of what was taken, with the warnings of limits that are near. */
function countedIn(states: States, clocks: Clocks): Batch {
  const counted = emptyBatch();
  for (const [name, { entry, accountSid, state, isChanged, near }] of states) {
    if (!isChanged || state === null) continue;
    const { key, versionstamp } = entry;
    counted.checks.push({ key, name, versionstamp });
    counted.sets.push({ key, name, value: state });
    const warnings = [...new Set(near)].map((limit) =>
      warnOfLimit({ accountSid, limit, day: state.use.day })
    );
    if (warnings.length > 0) stageJobs(counted, warnings, clocks);
  }
  return counted;
}

const nothing: TakenAmounts = {
  liveCalls: 0,
  newCalls: 0,
  texts: 0,
  emails: 0,
  reservedMicros: 0,
  spentMicros: 0,
  isRefusable: false,
};

/** Stages a change of the limits of an account. */
export function stageLimits(batch: Batch, limiter: Limiter, change: StateChange): void {
  const key = keys.limits(limiter.accountSid);
  stageTaking(batch, { ...nothing, key, limiter, change });
}

/** Stages what a batch takes of the limits of each of several accounts. */
export function stageTakings(
  batch: Batch,
  limiters: readonly Limiter[],
  amounts: Partial<TakenAmounts>,
): void {
  for (const limiter of limiters) {
    stageTaking(batch, { ...nothing, ...amounts, key: keys.limits(limiter.accountSid), limiter });
  }
}

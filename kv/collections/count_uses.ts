import type { AnyRecord, AnyResource, Uses } from "../../core/model/resource.ts";
import type { Charge } from "../../core/model/store.ts";
import type { Base } from "../../core/base/record.ts";
import type { Batch, TakenAmounts } from "../store/batch.ts";
import { stageTakings } from "./limit_uses.ts";
import type { StoreContext } from "./store_context.ts";

type Store = Pick<StoreContext, "limiters">;

/**
 * Stages what a new record takes of limits. Returns the record as it is stored: with the accounts that
 * count it, which get back what it took.
 */
export async function countNew<T extends Base>(
  { limiters }: Store,
  batch: Batch,
  { definition, record, hasHappened }: {
    definition: AnyResource;
    record: T;
    hasHappened: boolean;
  },
): Promise<T> {
  const uses = usesOf(definition, record);
  if (uses === null) return record;
  const all = await limiters(record.accountSid);
  if (all.length === 0) return record;
  const newCalls = uses.isCall ? 1 : 0;
  const texts = uses.isText ? 1 : 0;
  const { emails = 0 } = uses;
  const taken = { ...heldBy(uses), newCalls, texts, emails };
  stageTakings(batch, all, { ...taken, isRefusable: !hasHappened });
  if (!("limitedBy" in definition.fields)) return record; // It holds nothing that it would give back.
  return { ...record, limitedBy: all.map(({ accountSid, since }) => [accountSid, since]) };
}

/** Stages what a changed record takes more, or gives back; one that is removed gives all back. */
export async function countChanged<T extends Base>(
  { limiters }: Store,
  batch: Batch,
  { definition, before, after, hasHappened }: {
    definition: AnyResource;
    before: T;
    after: T | undefined;
    hasHappened: boolean;
  },
): Promise<void> {
  const [was, is] = [limitedBy(before), after === undefined ? [] : limitedBy(after)];
  if (was.length === 0 && is.length === 0) return;
  const [held, holds] = [before, after].map((record) =>
    heldBy(record === undefined ? null : usesOf(definition, record))
  ) as [Held, Held];
  const known = await limiters(before.accountSid);
  for (const [accountSid, since] of union(was, is)) {
    const isNamed = (one: Named) => isSame(one, [accountSid, since]);
    const [had, has] = [was.some(isNamed), is.some(isNamed)];
    const taken = {
      liveCalls: (has ? holds.liveCalls : 0) - (had ? held.liveCalls : 0),
      reservedMicros: (has ? holds.reservedMicros : 0) - (had ? held.reservedMicros : 0),
    };
    if (taken.liveCalls === 0 && taken.reservedMicros === 0) continue;
    const limiter = known.find((one) => isNamed([one.accountSid, one.since])) ??
      { accountSid, since, level: 0, isRoot: false };
    // Only a growing reservation of a counted use can be refused: a new use is live already.
    const isRefusable = had && has && !hasHappened && taken.reservedMicros > 0;
    stageTakings(batch, [limiter], { ...taken, isRefusable });
  }
}

/** Stages charges for the limits of money. */
export async function countCharges(
  { limiters }: Store,
  batch: Batch,
  { accountSid, charges, isRefusable }: {
    accountSid: string;
    charges: Charge[];
    isRefusable: boolean;
  },
): Promise<void> {
  const spentMicros = charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
  if (spentMicros === 0) return;
  stageTakings(batch, await limiters(accountSid), { spentMicros, isRefusable });
}

type Held = Pick<TakenAmounts, "liveCalls" | "reservedMicros">;

const heldBy = (uses: Uses | null): Held => ({
  liveCalls: uses?.isCall ? 1 : 0,
  reservedMicros: uses?.reservedMicros ?? 0,
});

const usesOf = (definition: AnyResource, record: Base): Uses | null =>
  definition.uses?.(record as AnyRecord) ?? null;

type Named = [accountSid: string, since: number];

const limitedBy = (record: Base): Named[] =>
  (record as Base & { limitedBy?: Named[] | null }).limitedBy ?? [];

const isSame = ([sid, since]: Named, [other, otherSince]: Named) =>
  sid === other && since === otherSince;

const union = (some: Named[], others: Named[]): Named[] => [
  ...some,
  ...others.filter((one) => !some.some((known) => isSame(known, one))),
];

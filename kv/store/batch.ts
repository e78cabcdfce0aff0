import { Buffer } from "node:buffer";
import type { AtomicCheck, KvKey, KvKeyPart } from "./key_value_store.ts";

/** Writes of one commit, as data: a change stages them before anything is committed. */
export interface Batch {
  checks: (AtomicCheck & Named)[];
  sets: ({ key: KvKey; value: unknown } & Named & Decoded)[];
  deletes: KvKey[];
  /** Earliest due times to lower, by lane. */
  due: { lane: string; at: number }[];
  /** Counters of entries to move, by the text of their value's key. */
  counts: Map<string, Moves>;
  /** Other counters to move, by the text of their key; equal ones of a shared commit move once. */
  sums: Map<string, { key: KvKey; by: number }>;
  /** Numbers to raise, by the text of their key. */
  raises: Map<string, { key: KvKey; to: number }>;
  /**
   * Its amounts of the limits of accounts, by the text of the key of their state and its `since`.
   */
  takings: Map<string, StagedTaking>;
  /** Conditions under which the batch was staged: it is not committed once one of them is false. */
  premises: (() => boolean)[];
}

/** An account whose limits count what a batch does. */
export interface Limiter {
  accountSid: string;
  /** Time of its first limit, in ms: its state has the same. */
  since: number;
  /** Number of levels above the account that acts. */
  level: number;
  isRoot: boolean;
}

/** Amounts that a batch takes of the limits of one account; negative ones are given back. */
export interface TakenAmounts {
  liveCalls: number;
  newCalls: number;
  texts: number;
  emails: number;
  reservedMicros: number;
  spentMicros: number;
  /** Nothing of it has happened yet: a limit may refuse the batch. */
  isRefusable: boolean;
}

export interface StagedTaking extends TakenAmounts {
  key: KvKey;
  limiter: Limiter;
  /** Changes the state of the limits themselves; null is that of an account without limits. */
  change?: StateChange;
}

/** A change of what an entry has, as the changes before it in the same commit left it. */
export type StateChange = (state: unknown) => unknown;

/**
 * A thing with a key. V8 stores the hash of a string in it, so one text that goes through all
 * caches is made and hashed once.
 */
export interface Named {
  /** The text of the key, if it was made already. */
  name?: string;
}

/** A thing with the value of a record. */
export interface Decoded {
  /** The record that the value is of, where that is in memory. */
  record?: object | undefined;
  /** True when that record is seldom read from now on. */
  isSeldomRead?: boolean;
}

/** The text of a key that something has. */
export const nameOf = ({ key, name }: { key: KvKey } & Named): string => name ?? keyText(key);

/** Changes of the number of a value's entries, by bucket of the finest level. */
export interface Moves {
  /** The part of a counter's key before level and bucket. */
  key: KvKey;
  /** The levels that the index has everywhere; finer ones follow where a bucket is full. */
  depth: number;
  buckets: Map<number, number>;
}

export const emptyBatch = (): Batch => ({
  checks: [],
  sets: [],
  deletes: [],
  due: [],
  counts: new Map(),
  sums: new Map(),
  raises: new Map(),
  takings: new Map(),
  premises: [],
});

/** Returns whether a batch may be committed as it was staged. */
export const isCurrent = ({ premises }: Batch): boolean => premises.every((holds) => holds());

/**
 * Moves a counter without a conflict. The batch must check an entry that its own success changes.
 * The client of a remote store may send a commit twice, and that check refuses the second one.
 */
export const stageSum = (batch: Batch, key: KvKey, by: number): void =>
  addSum(batch, keyText(key), { key, by });

/** Moves all counters of a value, as `stageSum` does. */
export function stageMove(
  batch: Batch,
  { key, depth }: Pick<Moves, "key" | "depth">,
  bucket: number,
  by: number,
): void {
  addMove(batch, keyText(key), { key, depth }, [bucket, by]);
}

function addMove(
  { counts }: Batch,
  text: string,
  { key, depth }: Pick<Moves, "key" | "depth">,
  [bucket, by]: [number, number],
): void {
  let moves = counts.get(text);
  if (moves === undefined) counts.set(text, moves = { key, depth, buckets: new Map() });
  moves.buckets.set(bucket, (moves.buckets.get(bucket) ?? 0) + by);
}

function addSum({ sums }: Batch, text: string, sum: { key: KvKey; by: number }): void {
  const other = sums.get(text);
  sums.set(text, other === undefined ? sum : { key: sum.key, by: sum.by + other.by });
}

/** Raises a number to at least `to` without a conflict. */
export const stageRaise = (batch: Batch, key: KvKey, to: number): void =>
  addRaise(batch, keyText(key), { key, to });

function addRaise({ raises }: Batch, text: string, { key, to }: { key: KvKey; to: number }) {
  raises.set(text, { key, to: Math.max(to, raises.get(text)?.to ?? 0) });
}

/** Takes from the limits of an account. The commit has them counted (`CommitterOptions.limits`). */
export function stageTaking(
  { takings }: Batch,
  taking: StagedTaking,
  name: string = `${keyText(taking.key)} ${taking.limiter.since}`,
): void {
  const other = takings.get(name);
  takings.set(
    name,
    other === undefined ? taking : {
      ...taking,
      liveCalls: other.liveCalls + taking.liveCalls,
      newCalls: other.newCalls + taking.newCalls,
      texts: other.texts + taking.texts,
      emails: other.emails + taking.emails,
      reservedMicros: other.reservedMicros + taking.reservedMicros,
      spentMicros: other.spentMicros + taking.spentMicros,
      isRefusable: other.isRefusable || taking.isRefusable,
    },
  );
}

/** Merges batches into one. */
export function merged(batches: Batch[]): Batch {
  const [first, ...others] = batches;
  if (first !== undefined && others.length === 0) return first;
  const all = emptyBatch();
  for (const batch of batches) append(all, batch);
  return all;
}

/** Adds all writes and checks of one batch to another. */
export function append(batch: Batch, also: Batch): void {
  batch.checks.push(...also.checks);
  batch.sets.push(...also.sets);
  batch.deletes.push(...also.deletes);
  batch.due.push(...also.due);
  batch.premises.push(...also.premises);
  for (const [text, moves] of also.counts) {
    for (const move of moves.buckets) addMove(batch, text, moves, move);
  }
  for (const [text, sum] of also.sums) addSum(batch, text, sum);
  for (const [text, raise] of also.raises) addRaise(batch, text, raise);
  for (const [name, taking] of also.takings) stageTaking(batch, taking, name);
}

/** An upper estimate of the bytes that the keys of a batch take, without those of counters. */
export function keyBytesOf({ checks, sets, deletes, due }: Batch): number {
  let bytes = 0;
  for (const { key } of checks) bytes += keyBytes(key);
  for (const { key } of sets) bytes += keyBytes(key);
  for (const key of deletes) bytes += keyBytes(key);
  for (const { lane } of due) bytes += partBytes(lane) + 16;
  return bytes;
}

/** An upper estimate of the bytes that a key takes. */
export function keyBytes(key: KvKey): number {
  let bytes = 0;
  for (const part of key) bytes += partBytes(part);
  return bytes;
}

function partBytes(part: KvKeyPart): number {
  if (typeof part === "string") return textBytes(part) + 2;
  return part instanceof Uint8Array ? 18 : 9;
}

/** Bytes of a text in UTF-8. Most texts of keys are ASCII, and too short for `Buffer` to be quicker. */
function textBytes(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return Buffer.byteLength(text);
  }
  return text.length;
}

/** A unique text of a key. The text of a longer key begins with that of its prefix. */
export function keyText(key: KvKey): string {
  let text = "";
  for (const part of key) {
    if (typeof part === "string") text += `s${part.length}:${part}`;
    else if (typeof part === "bigint") text += `b${part} `;
    else if (part instanceof Uint8Array) text += `x${part.toHex()}`;
    else text += `${(typeof part)[0]}${String(part)} `;
  }
  return text;
}

/** Null when a check failed: another writer was first, and nothing was written. */
export type Committed = { versionstamp: string } | null;

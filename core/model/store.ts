import type { AlsoGone, AlsoInserted, AlsoPut } from "./record_types.ts";
import type { Condition } from "../base/filters.ts";
import type { Job } from "./job.ts";
import type { Base } from "../base/record.ts";

/** Something that costs money, as the ledger counts it. */
export interface Charge {
  category: "calls" | "sms" | "phonenumbers" | "transcriptions";
  /** In millionths of the account's currency, whole. */
  priceMicros: number;
  /** Use in whole units of the category: minutes, messages, numbers. */
  usage: number;
  /** In ms: the UTC day that it counts for. */
  at: number;
}

/**
 * The new state of a record, the jobs it causes, the records it makes, replaces and removes, and the
 * charges to its account: all are committed, or none.
 */
export interface Change<T> {
  record: T;
  jobs?: Job[];
  also?: AlsoInserted[];
  put?: AlsoPut[];
  gone?: AlsoGone[];
  charges?: Charge[];
  /** It has happened already: limits count it, and do not refuse it. */
  hasHappened?: boolean;
}

export interface Query {
  where: Condition[];
  skip: number;
  limit: number;
  /** Start right after (that is, older than) this Sid instead of at `skip`. */
  after?: string;
  /** The record's value in the field that the list is sorted by, in case it is removed meanwhile. */
  afterText?: string;
}

export interface Slice<T> {
  items: T[];
  /** Of all that pass the conditions. */
  total: number;
}

/** The records of one resource type, by account. Another account's record is not found. */
export interface Collection<T extends Base> {
  get(accountSid: string, sid: string): Promise<T | null>;
  /**
   * Newest first; in the order of the resource's `sorted` field when only its fields are filtered
   * by.
   */
  list(accountSid: string, query: Query): Promise<Slice<T>>;
  /** Throws `alreadyExists` when a unique field is taken. */
  insert(change: Change<T>): Promise<T>;
  /**
   * The same, written with the next commit of another change, or soon. It saves a commit of its own.
   * A service that stops waits for it, whether its caller does or not.
   */
  insertSoon(change: Change<T>): Promise<T>;
  /**
   * Replaces a record, retried while other writers win the race, so `change` must be pure. The same
   * record object without jobs writes nothing. Throws `notFound`, or what `change` throws.
   */
  update(accountSid: string, sid: string, change: (record: T) => Change<T>): Promise<T>;
  /** Throws `notFound`. */
  remove(accountSid: string, sid: string, change?: (record: T) => Change<T>): Promise<void>;
  /** Prepares older records' texts for `contains` conditions; lists are right without it, but slow. */
  packTexts(accountSid: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes records that were made before an instant in ms, oldest first and at most
   * `limits.removedAtOnce`, with their index entries and what `removed` of their resource causes.
   * Resolves with how many. Those that `stays` is true of stay.
   */
  removeOld(accountSid: string, before: number, stays?: (record: T) => boolean): Promise<number>;
  /**
   * Removes records with all that the store keeps of their values: index entries, counters and texts for
   * searches, and what `removed` of their resource causes. Resolves with the Sids of those that this
   * removed, and not another one before.
   */
  erase(accountSid: string, sids: string[]): Promise<string[]>;
  /** The record that holds a value of a unique field, in whatever account. */
  holder(field: keyof T & string, value: string): Promise<T | null>;
  /** All records of a service-wide group. */
  group(name: string, value: string): Promise<T[]>;
}

// deno-lint-ignore no-explicit-any
export type AnyCollection = Collection<any>;

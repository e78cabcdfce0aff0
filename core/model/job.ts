import type { z } from "zod";
import type { Base } from "../base/record.ts";
import type { AlsoInserted } from "./record_types.ts";

/** A job as committed with the change that caused it; it runs at least once. */
export interface Job {
  kind: string;
  /**
   * Jobs of one lane share its bound of concurrent jobs, and never delay another lane. A lane that
   * waits for servers of others has a colon in its name. Those with the same word before it share a
   * further bound. `customerLane` names those that wait for a customer's server.
   */
  lane: string;
  args: unknown;
  /** In ms; absent is now. */
  dueAt?: number;
  /** The same by the steady clock, in place of `dueAt`. */
  steadyDueAt?: number;
  /**
   * True when a client chose the date at which the job is due, whatever becomes of the wall clock;
   * else `dueAt` stands for the time until then.
   */
  isByDate?: boolean;
  /** Absent: a new one. */
  id?: string;
  /** Jobs of one series in a lane are begun one after another, in the order of their due times. */
  series?: string;
  /** The record that shows the job: inserted with it, and its Sid is the job's id. */
  shown?: { sidPrefix: string; accountSid: string; make(base: Base): AlsoInserted };
}

/**
 * The lane of an account's requests to a host, as `hostOf` gives it. Hosts and accounts have bounds of
 * their own, and a host that fails again and again gets fewer requests (`kv/jobs/admission.ts`).
 */
export const customerLane = (pool: string, host: string, accountSid: string): string =>
  `${pool}:${host} ${accountSid}`;

/** A kind of job: called with its arguments, and with when it is due in ms, it builds one. */
export interface JobKind<A> {
  (args: A, dueAt?: number): Job;
  kind: string;
  args: z.ZodType<A>;
}

/** The arguments of a kind of job. */
export type ArgsOf<K> = K extends JobKind<infer A> ? A : never;

/** Declares a kind of job: its name in the store, its arguments, and the lane that they lead to. */
export function jobKind<A>(
  { kind, args, lane, isByDate = false }: {
    kind: string;
    args: z.ZodType<A>;
    lane(args: A): string;
    isByDate?: boolean;
  },
): JobKind<A> {
  const make = (given: A, dueAt?: number): Job => ({
    kind,
    lane: lane(given),
    args: given,
    ...(dueAt === undefined ? {} : { dueAt }),
    ...isByDate && { isByDate },
  });
  return Object.assign(make, { kind, args });
}

/**
 * Back-off from `firstMs`, `factor` times as long each time, at most `mostMs`; the queue adds
 * jitter.
 */
export const exponential = (firstMs: number, mostMs: number, factor = 2) => (attempt: number) =>
  Math.min(firstMs * factor ** (attempt - 1), mostMs);

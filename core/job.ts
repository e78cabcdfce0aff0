import type { z } from "zod";
import type { AlsoWritten, Base, Ports, Settings } from "./ports.ts";

/** A job as committed with the change that caused it; it runs at least once. */
export interface Job {
  kind: string;
  /**
   * Jobs of one lane share its bound of jobs at once, and never hold up another lane. A lane that
   * waits for servers of others has a colon in its name, and those with the same word before it
   * share a further bound; one that waits for a customer's server is named by `customerLane`.
   */
  lane: string;
  args: unknown;
  /** In ms; absent is now. */
  dueAt?: number;
  /** Absent: a new one. */
  id?: string;
  /** Jobs of one series in a lane are begun one after another, in the order of their due times. */
  series?: string;
  /** The record that shows the job: inserted with it, and its Sid is the job's id. */
  shown?: { into: string; sidPrefix: string; accountSid: string; make(base: Base): Base };
}

/**
 * The lane of an account's requests to a host, as `hostOf` gives it. Hosts and accounts have bounds of
 * their own, and a host that fails again and again is asked less and less (`kv/admission.ts`).
 */
export const customerLane = (pool: string, host: string, accountSid: string): string =>
  `${pool}:${host} ${accountSid}`;

/**
 * What a job handler file declares. Returning ends the job, and the records it returns are inserted
 * in the same commit; throwing retries it, unless a Fault says that the arguments can never work.
 */
export interface JobHandler<A = unknown> {
  kind: string;
  args: z.ZodType<A>;
  maxAttempts: number | ((settings: Settings) => number);
  /** Ms before attempt `n + 1`, after attempt `n` (from 1) failed. */
  retryMs(attempt: number): number;
  work(args: A, ports: Ports, run: JobRun): Promise<AlsoWritten[] | void>;
  /** What to record of an attempt that failed and is followed by another; committed with that. */
  failed?(args: A, ports: Ports, error: unknown, job: { id: string }): Promise<AlsoWritten[]>;
  /** What to record when the attempts are spent; committed with the dead letter. */
  spent?(args: A, ports: Ports, error: unknown, job: { id: string }): Promise<AlsoWritten[]>;
  /** How old a job may become, in ms; one that is older is spent without another attempt. */
  maxAgeMs?: number;
}

/** One run of a job: its stable id, the attempt from 1, and the signal that its lease is lost. */
export interface JobRun {
  id: string;
  attempt: number;
  /** When the job was made, in ms. */
  madeAt: number;
  signal: AbortSignal;
}

/** A kind of job: called, it builds a job; its `work` performs one. */
export type JobKind<A> = JobHandler<A> & ((args: A, dueAt?: number) => Job);

/** Declares a kind of job. */
export function job<A>(handler: JobHandler<A> & { lane(args: A): string }): JobKind<A> {
  const make = (args: A, dueAt?: number): Job => ({
    kind: handler.kind,
    lane: handler.lane(args),
    args,
    ...(dueAt === undefined ? {} : { dueAt }),
  });
  return Object.assign(make, handler);
}

/** Back-off from `firstMs`, `factor` times as long each time, at most `mostMs`; the queue adds jitter. */
export const exponential = (firstMs: number, mostMs: number, factor = 2) => (attempt: number) =>
  Math.min(firstMs * factor ** (attempt - 1), mostMs);

// deno-lint-ignore no-explicit-any
export type AnyJobHandler = JobHandler<any>;

import type { z } from "zod";
import type { AlsoInserted, Ports, Settings } from "./ports.ts";

/** A job as committed with the change that caused it; it runs at least once. */
export interface Job {
  kind: string;
  /**
   * Jobs of one lane share its bound of jobs at once, and never hold up another lane. A lane that
   * waits for servers of others has a colon in its name: all of those share a further bound.
   */
  lane: string;
  args: unknown;
  /** In ms; absent is now. */
  dueAt?: number;
}

/**
 * What a job handler file declares. Returning ends the job, and the records it returns are inserted
 * in the same commit; throwing retries it, unless a Fault says that the arguments can never work.
 */
export interface JobHandler<A = unknown> {
  kind: string;
  args: z.ZodType<A>;
  lane(args: A): string;
  maxAttempts: number | ((settings: Settings) => number);
  /** Ms before attempt `n + 1`, after attempt `n` (from 1) failed. */
  retryMs(attempt: number): number;
  work(args: A, ports: Ports, run: JobRun): Promise<AlsoInserted[] | void>;
  /** What to record when the attempts are spent; committed with the dead letter. */
  spent?(args: A, ports: Ports, error: unknown): Promise<AlsoInserted[]>;
}

/** One run of a job: its stable id, the attempt from 1, and the signal that its lease is lost. */
export interface JobRun {
  id: string;
  attempt: number;
  signal: AbortSignal;
}

/** A kind of job: called, it builds a job; its `work` performs one. */
export type JobKind<A> = JobHandler<A> & ((args: A, dueAt?: number) => Job);

/** Declares a kind of job. */
export function job<A>(handler: JobHandler<A>): JobKind<A> {
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

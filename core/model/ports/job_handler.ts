import type { z } from "zod";
import type { JobKind } from "../job.ts";
import type { Ports } from "./ports.ts";
import type { Settings } from "../values/settings.ts";
import type { AlsoWritten } from "../record_types.ts";

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
  /** The same by the steady clock; absent where a former version made it. */
  since?: number;
  signal: AbortSignal;
}

/** How jobs of a kind are performed. */
export const handler = <A>(
  { kind, args }: Pick<JobKind<A>, "kind" | "args">,
  how: Omit<JobHandler<A>, "kind" | "args">,
): JobHandler<A> => ({ kind, args, ...how });

// deno-lint-ignore no-explicit-any
export type AnyJobHandler = JobHandler<any>;

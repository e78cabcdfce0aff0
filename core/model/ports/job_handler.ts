import type { z } from "zod";
import type { JobKind } from "../job.ts";
import type { Ports } from "./ports.ts";
import type { Settings } from "../values/settings.ts";
import type { AlsoWritten } from "../record_types.ts";

/**
 * Declaration of a job handler. Returning ends the job, and the records it returns are inserted in
 * the same commit. Throwing retries it, unless a Fault says that the arguments can never work.
 */
export interface JobHandler<A = unknown> {
  kind: string;
  args: z.ZodType<A>;
  maxAttempts: number | ((settings: Settings) => number);
  /** Ms before attempt `n + 1`, after attempt `n` (from 1) failed. */
  retryMs(attempt: number): number;
  work(args: A, ports: Ports, run: JobRun): Promise<AlsoWritten[] | void>;
  /** Records of an attempt that failed and is followed by another; committed with that. */
  failed?(args: A, ports: Ports, error: unknown, job: { id: string }): Promise<AlsoWritten[]>;
  /** Records of the end of the attempts; committed with the dead letter. */
  spent?(args: A, ports: Ports, error: unknown, job: { id: string }): Promise<AlsoWritten[]>;
  /** Most age of a job, in ms; an older one ends without another attempt. */
  maxAgeMs?: number;
}

/** One run of a job: its stable id, the attempt from 1, and the signal that its lease is lost. */
export interface JobRun {
  id: string;
  attempt: number;
  /** Time at which the job was made, in ms. */
  madeAt: number;
  /** The same by the steady clock; absent where a former version made it. */
  since?: number;
  signal: AbortSignal;
}

/** Declares the handler of a kind of job. */
export const handler = <A>(
  { kind, args }: Pick<JobKind<A>, "kind" | "args">,
  how: Omit<JobHandler<A>, "kind" | "args">,
): JobHandler<A> => ({ kind, args, ...how });

// deno-lint-ignore no-explicit-any
export type AnyJobHandler = JobHandler<any>;

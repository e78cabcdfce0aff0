import { type Job, jobKind } from "../../../core/model/job.ts";
import type { JobHandler } from "../../../core/model/ports/job_handler.ts";

/** A kind of job and how it is performed, in one. */
export type TestJob<A> = JobHandler<A> & ((args: A, dueAt?: number) => Job);

/** Declares a kind of job of a test's own, with its work. */
export const job = <A>(declared: JobHandler<A> & { lane(args: A): string }): TestJob<A> =>
  Object.assign(jobKind(declared), declared);

import { Fault } from "../../core/base/faults.ts";
import type { AnyJobHandler } from "../../core/model/ports/job_handler.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { AlsoWritten } from "../../core/model/record_types.ts";
import type { Ending } from "./admission.ts";
import type { KeepLease } from "./leases.ts";
import { type Batch, emptyBatch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { patiently, StoreFault, type StoreHealth } from "../store/store_health.ts";
import {
  type HeldJob,
  type Queue,
  stageDead,
  stageDone,
  stageRetry,
  type StoredJob,
} from "./queue.ts";

/** Dependencies of performing jobs. */
export interface Performing {
  queue: Queue;
  keepLease: KeepLease;
  committer: Pick<Committer, "later">;
  health: Pick<StoreHealth, "well">;
  handlers: AnyJobHandler[];
  ports: Ports;
  stageAlso(batch: Batch, also: AlsoWritten[]): Promise<void>;
  /** Does the work of a job when its tenant has a share of the loop for it. */
  inShare<T>(job: StoredJob, work: () => Promise<T>): Promise<T>;
}

/** A run of a job whose work is over. */
export interface Performed {
  ending: Ending;
  /** Resolves when its end is in the store: done, due again, or buried. */
  written: Promise<void>;
}

/** Stages the next state of a held job. */
type Move = (batch: Batch, held: HeldJob) => void;

/**
 * One run of a job, from its lease on. Its end is written with the next commit. While the store
 * cannot write, this process remembers the run with its attempt, outcome and due time, and writes
 * it when the store can. So effects outside are not repeated. Commits of the work itself wait
 * likewise.
 */
export async function perform(
  first: HeldJob,
  options: Performing,
  stopping: AbortSignal,
): Promise<Performed> {
  const { job } = first;
  const { keepLease, ports, health } = options;
  const handler = handlerOf(job, options);
  let lease = keepLease(first);
  const write = async (also: AlsoWritten[], move: Move): Promise<void> => {
    const held = await lease.end();
    try {
      return await commitEnd(held, also, move, options);
    } catch (error) {
      if (!(error instanceof StoreFault) || stopping.aborted) throw error;
      lease = keepLease(held); // The lease keeps other workers from performing it meanwhile.
    }
    await health.well(stopping);
    return await write(also, move);
  };
  /** Ends the job even when its records cannot be written: it must not run for ever. */
  const writeFailure = async (
    also: () => Promise<AlsoWritten[]> | undefined,
    move: Move,
  ): Promise<void> => {
    try {
      return await write(await patiently(stopping, also) ?? [], move);
    } catch (error) {
      if (error instanceof Fault && error.kind === "unavailable") throw error;
      ports.log("Cannot record how a job ended", { kind: job.kind, id: job.id, error });
      await write([], move);
    }
  };
  const fail = async (error: unknown) => {
    if (stopping.aborted) { // The service stops: the attempt does not count.
      const given = (held: HeldJob) => ({ ...held, job: { ...job, attempt: job.attempt - 1 } });
      return await write([], (batch, held) => stageRetry(batch, given(held), ports.steadyNow()));
    }
    if (handler !== undefined && job.attempt < attemptsOf(handler, ports) && !isFinal(error)) {
      const delayMs = handler.retryMs(job.attempt) * (0.8 + Math.random() * 0.4);
      const dueAt = ports.steadyNow() + delayMs;
      const also = () => handler.failed?.(handler.args.parse(job.args), ports, error, job);
      return await writeFailure(also, (batch, held) => stageRetry(batch, held, dueAt));
    }
    const also = () => handler?.spent?.(handler.args.parse(job.args), ports, error, job);
    await writeFailure(also, (batch, held) => stageDead(batch, held, String(error)));
  };
  try {
    if (handler === undefined) {
      throw new Error(`Cannot run a job of the unknown kind "${job.kind}"`);
    }
    if (isSpent(job, options)) throw new Fault("expired");
    const { signal } = lease;
    const run = { ...job, signal };
    const args = handler.args.parse(job.args);
    const work = () => options.inShare(job, async () => await handler.work(args, ports, run));
    const also = await patiently(signal, work);
    return { ending: "good", written: write(also ?? [], stageDone).catch(fail) };
  } catch (error) {
    const ending = stopping.aborted || faultOf(error) !== undefined ? "neither" : "bad";
    return { ending, written: fail(error) };
  }
}

/** Returns whether a job is too old for another attempt. */
export function isSpent(job: StoredJob, { handlers, ports }: Performing): boolean {
  const { maxAgeMs = Infinity } = handlerOf(job, { handlers }) ?? {};
  return waitedMs(job, ports) > maxAgeMs;
}

const waitedMs = ({ since, madeAt }: StoredJob, { steadyNow }: Pick<Ports, "steadyNow">): number =>
  steadyNow() - (since ?? madeAt);

const handlerOf = ({ kind }: StoredJob, { handlers }: Pick<Performing, "handlers">) =>
  handlers.find((handler) => handler.kind === kind);

/** Attempts at a commit whose records another writer changes meanwhile. */
const commits = 3;

/** Commits the end of a run with the records that it writes; nothing when the lease is lost. */
async function commitEnd(
  held: HeldJob,
  also: AlsoWritten[],
  move: Move,
  { committer, queue, stageAlso }: Performing,
): Promise<void> {
  for (let attempt = 1; attempt <= commits; attempt++) {
    const committed = await committer.later(async () => {
      const batch = emptyBatch();
      await stageAlso(batch, also);
      move(batch, held);
      return batch;
    });
    if (committed !== null) return;
    if (also.length === 0) return queue.lost(held);
  }
}

const attemptsOf = ({ maxAttempts }: AnyJobHandler, { settings }: Ports): number =>
  typeof maxAttempts === "number" ? maxAttempts : maxAttempts(settings);

/** Returns whether another attempt is bound to fail the same way. */
function isFinal(error: unknown): boolean {
  const fault = faultOf(error);
  return fault !== undefined && fault.kind !== "unavailable" && fault.kind !== "internal";
}

/** The Fault that an error is, or was caused by. */
function faultOf(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  return error instanceof Error && error.cause instanceof Fault ? error.cause : undefined;
}

import type { AnyJobHandler } from "../core/job.ts";
import { limits } from "../core/limits.ts";
import { Fault } from "../core/faults.ts";
import type { AlsoInserted, Ports } from "../core/ports.ts";
import { type Batch, emptyBatch } from "./batch.ts";
import type { Committer } from "./commit.ts";
import { keys } from "./keys.ts";
import type { HeldJob, Queue } from "./queue.ts";

export interface WorkerOptions {
  kv: Deno.Kv;
  queue: Queue;
  committer: Committer;
  handlers: AnyJobHandler[];
  ports: Ports;
  stageAlso(batch: Batch, also: AlsoInserted[]): Promise<void>;
}

export interface Worker {
  /** Looks for due jobs now. */
  poke(): void;
  /** Runs jobs until none is due at `ports.now()`; for a process without `start`. */
  drain(): Promise<void>;
  start(): void;
  /** Claims no more, waits for running jobs up to `graceMs`, then takes their signal away. */
  stop(graceMs: number): Promise<void>;
}

/** Performs the store's jobs: lanes side by side, each with its own bound. */
export function worker(options: WorkerOptions): Worker {
  const { kv, queue, committer, ports } = options;
  const owner = crypto.randomUUID();
  const running = new Map<string, number>();
  const jobs = new Set<Promise<void>>();
  const stopping = new AbortController();
  let isStopped = false;
  let wake: (() => void) | undefined;
  let isPoked = false;

  const poke = () => {
    isPoked = true;
    wake?.();
  };
  committer.onJobs = poke;

  const outside = () =>
    [...running].reduce((sum, [lane, jobs]) => isOutside(lane) ? sum + jobs : sum, 0);

  /** Claims and begins what is due; returns when to look again, in ms. */
  async function round(): Promise<number> {
    let next = ports.now() + limits.jobPollMs;
    for (const lane of await queue.lanes()) {
      const busy = running.get(lane.name) ?? 0;
      const room = isOutside(lane.name) ? limits.jobsOutside - outside() : Infinity;
      const most = Math.min(limits.jobsPerLane - busy, room);
      if (lane.dueAt > ports.now()) next = Math.min(next, lane.dueAt);
      else if (most > 0) { // A job that ends pokes.
        const now = ports.now();
        const claim = { now, most, owner, leaseMs: limits.jobLeaseMs };
        const { held, next: again, hinted } = await queue.claim(lane, claim);
        held.forEach(begin);
        await hinted;
        if (held.length < most) next = Math.min(next, again);
      }
    }
    return next;
  }

  function begin(held: HeldJob): void {
    const { lane } = held.job;
    running.set(lane, (running.get(lane) ?? 0) + 1);
    const done = perform(held, options, stopping.signal)
      .catch((error) => ports.log("Cannot finish a job", { kind: held.job.kind, error }))
      .then(() => {
        const left = running.get(lane)! - 1;
        if (left > 0) running.set(lane, left);
        else running.delete(lane);
        jobs.delete(done);
        poke();
      });
    jobs.add(done);
  }

  async function loop(): Promise<void> {
    while (!isStopped) {
      isPoked = false;
      const next = await round().catch((error) => {
        if (!isStopped) ports.log("Cannot look for jobs", { error });
        return ports.now() + limits.jobPollMs;
      });
      if (isPoked || isStopped) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, next - ports.now()));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    }
  }

  let watching: ReadableStreamDefaultReader | undefined;
  async function watch(): Promise<void> {
    watching = kv.watch([keys.wake]).getReader();
    while (!(await watching.read()).done) poke();
  }

  let looping: Promise<void> = Promise.resolve();
  return {
    poke,
    async drain() {
      do {
        isPoked = false;
        await round();
        await Promise.all(jobs);
      } while (isPoked || jobs.size > 0);
    },
    start() {
      committer.listen();
      looping = loop();
      watch().catch(() => {}); // The poll goes on without it.
    },
    async stop(graceMs) {
      isStopped = true;
      poke();
      await watching?.cancel().catch(() => {});
      let timer: ReturnType<typeof setTimeout> | undefined;
      const grace = new Promise((resolve) => timer = setTimeout(resolve, graceMs));
      await Promise.race([Promise.all([looping, ...jobs]), grace]);
      clearTimeout(timer);
      stopping.abort(new Error("The service stops"));
      await Promise.all([looping, ...jobs]);
    },
  };
}

/** Whether a lane waits for servers of others (`Job.lane`). */
const isOutside = (lane: string): boolean => lane.includes(":");

/** One run of a job, from its lease to its end: done, due again, or buried. */
async function perform(
  first: HeldJob,
  options: WorkerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { job } = first;
  const { queue, ports } = options;
  const handler = options.handlers.find(({ kind }) => kind === job.kind);
  const lease = keepLease(first, queue, ports);
  const signal = AbortSignal.any([lease.signal, stopping]);
  const batch = emptyBatch();
  try {
    if (handler === undefined) {
      throw new Error(`Cannot run a job of the unknown kind "${job.kind}"`);
    }
    const also = await handler.work(handler.args.parse(job.args), ports, { ...job, signal });
    await options.stageAlso(batch, also ?? []);
    await queue.complete(await lease.end(), batch);
  } catch (error) {
    const held = await lease.end();
    if (stopping.aborted) { // Not its fault: the attempt does not count.
      await queue.retry({ ...held, job: { ...job, attempt: job.attempt - 1 } }, ports.now());
    } else if (
      handler !== undefined && job.attempt < attemptsOf(handler, ports) && !isFinal(error)
    ) {
      const delayMs = handler.retryMs(job.attempt) * (0.8 + Math.random() * 0.4);
      await queue.retry(held, ports.now() + delayMs);
    } else {
      const also = await handler?.spent?.(handler.args.parse(job.args), ports, error);
      await options.stageAlso(batch, also ?? []);
      await queue.bury(held, String(error), batch);
    }
  }
}

const attemptsOf = ({ maxAttempts }: AnyJobHandler, { settings }: Ports): number =>
  typeof maxAttempts === "number" ? maxAttempts : maxAttempts(settings);

/** Whether another attempt is bound to fail the same way. */
const isFinal = (error: unknown): boolean =>
  error instanceof Fault && error.kind !== "unavailable" && error.kind !== "internal";

/** Renews a job's lease while it runs; `signal` aborts when another worker has taken it. */
function keepLease(first: HeldJob, queue: Queue, ports: Ports) {
  const lost = new AbortController();
  let held = first;
  let isRenewing = false;
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    if (isRenewing) return; // The store is slow: a second renewal would find the first one's entry.
    isRenewing = true;
    renewing = queue.renew(held, ports.now() + limits.jobLeaseMs).then((renewed) => {
      if (renewed === null) lost.abort(new Error("The lease of the job is lost"));
      else held = renewed;
    }).catch((error) => ports.log("Cannot renew a lease", { error }))
      .finally(() => isRenewing = false);
  }, limits.jobLeaseMs / 3);
  return {
    signal: lost.signal,
    /** Ends the renewals; a renewal under way first finishes, else the held entry would be stale. */
    async end(): Promise<HeldJob> {
      clearInterval(timer);
      await renewing;
      return held;
    },
  };
}

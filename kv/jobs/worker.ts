import type { AnyJobHandler } from "../../core/ports/job_handler.ts";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Ports } from "../../core/ports/ports.ts";
import type { AlsoWritten } from "../../core/model/record_types.ts";
import { admission } from "./admission.ts";
import type { Batch } from "../store/batch.ts";
import type { Committer } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import { isSpent, perform } from "./perform.ts";
import type { HeldJob, Lane, Queue, StoredJob } from "./queue.ts";

export interface WorkerOptions {
  kv: Deno.Kv;
  queue: Queue;
  committer: Committer;
  handlers: AnyJobHandler[];
  ports: Ports;
  stageAlso(batch: Batch, also: AlsoWritten[]): Promise<void>;
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
  const rooms = admission();
  /** Series of which a job runs. */
  const busy = new Set<string>();
  const jobs = new Set<Promise<void>>();
  const stopping = new AbortController();
  let isStopped = false;
  let wake: (() => void) | undefined;
  let isPoked = false;
  /** The lane that was last given room: the next ones come first in the next round. */
  let last = "";

  const poke = () => {
    isPoked = true;
    wake?.();
  };
  committer.onJobs = poke;

  /** Claims and begins what is due; returns when to look again, in ms. */
  async function round(): Promise<number> {
    const now = ports.now();
    let next = now + limits.jobPollMs;
    const due: Lane[] = [];
    for (const lane of after(last, await queue.lanes())) {
      const from = Math.max(lane.dueAt, rooms.openUntil(lane.name));
      if (from > now) next = Math.min(next, from);
      else due.push(lane);
    }
    const share = Math.max(1, Math.floor(limits.jobsOutside / Math.max(1, due.length)));
    for (let i = 0; i < due.length; i += limits.lanesAtOnce) {
      const part = due.slice(i, i + limits.lanesAtOnce);
      next = Math.min(next, ...await Promise.all(part.map((lane) => tryToServe(lane, share))));
    }
    return next;
  }

  /** The same as `serve`; a lane that fails is looked at again with the next poll, the others go on. */
  async function tryToServe(lane: Lane, share: number): Promise<number> {
    try {
      return await serve(lane, share);
    } catch (error) {
      if (error instanceof Fault && error.kind === "unavailable") throw error; // As all lanes are.
      if (!isStopped) ports.log("Cannot look for the jobs of a lane", { lane: lane.name, error });
      return ports.now() + limits.jobPollMs;
    }
  }

  /** Begins up to `share` due jobs of a lane; returns when to look at it again, in ms. */
  async function serve(lane: Lane, share: number): Promise<number> {
    const most = rooms.enter(lane.name, share);
    if (most === 0) return Infinity; // A job that ends pokes.
    last = lane.name;
    let begun = 0;
    try {
      const now = ports.now();
      const { held, next, hinted } = await queue.claim(lane, {
        now,
        most,
        owner,
        leaseMs: limits.jobLeaseMs,
        isBusy: (job) => busy.has(seriesOf(job)),
        // Where a server is left alone for long, its jobs still come to an end.
        ...(rooms.isProbing(lane.name) && { isSpent: (job) => isSpent(job, options) }),
      });
      for (const one of held) {
        const isFree = begun === most; // It is spent, and asks nobody.
        if (!isFree) begun++;
        begin(one, isFree);
      }
      await hinted;
      if (held.length < most) return next;
      if (most === share) poke(); // There may be room for more.
      return Infinity;
    } finally {
      rooms.leave(lane.name, most - begun);
    }
  }

  function begin(held: HeldJob, isFree: boolean): void {
    const { kind, lane } = held.job;
    const series = seriesOf(held.job);
    busy.add(series);
    const done = perform(held, options, stopping.signal)
      .catch((error) => {
        ports.log("Cannot finish a job", { kind, error });
        return "neither" as const;
      })
      .then((ending) => {
        if (!isFree) rooms.end(lane, ending, ports.now());
        busy.delete(series);
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

/** Lanes in order of name, from the one after `name` round to it. */
function after(name: string, lanes: Lane[]): Lane[] {
  const at = lanes.findIndex((lane) => lane.name > name);
  return at < 0 ? lanes : [...lanes.slice(at), ...lanes.slice(0, at)];
}

/** What tells a job's series from all others; a job without one is a series of its own. */
const seriesOf = ({ lane, series, id }: StoredJob): string => `${lane}\n${series ?? id}`;

import { Fault } from "../../core/base/faults.ts";
import { withOrigin } from "../../core/base/origin.ts";
import { traced } from "../../core/base/tracing.ts";
import { limits } from "../../core/base/limits.ts";
import { withinShare } from "../../core/base/loop_work.ts";
import { createShortLivedSet, type ShortLivedSet } from "../../core/base/short_lived_map.ts";
import { countMinute, hangUp, limitCall } from "../../core/model/job_kinds.ts";
import { createTenants, type Tenants } from "../../core/accounts/tenant.ts";
import { accountOf, type Admission, admission } from "./admission.ts";
import type { Committer } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { StoreHealth } from "../store/store_health.ts";
import { leaseKeeper } from "./leases.ts";
import { jobLimits } from "./limits.ts";
import { isSpent, perform, type Performing } from "./perform.ts";
import type { HeldJob, Lane, StoredJob } from "./queue.ts";
import type { KeyValueStore } from "../store/key_value_store.ts";

export interface WorkerOptions
  extends Omit<Performing, "keepLease" | "inShare" | "committer" | "health"> {
  /** A store to which other processes add jobs. */
  watched: KeyValueStore | null;
  committer: Committer;
  health: StoreHealth;
}

export interface Worker {
  /** Looks for due jobs now. */
  poke(): void;
  /** Runs jobs until none is due at `ports.steadyNow()`; for a process without `start`. */
  drain(): Promise<void>;
  start(): void;
  /** Claims no more, waits for running jobs up to `graceMs`, then aborts their signal. */
  stop(graceMs: number): Promise<void>;
}

/**
 * State of a worker between two rounds: its running jobs, and its reasons to look for jobs again.
 */
interface State extends WorkerOptions, Omit<Performing, "committer" | "health"> {
  /** The name under which this worker holds leases. */
  owner: string;
  admission: Admission;
  tenants: Tenants;
  /** Series of which a job runs. */
  busy: Set<string>;
  /** Ids of the jobs that are performed, or whose end is not in the store yet. */
  held: Set<string>;
  /** Jobs at work. */
  working: ShortLivedSet<Promise<void>>;
  /** The same, and those whose end is not in the store yet. */
  running: ShortLivedSet<Promise<void>>;
  stopping: AbortController;
  isStopped: boolean;
  /** A job may have become due since the last round began. */
  isPoked: boolean;
  /** Ends the pause between two rounds. */
  wake: (() => void) | undefined;
  /** The lane that was served last: the next round begins with the one after it. */
  last: string;
}

/** Performs the store's jobs: lanes side by side, each with its own bound. */
export function worker(options: WorkerOptions): Worker {
  const { watched, committer } = options;
  const stopping = new AbortController();
  const tenants = createTenants(options.ports.accounts);
  const state: State = {
    ...options,
    inShare: (job, work) => inShare(job, work, { ports: options.ports, tenants }),
    keepLease: leaseKeeper(options.queue, options.ports, stopping.signal),
    owner: crypto.randomUUID(),
    admission: admission(tenants.known),
    tenants,
    busy: new Set(),
    held: new Set(),
    working: createShortLivedSet(),
    running: createShortLivedSet(),
    stopping,
    isStopped: false,
    isPoked: false,
    wake: undefined,
    last: "",
  };
  let looping: Promise<void> = Promise.resolve();
  let watching: ReadableStreamDefaultReader | undefined;
  committer.onJobs = () => poke(state);
  options.health.onChange(() => poke(state));

  async function watch(kv: KeyValueStore): Promise<void> {
    watching = kv.watch(keys.wake).getReader();
    while (!(await watching.read()).done) poke(state);
  }

  return {
    poke: () => poke(state),
    drain: () => drain(state),
    start() {
      looping = loop(state);
      // Without the watch, the poll still finds due jobs.
      if (watched !== null) watch(watched).catch(() => {});
    },
    async stop(graceMs) {
      state.isStopped = true;
      poke(state);
      await watching?.cancel().catch(() => {});
      let timer: ReturnType<typeof setTimeout> | undefined;
      const grace = new Promise((resolve) => timer = setTimeout(resolve, graceMs));
      await Promise.race([Promise.all([looping, ...state.running]), grace]);
      clearTimeout(timer);
      state.stopping.abort(new Error("The service stops"));
      await Promise.all([looping, ...state.running]);
    },
  };
}

function poke(state: State): void {
  state.isPoked = true;
  state.wake?.();
}

async function drain(state: State): Promise<void> {
  do {
    state.isPoked = false;
    await round(state);
    await Promise.all(state.working);
    if (state.isPoked) continue;
    state.committer.flush();
    await Promise.all(state.running);
  } while (state.isPoked || state.running.size > 0);
}

async function loop(state: State): Promise<void> {
  const { ports } = state;
  while (!state.isStopped) {
    state.isPoked = false;
    const next = await round(state).catch((error) => {
      if (!state.isStopped) ports.log("Cannot look for jobs", { error });
      return ports.steadyNow() + limits.jobPollMs;
    });
    if (!state.isPoked && !state.isStopped) await pause(state, next - ports.steadyNow());
  }
}

/** Waits for `ms`, or until the worker is poked. */
async function pause(state: State, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms));
    state.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  state.wake = undefined;
}

/**
 * Claims and begins due jobs; returns the time of the next look, in ms. While the store cannot
 * write, none begins: its effects outside could not be noted, and would be repeated.
 */
async function round(state: State): Promise<number> {
  const { queue, ports, admission, health, watched } = state;
  const now = ports.steadyNow();
  let next = now + limits.jobPollMs;
  // Of a shared store the others write the ends of their runs first: their leases may be over.
  const patienceMs = watched === null ? 0 : jobLimits.settlingMs;
  if (health.failure() !== null || health.wellForMs() < patienceMs) return next;
  const due: Lane[] = [];
  for (const lane of after(state.last, await queue.lanes())) {
    const from = Math.max(lane.dueAt, admission.openUntil(lane.name));
    if (from > now) next = Math.min(next, from);
    else due.push(lane);
  }
  const share = Math.max(1, Math.floor(limits.jobsOutside / Math.max(1, due.length)));
  for (let i = 0; i < due.length; i += limits.lanesAtOnce) {
    const part = due.slice(i, i + limits.lanesAtOnce);
    next = Math.min(next, ...await Promise.all(part.map((lane) => tryToServe(state, lane, share))));
  }
  return next;
}

/** Serves a lane. One that fails is looked at again with the next poll; the others go on. */
async function tryToServe(state: State, lane: Lane, share: number): Promise<number> {
  const { ports } = state;
  try {
    return await serve(state, lane, share);
  } catch (error) {
    if (error instanceof Fault && error.kind === "unavailable") throw error; // So are all lanes.
    if (!state.isStopped) {
      ports.log("Cannot look for the jobs of a lane", { lane: lane.name, error });
    }
    return ports.steadyNow() + limits.jobPollMs;
  }
}

/** Begins up to `share` due jobs of a lane; returns when to look at it again, in ms. */
async function serve(state: State, lane: Lane, share: number): Promise<number> {
  const { queue, ports, owner, admission, busy, tenants, held: performed } = state;
  const account = accountOf(lane.name);
  if (account !== null) await tenants.find(account);
  const most = admission.enter(lane.name, share);
  if (most === 0) return Infinity; // The end of a running job pokes the worker.
  state.last = lane.name;
  let begun = 0;
  try {
    const now = ports.steadyNow();
    const { held, next, hinted } = await queue.claim(lane, {
      now,
      most,
      owner,
      leaseMs: limits.jobLeaseMs,
      isBusy: (job) => busy.has(seriesOf(job)),
      isHeld: ({ id }) => performed.has(id),
      // While the circuit of a server is open, its spent jobs still end.
      ...(admission.isProbing(lane.name) && { isSpent: (job) => isSpent(job, state) }),
    });
    for (const one of held) {
      const isAdmitted = begun < most; // The others are spent: they send no request.
      if (isAdmitted) begun++;
      begin(state, one, isAdmitted);
    }
    await hinted;
    if (held.length < most) return next;
    if (most === share) poke(state); // Further jobs may be admitted.
    return Infinity;
  } finally {
    admission.leave(lane.name, most - begun);
  }
}

/** Runs a claimed job; `isAdmitted`: it counts for the bounds of its lane. */
function begin(state: State, held: HeldJob, isAdmitted: boolean): void {
  const { ports, admission, busy, working, running, stopping } = state;
  const { kind, lane, id } = held.job;
  const series = seriesOf(held.job);
  busy.add(series);
  state.held.add(id);
  const attributes = { "switchboard.job_id": held.job.id, "switchboard.attempt": held.job.attempt };
  const run = () => perform(held, state, stopping.signal);
  const cannotFinish = (error: unknown) => ports.log("Cannot finish a job", { kind, error });
  const performed = withOrigin(
    held.job.origin,
    () => traced(`job ${kind}`, { kind: "job", attributes }, run),
  );
  const worked = performed.then(({ ending }) => ending, () => "neither" as const).then((ending) => {
    if (isAdmitted) admission.end(lane, ending, ports.steadyNow());
    busy.delete(series);
    removeWorked();
    poke(state);
  });
  const removeWorked: () => void = working.add(worked);
  const written = performed.then(({ written }) => written).catch(cannotFinish)
    .then(() => {
      state.held.delete(id);
      removeWritten();
    });
  const removeWritten: () => void = running.add(written);
}

/** Kinds of jobs that live calls wait for. */
const ofCalls: ReadonlySet<string> = new Set(
  [countMinute, limitCall, hangUp].map(({ kind }) => kind),
);

/** Does the work of a job within the share of the tenant that its arguments name, if any. */
async function inShare<T>(
  { kind, args }: StoredJob,
  work: () => Promise<T>,
  { ports, tenants }: Pick<State, "ports" | "tenants">,
): Promise<T> {
  // As in every kind that is of an account.
  const { accountSid } = args as { accountSid?: string | undefined };
  if (accountSid === undefined) return await work();
  const tenant = await tenants.find(accountSid);
  const asking = { tenant, kind: `job ${kind}`, isOfCall: ofCalls.has(kind) };
  return await withinShare(ports.loop, asking, work);
}

/** Lanes in order of name, beginning with the one after `name`. */
function after(name: string, lanes: Lane[]): Lane[] {
  const at = lanes.findIndex((lane) => lane.name > name);
  return at < 0 ? lanes : [...lanes.slice(at), ...lanes.slice(0, at)];
}

/** A unique name of a job's series; a job without one is a series of its own. */
const seriesOf = ({ lane, series, id }: StoredJob): string => `${lane}\n${series ?? id}`;

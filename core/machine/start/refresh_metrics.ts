import { areDraining, liveCompanions } from "../../companions/companions.ts";
import { companions, jobDelay, jobs } from "../../metrics/service_metrics.ts";
import type { Ports } from "../../model/ports/ports.ts";

/** For how long what was read of the store is shown again, in ms: several may scrape one service. */
const knownMs = 5_000;

/**
 * Brings the gauges of jobs and companions up to date from the store. A store that does not respond
 * leaves them out: the other metrics say why.
 */
export function metricsRefresher(ports: Ports): () => Promise<void> {
  let last: { at: number; done: Promise<void> } | undefined;
  const refresh = async () => {
    try {
      await Promise.all([showJobs(ports), showCompanions(ports)]);
    } catch (error) {
      [jobs, jobDelay, companions].forEach((gauge) => gauge.reset());
      ports.log("Cannot read jobs and companions for the metrics", { error });
    }
  };
  return () => {
    if (last === undefined || ports.steadyNow() - last.at > knownMs) {
      last = { at: ports.steadyNow(), done: refresh() };
    }
    return last.done;
  };
}

async function showJobs(ports: Ports): Promise<void> {
  const { kinds } = await ports.jobs.overview();
  // A kind without jobs is absent from the overview: it must not keep its last value.
  jobs.reset();
  jobDelay.reset();
  for (const { kind, oldestDue, waiting, due, leased, dead } of kinds) {
    for (const [state, count] of Object.entries({ waiting, due, leased, dead })) {
      jobs.set({ kind, state }, count);
    }
    const delayMs = oldestDue === null ? 0 : Math.max(0, ports.now() - oldestDue);
    jobDelay.set({ kind }, delayMs / 1_000);
  }
}

async function showCompanions(ports: Ports): Promise<void> {
  const live = await liveCompanions(ports);
  const draining = live.filter((one) => areDraining([one])).length;
  companions.set({ state: "ready" }, live.length - draining);
  companions.set({ state: "draining" }, draining);
}

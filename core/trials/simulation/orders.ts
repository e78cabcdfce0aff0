import { Fault } from "../../base/faults.ts";
import type { Clocks } from "../../base/steady_clock.ts";
import { simulateLeg } from "../../model/job_kinds.ts";
import type { Change } from "../../model/store.ts";
import type { Ports } from "../../model/ports/ports.ts";
import type { SimulatedLeg } from "../../model/resources/internal/simulated_legs.ts";
import { closed, type Leg, opened, steadyTime } from "./leg.ts";

/** A leg with the job that goes on with it. */
export function due(leg: Leg, clocks: Clocks): Change<SimulatedLeg> {
  const { accountSid, sid: legSid, turn } = leg;
  const job = simulateLeg({ accountSid, legSid, turn });
  const timed = leg.isReal && { steadyDueAt: steadyTime(leg, clocks, leg.due) };
  return { record: closed(leg), jobs: [{ ...job, ...timed, series: legSid }] }; // One run after another.
}

/** Changes a leg by an order, unless that returns the leg itself or the leg is not there any more. */
export async function orderLeg(
  { accountSid, sid }: Pick<SimulatedLeg, "accountSid" | "sid">,
  changed: (leg: Leg) => Leg,
  ports: Pick<Ports, "records" | "now" | "steadyNow">,
): Promise<void> {
  try {
    await ports.records.simulatedLegs.update(accountSid, sid, (record) => {
      const before = opened(record);
      const leg = changed(before);
      return leg === before ? { record } : due(leg, ports);
    });
  } catch (error) {
    if (!(error instanceof Fault) || error.fault !== "notFound") throw error;
  }
}

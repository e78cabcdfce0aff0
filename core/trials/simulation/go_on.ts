import { Fault } from "../../base/faults.ts";
import type { ArgsOf, simulateLeg } from "../../model/job_kinds.ts";
import type { Ports } from "../../model/ports/ports.ts";
import type { SimulatedLeg } from "../../model/resources/internal/simulated_legs.ts";
import { act } from "./act.ts";
import { isLive } from "../../model/values/status.ts";
import { closed, type Leg, legSidOf, legTime, opened, simulated } from "./leg.ts";
import { type Line, lineTo } from "./line.ts";
import { due } from "./orders.ts";
import { simulationLimits } from "./times.ts";

type Args = ArgsOf<typeof simulateLeg>;

/**
 * Performs what is due of a leg, until it has to wait or ends. Each act is committed, so that a run that
 * was killed is followed by one that goes on; the act that it died in is done again.
 */
export async function goOn(
  { accountSid, legSid, turn }: Args,
  ports: Ports,
  signal: AbortSignal,
): Promise<void> {
  const legs = ports.records.simulatedLegs;
  const line = lineTo(ports, signal);
  for (let acts = 1;; acts++) {
    const record = await legs.get(accountSid, legSid);
    if (record === null || record.turn !== turn) return; // An order came between.
    signal.throwIfAborted();
    const leg = await resumed(opened(record), ports);
    const done = await act(leg, line);
    const next = done && await fitting(done, line);
    if (next === null) {
      await assertOver(leg, ports);
      await forget(record, ports);
      return await endConferenceOf(leg, null, ports);
    }
    const waits = next.isReal && next.due > legTime(next, ports);
    const isEnough = waits || acts >= simulationLimits.actsAtOnce;
    const stored = await legs.update(accountSid, legSid, (before) => {
      if (before.turn !== turn) return { record: before };
      return isEnough ? due({ ...next, turn: turn + 1 }, ports) : { record: closed(next) };
    });
    await endConferenceOf(leg, stored.conferenceSid, ports);
    if (isEnough || stored.turn !== turn) return;
  }
}

/** Ends the conference that a leg has left, where it is to end then. */
async function endConferenceOf(
  { conferenceSid, state: { endsConference } }: Leg,
  now: string | null,
  { control }: Ports,
): Promise<void> {
  if (conferenceSid === null || conferenceSid === now || !endsConference) return;
  await control.conference({ conferenceSid, order: { type: "end" } }, simulated);
}

/** The leg with the number of its next report, where a run that an order broke off may have reported. */
async function resumed(leg: Leg, { records }: Ports): Promise<Leg> {
  if (!leg.state.isInterrupted) return leg;
  const call = await records.calls.get(leg.accountSid, leg.callSid);
  const seq = Math.max(leg.seq, call?.reports ?? 0);
  return { ...leg, seq, state: { ...leg.state, isInterrupted: false } };
}

/** Throws where the call of an ended leg is still live, since another report took the number of the end. */
async function assertOver({ accountSid, callSid }: Leg, { records }: Ports): Promise<void> {
  const call = await records.calls.get(accountSid, callSid);
  if (call === null || !isLive(call.status)) return;
  const change = (record: SimulatedLeg) => {
    const leg = opened(record);
    return { record: closed({ ...leg, state: { ...leg.state, isInterrupted: true } }) };
  };
  await records.simulatedLegs.update(accountSid, legSidOf(callSid), change);
  throw new Error("Cannot end a simulated leg: its call is live"); // The next attempt ends it.
}

/** The leg without a script that is too long for the store; a Notification reports that. */
async function fitting(leg: Leg, line: Line): Promise<Leg> {
  if (closed(leg).state.length <= simulationLimits.stateLength) return leg;
  const message =
    `a document of more than ${simulationLimits.stateLength} characters is not simulated`;
  await line.report(leg, { event: { type: "problem", url: "", message, about: "simulation" } });
  return { ...leg, seq: leg.seq + 1, state: { ...leg.state, script: [] } };
}

async function forget({ accountSid, sid }: SimulatedLeg, ports: Ports): Promise<void> {
  try {
    await ports.records.simulatedLegs.remove(accountSid, sid);
  } catch (error) {
    if (!(error instanceof Fault) || error.fault !== "notFound") throw error;
  }
}

/** Ends a leg that cannot be gone on with. */
export async function giveUp({ accountSid, legSid }: Args, ports: Ports): Promise<void> {
  const record = await ports.records.simulatedLegs.get(accountSid, legSid);
  if (record === null) return;
  const { state, ...kept } = opened(record);
  const leg = await resumed({ ...kept, state: { ...state, isInterrupted: true } }, ports);
  const { report } = lineTo(ports, new AbortController().signal);
  await report({ ...leg, clock: leg.due }, { event: { type: "ended", outcome: "failed" } });
  await forget(record, ports);
}

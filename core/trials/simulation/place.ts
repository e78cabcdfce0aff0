import { Fault } from "../../base/faults.ts";
import { aheadOf, callTime } from "../../calls/call_time.ts";
import type { Script } from "../../protocol/script.ts";
import type { Ports } from "../../model/ports/ports.ts";
import type { Call } from "../../model/resources/calls.ts";
import { simulatedLegs } from "../../model/resources/internal/simulated_legs.ts";
import { behaviourOf } from "../../model/values/test_calls.ts";
import { newBase } from "../../model/resource.ts";
import { due } from "./orders.ts";
import { type Leg, legSidOf, type State } from "./leg.ts";
import { channelsOf } from "./tone.ts";
import { simulationTimes } from "./times.ts";

/** Places a call of a test account, by a script that begins with its `invite`. A second run does nothing. */
export async function placeSimulated(call: Call, script: Script, ports: Ports): Promise<void> {
  const behaviour = behaviourOf(call.to);
  const clockAheadMs = aheadOf(call, ports);
  const now = callTime(call, ports);
  const base = newBase(simulatedLegs, call.accountSid, ports);
  const leg: Leg = {
    ...base,
    sid: legSidOf(call.sid),
    callSid: call.sid,
    turn: 0,
    seq: 0,
    clock: now,
    due: now,
    isReal: behaviour.isReal,
    conferenceSid: null,
    state: { ...begun(script, { behaviour, timeLimit: call.timeLimit }), clockAheadMs },
  };
  try {
    await ports.records.simulatedLegs.insert(due(leg, ports));
  } catch (error) {
    if (!(error instanceof Fault) || error.fault !== "alreadyExists") throw error;
  }
}

function begun(
  [invite, ...rest]: Script,
  { behaviour, timeLimit }: Pick<State, "behaviour"> & Pick<Call, "timeLimit">,
): State {
  if (invite?.type !== "invite") throw new Error("Cannot simulate a call without an invite");
  const { invitation, timeoutS, machineDetection, record, recordingManner } = invite;
  const { longestS } = simulationTimes;
  return {
    phase: "new",
    behaviour,
    invitation,
    timeoutS,
    detection: machineDetection
      ? {
        untilEnd: machineDetection.untilEnd,
        isBeside: machineDetection.isAsync ?? false,
        isTold: false,
        callback: machineDetection.callback ?? null,
      }
      : null,
    recording: record ? { order: record, channels: channelsOf(recordingManner) } : null,
    script: rest, // A USSD dialogue begins with its text; a call asks for its script.
    begunAt: null,
    abandoned: null,
    recordings: [],
    acts: 0,
    plan: [],
    dialled: null,
    tookTime: false,
    typed: "",
    gathers: { keys: 0, words: 0 },
    answeredAt: null,
    endsAt: null,
    isInterrupted: false,
    endsConference: false,
    taken: null,
    longestS: Math.min(timeLimit ?? longestS, longestS),
  };
}

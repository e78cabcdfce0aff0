import type { LegEvent } from "../../protocol/events.ts";
import { type Recorded, recordingLimits, type RecordingOrder } from "../../protocol/recordings.ts";
import type { Script } from "../../protocol/script.ts";
import { takePart } from "../../recordings/take_part.ts";
import { handleReport } from "../../reports/handle_report.ts";
import type { Ports } from "../../model/ports/ports.ts";
import {
  isTalking,
  type Leg,
  legSidOf,
  legTime,
  opened,
  simulated,
  steadyTime,
  takenBy,
  waitedEnough,
} from "./leg.ts";
import { orderLeg } from "./orders.ts";
import { simulationLimits } from "./times.ts";
import { toneOf } from "./tone.ts";

/** An event of a leg; of another one that it dialled, with `leg` and `seq`. */
export interface Happened {
  event: LegEvent;
  wantsScript?: boolean;
  leg?: string;
  seq?: number;
}

/** The link of a simulated leg to the service: that of a companion, without requests between processes. */
export interface Line {
  /** Reports what happened at the time of the leg, and brings the script that answers. */
  report(leg: Leg, happened: Happened): Promise<Script>;
  /** Takes a leg of the account out of its queue, until a time; false where it does not wait. */
  take(leg: Leg, callSid: string, until: number): Promise<boolean>;
  /** Ends the conversation with another leg. */
  release(leg: Leg, callSid: string): Promise<void>;
  /** Has a tone recorded; null where the service does not want the recording. */
  record(
    leg: Leg,
    order: RecordingOrder,
    of: { seconds: number; channels: 1 | 2 },
  ): Promise<Recorded | null>;
}

export const lineTo = (ports: Ports, signal: AbortSignal): Line => ({
  report(reporting, { event, wantsScript = false, ...other }) {
    const { accountSid, callSid, seq, clock: at } = reporting;
    const leg = other.leg ?? callSid;
    const steadyAt = steadyTime(reporting, ports, at);
    const report = { leg, accountSid, seq: other.seq ?? seq, at, steadyAt, wantsScript, event };
    return handleReport({ companion: simulated, ...report }, ports, signal);
  },

  async take(taking, callSid, until) {
    const { accountSid, callSid: by, clock } = taking;
    const named = { accountSid, sid: legSidOf(callSid) };
    await orderLeg(named, (other) => {
      const ofOther = (at: number) => legTime(other, ports, steadyTime(taking, ports, at));
      return takenBy(other, by, { at: ofOther(clock), until: ofOther(until) });
    }, ports);
    const other = await ports.records.simulatedLegs.get(accountSid, named.sid);
    return other !== null && opened(other).state.taken?.by === by; // Also where this is done again.
  },

  async release(releasing, callSid) {
    const { accountSid, clock } = releasing;
    const named = { accountSid, sid: legSidOf(callSid) };
    await orderLeg(named, (other) => {
      const at = legTime(other, ports, steadyTime(releasing, ports, clock));
      return isTalking(other) ? waitedEnough(other, at) : other;
    }, ports);
  },

  async record({ callSid: leg }, recording, { seconds, channels }) {
    const durationS = Math.min(Math.max(1, Math.round(seconds)), simulationLimits.recordedS);
    const sound = toneOf(durationS, channels);
    for (let at = 0; at < sound.length; at += recordingLimits.partBytes) {
      const data = sound.subarray(at, at + recordingLimits.partBytes);
      const isLast = at + data.length === sound.length;
      const end = isLast ? { end: "whole" as const } : {};
      const part = { recording, leg, channels, at, data: data.toBase64(), ...end };
      if (!await takePart(part, ports)) return null;
    }
    return { sid: recording.sid, durationS };
  },
});

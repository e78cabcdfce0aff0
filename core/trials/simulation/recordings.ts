import type { RecordingRequest } from "../../protocol/recordings.ts";
import type { Ports } from "../../model/ports/ports.ts";
import { type LegRecording, legTime, opened, recordedS, withRecordings } from "./leg.ts";
import { lineTo } from "./line.ts";
import { orderLeg } from "./orders.ts";
import { channelsOf } from "./tone.ts";

/** Records a simulated leg, or changes one of its recordings; false where there is none. */
export async function recordSimulated(
  { leg: callSid, order }: RecordingRequest,
  ports: Ports,
): Promise<boolean> {
  const record = await ports.records.simulatedLegs.holder("callSid", callSid);
  if (record === null) return false;
  let found: LegRecording | undefined;
  let at = 0;
  const isNamed = ({ order: { sid } }: LegRecording) => order.type !== "start" && sid === order.sid;
  const change = (recordings: LegRecording[], time: number): LegRecording[] => {
    at = time;
    if (order.type === "start") {
      const { recording, recordingManner } = order;
      found = {
        order: recording,
        channels: channelsOf(recordingManner),
        since: at,
        beforeMs: 0,
      };
      return [...recordings, found];
    }
    found = recordings.find(isNamed);
    if (order.type === "stop") return recordings.filter((one) => !isNamed(one));
    return recordings.map((one) => isNamed(one) ? halted(one, order, at) : one);
  };
  await orderLeg(record, (leg) => {
    found = undefined; // The change may be made again.
    const changed = withRecordings(leg, legTime(leg, ports), change);
    return found === undefined ? leg : changed;
  }, ports);
  if (found === undefined) return false;
  if (order.type === "stop") {
    const { order: wanted, channels } = found as LegRecording;
    const line = lineTo(ports, new AbortController().signal);
    const seconds = recordedS(found, at);
    await line.record(opened(record), wanted, { seconds, channels });
  }
  return true;
}

/** A recording that pauses, or goes on. A pause of silence is a part of it. */
function halted(
  one: LegRecording,
  order: Exclude<RecordingRequest["order"], { type: "start" }>,
  at: number,
): LegRecording {
  const { since, beforeMs } = one;
  if (order.type === "resume") return since === null ? { ...one, since: at } : one;
  const isSilent = order.type === "pause" && order.behavior === "silence";
  if (since === null || isSilent) return one;
  return { ...one, since: null, beforeMs: beforeMs + at - since };
}

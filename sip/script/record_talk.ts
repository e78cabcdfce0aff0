import type { Recorded } from "../../core/bridge_recordings.ts";
import type { DialStep } from "../leg/ring_all.ts";
import { sipLimits } from "../limits.ts";
import type { MediaLeg } from "../media/port.ts";
import { recordSources } from "../media/record_sources.ts";
import type { RecordingSink } from "../service/recordings.ts";
import type { Performance } from "./performance.ts";

/** The recording of two who talk, where it is wanted; it begins when they hear each other. */
export function recordTalk(
  { calls, live }: Performance,
  { record: recording }: DialStep,
): { onJoined(one: MediaLeg, other: MediaLeg): void; end(): Promise<Recorded | null> } {
  let sink: RecordingSink | undefined;
  let stop = () => {};
  return {
    onJoined(one, other) {
      if (recording === undefined) return;
      const opened = calls.recordings.open({ recording, leg: live.leg.id, channels: 2 });
      sink = opened;
      stop = recordSources([one.listen, other.listen], opened.write);
    },
    async end() {
      stop();
      if (sink === undefined) return null;
      return await ended(sink, calls);
    },
  };
}

/** Ends a recording; gives the service a moment to have it before it is spoken of. */
export async function ended(
  sink: RecordingSink,
  { signalling: { timers } }: Performance["calls"],
): Promise<Recorded | null> {
  const { recorded, delivered } = sink.end();
  await Promise.race([delivered, timers.pause(sipLimits.recordingSettleMs)]);
  return recorded;
}

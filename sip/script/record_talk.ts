import type { Recorded, RecordingOrder } from "../../core/bridge_recordings.ts";
import type { MediaLeg } from "../media/port.ts";
import { type FrameSource, recordSources } from "../media/record_sources.ts";
import type { RecordingSink } from "../service/recordings.ts";
import type { Performance } from "./performance.ts";

/** The recording of two who talk, where it is wanted; it begins when they hear each other. */
export function recordTalk(
  { calls, live }: Performance,
  { record: recording }: { record?: RecordingOrder | undefined },
): { onJoined(one: MediaLeg, other: MediaLeg): void; end(): Promise<Recorded | null> } {
  let sink: RecordingSink | undefined;
  let stop = () => {};
  return {
    onJoined(one, other) {
      if (recording === undefined) return;
      const opened = calls.recordings.open({ recording, leg: live.leg.id, channels: 2 });
      sink = opened;
      const sources = [one, other].map((leg): FrameSource => (onFrame) => leg.listen(onFrame));
      stop = recordSources(sources, opened.write);
    },
    async end() {
      stop();
      return await sink?.end() ?? null;
    },
  };
}

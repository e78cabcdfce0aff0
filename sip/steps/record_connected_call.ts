import type { Recorded, RecordingOrder } from "../../core/protocol/recordings.ts";
import type { MediaLeg } from "../media/base/port.ts";
import type { RecordingSink } from "../service/recordings.ts";
import type { ScriptRun } from "./script_run.ts";

/** The recording of two connected legs, where one is wanted; it begins when they are connected. */
export function recordConnectedCall(
  { calls, live }: ScriptRun,
  { record: recording }: { record?: RecordingOrder | undefined },
): { onJoined(one: MediaLeg, other: MediaLeg): void; end(): Promise<Recorded | null> } {
  let sink: RecordingSink | undefined;
  let stop = () => Promise.resolve();
  return {
    onJoined(one, other) {
      if (recording === undefined) return;
      const opened = calls.recordings.open({ recording, leg: live.leg.id, channels: 2 });
      sink = opened;
      stop = one.recordWith(other, opened.write);
    },
    async end() {
      await stop();
      return await sink?.end() ?? null;
    },
  };
}

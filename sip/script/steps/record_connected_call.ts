import type {
  Recorded,
  RecordingManner,
  RecordingOrder,
} from "../../../core/protocol/recordings.ts";
import type { MediaLeg } from "../../media/mod.ts";
import type { RecordingSink } from "../../service/recordings.ts";
import { channelsOf, recordingWriter } from "./recording_writer.ts";
import type { ScriptRun } from "./script_run.ts";

/** The recording of two connected legs, where one is wanted; it begins when they are connected. */
export function recordConnectedCall(
  { calls, live }: ScriptRun,
  { record: recording, recordingManner = {} }: {
    record?: RecordingOrder | undefined;
    recordingManner?: RecordingManner | undefined;
  },
): { onJoined(one: MediaLeg, other: MediaLeg): void; end(): Promise<Recorded | null> } {
  let sink: RecordingSink | undefined;
  let stop = () => Promise.resolve();
  return {
    onJoined(one, other) {
      if (recording === undefined) return;
      const channels = channelsOf(recordingManner);
      const opened = calls.recordings.open({ recording, leg: live.leg.id, channels });
      const { write, end } = recordingWriter(recordingManner, opened.write);
      sink = opened;
      const stopWriting = one.recordWith(other, write);
      stop = async () => {
        await stopWriting();
        end();
      };
      void opened.stopped.then(() => stop());
    },
    async end() {
      await stop();
      return await sink?.end() ?? null;
    },
  };
}

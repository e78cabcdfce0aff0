import type { ConferenceStep } from "../../../core/protocol/conferences.ts";
import type { Recorded } from "../../../core/protocol/recordings.ts";
import { whenAborted } from "../../../core/base/abort.ts";
import type { MediaConference, MediaLeg } from "../../media/mod.ts";
import type { Recordings, RecordingSink } from "../../service/recordings.ts";
import { trimmedWriter } from "./recording_writer.ts";
import type { ScriptRun } from "./script_run.ts";

/** Result of a leg's time in a conference. */
export interface Participation {
  outcome: "completed" | "busy" | "failed";
  /** Its companion is out of reach; `isGone` where that said that it has been started anew. */
  unreached?: { isGone: boolean };
  recording?: Recorded | null;
}

/** Resolves when it is over, the leg is wanted elsewhere, its time is up, or it presses the star. */
export async function untilEnough(
  { calls, signal }: ScriptRun,
  { media, over, timeLimitS, hangupOnStar = false }: {
    media: MediaLeg;
    over: Promise<unknown>;
    timeLimitS: number;
    hangupOnStar?: boolean | undefined;
  },
): Promise<void> {
  const { promise: enough, resolve: end } = Promise.withResolvers<void>();
  const stopLimit = calls.signalling.timers.after(timeLimitS * 1000, end);
  const stopDigits = media.onDigits((digit) => hangupOnStar && digit === "*" && end());
  await Promise.race([whenAborted(signal), over, enough]);
  stopLimit();
  stopDigits();
}

/** The recording of a conference while a leg is there that wants it, if it does. */
export function recordConference(
  recordings: Recordings,
  leg: string,
  { record: recording, isTrimmed = false }: Pick<ConferenceStep, "record" | "isTrimmed">,
) {
  if (recording === undefined) return undefined;
  let sink: RecordingSink | undefined;
  let stop = () => Promise.resolve();
  return {
    record(conference: MediaConference) {
      const opened = recordings.open({ recording, leg, channels: 1 });
      sink = opened;
      void opened.stopped.then(() => stop());
      if (!isTrimmed) {
        stop = conference.record(opened.write);
        return;
      }
      const { write, end } = trimmedWriter(opened.write);
      const stopWriting = conference.record(write);
      stop = async () => {
        await stopWriting();
        end();
      };
    },
    async end(): Promise<Recorded | null> {
      await stop();
      return await sink?.end() ?? null;
    },
  };
}

import type { RecordLegStep, TranscribeLegStep } from "../../core/protocol/leg_tasks.ts";
import type { Calls } from "../contracts/calls.ts";
import type { LegTasks, LiveLeg } from "../contracts/live_leg.ts";
import type { MediaLeg } from "../media/mod.ts";
import { channelsOf, recordingWriter } from "./steps/recording_writer.ts";
import { transcribe, type Transcribing } from "./transcribe.ts";

/** A leg with what its tasks need. */
interface Tasked extends Pick<LiveLeg, "leg" | "report"> {
  calls: Calls;
  /** Resolves at the end of the leg. */
  over: Promise<void>;
  transcriptions: Map<string, Transcribing>;
}

/** Makes the recordings and transcriptions beside the script of a leg, until its end. */
export function createLegTasks(
  calls: Calls,
  { leg, report }: Pick<LiveLeg, "leg" | "report">,
): LegTasks {
  const over = leg.ended.then(() => {});
  const tasked: Tasked = { calls, leg, report, over, transcriptions: new Map() };
  const working = new Set<Promise<unknown>>();
  const keep = (work: Promise<void>) => {
    const kept = work.catch((error) =>
      calls.signalling.log("Cannot perform a task of a leg", {
        leg: leg.id,
        error: String(error),
      })
    ).finally(() => working.delete(kept));
    working.add(kept);
  };
  return {
    record: (step) => keep(recordLeg(tasked, step)),
    transcribe: (step) => keep(transcribeLeg(tasked, step)),
    stopTranscription: (sidOrName) => find(tasked, sidOrName)?.stop(),
    settled: async () => void await Promise.all(working),
  };
}

/** The media of the leg when it is answered; undefined where it has none of ours, or ended. */
async function mediaOf({ leg, over }: Tasked): Promise<MediaLeg | undefined> {
  const isAnswered = await Promise.race([leg.whenAnswered, over]);
  return isAnswered ? leg.media : undefined;
}

async function recordLeg(
  tasked: Tasked,
  { recording, recordingManner = {} }: Omit<RecordLegStep, "type">,
): Promise<void> {
  const { calls, leg, over } = tasked;
  const media = await mediaOf(tasked);
  if (media === undefined) return;
  const channels = channelsOf(recordingManner);
  const sink = calls.recordings.open({ recording, leg: leg.id, channels });
  const { write, end } = recordingWriter(recordingManner, sink.write);
  const stop = media.recordLeg(write);
  await Promise.race([over, sink.stopped]);
  await stop();
  end();
  await sink.end();
}

const find = ({ transcriptions }: Tasked, sidOrName: string): Transcribing | undefined =>
  transcriptions.get(sidOrName) ?? transcriptions.values().find(({ name }) => name === sidOrName);

async function transcribeLeg(tasked: Tasked, step: TranscribeLegStep): Promise<void> {
  const { calls, leg: { accountSid }, report, over, transcriptions } = tasked;
  if (step.name !== undefined && find(tasked, step.name) !== undefined) return;
  const stopped = Promise.withResolvers<void>();
  const { name } = step;
  transcriptions.set(step.sid, { ...name !== undefined && { name }, stop: stopped.resolve });
  const media = await mediaOf(tasked);
  const ended = Promise.race([over, stopped.promise]);
  if (media !== undefined) await transcribe({ calls, accountSid, media, report, ended }, step);
  transcriptions.delete(step.sid);
}

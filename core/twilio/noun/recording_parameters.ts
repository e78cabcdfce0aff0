import { z } from "zod";
import { method, url } from "../../base/fields.ts";
import { recordingEvents, recordingTracks } from "../../model/values/recording_context.ts";
import type { RecordingOptions } from "../../model/values/recording_options.ts";
import { refused, type SentOf, works } from "./noun.ts";

/** Events by space, by comma, or as a repeated parameter. */
export const eventNames = <E extends readonly [string, ...string[]]>(events: E) =>
  z.preprocess(
    (sent) => [sent].flat().flatMap((text) => String(text).split(/[\s,]+/)).filter(Boolean),
    z.array(z.enum(events)),
  );

/** Parameters of the recording of a call. */
export const recordingParameters = {
  RecordingChannels: works(z.enum(["mono", "dual"]), "mono unless sent"),
  RecordingTrack: works(z.enum(recordingTracks)),
  RecordingStatusCallback: works(url),
  RecordingStatusCallbackMethod: works(method),
  RecordingStatusCallbackEvent: works(eventNames(recordingEvents)),
  Trim: works(z.enum(["trim-silence", "do-not-trim"])),
  RecordingConfigurationId: refused("there are no recording configurations"),
};

/** The same as a call keeps it; `trims` where `Trim` was not sent. */
export function recordingOfSent(
  sent: SentOf<typeof recordingParameters>,
  { trims }: { trims: boolean },
): RecordingOptions {
  const { RecordingStatusCallback: url, RecordingStatusCallbackEvent: events } = sent;
  return {
    channels: sent.RecordingChannels ?? "mono",
    track: sent.RecordingTrack ?? "both",
    trim: sent.Trim === undefined ? trims : sent.Trim === "trim-silence",
    statusCallback: url === undefined ? null : {
      url,
      method: sent.RecordingStatusCallbackMethod ?? "POST",
      ...events !== undefined && events.length > 0 && { events },
    },
  };
}

import { Fault } from "../base/faults.ts";
import type { Transcription } from "../model/resources/transcriptions.ts";
import { type Asked, noun, type Written } from "./noun/noun.ts";
import { fetched, found, listedBelow, listedOf, removed } from "./noun/regular.ts";
import { apiVersion, basic, currency, price, text } from "./noun/written.ts";

const shown: Written<Transcription> = {
  ...basic,
  api_version: apiVersion,
  recording_sid: ({ recordingSid }) => recordingSid,
  status: ({ status }) => status,
  duration: ({ duration }) => text(duration),
  transcription_text: ({ transcriptionText }) => transcriptionText,
  type: () => "fast",
  price: (transcription) => price(transcription.price),
  price_unit: currency,
};

const transcription = { type: "Transcription", plural: "transcriptions", fields: shown };

/** The texts of recordings. */
export const transcriptions = noun<Transcription>({
  ...transcription,
  path: "Transcriptions",
  address: ({ sid }) => `Transcriptions/${sid}`,
  fetch: fetched("transcriptions"),
  remove: removed("transcriptions"),
  listed: listedOf("transcriptions", {}),
});

/** One that belongs to the recording in the path. Throws `notFound`. */
async function ofRecording(asked: Asked): Promise<Transcription> {
  const { sid } = await found("recordings", asked.path.RecordingSid ?? "", asked);
  const one = await fetched("transcriptions")(asked);
  if (one.recordingSid !== sid) throw new Fault("notFound", one.sid);
  return one;
}

/** Those of one recording. */
export const recordingTranscriptions = noun<Transcription>({
  ...transcription,
  path: "Recordings/{RecordingSid}/Transcriptions",
  address: ({ recordingSid, sid }) => `Recordings/${recordingSid}/Transcriptions/${sid}`,
  fetch: ofRecording,
  async remove(asked) {
    await ofRecording(asked);
    await removed("transcriptions")(asked);
  },
  listed: listedBelow("transcriptions", {}, {
    parent: "recordings",
    sid: "RecordingSid",
    field: "recordingSid",
  }),
});

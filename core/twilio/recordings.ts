import { Fault } from "../base/faults.ts";
import { faults } from "../base/faults.ts";
import type { Query } from "../model/store.ts";
import { withLinks } from "../recordings/link.ts";
import type { Recording } from "../resources/recordings.ts";
import { callOf } from "./calls.ts";
import { dated, equal, notFiltered } from "./filters.ts";
import { type Asked, noun, type Written } from "./noun.ts";
import { removed } from "./regular.ts";
import { apiVersion, basic, date, text } from "./written.ts";

const shown: Written<Recording> = {
  ...basic,
  call_sid: ({ callSid }) => callSid,
  conference_sid: () => null,
  api_version: apiVersion,
  start_time: ({ dateCreated }) => date(dateCreated),
  duration: ({ duration, status }) => status === "in-progress" ? null : text(duration),
  status: ({ status }) => status,
  channels: ({ channels }) => channels,
  source: () => null,
  track: () => "both",
  error_code: ({ status }) => status === "failed" ? faults.recordingBrokeOff.code : null,
  price: () => null,
  price_unit: () => null,
  encryption_details: () => null,
  media_url: ({ fileUri }) => fileUri,
};

const linked = ({ ports }: Asked) => withLinks(ports.records.recordings, ports);

async function recordingOf(asked: Asked): Promise<Recording> {
  const sid = asked.path.Sid ?? "";
  const recording = await linked(asked).get(asked.account.sid, sid);
  if (recording === null) throw new Fault("notFound", sid);
  return recording;
}

const filters = { DateCreated: dated("dateCreated") };

const recording = {
  type: "Recording",
  plural: "recordings",
  fields: shown,
  below: { transcriptions: "Transcriptions" },
};

/** The audio recordings of an account. The audio itself is at the Sid, with `.wav` or `.mp3`. */
export const recordings = noun<Recording>({
  ...recording,
  path: "Recordings",
  address: ({ sid }) => `Recordings/${sid}`,
  fetch: recordingOf,
  remove: removed("recordings"),
  listed: {
    filters: {
      ...filters,
      CallSid: equal("callSid"),
      ConferenceSid: notFiltered("a recording belongs to the call that ordered it"),
      IncludeSoftDeleted: notFiltered("what is deleted is gone at once", ["false"]),
    },
    read: (asked, query) => linked(asked).list(asked.account.sid, query),
  },
});

/** A recording that belongs to the call in the path. Throws `notFound`. */
async function recordingOfCall(asked: Asked): Promise<Recording> {
  const { sid } = await callOf(asked);
  const recording = await recordingOf(asked);
  if (recording.callSid !== sid) throw new Fault("notFound", recording.sid);
  return recording;
}

/** Those of one call. */
export const callRecordings = noun<Recording>({
  ...recording,
  path: "Calls/{CallSid}/Recordings",
  address: ({ callSid, sid }) => `Calls/${callSid}/Recordings/${sid}`,
  fetch: recordingOfCall,
  async remove(asked) {
    await recordingOfCall(asked);
    await removed("recordings")(asked);
  },
  listed: {
    filters,
    async read(asked: Asked, query: Query) {
      const { sid } = await callOf(asked);
      const where = [...query.where, { field: "callSid", op: "equals" as const, value: sid }];
      return await linked(asked).list(asked.account.sid, { ...query, where });
    },
  },
});

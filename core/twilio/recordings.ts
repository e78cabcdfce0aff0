import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { faults } from "../base/faults.ts";
import type { Query, Slice } from "../model/store.ts";
import { pauseBehavior } from "../protocol/recordings.ts";
import { lastingUrl } from "../recordings/link.ts";
import {
  changeRecording,
  recordingsInProgress,
  startRecording,
  type WantedChange,
} from "../recordings/request_recording.ts";
import type { Recording } from "../model/resources/recordings.ts";
import { callOf } from "./calls.ts";
import { dated, equal, notFiltered } from "./noun/filters.ts";
import { action, type Asked, needs, noun, works, type Written } from "./noun/noun.ts";
import { recordingOfSent, recordingParameters } from "./noun/recording_parameters.ts";
import { found, removed } from "./noun/regular.ts";
import { apiVersion, basic, currency, date, text } from "./noun/written.ts";

/** The Status in Twilio's words: `absent` is a recording in which there was nothing to record. */
function statusOf({ status, halt, duration }: Recording): string {
  if (status === "in-progress") return halt ?? status;
  return status === "completed" && duration === 0 ? "absent" : status;
}

const shown: Written<Recording> = {
  ...basic,
  call_sid: ({ callSid }) => callSid,
  conference_sid: ({ conferenceSid }) => conferenceSid ?? null,
  api_version: apiVersion,
  start_time: ({ dateCreated }) => date(dateCreated),
  duration: ({ duration, status }) => status === "in-progress" ? null : text(duration),
  status: statusOf,
  channels: ({ channels }) => channels,
  source: ({ source }) => source ?? null,
  track: ({ track }) => track ?? "both",
  error_code: ({ status }) => status === "failed" ? faults.recordingBrokeOff.code : null,
  price: () => null,
  price_unit: currency,
  encryption_details: () => null,
  media_url: (recording, { ports }) => lastingUrl(recording, ports),
};

async function recordingOf(asked: Asked, sid = asked.path.Sid ?? ""): Promise<Recording> {
  const recording = await asked.ports.records.recordings.get(asked.account.sid, sid);
  if (recording === null) throw new Fault("notFound", sid);
  return recording;
}

/** The only recording of a call that is in progress goes by this name, too. */
const currentName = "Twilio.CURRENT";

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
  fetch: (asked) => recordingOf(asked),
  remove: removed("recordings"),
  listed: {
    filters: {
      ...filters,
      CallSid: equal("callSid"),
      ConferenceSid: equal("conferenceSid"),
      IncludeSoftDeleted: notFiltered("what is deleted is gone at once", ["false"]),
    },
    read: (asked, query) => asked.ports.records.recordings.list(asked.account.sid, query),
  },
});

/** A call or a conference, with its recordings below it. */
interface Recorded {
  path: string;
  address(recording: Recording): string;
  /** The field that has the Sid of the parent. */
  field: "callSid" | "conferenceSid";
  /** The Sid of the parent in the path. Throws `notFound`. */
  parent(asked: Asked): Promise<string>;
}

/** The recording in the path, by its Sid or as the one in progress. Throws `notFound`. */
async function recordingBelow({ field, parent }: Recorded, asked: Asked): Promise<Recording> {
  const { account: { sid: accountSid }, ports } = asked;
  const of = await parent(asked);
  const { Sid: named = "" } = asked.path;
  if (named !== currentName) {
    const recording = await recordingOf(asked);
    if (recording[field] === of) return recording;
    throw new Fault("notFound", named);
  }
  const [only, ...others] = await recordingsInProgress(
    { accountSid, field, sid: of },
    ports,
  );
  if (only === undefined) throw new Fault("notFound", `${named}: no recording is in progress`);
  if (others.length === 0) return await recordingOf(asked, only.sid);
  throw new Fault("badParameter", `${named} needs a single recording in progress; send its Sid`);
}

/** Operations of both nouns: fetch, pause, resume, stop, removal and the list. */
const below = (recorded: Recorded) => ({
  ...recording,
  path: recorded.path,
  address: recorded.address,
  fetch: (asked: Asked) => recordingBelow(recorded, asked),
  update: action({
    parameters: {
      Status: needs(z.enum(["paused", "in-progress", "stopped"])),
      PauseBehavior: works(pauseBehavior, "silence unless sent"),
    },
    async perform(asked, { Status: status, PauseBehavior: behavior = "silence" }) {
      const { sid } = await recordingBelow(recorded, asked);
      const wanted: WantedChange = status === "paused" ? { status, behavior } : { status };
      const recording = await found("recordings", sid, asked);
      await changeRecording(recording, wanted, asked.ports);
      return await recordingOf(asked, sid);
    },
  }),
  async remove(asked: Asked) {
    const { sid } = await recordingBelow(recorded, asked);
    await removed("recordings")({ ...asked, path: { ...asked.path, Sid: sid } });
  },
  listed: {
    filters,
    async read(asked: Asked, query: Query): Promise<Slice<Recording>> {
      const value = await recorded.parent(asked);
      const where = [...query.where, { field: recorded.field, op: "equals" as const, value }];
      return await asked.ports.records.recordings.list(asked.account.sid, { ...query, where });
    },
  },
});

/** Those of one call. */
export const callRecordings = noun<Recording>({
  ...below({
    path: "Calls/{CallSid}/Recordings",
    address: ({ callSid, sid }) => `Calls/${callSid}/Recordings/${sid}`,
    field: "callSid",
    parent: async (asked) => (await callOf(asked)).sid,
  }),
  create: action({
    parameters: recordingParameters,
    async perform(asked, sent) {
      const wanted = recordingOfSent(sent, { trims: false });
      return await startRecording(await callOf(asked), wanted, asked.ports);
    },
  }),
});

/** Those of one conference, which a participant's markup or request ordered. */
export const conferenceRecordings = noun<Recording>({
  ...below({
    path: "Conferences/{ConferenceSid}/Recordings",
    address: ({ conferenceSid, sid }) => `Conferences/${conferenceSid}/Recordings/${sid}`,
    field: "conferenceSid",
    parent: async (asked) =>
      (await found("conferences", asked.path.ConferenceSid ?? "", asked)).sid,
  }),
});

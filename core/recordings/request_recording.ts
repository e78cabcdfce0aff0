import { Fault } from "../base/faults.ts";
import type { Companion } from "../protocol/companion.ts";
import type { PauseBehavior, RecordingChange } from "../protocol/recordings.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { type Recording, recordings } from "../model/resources/recordings.ts";
import { isLive } from "../model/values/status.ts";
import { orderOf, type RecordingOptions } from "../model/values/recording_options.ts";
import { recordingCallbacks } from "./finish.ts";
import { callbackUrl } from "./link.ts";
import { beginRecording } from "./take_part.ts";

/** Recordings that requests start, pause, resume and stop. */

/** Recordings of one call that may be in progress when another is started. */
const mostAtOnce = 4;
/** Recordings among which those in progress are looked for. */
const latest = 50;

/**
 * Records a call in progress from now to its end. Throws `callEnded`, `notModifiable` where the call
 * has no audio here, and `recordingLimit`.
 */
export async function startRecording(
  call: Call,
  wanted: RecordingOptions,
  ports: Ports,
): Promise<Recording> {
  const { accountSid, sid: leg, status, companion } = call;
  if (!isLive(status)) throw new Fault("callEnded", `Status is ${status}`);
  if (status !== "in-progress" || companion === null) {
    throw new Fault("notModifiable", `Status is ${status}, and a recording needs in-progress`);
  }
  const { length } = await recordingsInProgress(
    { accountSid, field: "callSid", sid: leg },
    ports,
  );
  if (length >= mostAtOnce) throw new Fault("recordingLimit", `it has ${length} in progress`);
  const sid = ports.newSid(recordings.sidPrefix);
  const { recording, recordingManner, channels } = orderOf(wanted, {
    accountSid,
    sid,
    source: "StartCallRecordingAPI",
  });
  const order = { type: "start", recording, recordingManner } as const;
  const { recordings: records } = ports.records;
  // Before the order: the audio is never faster than the record, so it need not make it.
  const { apiVersion } = call;
  await beginInSlot({ recording, leg, channels }, { apiVersion }, ports);
  try {
    if (!await ports.control.recording({ leg, order }, companion)) {
      throw new Fault(
        "notModifiable",
        "Its audio does not pass through the companion, or it ended",
      );
    }
  } catch (error) {
    await records.remove(accountSid, sid, recordings.removed);
    throw error;
  }
  const url = await callbackUrl({ accountSid, sid, apiVersion }, ports);
  return await records.update(accountSid, sid, (record) => ({
    record,
    jobs: recordingCallbacks(record, "in-progress", url),
  }));
}

/** Begins a recording in a free slot of its call, of which several requests at once get one each. */
async function beginInSlot(
  part: Parameters<typeof beginRecording>[0],
  { apiVersion }: Pick<Call, "apiVersion">,
  ports: Ports,
): Promise<void> {
  for (let slot = 0; slot < mostAtOnce; slot++) {
    try {
      const liveSlot = `${part.leg}/${slot}`;
      return void await beginRecording(part, ports, { apiVersion, silent: true, liveSlot });
    } catch (error) {
      if (!(error instanceof Fault) || error.fault !== "alreadyExists") throw error;
    }
  }
  throw new Fault("recordingLimit", `it has ${mostAtOnce} in progress`);
}

/** Changes of a recording in progress by a request. */
export type WantedChange =
  | { status: "paused"; behavior: PauseBehavior }
  | { status: "in-progress" | "stopped" };

/**
 * Pauses, resumes or stops a recording, whatever ordered it; its record says so until its end. Of
 * requests at once the record says which is in force: the one that finds another between its order and
 * its record orders what the record says, and a stop is final. Throws `recordingEnded` for one that is
 * over.
 */
export async function changeRecording(
  recording: Recording,
  wanted: WantedChange,
  ports: Ports,
): Promise<Recording> {
  const { accountSid, sid } = recording;
  if (recording.status !== "in-progress" || recording.halt === "stopped") {
    throw new Fault("recordingEnded", `${sid} has Status ${recording.halt ?? recording.status}`);
  }
  if (!await orderRecording(recording, changeOf(sid, wanted), ports)) {
    throw new Fault("recordingEnded", `no call records ${sid} any more`);
  }
  const { status } = wanted;
  const halt = status === "in-progress" ? null : status;
  let isOvertaken = false;
  const record = await ports.records.recordings.update(accountSid, sid, (now) => {
    if (now.status !== "in-progress") return { record: now };
    if (now.halt === "stopped" && halt !== "stopped") {
      throw new Fault("recordingEnded", `${sid} has Status stopped`);
    }
    isOvertaken = (now.changes ?? 0) !== (recording.changes ?? 0);
    const changes = (now.changes ?? 0) + 1;
    const record = { ...now, halt, changes, dateUpdated: ports.now() };
    // A stopped one leaves its place to the next at once.
    return { record: halt === "stopped" ? { ...record, liveSlot: null } : record };
  });
  if (isOvertaken) await orderAsKept(record, wanted, ports);
  return record;
}

/** Orders of a recording that make its companion follow the record, at most. */
const mostOrders = 10;

/** Has a recording paused or resumed as its record says, until that stays the same meanwhile. */
async function orderAsKept(
  { accountSid, sid }: Recording,
  wanted: WantedChange,
  ports: Ports,
): Promise<void> {
  const behavior = wanted.status === "paused" ? wanted.behavior : "silence";
  let ordered = -1;
  for (let orders = 0; orders < mostOrders; orders++) {
    const now = await ports.records.recordings.get(accountSid, sid);
    if (now?.status !== "in-progress" || now.changes === ordered) return;
    ordered = now.changes;
    if (now.halt === "stopped") return; // The companion has ended it.
    const order = now.halt === "paused"
      ? { type: "pause", sid, behavior } as const
      : { type: "resume", sid } as const;
    await orderRecording(now, order, ports);
  }
}

function changeOf(sid: string, wanted: WantedChange): RecordingChange {
  switch (wanted.status) {
    case "paused":
      return { type: "pause", sid, behavior: wanted.behavior };
    case "in-progress":
      return { type: "resume", sid };
    case "stopped":
      return { type: "stop", sid };
  }
}

/** The companion of the call has the recording, or that of the conference that it is in. */
async function orderRecording(
  { accountSid, callSid, conferenceSid }: Recording,
  order: RecordingChange,
  { records, control }: Ports,
): Promise<boolean> {
  const call = await records.calls.get(accountSid, callSid);
  const own = call?.companion ?? null;
  if (own !== null && await control.recording({ leg: callSid, order }, own)) return true;
  const other = conferenceSid ? await companionOf(accountSid, conferenceSid, records) : null;
  if (other === null || other.id === own?.id) return false;
  return await control.recording({ leg: callSid, order }, other);
}

const companionOf = async (
  accountSid: string,
  conferenceSid: string,
  records: Ports["records"],
): Promise<Companion | null> =>
  (await records.conferences.get(accountSid, conferenceSid))?.companion ?? null;

/** The recordings of a call, or of a conference, that are being made, the latest first. */
export async function recordingsInProgress(
  { accountSid, field, sid }: {
    accountSid: string;
    field: "callSid" | "conferenceSid";
    sid: string;
  },
  { records }: Pick<Ports, "records">,
): Promise<Recording[]> {
  const where = [{ field, op: "equals" as const, value: sid }];
  const query = { where, skip: 0, limit: latest };
  const { items } = await records.recordings.list(accountSid, query);
  return items.filter(({ status, halt }) => status === "in-progress" && halt !== "stopped");
}

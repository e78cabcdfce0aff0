import type { CallProgress } from "../../../core/calls/call_progress.ts";
import type { Api, Row } from "../frame/api.ts";

/** A message of the SIP trace, as the interface shows it. */
export interface LadderMessage {
  readonly [field: string]: unknown;
  date_sent: string;
  direction: "sent" | "received";
  summary: string;
  text: string;
}

/** All records of a call. */
export interface WholeCall {
  call: Row;
  /** The legs that its Dial placed, oldest first. */
  legs: Row[];
  /** Times of ringing, answer and end; null where the interface has none. */
  progress: CallProgress | null;
  /** The first of the legs, with the same of each. */
  dialled: { leg: Row; progress: CallProgress }[];
  /** The calls that listened to it. */
  monitors: {
    call_sid: string;
    to: string;
    date_created: string;
    /** The listening call; null for one that is gone, and of all but the latest. */
    call: Row | null;
  }[];
  /** The call whose Dial placed it. */
  parent: { call: Row; progress: CallProgress } | null;
  notifications: Row[];
  deliveries: Row[];
  documents: Row[];
  recordings: Row[];
  transcriptions: Row[];
  /** Changes of it at the console. */
  changes: Row[];
  /** Empty without a stored SIP trace. */
  ladder: LadderMessage[];
}

/** Most entries of one kind in a timeline, and most legs with their end. */
const [most, mostProgress] = ["100", 10];

/** Reads a call and all that belongs to it, at once. */
export async function readCall(api: Api, sid: string): Promise<WholeCall> {
  const call = await api.read(`Calls/${sid}`);
  const list = async (path: string, query: Record<string, string> = {}) =>
    (await api.list(path, { ...query, PageSize: most })).items.toReversed();
  // As `progressOf` writes it.
  const progressOf = async (of: string) =>
    await api.find(`Calls/${of}/Progress`) as unknown as CallProgress | null;
  const [
    progress,
    listeners,
    legs,
    notifications,
    deliveries,
    documents,
    recordings,
    changes,
    trace,
  ] = await Promise
    .all([
      progressOf(sid),
      api.find(`Calls/${sid}/Monitors`),
      list("Calls", { ParentCallSid: sid }),
      list(`Calls/${sid}/Notifications`),
      list("Webhooks/Deliveries", { CallSid: sid }),
      list("Webhooks/Documents", { CallSid: sid }),
      list(`Calls/${sid}/Recordings`),
      list("AuditEntries", { Target: `Calls/${sid}` }),
      api.find(`Calls/${sid}/SipTrace`),
    ]);
  const transcriptions = await Promise.all(
    recordings.slice(0, 10).map((recording) => list(`Recordings/${recording.sid}/Transcriptions`)),
  );
  const dialled = await Promise.all(
    legs.slice(-mostProgress).map(async (leg) => ({
      leg,
      progress: await progressOf(leg.sid),
    })),
  );
  return {
    call,
    legs,
    progress,
    monitors: await withCalls(api, listeners),
    dialled: dialled.filter((one): one is WholeCall["dialled"][number] => one.progress !== null),
    parent: await readParent(api, call.parent_call_sid, progressOf),
    notifications,
    deliveries,
    documents,
    recordings,
    changes,
    transcriptions: transcriptions.flat(),
    ladder: (trace?.messages ?? []) as LadderMessage[], // As `sipTrace` writes them.
  };
}

/** Listening calls whose state is read. */
const mostMonitors = 5;

async function withCalls(api: Api, listeners: Row | null): Promise<WholeCall["monitors"]> {
  // As `monitorsOf` writes it.
  const monitors = (listeners?.monitors ?? []) as Omit<WholeCall["monitors"][number], "call">[];
  const first = monitors.length - mostMonitors;
  return await Promise.all(monitors.map(async (one, at) => ({
    ...one,
    call: at < first ? null : await api.find(`Calls/${one.call_sid}`),
  })));
}

async function readParent(
  api: Api,
  sid: unknown,
  progressOf: (sid: string) => Promise<CallProgress | null>,
): Promise<WholeCall["parent"]> {
  if (typeof sid !== "string" || sid === "") return null;
  const [call, progress] = await Promise.all([api.find(`Calls/${sid}`), progressOf(sid)]);
  return call && progress && { call, progress };
}

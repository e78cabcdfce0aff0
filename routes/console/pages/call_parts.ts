import type { Api, Row } from "../frame/api.ts";

/** A message of the SIP trace, as the interface shows it. */
export interface LadderMessage {
  readonly [field: string]: unknown;
  date_sent: string;
  direction: "sent" | "received";
  summary: string;
  text: string;
}

/** Everything that is kept of a call. */
export interface WholeCall {
  call: Row;
  /** The legs that its Dial placed, oldest first. */
  legs: Row[];
  notifications: Row[];
  deliveries: Row[];
  documents: Row[];
  recordings: Row[];
  transcriptions: Row[];
  /** What somebody did to it at the console. */
  changes: Row[];
  /** Empty where no SIP trace is kept. */
  ladder: LadderMessage[];
}

/** What a timeline shows at most of one kind. */
const most = "100";

/** Reads a call and all that belongs to it, at once. */
export async function readCall(api: Api, sid: string): Promise<WholeCall> {
  const call = await api.read(`Calls/${sid}`);
  const list = async (path: string, query: Record<string, string> = {}) =>
    (await api.list(path, { ...query, PageSize: most })).items.toReversed();
  const [legs, notifications, deliveries, documents, recordings, changes, trace] = await Promise
    .all([
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
  return {
    call,
    legs,
    notifications,
    deliveries,
    documents,
    recordings,
    changes,
    transcriptions: transcriptions.flat(),
    ladder: (trace?.messages ?? []) as LadderMessage[], // As `sipTrace` writes them.
  };
}

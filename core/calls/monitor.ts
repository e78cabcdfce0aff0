import { checkPermission, isTest } from "../accounts/access.ts";
import { Fault } from "../base/faults.ts";
import { creation, newBase } from "../model/resource.ts";
import type { Change } from "../model/store.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type Call, calls } from "../model/resources/calls.ts";
import {
  type MonitorEntry,
  type Monitoring,
  mostMonitors,
} from "../model/resources/internal/monitoring.ts";

/*
 * A supervisor listens to a conference, or to a call of two legs, and is not heard.
 *
 * A muted participant was refused: it counts. It starts a conference with one other participant and keeps
 * one that all have left, so each rule of conferences would need an exception. A call of two legs would
 * first have to become a conference, with a moment of silence.
 *
 * So the listening leg is fed with a copy of the audio (`sip/media/engine/monitor.ts`): what a leg says and
 * is sent, or the mix of a conference. The sources are those of recordings: a play, a hold and a transfer
 * are heard as the party hears them. The leg is placed at the companion that has the audio; its Client may
 * be registered anywhere. Nothing of the call that is listened to changes: no participant, no callback.
 * Whispering and barging in need a conference, whose participants can do both.
 */

/** A request to listen, without the call or conference that is listened to. */
export interface MonitorRequest {
  account: Account;
  /** The account whose role decides. */
  caller: Account;
  /** The Client whose phones ring, as `client:` and its Login. */
  to: string;
  /** Takes the call that listens. */
  into: { insert(change: Change<Call>): Promise<Call> };
}

/** Clients that listened to a call or a conference, the latest last. */
export const monitorsOf = (monitors: readonly MonitorEntry[] | undefined) => ({
  monitors: (monitors ?? []).map(({ callSid, to, at }) => ({
    call_sid: callSid,
    to,
    date_created: new Date(at).toISOString(),
  })),
});

/**
 * Places a call to a Client that hears both sides of another call. Neither side hears the Client. Throws
 * `notFound`; `denied` unless the caller is an Administrator; `notModifiable` where the other call is not
 * in progress, or is of a kind that cannot be listened to; `badTo` for a Client of no such account.
 */
export async function monitorCall(
  callSid: string,
  request: MonitorRequest,
  ports: Ports,
): Promise<Call> {
  const { account: { sid: accountSid } } = request;
  const { calls } = ports.records;
  const call = await calls.get(accountSid, callSid);
  if (call === null) throw new Fault("notFound", callSid);
  const { status, companion, monitoring } = call;
  if (status !== "in-progress" || companion === null) {
    throw new Fault("notModifiable", `Status is ${status}, not in-progress`);
  }
  if (monitoring) throw new Fault("notModifiable", "the call listens itself");
  const note = (entry: MonitorEntry) =>
    calls.update(accountSid, callSid, (record) => ({ record: noted(record, entry) }));
  return await place({ callSid, conferenceSid: null, companion }, { ...request, note }, ports);
}

/** Places a call that hears a conference, and is no participant of it. Throws as `monitorCall`. */
export async function monitorConference(
  conferenceSid: string,
  request: MonitorRequest,
  ports: Ports,
): Promise<Call> {
  const { account: { sid: accountSid } } = request;
  const { conferences } = ports.records;
  const conference = await conferences.get(accountSid, conferenceSid);
  if (conference === null) throw new Fault("notFound", conferenceSid);
  const { status, companion } = conference;
  if (status === "completed" || companion === null) {
    throw new Fault("notModifiable", `Status is ${status}`);
  }
  const note = (entry: MonitorEntry) =>
    conferences.update(accountSid, conferenceSid, (record) => ({ record: noted(record, entry) }));
  return await place({ callSid: null, conferenceSid, companion }, { ...request, note }, ports);
}

const noted = <T extends { monitors: MonitorEntry[] }>(record: T, entry: MonitorEntry): T => ({
  ...record,
  // A record stored by a version without monitors has none.
  monitors: [...record.monitors ?? [], entry].slice(-mostMonitors),
});

interface Placing extends MonitorRequest {
  /** Notes the call on what it listens to. */
  note(entry: MonitorEntry): Promise<unknown>;
}

async function place(
  monitoring: Monitoring,
  { account, caller, to, into, note }: Placing,
  ports: Ports,
): Promise<Call> {
  checkPermission(caller, "monitorCalls");
  if (!ports.settings.monitorsCalls) {
    throw new Fault("notModifiable", "CALL_MONITORING is off: no call may be listened to");
  }
  if (isTest(account)) throw new Fault("notModifiable", "calls of a test account have no audio");
  const client = await ports.records.clients.holder("login", to.slice("client:".length));
  if (client?.accountSid !== account.sid) throw new Fault("badTo", to);
  const base = newBase(calls, account.sid, ports);
  // First, so that the listener is on record even where the service dies in between.
  await note({ callSid: base.sid, to, at: ports.now() });
  // From is the Client's own name: no other caller ID is allowed in all cases.
  return await into.insert(creation(calls, { from: to, to, monitoring }, base));
}

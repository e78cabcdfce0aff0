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

/** A request to listen, before what it is about is known. */
export interface MonitorRequest {
  account: Account;
  /** Its role decides. */
  caller: Account;
  /** The Client whose phones ring, as `client:` and its Login. */
  to: string;
  /** Takes the call that listens. */
  into: { insert(change: Change<Call>): Promise<Call> };
}

/** Who listened to a call or a conference, the latest last. */
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

/** The same of a conference: the call is no participant of it. */
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
  // A record that was stored before there were monitors has none.
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
  // First: whoever listens is known even where the service dies in between.
  await note({ callSid: base.sid, to, at: ports.now() });
  // Its own name is the caller ID that the Client may always be shown.
  return await into.insert(creation(calls, { from: to, to, monitoring }, base));
}

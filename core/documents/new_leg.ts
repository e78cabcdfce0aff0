import type { DatedReport, Report } from "../protocol/companion.ts";
import type { LegEvent } from "../protocol/events.ts";
import { Fault } from "../base/faults.ts";
import { steadyFrom } from "../base/steady_clock.ts";
import { numberFor } from "../numbers/find_number.ts";
import { partyOf } from "../numbers/party.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import { withDefaults } from "../model/resource.ts";
import { type Call, calls } from "../model/resources/calls.ts";
import { isRemoved } from "../model/resources/internal/removed_records.ts";
import type { Client } from "../model/resources/clients.ts";
import { parseAddress } from "../model/values/address.ts";
import { end, progress } from "../calls/progress.ts";
import { notification } from "../webhooks/notify.ts";
import { limitFaultOf } from "../model/values/account_limits.ts";
import { calledAs, clientAt } from "../calls/route.ts";
import { isLive } from "../model/values/status.ts";
import { numberFields, voiceMarkup } from "./voice_markup.ts";

/** The INVITE of a leg that another leg dialled. */
type ChildEvent = LegEvent & { type: "inviting"; parent: string };

/** Characters of a text of a peer in a call's record, at most. */
export const longest = 255;

/** The call of a Client's INVITE. It rings until the script answers or refuses it. */
export async function receive(
  event: LegEvent & { type: "incoming" },
  report: Report,
  ports: Ports,
): Promise<Call | null> {
  const client = await ports.records.clients.get(report.accountSid, event.clientSid);
  if (client === null) return null;
  const leg = {
    ...await fieldsOf(client, event.uri, ports),
    from: `client:${event.login}`,
    callerName: event.displayName?.slice(0, longest) ?? null,
    sipCallId: event.sipCallId.slice(0, longest),
  };
  return await insertRinging({ ...leg, ...heard(event) }, report, ports);
}

/** Headers and parameters of an INVITE or MESSAGE that go to the application. */
interface Said {
  headers?: Record<string, string> | undefined;
  userParameters?: Record<string, string> | undefined;
  verstat?: string | undefined;
}

/** Names of headers that requests for markup carry as `SipHeader_…`: customers' own, and those whose user parts have parameters. */
const heardName = /^(?:X-[\w\-.]{1,60}|User-to-User)$/i;
const userPartName =
  /^(?:Request-URI|To|From|P-Asserted-Identity|P-Called-Party-ID|Diversion|History-Info)$/;

/** The headers of an INVITE or MESSAGE that requests for markup carry, and the verification of its caller. */
export function heard(
  { headers = {}, userParameters = {}, verstat }: Said,
): Pick<Call, "stirVerstat"> & { sipHeaders: Record<string, string> } {
  const own = Object.entries(headers).filter(([name]) => heardName.test(name));
  const beside = Object.entries(userParameters).filter(([name]) => userPartName.test(name));
  const sipHeaders = [...own.slice(0, limits.sipHeaders), ...beside]
    .map(([name, value]) => [name, value.slice(0, limits.sipHeaderLength)]);
  return { sipHeaders: Object.fromEntries(sipHeaders), stirVerstat: verstat?.slice(0, 64) ?? null };
}

/** The call of a leg that came in, with its `ringing` callback. */
export async function insertRinging(
  known: Partial<Call>,
  report: Report,
  ports: Ports,
): Promise<Call | null> {
  const came = { direction: "inbound", initiated: true, startTime: report.at } as const;
  const moment = { at: report.at, instanceId: ports.settings.instanceId };
  return await insertOnce(
    progress(newLeg(report, { ...known, ...came }, ports), "ringing", moment),
    report,
    ports,
  );
}

/**
 * The callee of a Client's call, and its markup: the Client's own, or that of the dialled number of its
 * account.
 */
async function fieldsOf(client: Client, uri: string, ports: Ports): Promise<Partial<Call>> {
  const address = parseAddress(uri);
  const isHere = address?.kind === "sip" && address.host === ports.settings.sipDomain.toLowerCase();
  const user = isHere ? address.user : address?.kind === "number" ? address.dialled : null;
  const account = await ports.accounts.get(client.accountSid);
  const callee = user === null || account === null ? null : await clientAt(user, account, ports);
  const dialled = user === null || account === null ? uri : await partyOf(user, account, ports);
  const to = callee === null ? dialled.slice(0, longest) : `client:${callee.login}`;
  const hasMarkup = client.voiceUrl !== null || client.voiceApplicationSid !== null;
  if (hasMarkup || callee !== null || user === null || account === null) {
    return { ...await voiceMarkup(client, ports), to };
  }
  const found = await numberFor(user, account, ports);
  if (found?.owner.sid !== account.sid) return { to };
  return { ...await numberFields(found.number, ports), to: calledAs(found.number, user) };
}

/** The call of a leg that a Dial placed, with its `initiated` callback. */
export async function placeChild(
  event: ChildEvent,
  report: DatedReport,
  ports: Ports,
): Promise<Call | null> {
  const serviceContext = calls.fields.statusCallback.safeParse(
    event.serviceContext?.statusCallback,
  );
  const callbacks = {
    statusCallback: serviceContext.success ? serviceContext.data : null,
    statusCallbackMethod: methodOf(event.serviceContext?.statusCallbackMethod),
    statusCallbackEvent: calls.fields.statusCallbackEvent.safeParse(
      event.serviceContext?.statusCallbackEvent ?? [],
    ).data ?? [],
  } as const;
  const screening = calls.fields.url.safeParse(event.serviceContext?.url).data ?? null;
  await noteLeg(event, report, ports);
  const leg = newLeg(report, {
    ...callbacks,
    ...screening !== null && { url: screening, method: methodOf(event.serviceContext?.method) },
    parentCallSid: event.parent,
    from: event.from,
    to: event.to,
    direction: "outbound-dial",
    transfer: calls.fields.transfer.safeParse(event.serviceContext?.transfer).data ?? null,
    sipCallId: event.sipCallId,
    apiVersion: calls.fields.apiVersion.safeParse(event.serviceContext?.apiVersion).data ??
      limits.apiVersion,
    rateMicros: calls.fields.rateMicros.safeParse(event.serviceContext?.rateMicros).data ?? 0,
  }, ports);
  const moment = { at: report.at, instanceId: ports.settings.instanceId };
  const change = progress(leg, "initiated", moment);
  // The companion does not wait for a refusal: the INVITE is out.
  if (!report.wantsScript) return await insertOnce({ ...change, hasHappened: true }, report, ports);
  return await insertOnce(change, report, ports).catch((error) =>
    insertOnce(refusedLeg(leg, limitFaultOf(error), report, ports), report, ports)
  );
}

/** A leg that a limit of its account refuses: it has failed, with the SIP status that its caller gets. */
function refusedLeg(leg: Call, { fault, kind, detail = "" }: Fault, report: Report, ports: Ports) {
  const { accountSid, sid: callSid } = leg;
  const sipStatus = kind === "denied" ? 403 : 503;
  const why = { by: "service", cause: "limit", text: detail.slice(0, 200), sipStatus } as const;
  const cause = { at: report.at, id: `${report.leg} ${report.seq}` };
  const notice = { accountSid, callSid, fault, detail, level: "error", cause } as const;
  const moment = { at: report.at, instanceId: ports.settings.instanceId };
  const change = end(leg, "failed", moment, why);
  return { ...change, also: [...change.also ?? [], notification(notice, ports)] };
}

/** Notes the leg at the call that dials it, if callbacks of that call's number report the leg. */
async function noteLeg(
  { parent, sipCallId }: ChildEvent,
  { accountSid, leg }: Report,
  { records: { calls } }: Ports,
): Promise<void> {
  const dialling = await calls.get(accountSid, parent);
  if (dialling === null || dialling.phoneNumberSid === null) return;
  if (dialling.statusCallback === null || !isLive(dialling.status)) return;
  const dialled = { OutboundCallSid: leg, DialSipCallId: sipCallId };
  await calls.update(accountSid, parent, (record) => ({ record: { ...record, dialled } }));
}

const methodOf = (method: unknown) => method === "GET" ? "GET" : "POST";

/** A report of this age, in ms, is no repeat of one whose call has ended and was removed. */
const freshMs = 1_000;

/** A leg that a companion holds, from its first report. */
function newLeg(
  { leg, accountSid, at, seq, companion, ...report }: DatedReport,
  known: Partial<Call>,
  ports: Ports,
): Call {
  const base = { sid: leg, accountSid, dateCreated: at, dateUpdated: at };
  const { steadyAt = steadyFrom(at, ports) } = report;
  const clockAheadMs = at - steadyAt;
  const held = { reports: seq + 1, companion, clockAheadMs };
  return { ...base, ...withDefaults(calls, { ...known, ...held, hasStreams: false }) } as Call;
}

/**
 * Inserts a call, or returns the one that a first delivery of the same report inserted; null where that
 * was removed since.
 */
async function insertOnce(
  change: Change<Call>,
  { ageMs = Infinity }: Pick<Report, "ageMs">,
  { records }: Ports,
): Promise<Call | null> {
  const { record: call } = change;
  try {
    // A call that has just begun was not removed.
    if (ageMs > freshMs && await isRemoved(call, records)) return null;
    return await records.calls.insert(change);
  } catch (error) {
    const isRepeated = error instanceof Fault && error.fault === "alreadyExists";
    if (!isRepeated) throw error;
    return await records.calls.get(call.accountSid, call.sid);
  }
}

import type { LegEvent, Report } from "../bridge.ts";
import { Fault } from "../faults.ts";
import type { Change, Ports } from "../ports.ts";
import { withDefaults } from "../resource.ts";
import { type Call, calls } from "../resources/calls.ts";
import { targetOf } from "./address.ts";
import { progress } from "./progress.ts";

/** Of what a peer says in a call's record. */
const longest = 255;

/** The call of an INVITE that came in. It rings until the script answers or refuses it. */
export async function receive(
  event: LegEvent & { type: "incoming" },
  report: Report,
  ports: Ports,
): Promise<Call | null> {
  const client = await ports.records.clients.get(report.accountSid, event.clientSid);
  if (client === null) return null;
  const target = targetOf(event.uri, ports.settings.sipDomain);
  const callee = target && await ports.records.clients.holder("login", target.login);
  const application = client.voiceApplicationSid === null
    ? null
    : await ports.records.applications.get(client.accountSid, client.voiceApplicationSid);
  const markup = client.voiceApplicationSid === null
    ? {
      url: client.voiceUrl,
      method: client.voiceMethod,
      fallbackUrl: client.voiceFallbackUrl,
      fallbackMethod: client.voiceFallbackMethod,
    }
    : { url: application?.rcmlUrl ?? null };
  return await insertOnce({
    record: newLeg(report, {
      ...markup,
      from: `client:${event.login}`,
      to: callee ? `client:${callee.login}` : (target?.login ?? event.uri).slice(0, longest),
      direction: "inbound",
      status: "ringing",
      initiated: true,
      startTime: report.at,
      callerName: event.displayName?.slice(0, longest) ?? null,
      sipCallId: event.sipCallId.slice(0, longest),
    }),
  }, ports);
}

/** The call of a leg that a Dial placed, with its `initiated` callback. */
export async function placeChild(
  event: LegEvent & { type: "inviting" },
  report: Report,
  ports: Ports,
): Promise<Call | null> {
  const memo = calls.fields.statusCallback.safeParse(event.memo?.statusCallback);
  const callbacks = {
    statusCallback: memo.success ? memo.data : null,
    statusCallbackMethod: event.memo?.statusCallbackMethod === "GET" ? "GET" : "POST",
    statusCallbackEvent: calls.fields.statusCallbackEvent.safeParse(
      event.memo?.statusCallbackEvent ?? [],
    ).data ?? [],
  } as const;
  const leg = newLeg(report, {
    ...callbacks,
    parentCallSid: event.parent!,
    from: event.from,
    to: event.to,
    direction: "outbound-dial",
    sipCallId: event.sipCallId,
  });
  const moment = { at: report.at, instanceId: ports.settings.instanceId };
  return await insertOnce(progress(leg, "initiated", moment), ports);
}

function newLeg({ leg, accountSid, at, seq, companion }: Report, known: Partial<Call>): Call {
  const base = { sid: leg, accountSid, dateCreated: at, dateUpdated: at };
  const held = { reports: seq + 1, companion };
  return { ...base, ...withDefaults(calls, { ...known, ...held }) } as Call;
}

/** Inserts a call, or returns the one that a first delivery of the same report inserted. */
async function insertOnce(change: Change<Call>, { records }: Ports): Promise<Call | null> {
  try {
    return await records.calls.insert(change);
  } catch (error) {
    const isRepeated = error instanceof Fault && error.fault === "alreadyExists";
    if (!isRepeated) throw error;
    return await records.calls.get(change.record.accountSid, change.record.sid);
  }
}

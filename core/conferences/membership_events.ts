import type { Report } from "../protocol/companion.ts";
import type { LegEvent } from "../protocol/events.ts";
import { isLive } from "../model/values/status.ts";
import { endConference } from "../model/job_kinds.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { joined, left } from "./membership.ts";

/**
 * Participants of a Conference, by the reports of their legs; `call` is as the report left it. The
 * `conferenceSid` of the call decides, so that a report that comes late or twice is harmless.
 */

/** Takes the leg into its Conference. */
export async function takeJoined(
  { type: _, conferenceSid: sid, ...manner }: LegEvent & { type: "joined" },
  call: Call,
  { at, leg: callSid }: Report,
  ports: Ports,
): Promise<void> {
  const { accountSid } = call;
  const { calls, conferences } = ports.records;
  if (!isIn(call, sid) || await conferences.get(accountSid, sid) === null) return;
  await conferences.update(accountSid, sid, (found) => {
    const change = joined(found, { callSid, ...manner }, at);
    // The Conference ended while the leg was on its way: the companion still has it open.
    if (found.status !== "completed" || found.companion === null) return change;
    const end = endConference({ accountSid, conferenceSid: sid, companion: found.companion });
    return { ...change, jobs: [end] };
  });
  // A later report may have been taken meanwhile, before the call was a participant.
  const now = await calls.get(accountSid, callSid);
  if (now === null || !isIn(now, sid)) await leaveConference(call, { sid, at }, ports);
}

/** Takes the call out of a Conference, if it is a participant. */
export async function leaveConference(
  { accountSid, sid: callSid }: Call,
  { sid, at }: { sid: string | null | undefined; at: number },
  { records: { conferences } }: Ports,
): Promise<void> {
  if (!sid || await conferences.get(accountSid, sid) === null) return;
  await conferences.update(accountSid, sid, (found) => left(found, callSid, { at }));
}

/** Takes a call that ended out of its Conference, and of that in which it replaced a participant. */
export async function leaveAllConferences(call: Call, at: number, ports: Ports): Promise<void> {
  await leaveConference(call, { sid: call.conferenceSid, at }, ports);
  const transferee = call.transfer?.transferee;
  if (transferee?.startsWith("CF")) await leaveConference(call, { sid: transferee, at }, ports);
}

const isIn = ({ conferenceSid, status }: Call, sid: string): boolean =>
  conferenceSid === sid && isLive(status);

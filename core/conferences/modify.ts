import { z } from "zod";
import type { Action } from "../protocol/action.ts";
import type { Companion, ConferenceOrder } from "../protocol/companion.ts";
import { Fault } from "../base/faults.ts";
import { flag } from "../base/fields.ts";
import { announceInConference, endConference } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Conference } from "../model/resources/conferences.ts";
import { type Participant, participantSid } from "../model/resources/participants.ts";
import { changed, changesOf, completed, counted, left } from "./membership.ts";

/** Parameters that change a Conference, and a leg in it. */
export const conferenceParams = z.object({
  status: z.enum(["completed"]).describe("completed ends the conference for all participants."),
}).partial();
export const participantParams = z.object({
  mute: flag.describe("Whether the others cannot hear the participant: true or false."),
  hold: flag.describe("Whether the participant is put on hold: true or false."),
}).partial();
/** The parameter under the name that the record has. */
export const participantAliases = { Muted: "mute" } as const;

/** A leg in a Conference. */
export interface Named {
  accountSid: string;
  conferenceSid: string;
  callSid: string;
}

/** The leg of a call in a Conference, null when it is not there. */
export async function findParticipant(
  { accountSid, conferenceSid, callSid }: Named,
  { records }: Ports,
): Promise<Participant | null> {
  if (!callSid.startsWith("CA")) return null;
  const found = await records.participants.get(accountSid, participantSid(callSid));
  return found?.conferenceSid === conferenceSid ? found : null;
}

/** Ends a live Conference for all; one that is over already throws `conferenceEnded`. */
export async function modifyConference(
  { accountSid, conferenceSid }: Omit<Named, "callSid">,
  { status }: z.infer<typeof conferenceParams>,
  ports: Ports,
): Promise<Conference> {
  const at = ports.now();
  return await ports.records.conferences.update(accountSid, conferenceSid, (conference) => {
    if (conference.status === "completed") throw new Fault("conferenceEnded");
    if (status === undefined) return { record: conference };
    const change = completed({ record: conference }, { reason: "conference-ended-via-api" }, at);
    const { companion } = conference;
    if (companion === null) return change;
    const end = endConference({ accountSid, conferenceSid, companion });
    return { ...change, jobs: [...change.jobs ?? [], end] };
  });
}

/** Changes of a participant. Not every interface has each of them. */
export interface ParticipantChange extends z.infer<typeof participantParams> {
  /** The document that it hears on hold; null is music of the service. */
  holdWith?: Action | null | undefined;
  /** The call of the only participant that hears it; null: all do. */
  coach?: string | null | undefined;
  beepOnExit?: boolean | undefined;
  endOnExit?: boolean | undefined;
  /** The document that it hears while it waits; null is silence. */
  wait?: Action | null | undefined;
}

/** Orders that make the companion follow the record, at most. */
const mostOrders = 10;

/**
 * Changes a leg in a Conference, first at the companion of the conference, then in the records. Where
 * several requests change it at once, orders reach the companion in another sequence than the records:
 * the record said muted, and the caller was heard. Orders with numbers and a lock by record, which several
 * services would share, were refused. The record counts: each change is counted in it, and the request that
 * finds another change between its two steps orders what the record says, until that stays the same.
 * Unmuting also unmutes the call at its own companion, where it may have been muted separately. Throws
 * `notFound` when the leg is not there, `unavailable` when the companion cannot be reached.
 */
export async function modifyParticipant(
  named: Named,
  { mute: muted, hold, ...others }: ParticipantChange,
  ports: Ports,
): Promise<Participant> {
  const { accountSid, conferenceSid, callSid: leg } = named;
  const participant = await findParticipant(named, ports);
  if (participant === null) throw new Fault("notFound", leg);
  const wanted = given({ muted, held: hold, ...others });
  if (Object.keys(wanted).length === 0) return participant;
  const { conferences } = ports.records;
  const found = await conferences.get(accountSid, conferenceSid);
  const before = found === null ? 0 : changesOf(found, leg);
  const holder = await order(named, { type: "change", leg, ...wanted }, ports);
  if (holder === null) throw new Fault("notFound", leg);
  if (muted === false) await unmuteElsewhere(named, holder, ports);
  const { coach, endOnExit } = others;
  const change = { at: ports.now(), ...given({ muted, hold, coach, endOnExit }) };
  let isOvertaken = false;
  await conferences.update(accountSid, conferenceSid, (conference) => {
    isOvertaken = changesOf(conference, leg) !== before;
    return counted(changed(conference, leg, change), leg);
  });
  if (isOvertaken) await orderAsRecorded(named, ports);
  const now = await findParticipant(named, ports);
  if (now === null) throw new Fault("notFound", leg); // It left meanwhile.
  return now;
}

/** Orders the companion to change a leg to the state in its record, until that stays the same. */
async function orderAsRecorded(named: Named, ports: Ports): Promise<void> {
  const { accountSid, conferenceSid, callSid: leg } = named;
  let ordered = -1;
  for (let orders = 0; orders < mostOrders; orders++) {
    const conference = await ports.records.conferences.get(accountSid, conferenceSid);
    const member = conference?.members.find(({ callSid }) => callSid === leg);
    if (member === undefined || (member.changes ?? 0) === ordered) return;
    ordered = member.changes ?? 0;
    const { muted, hold: held, endOnExit, coach = null } = member;
    await order(named, { type: "change", leg, muted, held, endOnExit, coach }, ports);
  }
}

/** The fields that have a value. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Mutes the reserved place of a leg that has joined, while its `joined` event is on its way: the event
 * carries the older state. A leg that has not joined yet reports its state when it joins.
 */
export async function muteArriving(
  { accountSid, callSid: leg }: Omit<Named, "conferenceSid">,
  muted: boolean,
  ports: Ports,
): Promise<void> {
  const { conferences } = ports.records;
  const live = { field: "status", op: "oneOf" as const, values: ["init", "in-progress"] };
  const { items } = await conferences.list(accountSid, {
    where: [live],
    skip: 0,
    limit: limits.pageSizeMax,
  });
  const conference = items.find(({ members }) => members.some(({ callSid }) => callSid === leg));
  if (conference === undefined) return;
  const named = { accountSid, conferenceSid: conference.sid, callSid: leg };
  if (!await order(named, { type: "change", leg, muted }, ports)) return;
  const at = ports.now();
  await conferences.update(
    accountSid,
    conference.sid,
    (found) => changed(found, leg, { at, muted }),
  );
}

/** Removes a leg from a Conference: its call continues with the next step. */
export async function removeParticipant(named: Named, ports: Ports): Promise<void> {
  const { accountSid, conferenceSid, callSid: leg } = named;
  if (await findParticipant(named, ports) === null) throw new Fault("notFound", leg);
  await order(named, { type: "remove", leg }, ports);
  const at = ports.now();
  await ports.records.conferences.update(
    accountSid,
    conferenceSid,
    (conference) => left(conference, leg, { at }),
  );
}

/** Unmutes a call that was muted separately, where it is not at the companion of the conference. */
async function unmuteElsewhere(
  { accountSid, callSid }: Named,
  holder: Companion,
  { records, control }: Ports,
): Promise<void> {
  const call = await records.calls.get(accountSid, callSid);
  if (!call?.companion || call.companion.id === holder.id) return;
  await control.mute(callSid, false, call.companion);
}

/**
 * Plays a document once to all participants of a Conference, or to one leg. Throws `notFound` and
 * `conferenceEnded`.
 */
export async function announce(
  { accountSid, conferenceSid, callSid }: Omit<Named, "callSid"> & { callSid?: string },
  { url, method }: Pick<Action, "url" | "method">,
  ports: Ports,
): Promise<Conference> {
  return await ports.records.conferences.update(accountSid, conferenceSid, (conference) => {
    if (conference.status === "completed") throw new Fault("conferenceEnded");
    const announced = { accountSid, conferenceSid, ...callSid !== undefined && { callSid } };
    return { record: conference, jobs: [announceInConference({ ...announced, url, method })] };
  });
}

/** Orders the companion of a conference. Returns it; null when the conference or the leg does not exist. */
export async function order(
  { accountSid, conferenceSid }: Omit<Named, "callSid">,
  order: ConferenceOrder["order"],
  { records, control }: Ports,
): Promise<Companion | null> {
  const conference = await records.conferences.get(accountSid, conferenceSid);
  if (conference === null || conference.companion === null) return null;
  const { companion } = conference;
  return await control.conference({ conferenceSid, order }, companion) ? companion : null;
}

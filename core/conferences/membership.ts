import type { AlsoGone, AlsoPut } from "../model/record_types.ts";
import type { Change } from "../model/store.ts";
import { hangUp } from "../model/job_kinds.ts";
import type {
  CalledLeg,
  Conference,
  ConferenceEnd,
  Member,
} from "../model/resources/conferences.ts";
import { type Participant, participantSid } from "../model/resources/participants.ts";
import { type ConferenceCallbackEvent, fire } from "./callbacks.ts";

/**
 * The changes of a Conference, as pure functions. Its `members` are authoritative; Participants are
 * written and removed in the same commit. Late and repeated events change nothing.
 */

/** True when one of the participants has a label, or is joining with it. */
export const hasLabel = (members: Member[], label: string | undefined): boolean =>
  label !== undefined && members.some((member) => member.label === label);

/**
 * Reserves a place, if one is free, for a leg that is joining; the conference stays open for it. A label that
 * another one has is left out: a label names one participant. `at` is by the steady clock.
 */
export function expecting(
  conference: Conference,
  { callSid, most, at, label, coach }: {
    callSid: string;
    most: number;
    at: number;
    label?: string | undefined;
    coach?: string | undefined;
  },
): Change<Conference> {
  const isKnown = conference.members.some((member) => member.callSid === callSid);
  if (isKnown || conference.status === "completed" || conference.members.length >= most) {
    return { record: conference };
  }
  const own = {
    callSid,
    at,
    hasJoined: false,
    muted: false,
    hold: false,
    ...label !== undefined && !hasLabel(conference.members, label) && { label },
    ...coach !== undefined && { coach },
  };
  const member: Member = { ...own, startOnEnter: false, endOnExit: false };
  return {
    record: notCalled({ ...conference, members: [...conference.members, member] }, callSid),
  };
}

/** A leg that is called into the Conference rings. Nothing changes after the Conference ended. */
export function calling(conference: Conference, leg: CalledLeg): Change<Conference> {
  if (conference.status === "completed") return { record: conference };
  const { called = [] } = conference;
  const isKnown = called.some(({ callSid }) => callSid === leg.callSid);
  return { record: isKnown ? conference : { ...conference, called: [...called, leg] } };
}

/** A leg that rang has joined, or will not join. */
function notCalled(conference: Conference, leg: string): Conference {
  const { called = [] } = conference;
  if (!called.some(({ callSid }) => callSid === leg)) return conference;
  return { ...conference, called: called.filter(({ callSid }) => callSid !== leg) };
}

/** A leg has joined. A Conference starts with the second leg, once one with `startOnEnter` is in it. */
export function joined(
  conference: Conference,
  entered: Pick<Member, "callSid" | "muted" | "startOnEnter" | "endOnExit">,
  at: number,
): Change<Conference> {
  const known = conference.members.find(({ callSid }) => callSid === entered.callSid);
  if (conference.status === "completed" || known?.hasJoined) return { record: conference };
  const muted = known?.mutedSince ?? entered.muted;
  const { label, coach } = known ?? {};
  const member: Member = {
    ...entered,
    muted,
    at,
    hold: false,
    hasJoined: true,
    ...label !== undefined && { label },
    ...coach !== undefined && { coach },
  };
  const others = conference.members.filter((other) => other !== known);
  const record: Conference = {
    ...conference,
    members: [...others, member],
    begun: conference.begun || member.startOnEnter,
    dateUpdated: at,
  };
  const put: AlsoPut[] = [{ into: "participants", record: participantOf(record, member) }];
  const change = fire({ record, put }, { name: "participant-join", at, member });
  const isOpen = record.begun && present(record).length > 1;
  if (!isOpen || record.status !== "init") return change;
  const started = { ...change, record: { ...change.record, status: "in-progress" as const } };
  return fire(started, { name: "conference-start", at });
}

/**
 * A leg has left the conference, or will not join. The Conference ends with its last leg, or with one
 * that has `endOnExit`. If the conference `isLost`, all legs are removed first.
 */
export function left(
  conference: Conference,
  callSid: string,
  { at, isLost = false }: { at: number; isLost?: boolean },
): Change<Conference> {
  const member = conference.members.find((one) => one.callSid === callSid);
  if (member === undefined) return { record: notCalled(conference, callSid) };
  const members = conference.members.filter((one) => one !== member);
  const record: Conference = { ...conference, members, dateUpdated: at };
  const gone: AlsoGone[] = [{
    from: "participants",
    accountSid: conference.accountSid,
    sid: participantSid(callSid),
  }];
  const change: Change<Conference> = !member.hasJoined
    ? { record, gone }
    : fire({ record, gone }, { name: "participant-leave", at, member });
  if (conference.status === "completed") { // The last leave brings the callback of its end.
    return member.hasJoined ? endReported(change, at) : change;
  }
  if (isLost) return change;
  if (member.hasJoined && member.endOnExit) {
    return completed(
      change,
      { reason: "participant-with-end-conference-on-exit-left", callSid },
      at,
    );
  }
  if (members.length > 0) return change;
  return completed(change, { reason: "last-participant-left", callSid }, at);
}

/**
 * Ends a Conference; its name becomes free. The companion removes the participants, and legs that are
 * being called to it stop ringing. The callback of its end comes after those of their leaving.
 */
export function completed(
  change: Change<Conference>,
  end: ConferenceEnd,
  at: number,
): Change<Conference> {
  const { record } = change;
  if (record.status === "completed") return change;
  const over = { status: "completed", liveName: null } as const;
  const ended: Conference = { ...record, ...over, end, called: [], dateUpdated: at };
  const jobs = [
    ...change.jobs ?? [],
    ...(record.called ?? []).map((leg) =>
      hangUp({ ...leg, accountSid: record.accountSid, cause: "conference-end" })
    ),
  ];
  return endReported({ ...change, record: ended, jobs }, at);
}

/** Adds the callback of the end of a Conference, unless participants have yet to leave it. */
function endReported(change: Change<Conference>, at: number): Change<Conference> {
  const { end } = change.record;
  if (present(change.record).length > 0 || !end) return change;
  const params = {
    ReasonConferenceEnded: end.reason,
    ...end.callSid && { CallSidEndingConference: end.callSid },
  };
  return fire(change, { name: "conference-end", at, params });
}

/** Number of changes that requests made to a leg in a conference. */
export const changesOf = ({ members }: Conference, callSid: string): number =>
  members.find((member) => member.callSid === callSid)?.changes ?? 0;

/** Counts a change in the record, also one that leaves the leg as it was. */
export function counted(change: Change<Conference>, callSid: string): Change<Conference> {
  const members = change.record.members.map((member) =>
    member.callSid === callSid ? { ...member, changes: (member.changes ?? 0) + 1 } : member
  );
  return { ...change, record: { ...change.record, members } };
}

/** Changes of a leg in a conference. */
export interface MemberChange {
  muted?: boolean;
  hold?: boolean;
  endOnExit?: boolean;
  /** The call that alone hears it; null: all do. */
  coach?: string | null;
}

/**
 * Mutes, unmutes, holds or resumes a leg in the conference, or changes who hears it. A leg whose
 * `joined` event has not arrived yet is muted when it arrives.
 */
export function changed(
  conference: Conference,
  callSid: string,
  { muted, hold, endOnExit, coach, at }: MemberChange & { at: number },
): Change<Conference> {
  const before = conference.members.find((one) => one.callSid === callSid);
  if (before === undefined) return { record: conference };
  if (!before.hasJoined) {
    if (muted === undefined) return { record: conference };
    const arriving = { ...before, mutedSince: muted };
    const members = conference.members.map((one) => one === before ? arriving : one);
    return { record: { ...conference, members } };
  }
  const { coach: coached, ...others } = before;
  const heardBy = coach === undefined ? coached : coach ?? undefined;
  const member: Member = {
    ...others,
    muted: muted ?? before.muted,
    hold: hold ?? before.hold,
    endOnExit: endOnExit ?? before.endOnExit,
    ...heardBy !== undefined && { coach: heardBy },
  };
  const members = conference.members.map((one) => one === before ? member : one);
  const record: Conference = { ...conference, members };
  const participant = { ...participantOf(record, member), dateUpdated: at };
  const events: ConferenceCallbackEvent[] = [
    ...(member.muted === before.muted
      ? []
      : [muted ? "participant-mute" : "participant-unmute"] as const),
    ...(member.hold === before.hold
      ? []
      : [hold ? "participant-hold" : "participant-unhold"] as const),
  ];
  const isSame = member.endOnExit === before.endOnExit && member.coach === before.coach;
  if (events.length === 0 && isSame) return { record: conference };
  return events.reduce<Change<Conference>>(
    (change, one) => fire(change, { name: one, at, member }),
    { record, put: [{ into: "participants", record: participant }] },
  );
}

/** The legs that are in the conference. */
export const present = ({ members }: Conference): Member[] =>
  members.filter(({ hasJoined }) => hasJoined);

const participantOf = (conference: Conference, member: Member): Participant => ({
  sid: participantSid(member.callSid),
  accountSid: conference.accountSid,
  dateCreated: member.at,
  dateUpdated: member.at,
  callSid: member.callSid,
  conferenceSid: conference.sid,
  muted: member.muted,
  hold: member.hold,
  startConferenceOnEnter: member.startOnEnter,
  endConferenceOnEnter: member.endOnExit,
  apiVersion: conference.apiVersion,
  label: member.label ?? null,
  coaching: member.coach !== undefined,
  callSidToCoach: member.coach ?? null,
});

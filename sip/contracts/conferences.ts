import type { Action } from "../../core/protocol/action.ts";
import type { Script } from "../../core/protocol/script.ts";
import type { ConferenceOrder } from "../../core/protocol/companion.ts";
import type { ConferenceStep } from "../../core/protocol/conferences.ts";
import {
  enterBeep,
  exitBeep,
  type MediaConference,
  type MediaEngine,
  type MediaLeg,
  type MediaParticipant,
} from "../media/mod.ts";

/** The Conferences that are mixed at this companion, by Sid. */
export interface Conferences {
  /** Lets a leg in; undefined when the conference is full. */
  enter(newcomer: JoiningLeg): Participant | undefined;
  /**
   * Has a leg hear a conference without being in it, until the result is called or the conference is
   * over; undefined where the account has no such conference here.
   */
  monitor(
    conferenceSid: string,
    listener: { media: MediaLeg; accountSid: string },
  ): { over: Promise<void>; stop(): void } | undefined;
  /** Does what the service says; false when the conference, or the leg in it, is not here. */
  order(order: ConferenceOrder): boolean;
}

/** Audio of a leg that waits; `isHeld`: on hold by the service. */
export interface WaitManner {
  isHeld: boolean;
  /** A document; null is silence, absent music of ours. */
  wait?: Action | null | undefined;
}

/** A leg that comes to a conference. */
export interface JoiningLeg {
  leg: string;
  /** The account of the leg. */
  accountSid: string;
  media: MediaLeg;
  step: ConferenceStep;
  /** Plays what the leg hears while it waits, until the signal aborts. */
  wait(signal: AbortSignal, manner: WaitManner): void;
  /** Performs audible steps for the leg; resolves at their end, or when the signal aborts. */
  hear(script: Script, signal: AbortSignal): Promise<void>;
  /** Records the conference from now on; absent when that is not wanted. */
  record?(conference: MediaConference): void;
}

/** A leg in a conference. */
export interface Participant {
  /** It came muted: as its step says, or because its call is. */
  readonly muted: boolean;
  /** Resolves when it was removed, or the conference ended. */
  readonly over: Promise<void>;
  leave(): void;
}

/** A leg in a conference. */
interface Member extends JoiningLeg {
  participant: MediaParticipant;
  held: boolean;
  /** Hold audio that the service has set. */
  holdWith: Action | null | undefined;
  /** While steps are performed for it. */
  announcing: AbortController | undefined;
  /** While it waits; `isHeld` when that is what for. */
  waiting: { over: AbortController; isHeld: boolean } | undefined;
  end(): void;
}

interface OpenConference {
  accountSid: string;
  /** Resolves when the last leg has left it. */
  over: PromiseWithResolvers<void>;
  sound: MediaConference;
  members: Map<string, Member>;
  /** A participant with startConferenceOnEnter has entered. */
  begun: boolean;
  /** The participant whose verb records the conference. */
  recorder: Member | undefined;
}

/** Conferences whose sound the engine mixes. */
export function createConferences(engine: Pick<MediaEngine, "conference">): Conferences {
  const conferences = new Map<string, OpenConference>();

  const leave = (sid: string, conference: OpenConference, member: Member) => {
    if (!conference.members.delete(member.leg)) return;
    member.waiting?.over.abort();
    member.announcing?.abort();
    member.participant.leave();
    if (conference.members.size === 0) {
      conferences.delete(sid);
      return conference.over.resolve();
    }
    if (member.step.endOnExit) return endAll(conference);
    arrange(conference);
    if (member.step.beepOnExit && isOpen(conference)) conference.sound.announce(exitBeep);
  };

  return {
    enter(newcomer) {
      const { leg, media, step } = newcomer;
      const { conferenceSid: sid } = step;
      const conference = conferences.get(sid) ?? opened(engine.conference(), newcomer.accountSid);
      if (conference.members.size >= step.most) return undefined;
      conferences.set(sid, conference);
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const participant = conference.sound.enter(media);
      const muted = step.muted || media.isMuted;
      participant.setMuted(muted);
      const member: Member = {
        ...newcomer,
        participant,
        held: false,
        holdWith: undefined,
        announcing: undefined,
        waiting: undefined,
        end,
      };
      conference.members.set(leg, member);
      conference.begun ||= step.startOnEnter;
      arrange(conference);
      if (step.beepOnEnter && isOpen(conference)) conference.sound.announce(enterBeep);
      return { muted, over, leave: () => leave(sid, conference, member) };
    },
    monitor(sid, { media, accountSid }) {
      const conference = conferences.get(sid);
      if (conference?.accountSid !== accountSid) return undefined;
      return { over: conference.over.promise, stop: conference.sound.monitor(media) };
    },
    order: ({ conferenceSid, order }) => perform(conferences.get(conferenceSid), order),
  };
}

/** False when the conference, or the leg in it, is not here. */
function perform(
  conference: OpenConference | undefined,
  order: ConferenceOrder["order"],
): boolean {
  if (conference === undefined) return false;
  if (order.type === "end") {
    endAll(conference);
    return true;
  }
  if (order.type === "announce" && order.leg === undefined) {
    conference.members.forEach((member) => void announce(conference, member, order.script));
    return true;
  }
  const member = conference.members.get(order.leg ?? "");
  if (member === undefined) return false;
  if (order.type === "remove") member.end();
  else if (order.type === "announce") void announce(conference, member, order.script);
  else change(conference, member, order);
  return true;
}

const endAll = (conference: OpenConference): void =>
  conference.members.forEach((member) => member.end());

type Change = Extract<ConferenceOrder["order"], { type: "change" }>;

function change(conference: OpenConference, member: Member, order: Change): void {
  const { muted, held, holdWith, coach, beepOnExit, endOnExit, wait } = order;
  if (muted !== undefined) member.participant.setMuted(muted);
  if (muted === false) member.media.setMuted(false); // Its call may be muted by itself.
  if (held !== undefined) member.held = held;
  if (holdWith !== undefined) member.holdWith = holdWith ?? undefined;
  if (coach === null) member.participant.setCoached(undefined);
  member.step = {
    ...member.step,
    ...coach !== undefined && { coach: coach ?? undefined },
    ...beepOnExit !== undefined && { beepOnExit },
    ...endOnExit !== undefined && { endOnExit },
    ...wait !== undefined && { wait },
  };
  const isOther = member.waiting?.isHeld ? holdWith !== undefined : wait !== undefined;
  if (isOther) stopWaiting(member); // It begins again, with the other document.
  arrange(conference);
}

function stopWaiting(member: Member): void {
  member.waiting?.over.abort();
  member.waiting = undefined;
}

/** Performs steps for a leg, in place of what it hears; a later announcement takes their place. */
async function announce(
  conference: OpenConference,
  member: Member,
  script: Script,
): Promise<void> {
  member.announcing?.abort();
  const announcing = new AbortController();
  member.announcing = announcing;
  stopWaiting(member);
  await member.hear(script, announcing.signal);
  if (member.announcing !== announcing) return;
  member.announcing = undefined;
  if (conference.members.get(member.leg) === member) arrange(conference);
}

const opened = (sound: MediaConference, accountSid: string): OpenConference => ({
  accountSid,
  over: Promise.withResolvers(),
  sound,
  members: new Map(),
  begun: false,
  recorder: undefined,
});

/** True while participants hear each other; a waiting leg would hear beeps only after that. */
const isOpen = ({ members, begun }: OpenConference): boolean => begun && members.size > 1;

/** Has the first who wants that record the conference. */
function haveRecorded(conference: OpenConference): void {
  if (conference.recorder !== undefined && conference.members.has(conference.recorder.leg)) return;
  conference.recorder = conference.members.values().find(({ record }) => record !== undefined);
  conference.recorder?.record?.(conference.sound);
}

/**
 * Lets each participant wait or talk: held ones wait, and all do while one is alone or none may
 * start.
 */
function arrange(conference: OpenConference): void {
  const { members } = conference;
  haveRecorded(conference);
  for (const { step: { coach }, participant } of members.values()) {
    if (coach !== undefined) participant.setCoached(members.get(coach)?.participant ?? null);
  }
  for (const member of members.values()) {
    const { held: isHeld, waiting, participant } = member;
    if (!isOpen(conference) || isHeld) {
      if (waiting?.isHeld === isHeld) continue;
      stopWaiting(member);
      participant.setPresent(false);
      if (member.announcing !== undefined) continue; // It waits when that is over.
      member.waiting = { over: new AbortController(), isHeld };
      const wait = isHeld ? member.holdWith : member.step.wait;
      member.wait(member.waiting.over.signal, { isHeld, wait });
    } else {
      stopWaiting(member);
      participant.setPresent(true);
    }
  }
}

import type { ConferenceOrder, ConferenceStep } from "../../core/protocol/conferences.ts";
import type {
  MediaConference,
  MediaEngine,
  MediaLeg,
  MediaParticipant,
} from "../media/base/port.ts";
import { enterBeep, exitBeep } from "../media/audio/conference_sounds.ts";

/** The Conferences that are mixed at this companion, by Sid. */
export interface Conferences {
  /** Lets a leg in; undefined when the conference is full. */
  enter(newcomer: JoiningLeg): Participant | undefined;
  /** Does what the service says; false when the conference, or the leg in it, is not here. */
  order(order: ConferenceOrder): boolean;
}

/** A leg that comes to a conference. */
export interface JoiningLeg {
  leg: string;
  media: MediaLeg;
  step: ConferenceStep;
  /** Plays what the leg hears while it waits, until the signal aborts; `isHeld` by the service. */
  wait(signal: AbortSignal, isHeld: boolean): void;
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

/** What a conference knows of a leg in it. */
interface Member extends JoiningLeg {
  participant: MediaParticipant;
  held: boolean;
  /** While it waits; `isHeld` when that is what for. */
  waiting: { over: AbortController; isHeld: boolean } | undefined;
  end(): void;
}

interface OpenConference {
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
    member.participant.leave();
    if (conference.members.size === 0) return void conferences.delete(sid);
    if (member.step.endOnExit) return endAll(conference);
    arrange(conference);
    if (member.step.beepOnExit && isOpen(conference)) conference.sound.announce(exitBeep);
  };

  return {
    enter(newcomer) {
      const { leg, media, step } = newcomer;
      const { conferenceSid: sid } = step;
      const conference = conferences.get(sid) ?? opened(engine.conference());
      if (conference.members.size >= step.most) return undefined;
      conferences.set(sid, conference);
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const participant = conference.sound.enter(media);
      const muted = step.muted || media.isMuted;
      participant.setMuted(muted);
      const member: Member = { ...newcomer, participant, held: false, waiting: undefined, end };
      conference.members.set(leg, member);
      conference.begun ||= step.startOnEnter;
      arrange(conference);
      if (step.beepOnEnter && isOpen(conference)) conference.sound.announce(enterBeep);
      return { muted, over, leave: () => leave(sid, conference, member) };
    },
    order({ conferenceSid, order }) {
      const conference = conferences.get(conferenceSid);
      if (conference === undefined) return false;
      if (order.type === "end") {
        endAll(conference);
        return true;
      }
      const member = conference.members.get(order.leg);
      if (member === undefined) return false;
      if (order.type === "remove") member.end();
      else change(conference, member, order);
      return true;
    },
  };
}

const endAll = (conference: OpenConference): void =>
  conference.members.forEach((member) => member.end());

function change(
  conference: OpenConference,
  member: Member,
  { muted, held }: { muted?: boolean | undefined; held?: boolean | undefined },
): void {
  if (muted !== undefined) member.participant.setMuted(muted);
  if (muted === false) member.media.setMuted(false); // Its call may be muted by itself.
  if (held !== undefined) member.held = held;
  arrange(conference);
}

const opened = (sound: MediaConference): OpenConference => ({
  sound,
  members: new Map(),
  begun: false,
  recorder: undefined,
});

/** Whether those in it hear each other; who waits would hear beeps only when that is over. */
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
      waiting?.over.abort();
      participant.setPresent(false);
      member.waiting = { over: new AbortController(), isHeld };
      member.wait(member.waiting.over.signal, isHeld);
    } else {
      waiting?.over.abort();
      member.waiting = undefined;
      participant.setPresent(true);
    }
  }
}

import { z } from "zod";
import { flag, method, url } from "../base/fields.ts";
import { Fault } from "../base/faults.ts";
import { isSid } from "../base/sid.ts";
import {
  announce,
  findParticipant,
  modifyParticipant,
  type Named,
  type ParticipantChange,
  removeParticipant,
} from "../conferences/modify.ts";
import type { Action } from "../protocol/action.ts";
import { calls } from "../model/resources/calls.ts";
import type { Participant } from "../model/resources/participants.ts";
import { equal } from "./noun/filters.ts";
import { action, type Asked, noun, type SentOf, works } from "./noun/noun.ts";
import { announcement } from "./conferences.ts";
import { arriving, called, coaching, coachOf, entering } from "./participant_calls.ts";
import { found, listedBelow } from "./noun/regular.ts";
import { basic } from "./noun/written.ts";

const { sid: _, ...dates } = basic;

/** The participant in the path, by the Sid of its call or by its label. Throws `notFound`. */
async function namedOf(asked: Asked): Promise<Named> {
  const { account, path } = asked;
  const { ConferenceSid: conferenceSid = "", Sid: named = "" } = path;
  const base = { accountSid: account.sid, conferenceSid };
  if (isSid(named, calls.sidPrefix)) return { ...base, callSid: named };
  const { members } = await found("conferences", conferenceSid, asked);
  const labelled = members.find(({ label }) => label === named);
  if (labelled === undefined) throw new Fault("notFound", named);
  return { ...base, callSid: labelled.callSid };
}

async function participantOf(asked: Asked): Promise<Participant> {
  const found = await findParticipant(await namedOf(asked), asked.ports);
  if (found === null) throw new Fault("notFound", asked.path.Sid);
  return found;
}

/** An empty address is silence. */
const document = z.union([z.literal(""), url]);

const changes = {
  Muted: works(flag),
  Hold: works(flag),
  HoldUrl: works(document, "what is heard on hold; empty: silence"),
  HoldMethod: works(method),
  ...announcement("the participant hears it in place of the conference"),
  WaitUrl: works(document, "what is heard while it waits; empty: silence"),
  WaitMethod: works(method),
  BeepOnExit: works(flag),
  EndConferenceOnExit: works(flag),
  ...coaching,
};

/** The document of an address; null is silence. Absent where no address was sent. */
function documentOf(sent: string | undefined, sentMethod: "GET" | "POST" = "POST") {
  if (sent === undefined) return undefined;
  return sent === "" ? null : { url: sent, method: sentMethod, hops: 0 } satisfies Action;
}

async function changeParticipant(
  asked: Asked,
  sent: SentOf<typeof changes>,
): Promise<Participant> {
  const named = await namedOf(asked);
  const { conferenceSid, accountSid, callSid } = named;
  const coach = coachOf(sent, { isUpdate: true });
  if (coach) await findOther({ ...named, callSid: coach }, asked);
  const change: ParticipantChange = {
    mute: sent.Muted,
    hold: sent.Hold,
    holdWith: documentOf(sent.HoldUrl, sent.HoldMethod),
    wait: documentOf(sent.WaitUrl, sent.WaitMethod),
    beepOnExit: sent.BeepOnExit,
    endOnExit: sent.EndConferenceOnExit,
    coach,
  };
  const participant = await modifyParticipant(named, change, asked.ports);
  const { AnnounceUrl: url, AnnounceMethod: method = "POST" } = sent;
  if (url) await announce({ accountSid, conferenceSid, callSid }, { url, method }, asked.ports);
  return participant;
}

async function findOther(named: Named, { ports }: Asked): Promise<void> {
  if (await findParticipant(named, ports) !== null) return;
  throw new Fault("badParameter", `CallSidToCoach must be a participant: ${named.callSid} is none`);
}

/** A call in a conference. */
export const participants = noun<Participant>({
  type: "Participant",
  path: "Conferences/{ConferenceSid}/Participants",
  plural: "participants",
  note: "a participant is named by the Sid of its call or by its label, from when it has joined",
  fields: {
    ...dates,
    call_sid: ({ callSid }) => callSid,
    conference_sid: ({ conferenceSid }) => conferenceSid,
    label: ({ label }) => label ?? null,
    muted: ({ muted }) => muted,
    hold: ({ hold }) => hold,
    coaching: ({ coaching }) => coaching ?? false,
    call_sid_to_coach: ({ callSidToCoach }) => callSidToCoach ?? null,
    start_conference_on_enter: ({ startConferenceOnEnter }) => startConferenceOnEnter,
    end_conference_on_exit: ({ endConferenceOnEnter }) => endConferenceOnEnter,
    status: () => "connected",
    queue_time: () => "0",
  },
  address: ({ conferenceSid, callSid }) => `Conferences/${conferenceSid}/Participants/${callSid}`,
  create: action({
    parameters: entering,
    faults: { To: "badTo", From: "badFrom" },
    perform: called,
    shown: arriving,
  }),
  fetch: participantOf,
  update: action({ parameters: changes, perform: changeParticipant }),
  remove: async (asked) => await removeParticipant(await namedOf(asked), asked.ports),
  listed: listedBelow("participants", {
    Muted: equal("muted", ["true", "false"]),
    Hold: equal("hold", ["true", "false"]),
    Coaching: equal("coaching", ["true", "false"]),
  }, { parent: "conferences", sid: "ConferenceSid", field: "conferenceSid" }),
});

import { flag } from "../base/fields.ts";
import { Fault } from "../base/faults.ts";
import {
  findParticipant,
  modifyParticipant,
  type Named,
  removeParticipant,
} from "../conferences/modify.ts";
import type { Participant } from "../resources/participants.ts";
import { equal, notFiltered } from "./noun/filters.ts";
import { action, type Asked, noun, refused, works } from "./noun/noun.ts";
import { arriving, called, entering } from "./participant_calls.ts";
import { listedBelow } from "./noun/regular.ts";
import { basic } from "./noun/written.ts";

const { sid: _, ...dates } = basic;

const named = ({ account, path }: Asked): Named => ({
  accountSid: account.sid,
  conferenceSid: path.ConferenceSid ?? "",
  callSid: path.Sid ?? "",
});

async function participantOf(asked: Asked): Promise<Participant> {
  const found = await findParticipant(named(asked), asked.ports);
  if (found === null) throw new Fault("notFound", asked.path.Sid);
  return found;
}

const atEntry = "it is set when the participant joins";

/** A call in a conference. */
export const participants = noun<Participant>({
  type: "Participant",
  path: "Conferences/{ConferenceSid}/Participants",
  plural: "participants",
  fields: {
    ...dates,
    call_sid: ({ callSid }) => callSid,
    conference_sid: ({ conferenceSid }) => conferenceSid,
    label: () => null,
    muted: ({ muted }) => muted,
    hold: ({ hold }) => hold,
    coaching: () => false,
    call_sid_to_coach: () => null,
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
  update: action({
    parameters: {
      Muted: works(flag),
      Hold: works(flag),
      HoldUrl: refused("music of the service is heard on hold"),
      HoldMethod: refused("music of the service is heard on hold", ["POST"]),
      AnnounceUrl: refused("nothing can be announced to a participant"),
      AnnounceMethod: refused("nothing can be announced to a participant", ["POST"]),
      WaitUrl: refused(atEntry),
      WaitMethod: refused(atEntry),
      BeepOnExit: refused(atEntry),
      EndConferenceOnExit: refused(atEntry),
      Coaching: refused("there is no coaching", ["false"]),
      CallSidToCoach: refused("there is no coaching"),
    },
    perform: (asked, { Muted: mute, Hold: hold }) =>
      modifyParticipant(named(asked), { mute, hold }, asked.ports),
  }),
  remove: (asked) => removeParticipant(named(asked), asked.ports),
  listed: listedBelow("participants", {
    Muted: equal("muted", ["true", "false"]),
    Hold: equal("hold", ["true", "false"]),
    Coaching: notFiltered("there is no coaching", ["false"]),
  }, { parent: "conferences", sid: "ConferenceSid", field: "conferenceSid" }),
});

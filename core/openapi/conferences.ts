import { conferenceParams, participantAliases, participantParams } from "../conferences/modify.ts";
import { conferences } from "../model/resources/conferences.ts";
import { participants } from "../model/resources/participants.ts";
import { accountPath, type Operation } from "./operation.ts";
import { listOperation, readOperation, removeOperation, updateOperations } from "./regular.ts";
import { formSchema, type JsonSchema } from "./schemas.ts";

const inConference = `${accountPath}/Conferences/{Sid}/Participants`;
/** The operations of Conferences, and of those who are in them, that no declaration derives. */
export const conferenceOperations: Operation[] = [
  listOperation(participants, { path: inConference }),
  readOperation(participants, { path: `${inConference}/{CallSid}` }),
  ...updateOperations(participants, {
    path: `${inConference}/{CallSid}`,
    summary: "Mutes or holds the leg of a call in a conference",
  }),
  { ...removeOperation(participants), path: `${inConference}/{CallSid}` },
  ...updateOperations(conferences, { summary: "Ends a conference" }),
];

/** The forms of those operations, by the name of their schema. */
export const conferenceForms: Record<string, JsonSchema> = {
  ConferenceUpdate: formSchema({ schema: conferenceParams }),
  ParticipantUpdate: formSchema({ schema: participantParams, aliases: participantAliases }),
};

import { modifyParams } from "../calls/modify_call.ts";
import { mutedCalls } from "../calls/muted_call.ts";
import { calls } from "../resources/calls.ts";
import { resources } from "../resources/mod.ts";
import { transcribeParameters } from "../transcriptions/transcribe.ts";
import { accountPath, type Operation } from "./operation.ts";
import { createOperation, listOperation, updateOperations } from "./regular.ts";
import { formSchema, type JsonSchema, recordSchema, refTo } from "./schemas.ts";

const { notifications, recordings, transcriptions } = resources;

const call = `${accountPath}/Calls/{Sid}`;
const ofCalls: Operation[] = [
  ...updateOperations(calls, {
    summary: "Redirects, mutes or ends a live call",
    answer: { anyOf: [refTo(calls.type), refTo("MutedCall")] },
  }),
  listOperation(notifications, {
    path: `${call}/Notifications`,
    id: "listCallNotifications",
    summary: "Lists the notifications of a call",
    tag: calls.type,
  }),
  listOperation(recordings, {
    path: `${call}/Recordings`,
    id: "listCallRecordings",
    summary: "Lists the recordings of a call",
    tag: calls.type,
  }),
  {
    method: "get",
    path: `${accountPath}/Recordings/{Sid}.wav`,
    id: "readRecordingAudio",
    summary: "The audio, ranges of it too, or a redirect to where it is stored; the link in " +
      "file_uri needs no credentials",
    tag: recordings.type,
    answer: {},
    types: ["audio/wav"],
    access: "link",
  },
];

const ofRecording = `${accountPath}/Recordings/{Sid}/Transcriptions`;
const ofTranscriptions: Operation[] = [
  listOperation(transcriptions, {
    path: ofRecording,
    id: "listRecordingTranscriptions",
    summary: "Lists the transcriptions of a recording",
  }),
  createOperation(transcriptions, {
    path: ofRecording,
    summary: "Has a recording transcribed",
    form: refTo("TranscriptionCreate"),
  }),
];

/** What calls, and what was recorded of them, have beside the regular operations. */
export const callOperations: Operation[] = [...ofCalls, ...ofTranscriptions];

/** The forms of those operations and their own answers, by the name of their schema. */
export const callForms: Record<string, JsonSchema> = {
  CallUpdate: formSchema({ schema: modifyParams, aliases: calls.aliases! }),
  MutedCall: recordSchema(mutedCalls),
  TranscriptionCreate: formSchema(transcribeParameters),
};

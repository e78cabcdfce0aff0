import { calls } from "../resources/calls.ts";
import { resources } from "../resources/mod.ts";
import { accountPath, type Operation } from "./operation.ts";
import { createOperation, listOperation, updateOperations } from "./regular.ts";
import { refTo } from "./schemas.ts";

const { notifications, recordings, transcriptions } = resources;

const call = `${accountPath}/Calls/{Sid}`;
const ofRecording = `${accountPath}/Recordings/{Sid}/Transcriptions`;

/** What calls, their recordings and the texts of those have beside what their declarations say. */
export const callOperations: Operation[] = [
  ...updateOperations(calls, {
    summary: "Redirects, mutes or ends a live call",
    answer: { anyOf: [refTo(calls.type), refTo("MutedCall")] },
  }),
  createOperation(calls, {
    path: `${accountPath}/UssdPush`,
    id: "pushUssd",
    summary: "Begins a USSD dialogue with a subscriber, by a Gateway",
    form: refTo("UssdPushCreate"),
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
    also: {
      206: { description: "The range that was asked for.", content: { "audio/wav": {} } },
      304: { description: "It is as If-None-Match says." },
      307: { description: "It is in the object storage, at Location." },
    },
    access: "link",
  },
  {
    method: "get",
    path: `${accountPath}/Recordings/{Sid}.mp3`,
    id: "readRecordingMp3",
    summary: "The audio as MP3, without ranges; the link in file_uri works with .mp3 in it too",
    tag: recordings.type,
    answer: {},
    types: ["audio/mpeg"],
    also: { 304: { description: "It is as If-None-Match says." } },
    access: "link",
  },
  ...["wav", "mp3"].map((format): Operation => ({
    method: "delete",
    path: `${accountPath}/Recordings/{Sid}.${format}`,
    id: `deleteRecordingAs${format === "wav" ? "Wav" : "Mp3"}`,
    summary: `Deletes the recording and its audio, as without .${format}`,
    tag: recordings.type,
    types: [],
  })),
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

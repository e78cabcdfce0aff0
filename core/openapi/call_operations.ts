import { calls } from "../model/resources/calls.ts";
import { resources } from "../model/resources/mod.ts";
import { accountPath, type Operation } from "./operation.ts";
import { headerRefs } from "./errors.ts";
import { createOperation, listOperation, readOperation, updateOperations } from "./regular.ts";
import { refTo } from "./schemas.ts";

const { notifications, recordings, streams, transcriptions } = resources;

const call = `${accountPath}/Calls/{Sid}`;
const ofRecording = `${accountPath}/Recordings/{Sid}/Transcriptions`;

/** The operations of calls, recordings and transcriptions that no declaration derives. */
export const callOperations: Operation[] = [
  ...updateOperations(calls, {
    summary: "Redirects, mutes or ends a live call",
    description: "Changes a call that has not ended: Url redirects it, Mute silences it, Status " +
      "ends it. With Mute the response is a MutedCall. POST and PUT do the same.",
    answer: { anyOf: [refTo(calls.type), refTo("MutedCall")] },
  }),
  createOperation(calls, {
    path: `${accountPath}/UssdPush`,
    id: "pushUssd",
    summary: "Starts a USSD dialogue with a subscriber through a Gateway",
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
  listOperation(streams, {
    path: `${call}/Streams`,
    id: "listCallStreams",
    summary: "Lists the audio streams of a call",
  }),
  createOperation(streams, {
    path: `${call}/Streams`,
    summary: "Starts an audio stream of a call in progress",
    description:
      "Parameter1.Name and Parameter1.Value to Parameter99.Name and Parameter99.Value are " +
      "what the server of the stream is told.",
  }),
  readOperation(streams, {
    path: `${call}/Streams/{StreamSid}`,
    id: "readCallStream",
    summary: "Reads an audio stream of a call, by Sid or name",
  }),
  ...updateOperations(streams, {
    path: `${call}/Streams/{StreamSid}`,
    summary: "Ends an audio stream of a call, by Sid or name",
    description: "Status=stopped ends the stream. POST and PUT do the same.",
  }),
  {
    method: "get",
    path: `${call}/Progress`,
    id: "readCallProgress",
    summary: "Reads when a call rang, was answered and ended, and which side ended it",
    description:
      "What the companion did not report is null: so are the cause of a call that ended " +
      "before an upgrade, and the ringing of a call that came in.",
    tag: calls.type,
    answer: refTo("CallProgress"),
    types: ["application/json"],
  },
  {
    method: "get",
    path: `${call}/SipTrace`,
    id: "readSipTrace",
    summary: "Reads the SIP messages of a call that failed",
    description:
      "The rows of the ladder, each with its message, without credentials and keys. 404 " +
      "where the call did not fail, or SIP_TRACE_HOURS have passed since its end.",
    tag: calls.type,
    answer: refTo("SipTrace"),
    types: ["application/json"],
  },
  ...([["pcap", "application/vnd.tcpdump.pcap"], ["txt", "text/plain"]] as const).map((
    [format, type],
  ): Operation => ({
    method: "get",
    path: `${call}/SipTrace.${format}`,
    id: `readSipTraceAs${format === "pcap" ? "Pcap" : "Text"}`,
    summary: `Reads the SIP trace of a call as ${format === "pcap" ? "a pcap file" : "a text"}`,
    description: format === "pcap"
      ? "Each message is a UDP datagram, whatever transport it took; the times are those of the " +
        "messages."
      : "The ladder: a column for the service and one for each peer.",
    tag: calls.type,
    answer: {},
    types: [type],
  })),
  {
    method: "get",
    path: `${accountPath}/Recordings/{Sid}.wav`,
    id: "readRecordingAudio",
    summary: "Reads the audio of a recording as WAV",
    description: "Serves ranges. Redirects to the object storage where that has the audio. The " +
      "signed URL in file_uri needs no credentials.",
    tag: recordings.type,
    answer: {},
    types: ["audio/wav"],
    also: {
      206: {
        description: "The range of the request.",
        headers: headerRefs(["X-Request-Id", "ETag", "Content-Range"]),
        content: { "audio/wav": {} },
      },
      304: { description: "The audio is the version that If-None-Match names." },
      307: {
        description: "The audio is in the object storage, at Location.",
        headers: headerRefs(["X-Request-Id", "Location"]),
      },
    },
    access: "link",
  },
  {
    method: "get",
    path: `${accountPath}/Recordings/{Sid}.mp3`,
    id: "readRecordingMp3",
    summary: "Reads the audio of a recording as MP3",
    description: "Encodes the audio on request and serves no ranges. The signed URL in file_uri " +
      "works with .mp3 in place of .wav as well.",
    tag: recordings.type,
    answer: {},
    types: ["audio/mpeg"],
    also: { 304: { description: "The audio is the version that If-None-Match names." } },
    access: "link",
  },
  ...["wav", "mp3"].map((format): Operation => ({
    method: "delete",
    path: `${accountPath}/Recordings/{Sid}.${format}`,
    id: `deleteRecordingAs${format === "wav" ? "Wav" : "Mp3"}`,
    summary: `Deletes a recording and its audio (.${format})`,
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
    summary: "Transcribes a recording",
    form: refTo("TranscriptionCreate"),
  }),
];

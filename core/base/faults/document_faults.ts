import type { FaultEntry } from "./fault_entry.ts";

/** Markup and other documents, flows, callbacks, and what verbs need. */
export const documentFaults = {
  callbackFailed: {
    kind: "unavailable",
    code: 11200,
    message: "Cannot deliver a status callback",
    advice:
      "The application server must be reachable, and respond to the callback URL with a status " +
      "below 500 within 15 seconds. The text says what failed.",
  },
  deliveryQueued: {
    kind: "invalid",
    code: 21230,
    message: "Cannot replay a delivery that is being sent",
    advice: "Wait for the response. A delivery that waits for its next attempt is sent at once.",
  },
  documentUnreachable: {
    kind: "unavailable",
    code: 11210,
    message: "Cannot fetch the markup document",
    advice: "The application server must be reachable, and send 2xx and markup within 15 seconds.",
  },
  documentInvalid: {
    kind: "invalid",
    code: 12100,
    message: "Cannot read the markup document",
    advice: "Send one well-formed XML document of at most 64 KiB with the root Response.",
  },
  documentType: {
    kind: "invalid",
    code: 12300,
    message: "Cannot use the content type of the document",
    advice: "Respond with Content-Type text/xml, application/xml, audio/* or text/plain.",
  },
  documentLoop: {
    kind: "invalid",
    code: 12400,
    message: "Cannot continue: the documents redirect without end",
    advice: "Add a verb that takes time, such as Say, Pause or Gather, to one of the documents.",
  },
  flowFailed: {
    kind: "invalid",
    code: 12500,
    message: "Cannot continue the flow",
    advice: "Check the Flow of the Application that the message names: the Flow or one of its " +
      "steps was removed or is no longer valid.",
  },
  serviceFailed: {
    kind: "unavailable",
    code: 12510,
    message: "Cannot use the response of an external service",
    advice:
      "The URL of the externalService step must respond with 2xx within 15 seconds, with at " +
      "most 64 KiB, and with JSON where the step extracts values. Set onRemoteError to " +
      "handle the failure in the flow.",
  },
  markupSkipped: {
    kind: "invalid",
    code: 12200,
    message: "Cannot perform a part of the markup",
    advice: "The service skipped the part that the message names. Check the names and values of " +
      "its verbs and attributes.",
  },
  audioUnavailable: {
    kind: "unavailable",
    code: 13230,
    message: "Cannot play the audio",
    advice: "The URL must respond with a WAV or MP3 file that the service can decode.",
  },
  notSpoken: {
    kind: "unavailable",
    code: 13241,
    message: "Cannot say the text",
    advice: "Check voice and language of Say. If they are right, the operator checks the " +
      "text-to-speech of the service.",
  },
  notTranscribed: {
    kind: "invalid",
    code: 13242,
    message: "Cannot transcribe the recording",
    advice: "The operator sets up speech recognition: RECOGNITION_URL, or pocketsphinx on the " +
      "machine of the service. The recording must have a length and language that it " +
      "supports.",
  },
  speechUnavailable: {
    kind: "unavailable",
    code: 13245,
    message: "Cannot recognize speech",
    advice: "The operator sets up speech recognition (RECOGNITION_URL or pocketsphinx). Gather " +
      "accepts digits without it.",
  },
  referFailed: {
    kind: "unavailable",
    code: 13234,
    message: "Cannot transfer the call with Refer",
    advice: "The remote party must support REFER and be able to reach the address. A trunk " +
      "transfers beyond this service only if it is a Gateway of the account.",
  },
} as const satisfies Record<string, FaultEntry>;

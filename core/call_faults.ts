import type { FaultEntry } from "./faults.ts";

/** The part of the table of faults that is about calls, their markup and their callbacks. */
export const callFaults = {
  callerIdNotAllowed: {
    kind: "invalid",
    code: 21210,
    message: "Cannot call a number with this From",
    advice: "Give a number, an OutgoingCallerId or a Client of the account as From or callerId.",
  },
  callEnded: {
    kind: "invalid",
    code: 21220,
    message: "Cannot modify a call that has ended",
    advice: "Only live calls can be modified.",
  },
  notModifiable: {
    kind: "invalid",
    code: 21221,
    message: "Cannot modify the call as asked",
    advice: "A redirect needs a call in progress.",
  },
  noRoute: {
    kind: "invalid",
    code: 13224,
    message: "Cannot route the call: nobody is at the address",
    advice: "A Client must exist and be enabled; a number must be one of this service with a " +
      "VoiceUrl, or a Gateway or the operator's OUTBOUND_PROXY must lead to it.",
  },
  notRegistered: {
    kind: "invalid",
    code: 13226,
    message: "Cannot reach the Client: none of its phones is registered",
    advice: "Check that its softphone runs, reaches the SIP address and has the right password.",
  },
  trunkUnreachable: {
    kind: "unavailable",
    code: 13227,
    message: "Cannot place the call: no Gateway took it",
    advice: "Check the Proxy, UserName and Password of the account's Gateways, and their Status.",
  },
  conferenceEnded: {
    kind: "invalid",
    code: 21222,
    message: "Cannot modify a conference that has ended",
    advice: "Only conferences that are not completed can be modified.",
  },
  conferenceUnreached: {
    kind: "unavailable",
    code: 13232,
    message: "Cannot join the conference",
    advice:
      "A conference is at the companion of its first participant: it is to answer at SIP_PEER_URI.",
  },
  queueUnreached: {
    kind: "unavailable",
    code: 13233,
    message: "Cannot take a call from the queue",
    advice: "The companion at which the call waits is to answer at its SIP_PEER_URI.",
  },
  mediaLost: {
    kind: "unavailable",
    code: 13231,
    message: "Cannot go on with the call: its audio was lost",
    advice: "Check that the phone's network lets UDP through to the companion and back.",
  },
  noCommonCodec: {
    kind: "invalid",
    code: 13236,
    message: "Cannot connect the call: the two sides have no media in common",
    advice:
      "Have the phone or trunk offer audio as PCMU or PCMA (G.711), or Opus, at an address that " +
      "this server sends to; one in a browser, with DTLS-SRTP and ICE.",
  },
  unknownAudioSource: {
    kind: "invalid",
    code: 13237,
    message: "Audio came from an address that the call's signalling does not know, and was dropped",
    advice:
      "Audio counts from the address in the SDP, the address that the phone signals from, and the " +
      "trunk's addresses. If it is the phone's or trunk's own, have its SDP name it; the operator adds a " +
      "trunk's media addresses to SIP_TRUSTED_SOURCES. Else it is an attack, or audio of an earlier call.",
  },
  companionLost: {
    kind: "unavailable",
    code: 13235,
    message: "Cannot go on with the call: the SIP companion lost it",
    advice:
      "Place the call again. The operator reads in the log whether the companion ended, and why.",
  },
  notDialled: {
    kind: "unavailable",
    code: 13225,
    message: "Cannot place the call: the SIP companion is out of reach",
    advice: "Check that the companion runs and that BRIDGE_URL points at it.",
  },
  callbackFailed: {
    kind: "unavailable",
    code: 11200,
    message: "Cannot deliver a status callback",
    advice: "The application server must answer the callback URL with a status below 500.",
  },
  deliveryQueued: {
    kind: "invalid",
    code: 21230,
    message: "Cannot replay a delivery that is under way",
    advice: "Wait until its Status is delivered or failed.",
  },
  documentUnreachable: {
    kind: "unavailable",
    code: 11210,
    message: "Cannot fetch the markup document",
    advice: "The application server must answer the URL with 2xx and markup within 15 seconds.",
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
    advice: "Answer with text/xml or application/xml, audio/* or text/plain.",
  },
  documentLoop: {
    kind: "invalid",
    code: 12400,
    message: "Cannot go on: the documents redirect without end",
    advice: "Let one of the documents do something that takes time.",
  },
  flowFailed: {
    kind: "invalid",
    code: 12500,
    message: "Cannot go on with the flow",
    advice: "Check the Flow of the application that the message names: it, or a step of it, was " +
      "removed or no longer fits.",
  },
  serviceFailed: {
    kind: "unavailable",
    code: 12510,
    message: "Cannot use the answer of an external service",
    advice: "The URL of the externalService step must answer with 2xx within 15 seconds, with at " +
      "most 64 KiB, and with JSON where the step extracts from it. An onRemoteError handles it.",
  },
  markupSkipped: {
    kind: "invalid",
    code: 12200,
    message: "Cannot perform a part of the markup",
    advice: "The part that the message names was skipped. Check verb and attribute names.",
  },
  audioUnavailable: {
    kind: "unavailable",
    code: 13230,
    message: "Cannot play the audio",
    advice: "The URL must answer with a WAV or MP3 file that this service can decode.",
  },
  notSpoken: {
    kind: "unavailable",
    code: 13241,
    message: "Cannot say the text",
    advice: "Check voice and language of Say. If they are right, the operator has to set up " +
      "speech, or the provider of it is out of reach.",
  },
  notTranscribed: {
    kind: "invalid",
    code: 13242,
    message: "Cannot transcribe the recording",
    advice: "The operator has to set up speech recognition: RECOGNITION_URL, or pocketsphinx on " +
      "the machine of the service. It must take audio of this length and language.",
  },
  speechUnavailable: {
    kind: "unavailable",
    code: 13245,
    message: "Cannot take what was said",
    advice: "The operator has to set up speech recognition. Gather takes digits without it.",
  },
  referFailed: {
    kind: "unavailable",
    code: 13234,
    message: "Cannot refer the call",
    advice: "The other side must take a REFER and reach whom it names. A trunk is asked to call " +
      "beyond this service only where it is a Gateway of the account itself.",
  },
} as const satisfies Record<string, FaultEntry>;

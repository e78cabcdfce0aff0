/**
 * Elements that Twilio's helper libraries write and this service does not perform, each with the
 * reason for its Notification. The table of the documentation is made from them.
 */
export const refusedElements: Readonly<Record<string, string>> = {
  AiSession:
    "there are no AI sessions here; Stream and ConversationRelay connect a call to an agent of your own",
  Application: "it cannot be dialled; name the Client or the number that the application answers",
  Autopilot:
    "there are no assistants here; Stream and ConversationRelay connect a call to an agent of your own",
  Conversation: "there are no conversations here",
  ConversationRelaySession: "there are no sessions of connectors here; use Stream",
  Pay: "this service takes no payments",
  Prompt: "this service takes no payments",
  Room: "there are no video rooms here",
  Sim: "there are no SIM cards here; dial its number",
  Siprec: "recording by SIPREC (RFC 7866) is not supported; Stream copies the audio of a call",
  Task: "there are no task routers here",
  VirtualAgent:
    "there are no connectors here; Stream and ConversationRelay connect a call to an agent of your own",
  WhatsApp: "there is no gateway to WhatsApp here",
};

const noiseReduction = "speech recognition is given the audio as it is";
const backchannel = "every word interrupts; interruptSensitivity has it do so later";

/**
 * Attributes that Twilio's helper libraries write and this service does not perform, by element, each
 * with the reason for its Notification.
 */
export const refusedAttributes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Conference: {
    eventCallbackUrl: "it is the former name of statusCallback",
    recordingConfigurationId: "there are no recording configurations here",
  },
  ConversationRelay: {
    backgroundNoiseReduction: noiseReduction,
    backgroundnoisereduction: noiseReduction,
    ignoreBackchannel: backchannel,
    ignorebackchannel: backchannel,
    intelligenceService: "there are no services for transcripts here",
  },
  Dial: {
    events: "use statusCallback of the noun",
    passports: "calls are not signed by STIR/SHAKEN here",
    recordingConfigurationId: "there are no recording configurations here",
  },
  Enqueue: { workflowSid: "there are no task routers here" },
  Number: { byoc: "a number's route is that of the account's Gateways" },
  Queue: {
    postWorkActivitySid: "there are no task routers here",
    reservationSid: "there are no task routers here",
  },
  Record: { recordingConfigurationId: "there are no recording configurations here" },
  Recording: { recordingConfigurationId: "there are no recording configurations here" },
  Start: {
    action: "nothing is requested when what it began has ended; use a statusCallback",
    method: "nothing is requested when what it began has ended; use a statusCallback",
  },
  Transcription: {
    intelligenceService: "there are no services for transcripts here",
  },
};

/** The note of an element inside another that does not perform it. */
export function skippedElement(name: string, parent: string): string {
  const reason = refusedElements[name];
  return `${name} in ${parent}${reason === undefined ? "" : `: ${reason}`}`;
}

/**
 * Elements that Twilio's helper libraries write and this service does not perform, each with the
 * reason for its Notification. The table of the documentation is made from them.
 */
export const refusedElements: Readonly<Record<string, string>> = {
  AiSession: "there are no AI sessions here; Stream connects a call to an agent of your own",
  Application: "it cannot be dialled; name the Client or the number that the application answers",
  Autopilot: "there are no assistants here; Stream connects a call to an agent of your own",
  Conversation: "there are no conversations here",
  ConversationRelaySession: "there are no sessions of connectors here; use ConversationRelay",
  Pay: "this service takes no payments",
  Prompt: "this service takes no payments",
  Room: "there are no video rooms here",
  Sim: "there are no SIM cards here; dial its number",
  Siprec: "recording by SIPREC (RFC 7866) is not supported; Stream copies the audio of a call",
  Task: "there are no task routers here",
  VirtualAgent: "there are no connectors here; Stream connects a call to an agent of your own",
  WhatsApp: "there is no gateway to WhatsApp here",
};

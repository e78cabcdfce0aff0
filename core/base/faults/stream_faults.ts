import type { FaultEntry } from "./fault_entry.ts";

/** Audio streams and conversations. */
export const streamFaults = {
  streamUnreachable: {
    kind: "unavailable",
    code: 31920,
    message: "Cannot carry an audio stream: its server is not reached",
    advice:
      "The message has the response of the server, or why the WebSocket did not open or broke " +
      "off. Check the url of Stream, the certificate of the server, and that it answers pings.",
  },
  streamMessages: {
    kind: "invalid",
    code: 31951,
    message: "Cannot use a message of the server of an audio stream",
    advice:
      "Send JSON texts with the event media, mark or clear. media needs a payload in base64, mark a " +
      "name. Invalid messages are skipped, and one Notification names the first of each stream. A server " +
      "that sends too much for 30 s loses its stream.",
  },
  streamSlow: {
    kind: "unavailable",
    code: 31932,
    message: "Cannot send all frames of an audio stream: its server is slow",
    advice: "Read the WebSocket at the pace of the audio, and do slow work beside that.",
  },
  streamOverflow: {
    kind: "tooLarge",
    code: 31952,
    message: "Cannot queue more audio of the server of an audio stream",
    advice:
      "Send audio at the pace at which it is heard, or wait for marks. The operator sets the " +
      "bound by STREAM_QUEUE_S.",
  },
  streamLimit: {
    kind: "invalid",
    code: 31944,
    message: "Cannot start another audio stream of the call",
    advice:
      "A call has four streams of Start and one of Connect, each with a name of its own. Stop " +
      "one, or give another Name.",
  },
  badStreamUrl: {
    kind: "invalid",
    code: 31940,
    message: "Cannot use the URL of an audio stream",
    advice:
      "Give a wss URL; that of a Stream has no query: pass values to its server by Parameter. " +
      "ws, and private addresses, need ALLOW_PRIVATE_URLS.",
  },
  conversationUnreachable: {
    kind: "unavailable",
    code: 39001,
    message: "Cannot lead a conversation: the server of ConversationRelay is not reached",
    advice:
      "The message has the response of the server, or why the WebSocket did not open or broke " +
      "off. Check the url of ConversationRelay, the certificate of the server, and that it " +
      "answers pings.",
  },
  conversationMessages: {
    kind: "invalid",
    code: 64107,
    message: "Cannot use a message of the server of a conversation",
    advice:
      "Send JSON texts of the types text, play, sendDigits, language and end. The response to an " +
      "invalid one is a message of the type error; one Notification names the first of each " +
      "conversation. A server that sends too much for 30 s loses its conversation.",
  },
} as const satisfies Record<string, FaultEntry>;

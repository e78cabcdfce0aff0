import { z } from "zod";
import { action } from "./action.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about WebSockets to customers' servers.
 * Audio streams carry the audio of a leg. Conversations carry the caller's speech as text, and the
 * server's text, which is spoken. The service decides on the server and signs the handshake; the
 * companion opens the WebSocket, as it has the audio.
 */

export const streamSid = z.string().regex(/^MZ[0-9a-f]{32}$/);

export const streamTrack = z.enum(["inbound", "outbound"]);

/** One stream of a leg. */
export const streamOrder = z.object({
  sid: streamSid,
  accountSid: z.string(),
  /** By which it is stopped; no other open stream of the leg has it. */
  name: z.string(),
  /** `wss`, or `ws` where private addresses are allowed. */
  url: z.string(),
  /** The headers of the handshake, signatures among them. */
  headers: z.record(z.string(), z.string()),
  tracks: z.array(streamTrack).min(1),
  /** The server may send audio, and gets digits. */
  isBidirectional: z.boolean(),
  encoding: z.enum(["audio/x-mulaw", "audio/l16"]),
  parameters: z.record(z.string(), z.string()),
  /** Seconds of audio of the server that may wait to be played. */
  queueS: z.number().positive(),
});

/**
 * Opens a stream once the leg is answered. One of both ways lasts until it ends; beside any other the
 * script goes on.
 */
export const streamStep = z.object({
  type: z.literal("stream"),
  stream: streamOrder,
  action: action.optional(),
});

/** Ends the stream of this name. */
export const stopStreamStep = z.object({ type: z.literal("stopStream"), name: z.string() });

/** Faults of a stream; `limit`: the leg has too many, or one of this name. */
export const streamFault = z.enum(["unreachable", "messages", "slow", "overflow", "limit"]);

/** Events of a stream. Its end comes last, and once. */
export const streamChange = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("started") }),
  z.object({ kind: z.literal("problem"), fault: streamFault, message: z.string() }),
  z.object({
    kind: z.literal("ended"),
    /** `stopped` by us, `closed` by the server. */
    how: z.enum(["stopped", "closed", "failed"]),
    fault: streamFault.optional(),
    message: z.string().optional(),
    /** Frames that were left out, since the server was slow. */
    lostFrames: z.number().int().nonnegative(),
  }),
]);

/** `seq` counts the events of a stream from 0. */
export const streamEvent = z.object({
  type: z.literal("stream"),
  sid: streamSid,
  seq: z.number().int().nonnegative(),
  news: streamChange,
});

/** A stream that the script waited for has ended. Answered with the script at the action. */
export const streamedEvent = z.object({ type: z.literal("streamed"), sid: streamSid, action });

/** Has a leg open a stream, or end the one with a Sid, whatever step it performs. */
export const streamRequest = z.object({
  leg: z.string().regex(/^CA[0-9a-f]{32}$/),
  order: z.discriminatedUnion("type", [
    z.object({ type: z.literal("start"), stream: streamOrder }),
    z.object({ type: z.literal("stop"), sid: streamSid }),
  ]),
});

/** False: the leg is not there. */
export const streamAnswer = z.object({ isDone: z.boolean() });

/** Input by which a caller may interrupt the server's text. */
export const conversationInput = z.enum(["none", "speech", "dtmf", "any"]);

/** Further messages that the customer's server requests (`events` of a ConversationRelay). */
export const conversationEvents = z.enum(["speaker-events", "tokens-played"]);

/** A voice of the speech provider, and the one that the document names, where it stands for that. */
const voice = z.object({ voice: z.string(), namedVoice: z.string().optional() });

/** Settings of a conversation. Languages are tags such as `en-US`. */
export const conversationSettings = z.object({
  /** Greeting, and the input that interrupts it. */
  greeting: z.object({ text: z.string().min(1), interruptible: conversationInput }).optional(),
  /** Input that interrupts texts by default, and the least length of speech that does. */
  interruptible: conversationInput,
  interruptAfterMs: z.number().nonnegative(),
  /** Input that is reported though it does not interrupt the text. */
  reported: conversationInput,
  /** True when the next text replaces one that sets nothing else. */
  isPreemptible: z.boolean(),
  /** True when keys are reported. */
  hasDigits: z.boolean(),
  events: z.array(conversationEvents),
  /** Language of the texts, the default voice, and those of languages. */
  speech: z.object({ language: z.string(), voice, voices: z.record(z.string(), voice) }),
  /** Settings of speech recognition. */
  hearing: z.object({
    language: z.string(),
    hints: z.array(z.string()),
    hasPartials: z.boolean(),
    /** Silence that ends speech; the companion's default unless given. */
    pauseMs: z.number().positive().optional(),
  }),
});

/** One conversation of a leg. */
export const conversationOrder = z.object({
  sid: z.string().regex(/^VX[0-9a-f]{32}$/),
  /** `wss`, or `ws` where private addresses are allowed. */
  url: z.string(),
  /** The headers of the handshake, signatures among them. */
  headers: z.record(z.string(), z.string()),
  /** The first message to the server. */
  setup: z.record(z.string(), z.unknown()),
  settings: conversationSettings,
});

/** Leads a conversation; the script goes on when either side ends it. */
export const converseStep = z.object({
  type: z.literal("converse"),
  conversation: conversationOrder,
  action: action.optional(),
});

/** A conversation is over. Answered with the script at the action, where it has one. */
export const conversedEvent = z.object({
  type: z.literal("conversed"),
  sid: z.string(),
  url: z.string(),
  durationS: z.number().int().nonnegative(),
  /** `ended` by the server, `completed` by the end of the call or another script. */
  how: z.enum(["ended", "completed", "failed"]),
  /** Failure: the server is out of reach, or sends invalid messages. */
  fault: z.enum(["unreachable", "messages"]).optional(),
  message: z.string().optional(),
  /** Data of the server at the end. */
  handoffData: z.string().optional(),
  action: action.optional(),
});

export type StreamOrder = z.infer<typeof streamOrder>;
export type StreamStep = z.infer<typeof streamStep>;
export type StreamChange = z.infer<typeof streamChange>;
export type StreamEvent = z.infer<typeof streamEvent>;
export type StreamRequest = z.infer<typeof streamRequest>;
export type ConversationInput = z.infer<typeof conversationInput>;
export type ConversationSettings = z.infer<typeof conversationSettings>;
export type ConversationOrder = z.infer<typeof conversationOrder>;
export type ConverseStep = z.infer<typeof converseStep>;
export type ConversedEvent = z.infer<typeof conversedEvent>;

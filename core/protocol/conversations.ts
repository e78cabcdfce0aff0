import { z } from "zod";
import { action } from "./action.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about conversations: what a caller says goes
 * as text to a customer's server over a WebSocket, and the server's text is said. The service signs
 * the handshake; the companion opens the WebSocket, recognises and speaks.
 */

/** What a caller may do to be heard while the server's text is said. */
export const conversationInput = z.enum(["none", "speech", "dtmf", "any"]);

/** What the server is told besides. */
export const conversationEvents = z.enum(["speaker-events", "tokens-played"]);

/** A voice of the speech provider, and the one that the document names, where it stands for that. */
const voice = z.object({ voice: z.string(), namedVoice: z.string().optional() });

/** How a conversation is led. Languages are tags such as `en-US`. */
export const conversationSettings = z.object({
  /** Said at the beginning, and what interrupts it. */
  greeting: z.object({ text: z.string().min(1), interruptible: conversationInput }).optional(),
  /** What interrupts texts that do not say it, and how long speech goes on before it does. */
  interruptible: conversationInput,
  interruptAfterMs: z.number().nonnegative(),
  /** Input that is passed on though it does not interrupt what is said. */
  reported: conversationInput,
  /** The next text takes the place of one that does not say otherwise. */
  isPreemptible: z.boolean(),
  /** Keys are passed on. */
  hasDigits: z.boolean(),
  events: z.array(conversationEvents),
  /** Of what is said: its language, the usual voice, and those of languages. */
  speech: z.object({ language: z.string(), voice, voices: z.record(z.string(), voice) }),
  /** How the caller is understood. */
  hearing: z.object({
    language: z.string(),
    hints: z.array(z.string()),
    hasPartials: z.boolean(),
    /** Silence that ends what is said; the companion's own unless given. */
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
  /** What failed: the server is out of reach, or sends what is no message. */
  fault: z.enum(["unreachable", "messages"]).optional(),
  message: z.string().optional(),
  /** What the server said at the end. */
  handoffData: z.string().optional(),
  action: action.optional(),
});

export type ConversationInput = z.infer<typeof conversationInput>;
export type ConversationSettings = z.infer<typeof conversationSettings>;
export type ConversationOrder = z.infer<typeof conversationOrder>;
export type ConverseStep = z.infer<typeof converseStep>;
export type ConversedEvent = z.infer<typeof conversedEvent>;

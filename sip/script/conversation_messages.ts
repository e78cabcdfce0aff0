import { z } from "zod";
import { hasMoreValues } from "../../core/base/json_size.ts";
import { asWritten } from "../../core/base/written_number.ts";
import { digits, digitsLength } from "../../core/protocol/gather.ts";
import type { ConversationInput } from "../../core/protocol/streams.ts";
import { sipLimits } from "../base/limits.ts";

/** The messages of a conversation, each a JSON text with a `type`. */

const language = z.string().regex(
  /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/,
  "must be a language tag such as en-US",
);

/** A boolean, also as a text. */
const flag = z.union([
  z.boolean(),
  z.enum(["true", "false"]).transform((value) => value === "true"),
]);

const interruptible = z.union([flag, z.enum(["none", "speech", "dtmf", "any"])])
  .transform((value): ConversationInput =>
    typeof value === "boolean" ? value ? "any" : "none" : value
  );

const manner = {
  interruptible: interruptible.optional(),
  preemptible: flag.optional(),
};

const { values: mostValues, handoffLength, urlLength } = sipLimits.conversation;

/** A message of the server. */
const serverMessage = z.discriminatedUnion("type", [
  /** A part of what is to be said. */
  z.object({
    type: z.literal("text"),
    token: z.string(),
    last: flag.optional(),
    lang: language.optional(),
    ...manner,
  }),
  z.object({
    type: z.literal("play"),
    // To parse a URL costs more than all else that a message can have.
    source: z.string().max(urlLength).pipe(z.url({ protocol: /^https?$/ })),
    loop: z.union([z.number(), z.string().regex(/^\d{1,4}$/).transform(Number)])
      .pipe(z.number().int().min(0).max(1_000)).optional(),
    ...manner,
  }),
  z.object({
    type: z.literal("sendDigits"),
    digits: z.string().max(digitsLength).transform((text) =>
      text.replace(/[a-d]/g, (key) => key.toUpperCase())
    )
      .pipe(digits),
  }),
  z.object({
    type: z.literal("language"),
    ttsLanguage: language.optional(),
    transcriptionLanguage: language.optional(),
  }),
  z.object({
    type: z.literal("end"),
    handoffData: z.union([z.string(), z.looseObject({})]).nullish().transform((data) =>
      data === null || data === undefined || typeof data === "string" ? data : JSON.stringify(data)
    ).pipe(z.string().max(handoffLength).nullish()),
  }),
]);

export type ServerMessage = z.infer<typeof serverMessage>;

/** Reads a message of the server; throws an Error that says what is wrong with it. */
export function readMessage(text: string): ServerMessage {
  if (hasMoreValues(text, mostValues)) throw new Error("it has too many values");
  const read = serverMessage.safeParse(withTexts(JSON.parse(text), text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
}

const textFields = ["token", "source", "digits", "handoffData"];

/** A message in which numbers that stand for texts are texts, by the digits that the server wrote. */
function withTexts(message: unknown, text: string): unknown {
  if (typeof message !== "object" || message === null) return message;
  const given = message as Record<string, unknown>;
  const numbers = textFields.filter((name) => typeof given[name] === "number");
  if (numbers.length === 0) return message;
  const written = JSON.parse(text, asWritten);
  return { ...message, ...Object.fromEntries(numbers.map((name) => [name, written[name]])) };
}

/** A message to the server, after the `setup`. */
export type OwnMessage =
  | { type: "prompt"; voicePrompt: string; lang: string; last: boolean }
  | { type: "dtmf"; digit: string }
  | { type: "interrupt"; utteranceUntilInterrupt: string; durationUntilInterruptMs: number }
  | { type: "info"; name: "agentSpeaking" | "clientSpeaking"; value: "on" | "off" }
  | { type: "info"; name: "tokensPlayed"; value: string }
  | { type: "error"; description: string };

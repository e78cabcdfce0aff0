import { z } from "zod";
import { action } from "./action.ts";
import { sayStep } from "./speech.ts";

/** The part of the call-control protocol (`companion.ts`) about prompts, DTMF and speech input. */

/** Plays the audio at a URL; `loop` 0 is until the leg ends. */
export const playStep = z.object({
  type: z.literal("play"),
  url: z.string(),
  loop: z.number().int().nonnegative(),
});

/** Waits in silence, or with the built-in hold music. */
export const silenceStep = z.object({
  type: z.literal("silence"),
  seconds: z.number().positive(),
  music: z.boolean().optional(),
});

/** Characters that are sent at once. */
export const digitsLength = 1_000;

/** Sends digits to the peer: 0-9 A-D * #, `w` is half a second of silence and `W` a whole one. */
export const digits = z.string().regex(/^[0-9A-D*#wW]+$/).max(digitsLength);

/** Sends digits `loop` times; 0 is until the leg ends. */
export const digitsStep = z.object({
  type: z.literal("digits"),
  digits,
  loop: z.number().int().nonnegative(),
});

/** Steps that may play while the companion waits for input. */
export const prompt = z.discriminatedUnion("type", [playStep, sayStep, silenceStep, digitsStep]);

const keys = z.string().regex(/^[0-9A-D*#]*$/);

/** A callback at a customer's server. */
export const callback = z.object({ url: z.string(), method: z.enum(["GET", "POST"]) });

/** Settings of speech recognition: a language tag, and likely words. */
const speechInput = z.object({
  language: z.string(),
  hints: z.array(z.string()),
  partials: callback.optional(),
  /** Silence that ends speech, and the longest speech; the companion's defaults unless given. */
  pauseMs: z.number().positive().optional(),
  longestMs: z.number().positive().optional(),
});

/**
 * Takes keys and words of the caller, from the first prompt on: either ends the prompts. It ends
 * with a `gathered` report, or without one when nothing came for `timeoutS` after the prompts; typed
 * digits without an `action` go along with the next action that is handed back. A key that is not in
 * `startKeys` is no input while nothing else was typed.
 */
export const gatherStep = z.object({
  type: z.literal("gather"),
  prompts: z.array(prompt),
  timeoutS: z.number().positive(),
  /** Absent: keys are no input. */
  keys: z.object({ start: keys, finish: keys, most: z.number().int().positive() }).optional(),
  /** Absent: words are no input. */
  speech: speechInput.optional(),
  /** False: neither keys nor words end the prompts, and words count after them only. */
  bargeIn: z.boolean().optional(),
  /** The action is requested also where nothing came. */
  actionOnEmpty: z.boolean().optional(),
  action: action.optional(),
});

const heard = {
  text: z.string(),
  /** 0 to 1. */
  confidence: z.number(),
};

/** The result of a `gather`, without the key that finished it. */
export const gatheredEvent = z.object({
  type: z.literal("gathered"),
  digits: z.string(),
  speech: z.object(heard).optional(),
  action,
});

/** A partial speech result, while the caller still speaks; `number` counts from 0 in a `gather`. */
export const partialEvent = z.object({
  type: z.literal("partial"),
  ...heard,
  number: z.number().int().nonnegative(),
  callback,
});

export type GatherStep = z.infer<typeof gatherStep>;
export type Prompt = z.infer<typeof prompt>;
export type Gathered = z.infer<typeof gatheredEvent>;
export type PartialSpeech = z.infer<typeof partialEvent>;

/** Keys of a `gather` so far. */
export interface KeyInput {
  readonly typed: string;
  /**
   * `ignored` for a key that is no input, `more` while further ones are awaited, `done` for the
   * last.
   */
  take(key: string): "ignored" | "more" | "done";
}

export function keyInput({ start, finish, most }: NonNullable<GatherStep["keys"]>): KeyInput {
  let typed = "";
  return {
    get typed() {
      return typed;
    },
    take(key) {
      if (typed === "" && !start.includes(key)) return "ignored";
      if (finish.includes(key)) return "done";
      typed += key;
      return typed.length >= most ? "done" : "more";
    },
  };
}

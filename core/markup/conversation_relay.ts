import { z } from "zod";
import { limits } from "../base/limits.ts";
import type { ConversationInput, ConversationSettings } from "../protocol/streams.ts";
import type { ConversationOptions } from "../model/values/stream_options.ts";
import { streamLimits } from "../model/values/stream_limits.ts";
import { noun, type NounContext } from "./noun.ts";
import type { Element } from "./parse.ts";
import { skippedElement } from "./refused.ts";
import {
  boolean,
  hint,
  hintsAttribute,
  languageAttribute,
  notPerformed,
  readAttributes,
} from "./verb.ts";
import { voiceNamed } from "./voices.ts";
import { parametersIn } from "./stream.ts";

/** Conversations by text: the noun ConversationRelay of Connect. */

const voice = z.string().trim().regex(/^[\p{L}\w./:-]{1,60}$/u).optional();

const optionalLanguage = z.string().trim()
  .regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/).optional();

/** Inputs that interrupt; `true` and `false` are former names. */
const input = (fallback: ConversationInput) =>
  z.enum(["none", "speech", "dtmf", "any", "true", "false"]).optional().transform((text) => {
    if (text === undefined) return fallback;
    return text === "true" ? "any" : text === "false" ? "none" : text;
  });

/** Duration in ms after which detected speech interrupts. */
const sensitivities = { high: 0, medium: 250, low: 500 } as const;

const sensitivity = z.enum(["low", "medium", "high"]).optional()
  .transform((name) => name ?? "high");

/** In ms, or `auto`, which leaves it to the service. */
const speechTimeout = z.union([
  z.literal("auto"),
  z.string().regex(/^\d{1,5}$/).transform(Number).pipe(
    z.number().min(streamLimits.pauseMinMs).max(streamLimits.pauseMaxMs),
  ),
]).optional().transform((value) => value === "auto" ? undefined : value);

const eventNames = ["speaker-events", "tokens-played"] as const;

const events = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(z.enum(eventNames))).optional().transform((names) => names ?? []);

/** Attributes of `Language`, which names the voice of a language. */
export const languageAttributes = {
  code: optionalLanguage,
  voice,
  ttsProvider: hint,
  transcriptionProvider: hint,
  speechModel: hint,
};

/** A server hears the words of the caller, and has its own said, until either side ends it. */
export const conversationRelay = noun({
  name: "ConversationRelay",
  attributes: {
    url: z.string().optional(),
    welcomeGreeting: z.string().trim().max(limits.sayLength).optional(),
    welcomeGreetingInterruptible: input("any"),
    language: languageAttribute,
    ttsLanguage: optionalLanguage,
    transcriptionLanguage: optionalLanguage,
    voice,
    hints: hintsAttribute,
    interruptible: input("any"),
    interruptSensitivity: sensitivity,
    reportInputDuringAgentSpeech: input("none"),
    preemptible: boolean(false),
    dtmfDetection: boolean(false),
    partialPrompts: boolean(false),
    speechTimeout,
    // As the helper library of Node spells it.
    speechtimeout: speechTimeout,
    events,
    debug: events,
    ttsProvider: hint,
    transcriptionProvider: hint,
    speechModel: hint,
    profanityFilter: hint,
    elevenlabsTextNormalization: hint,
    deepgramSmartFormat: hint,
    deepgramsmartformat: hint,
  },
  hasElements: true,
  contents: ["Parameter", "Language"],
  compile(element, attributes, context) {
    const { action } = context;
    const url = urlOf(attributes.url, context);
    if (url === null) return notPerformed(action, { SessionStatus: "failed" });
    const wanted: ConversationOptions = {
      kind: "conversation",
      url,
      parameters: parametersIn(only(element, "Parameter"), context),
      settings: settingsOf(element, attributes, context),
    };
    return [{ type: "consult", serviceContext: wanted, ...action && { action } }];
  },
});

type Given = Parameters<typeof conversationRelay.compile>[1];

function urlOf(given: string | undefined, context: NounContext): string | null {
  const target = URL.parse(given?.trim() ?? "");
  if (target !== null && /^wss?:$/.test(target.protocol)) return target.href;
  context.skip(
    `url "${given?.slice(0, 100) ?? ""}" of ConversationRelay: it is no wss address`,
  );
  return null;
}

function settingsOf(element: Element, given: Given, context: NounContext): ConversationSettings {
  const { welcomeGreeting: text, language, speechTimeout: pauseMs = given.speechtimeout } = given;
  return {
    ...text && { greeting: { text, interruptible: given.welcomeGreetingInterruptible } },
    interruptible: given.interruptible,
    interruptAfterMs: sensitivities[given.interruptSensitivity],
    reported: given.reportInputDuringAgentSpeech,
    isPreemptible: given.preemptible,
    hasDigits: given.dtmfDetection,
    events: [...new Set([...given.events, ...given.debug])],
    speech: {
      language: given.ttsLanguage ?? language,
      voice: voiceOf(given.voice),
      voices: voicesIn(element, context),
    },
    hearing: {
      language: given.transcriptionLanguage ?? language,
      hints: given.hints,
      hasPartials: given.partialPrompts,
      ...pauseMs !== undefined && { pauseMs },
    },
  };
}

/** A voice that names a language is taken for its gender: the language is given apart. */
function voiceOf(name: string | undefined): ConversationSettings["speech"]["voice"] {
  if (name === undefined) return { voice: "woman" };
  const known = voiceNamed(name);
  return known === undefined ? { voice: name } : { voice: known.voice, namedVoice: name };
}

/** The voices of languages, as the Language elements name them. */
function voicesIn(
  element: Element,
  context: NounContext,
): ConversationSettings["speech"]["voices"] {
  for (const { name } of element.children) {
    if (name !== "Parameter" && name !== "Language") {
      context.skip(skippedElement(name, element.name));
    }
  }
  const pairs = only(element, "Language").children.flatMap((child) => {
    const { code, voice } = readAttributes(child, languageAttributes, context);
    if (code === undefined) context.skip("Language of ConversationRelay: it needs a code");
    return code === undefined || voice === undefined ? [] : [[code, voiceOf(voice)] as const];
  });
  return Object.fromEntries(pairs.slice(0, streamLimits.languages));
}

const only = (element: Element, name: string): Element => ({
  ...element,
  children: element.children.filter((child) => child.name === name),
});

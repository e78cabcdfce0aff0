import { z } from "zod";
import type { GatherStep } from "../../protocol/gather.ts";
import { limits } from "../../base/limits.ts";
import {
  actionOrDocument,
  boolean,
  hint,
  hintsAttribute,
  keySet,
  languageAttribute,
  methodAttribute,
  urlAttribute,
  verb,
  wholeNumber,
} from "../verb.ts";
import { compilePrompts } from "./prompts.ts";

/** `dtmf`, `speech` or both, by space or comma. */
const input = z.string().toLowerCase().transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(z.enum(["dtmf", "speech"])).min(1)).optional()
  .transform((ways) => ways ?? ["dtmf"]);

/** Seconds of silence after speech that end it; `auto` leaves that to the service. */
const speechTimeout = z.union([
  z.literal("auto"),
  wholeNumber({ min: 1, max: limits.maxSpeechTimeS, fallback: 0 }),
]).optional().transform((seconds) => seconds === 0 ? "auto" : seconds ?? "auto");

/** Collects digits or speech of the caller, during and after the prompts inside it. */
export const gather = verb({
  name: "Gather",
  attributes: {
    action: z.string().optional(),
    method: methodAttribute,
    timeout: wholeNumber({
      min: 1,
      max: limits.gatherTimeoutMaxS,
      fallback: limits.gatherTimeoutS,
    }),
    finishOnKey: keySet("#"),
    numDigits: wholeNumber({ min: 1, max: limits.gatherDigits, fallback: limits.gatherDigits }),
    startInputKey: keySet("0123456789*#"),
    input,
    language: languageAttribute,
    hints: hintsAttribute,
    partialResultCallback: z.string().optional(),
    partialResultCallbackMethod: methodAttribute,
    actionOnEmptyResult: boolean(false),
    bargeIn: boolean(true),
    speechTimeout,
    maxSpeechTime: wholeNumber({
      min: 1,
      max: limits.maxSpeechTimeS,
      fallback: limits.maxSpeechTimeS,
    }),
    enhanced: hint,
    profanityFilter: hint,
    speechModel: hint,
    dtmfDetection: hint,
    debug: hint,
  },
  answers: true,
  hasElements: true,
  async compile(element, attributes, context) {
    const { timeout, finishOnKey, numDigits, startInputKey, language, hints } = attributes;
    const { actionOnEmptyResult, bargeIn, speechTimeout: pauseS, maxSpeechTime } = attributes;
    const action = actionOrDocument(element, attributes.method, context);
    if (element.text !== "") {
      context.skip(
        `the text "${element.text.slice(0, 100)}" of Gather: it says what a Say in it has`,
      );
    }
    const url = urlAttribute(element, "partialResultCallback", context);
    const partials = url && { url, method: attributes.partialResultCallbackMethod };
    const takes = (way: "dtmf" | "speech") => attributes.input.includes(way);
    const step: GatherStep = {
      type: "gather",
      prompts: await compilePrompts(element, context),
      timeoutS: timeout,
      ...takes("dtmf") &&
        { keys: { start: startInputKey, finish: finishOnKey, most: numDigits } },
      ...takes("speech") && {
        speech: {
          language,
          hints,
          ...partials && { partials },
          ...typeof pauseS === "number" && { pauseMs: pauseS * 1_000 },
          ...maxSpeechTime < limits.maxSpeechTimeS && { longestMs: maxSpeechTime * 1_000 },
        },
      },
      ...!bargeIn && { bargeIn },
      ...actionOnEmptyResult && action && { actionOnEmpty: true },
      ...action && { action },
    };
    return [step];
  },
});

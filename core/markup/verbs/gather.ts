import { z } from "zod";
import type { GatherStep } from "../../protocol/gather.ts";
import { limits } from "../../base/limits.ts";
import {
  actionAttribute,
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

const hints = z.string().max(limits.hintsLength)
  .transform((text) => text.split(",").map((hint) => hint.trim()).filter(Boolean))
  .pipe(z.array(z.string()).max(limits.hints)).optional().transform((hints) => hints ?? []);

/** Takes what the caller types or says, while it plays what is inside it and after. */
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
    hints,
    partialResultCallback: z.string().optional(),
    partialResultCallbackMethod: methodAttribute,
  },
  answers: true,
  hasElements: true,
  async compile(element, attributes, context) {
    const { timeout, finishOnKey, numDigits, startInputKey, language, hints } = attributes;
    const action = actionAttribute(element, attributes.method, context);
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
      ...takes("speech") && { speech: { language, hints, ...partials && { partials } } },
      ...action && { action },
    };
    return [step];
  },
});

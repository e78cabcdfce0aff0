import { z } from "zod";
import { limits } from "../base/limits.ts";
import type { Invitation } from "../protocol/script.ts";
import type { Element } from "./parse.ts";
import { type CompileContext, methodAttribute, urlAttribute, wholeNumber } from "./verb.ts";

const milliseconds = ([min, fallback, max]: readonly [number, number, number]) =>
  wholeNumber({ min, max, fallback });

/** Attributes of answering machine detection, of the nouns `Number` and `Sip`. */
export const machineDetectionAttributes = {
  machineDetection: z.enum(["Enable", "DetectMessageEnd"]).optional(),
  machineDetectionTimeout: wholeNumber({
    min: limits.machineDetectionMinS,
    max: limits.machineDetectionMaxS,
    fallback: limits.machineDetectionS,
  }),
  machineDetectionSpeechThreshold: milliseconds(limits.machineSpeechMs),
  machineDetectionSpeechEndThreshold: milliseconds(limits.machineSpeechEndMs),
  machineDetectionSilenceTimeout: milliseconds(limits.machineSilenceMs),
  amdStatusCallback: z.string().optional(),
  amdStatusCallbackMethod: methodAttribute,
};

/** Answering machine detection of a leg of Dial, where its noun asks for it; else null. */
export function machineDetectionOf(
  noun: Element,
  attributes: z.infer<z.ZodObject<typeof machineDetectionAttributes>>,
  context: CompileContext,
): Invitation["machineDetection"] | null {
  if (attributes.machineDetection === undefined) return null;
  const url = urlAttribute(noun, "amdStatusCallback", context);
  return {
    timeoutS: attributes.machineDetectionTimeout,
    untilEnd: attributes.machineDetection === "DetectMessageEnd",
    speechThresholdMs: attributes.machineDetectionSpeechThreshold,
    speechEndMs: attributes.machineDetectionSpeechEndThreshold,
    silenceMs: attributes.machineDetectionSilenceTimeout,
    ...url !== undefined && { callback: { url, method: attributes.amdStatusCallbackMethod } },
  };
}

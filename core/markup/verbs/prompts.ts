import { z } from "zod";
import { type Prompt, prompt } from "../../protocol/gather.ts";
import { limits } from "../../base/limits.ts";
import type { Element } from "../parse.ts";
import { skippedElement } from "../refused.ts";
import { type AnyVerb, type CompileContext, readAttributes } from "../verb.ts";
import { pause } from "./pause.ts";
import { play } from "./play.ts";
import { say } from "./say.ts";

/** The verbs that may also stand inside Gather. */
export const promptVerbs: readonly AnyVerb[] = [pause, play, say];

/** Steps of the prompts inside an element, in order; other elements are noted. */
export async function compilePrompts(
  { name, children }: Element,
  context: CompileContext,
): Promise<Prompt[]> {
  const steps: Prompt[] = [];
  for (const child of children) {
    const verb = promptVerbs.find((one) => one.name === child.name);
    if (verb === undefined) {
      context.skip(skippedElement(child.name, name));
      continue;
    }
    const attributes = readAttributes(child, verb.attributes, context, verb);
    steps.push(...z.array(prompt).parse(await verb.compile(child, attributes, context)));
  }
  if (steps.length > limits.gatherPrompts) {
    context.skip(`what is in ${name} after the first ${limits.gatherPrompts}`);
  }
  return steps.slice(0, limits.gatherPrompts);
}

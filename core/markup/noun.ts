import type { z } from "zod";
import type { Action } from "../protocol/action.ts";
import type { Step } from "../protocol/script.ts";
import type { Element } from "./parse.ts";
import { skippedElement } from "./refused.ts";
import { type CompileContext, readAttributes, type Verb } from "./verb.ts";

/** Context in which a noun is compiled. */
export interface NounContext extends CompileContext {
  /** The action of the verb around it. */
  action: Action | undefined;
}

/** An element inside `Start`, `Stop` or `Connect`, with the steps that it stands for. */
export interface Noun<S extends z.ZodRawShape = z.ZodRawShape>
  extends Pick<Verb<S, NounContext>, "name" | "attributes" | "hasElements" | "compile"> {
  /** Names of elements that may stand inside it. */
  contents?: string[];
}

// deno-lint-ignore no-explicit-any
export type AnyNoun = Noun<any>;

/** Declares a noun. Identity at run time: it exists to infer the attributes. */
export const noun = <S extends z.ZodRawShape>(declaration: Noun<S>): Noun<S> => declaration;

/** The steps of the nouns of an element, in order. Nouns that are not performed are noted. */
export async function compileNouns(
  element: Element,
  nouns: readonly AnyNoun[],
  context: NounContext,
): Promise<Step[]> {
  const steps: Step[] = [];
  if (element.children.length === 0) context.skip(`${element.name}: it has no noun`);
  for (const child of element.children) {
    const known = nouns.find(({ name }) => name === child.name);
    if (known === undefined) {
      context.skip(skippedElement(child.name, element.name));
      continue;
    }
    const attributes = readAttributes(child, known.attributes, context, known);
    steps.push(...await known.compile(child, attributes, context));
  }
  return steps;
}

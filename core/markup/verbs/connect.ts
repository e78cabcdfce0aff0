import { z } from "zod";
import { type AnyNoun, compileNouns } from "../noun.ts";
import { conversationRelay } from "../conversation_relay.ts";
import { connectStream } from "../stream.ts";
import { actionAttribute, methodAttribute, notPerformed, verb } from "../verb.ts";

/** The nouns of `Connect`: their steps end with a request of the action in their context. */
export const connectNouns: readonly AnyNoun[] = [connectStream, conversationRelay];

/** Connects the call to the server of its noun; the document goes on when that ends. */
export const connect = verb({
  name: "Connect",
  attributes: { action: z.string().optional(), method: methodAttribute },
  answers: true,
  hasElements: true,
  async compile(element, { method }, context) {
    const action = actionAttribute(element, method, context);
    const steps = await compileNouns(element, connectNouns, { ...context, action });
    return steps.length > 0 ? steps : notPerformed(action, {});
  },
});

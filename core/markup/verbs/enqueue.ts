import { z } from "zod";
import type { EnqueueOptions } from "../../model/values/queue_options.ts";
import { limits } from "../../base/limits.ts";
import {
  actionAttribute,
  givenMethod,
  methodAttribute,
  notPerformed,
  verb,
  wholeNumber,
} from "../verb.ts";
import { waitOf } from "../conference.ts";

/** Puts the caller into a queue of the account until another call takes it. */
export const enqueue = verb({
  name: "Enqueue",
  attributes: {
    action: z.string().optional(),
    method: methodAttribute,
    waitUrl: z.string().optional(),
    waitMethod: methodAttribute,
    /** Twilio's name; it takes precedence over waitMethod. */
    waitUrlMethod: givenMethod,
    maxQueueSize: wholeNumber({
      min: 1,
      max: limits.queueMembers,
      fallback: limits.queueMembers,
    }),
  },
  answers: true,
  compile(element, { method, waitMethod, waitUrlMethod, maxQueueSize }, context) {
    const action = actionAttribute(element, method, context);
    const name = element.text;
    if (name === "" || name.length > limits.queueNameLength) {
      context.skip(`Enqueue "${name}": the name of a queue has 1 to 64 characters`);
      return notPerformed(action, { QueueResult: "error" });
    }
    const serviceContext: EnqueueOptions = {
      kind: "enqueue",
      name,
      ...maxQueueSize < limits.queueMembers && { most: maxQueueSize },
      ...waitOf(element, waitUrlMethod ?? waitMethod, context),
    };
    return [{ type: "consult", serviceContext, ...action && { action } }];
  },
});

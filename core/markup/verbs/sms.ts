import { z } from "zod";
import type { OrderOf } from "../../values/order.ts";
import { actionAttribute, methodAttribute, sharedVerb, urlAttribute } from "../verb.ts";

/** An end of a message; the one of the call or message that the document is for, where it is absent. */
const end = z.string().trim().min(1).max(255).optional();

/** Attributes of `Sms` and of `Message`. */
export const textAttributes = {
  to: end,
  from: end,
  action: z.string().optional(),
  method: methodAttribute,
  statusCallback: z.string().optional(),
  statusCallbackMethod: methodAttribute,
};

/** Sends a text message. */
export const sms = sharedVerb({
  name: "Sms",
  attributes: textAttributes,
  answers: true,
  compile(element, { to, from, method, statusCallbackMethod }, context) {
    const statusCallback = urlAttribute(element, "statusCallback", context);
    const action = actionAttribute(element, method, context);
    const serviceContext: OrderOf<"sms"> = {
      kind: "sms",
      from: from ?? context.ends.ours,
      to: to ?? context.ends.theirs,
      body: element.text,
      ...statusCallback !== undefined && { statusCallback },
      statusCallbackMethod,
    };
    return [{ type: "note", serviceContext, ...action && { action } }];
  },
});

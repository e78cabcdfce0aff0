import { z } from "zod";
import { limits } from "../../base/limits.ts";
import type { OrderOf } from "../../model/values/order.ts";
import type { Step } from "../../protocol/script.ts";
import type { Element } from "../parse.ts";
import {
  actionAttribute,
  type DocumentContext,
  methodAttribute,
  sharedVerb,
  urlAttribute,
} from "../verb.ts";

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

/** The step that sends a text message; `isMessage` of Twilio's verb, which takes longer texts. */
export function textSteps(
  element: Element,
  { to, from, method, statusCallbackMethod }: z.infer<z.ZodObject<typeof textAttributes>>,
  { context, ...text }: { context: DocumentContext; body: string; isMessage?: true },
): Step[] {
  const statusCallback = urlAttribute(element, "statusCallback", context);
  const action = actionAttribute(element, method, context);
  const { ours, theirs, apiVersion } = context.ends;
  const serviceContext: OrderOf<"sms"> = {
    kind: "sms",
    from: from ?? ours,
    to: to ?? theirs,
    ...text,
    ...apiVersion === limits.twilioApiVersion && { apiVersion },
    ...statusCallback !== undefined && { statusCallback },
    statusCallbackMethod,
  };
  return [{ type: "note", serviceContext, ...action && { action } }];
}

/** Sends a text message. */
export const sms = sharedVerb({
  name: "Sms",
  attributes: textAttributes,
  answers: true,
  compile: (element, attributes, context) =>
    textSteps(element, attributes, { context, body: element.text }),
});

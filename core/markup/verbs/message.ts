import type { OrderOf } from "../../values/order.ts";
import type { Element } from "../parse.ts";
import {
  actionAttribute,
  type DocumentContext,
  readAttributes,
  sharedVerb,
  urlAttribute,
} from "../verb.ts";
import { textAttributes } from "./sms.ts";

/** Sends a text message, as answers to messages of Twilio's interface say it; `Body` has its text. */
export const message = sharedVerb({
  name: "Message",
  attributes: textAttributes,
  answers: true,
  hasElements: true,
  compile(element, { to, from, method, statusCallbackMethod }, context) {
    const statusCallback = urlAttribute(element, "statusCallback", context);
    const action = actionAttribute(element, method, context);
    const serviceContext: OrderOf<"sms"> = {
      kind: "sms",
      from: from ?? context.ends.ours,
      to: to ?? context.ends.theirs,
      body: bodyOf(element, context),
      ...statusCallback !== undefined && { statusCallback },
      statusCallbackMethod,
      isMessage: true,
    };
    return [{ type: "note", serviceContext, ...action && { action } }];
  },
});

/** The text of its Body elements, one a line, or its own. */
function bodyOf({ children, text }: Element, context: DocumentContext): string {
  const bodies: string[] = [];
  for (const child of children) {
    if (child.name === "Body") {
      readAttributes(child, {}, context);
      bodies.push(child.text);
    } else if (child.name === "Media") {
      context.skip("Media in Message: messages carry text alone here");
    } else context.skip(`${child.name} in Message`);
  }
  return [text, ...bodies].filter((one) => one !== "").join("\n");
}

import type { Element } from "../parse.ts";
import { type DocumentContext, readAttributes, sharedVerb } from "../verb.ts";
import { textAttributes, textSteps } from "./sms.ts";

/** Sends a text message, as answers to messages of Twilio's interface say it; `Body` has its text. */
export const message = sharedVerb({
  name: "Message",
  attributes: textAttributes,
  answers: true,
  hasElements: true,
  compile: (element, attributes, context) =>
    textSteps(element, attributes, { context, body: bodyOf(element, context), isMessage: true }),
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

import { methodAttribute, resolveUrl, sharedVerb } from "../verb.ts";

/** Goes on with the document at another URL. That one decides whether to answer. */
export const redirect = sharedVerb({
  name: "Redirect",
  attributes: { method: methodAttribute },
  answers: false,
  isLast: true,
  compile({ text }, { method }, context) {
    const url = resolveUrl(text, context);
    if (url !== null) return [{ type: "next", action: { url, method, hops: context.hops } }];
    context.skip(`Redirect to "${text}": it is no http or https address`);
    return [{ type: "hangup", cause: "document-failed" }];
  },
});

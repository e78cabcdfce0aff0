import { z } from "zod";
import type { ReferStep } from "../../protocol/refer.ts";
import { parseAddress, sipUri } from "../../model/values/address.ts";
import type { Element } from "../parse.ts";
import {
  actionAttribute,
  type CompileContext,
  methodAttribute,
  notPerformed,
  readAttributes,
  verb,
} from "../verb.ts";
import { headersOf } from "./dial_nouns.ts";

/** Blind transfer by REFER: the caller's softphone or network calls the target and leaves. */
export const refer = verb({
  name: "Refer",
  attributes: { action: z.string().optional(), method: methodAttribute },
  answers: true,
  hasElements: true,
  async compile(element, { method }, context) {
    const action = actionAttribute(element, method, context);
    const [target] = element.children.filter(({ name }) => name === "Sip" || name === "Uri");
    for (const other of element.children) {
      if (other !== target) context.skip(`${other.name} of Refer: it takes one Sip`);
    }
    const referred = target && await targetOf(target, context);
    if (referred) return [{ type: "refer", ...referred, ...action && { action } }];
    if (target === undefined) context.skip("Refer: it needs a Sip or Uri noun with an address");
    return notPerformed(action, { ReferCallStatus: "failed" });
  },
});

/** The target of a Sip noun, if the call could dial it. Null, with a note, for others. */
async function targetOf(
  noun: Element,
  context: CompileContext,
): Promise<Pick<ReferStep, "to" | "headers" | "leaves"> | null> {
  readAttributes(noun, {}, context);
  const [text = "", query = ""] = noun.text.split(/\?(.*)/s);
  const address = parseAddress(text);
  if (address === null || address.kind === "client") {
    context.skip(`${noun.name} "${noun.text}" of Refer: it cannot be called`);
    return null;
  }
  const routing = await context.route(address, { from: context.call.from });
  // The transferred call shows no number of ours, so caller ID rules do not apply.
  const isRouted = !("fault" in routing);
  if (!isRouted && routing.fault !== "callerIdNotAllowed") {
    context.unroutable(routing);
    return null;
  }
  return {
    to: address.kind === "number" ? isRouted ? routing.to : address.dialled : sipUri(address),
    leaves: !isRouted || routing.target.kind === "trunk",
    ...query !== "" && { headers: headersOf(query, "Refer", context) },
  };
}

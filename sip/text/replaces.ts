import { parseParameters } from "./grammar.ts";

/** A dialog by its identifiers, as the sender of the header sees it (RFC 3891 §3). */
export interface Replaces {
  callId: string;
  toTag: string;
  fromTag: string;
  /** Only a call that is not answered yet is meant. */
  earlyOnly: boolean;
}

/** `Call-ID;to-tag=…;from-tag=…`; undefined when it is malformed. */
export function parseReplaces(text: string): Replaces | undefined {
  const [callId = "", ...rest] = text.split(";");
  const parameters = parseParameters(rest.join(";")) ?? [];
  const tag = (name: string) => parameters.find((one) => one.name === name)?.value;
  const [toTag, fromTag] = [tag("to-tag"), tag("from-tag")];
  if (callId.trim() === "" || !toTag || !fromTag) return undefined;
  const earlyOnly = parameters.some(({ name }) => name === "early-only");
  return { callId: callId.trim(), toTag, fromTag, earlyOnly };
}

import {
  type IncomingResponseMessage,
  NameAddrHeader,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";

/** Stands for the tag of a ringing that has none. */
const NO_TAG = "none";

/**
 * Adds mandatory headers that a response to our INVITE lacks, where their value is clear: the
 * Request-URI stands for a missing Contact (RFC 3261 §12.1.1), and a 180 gets a tag in To (§8.2.6.2).
 * The library would drop the response, and with it the ringing or the answer.
 */
export function completeResponse(core: UserAgentCore, message: IncomingResponseMessage): void {
  const { method, viaBranch, statusCode = 0 } = message;
  if (method !== "INVITE" || statusCode <= 100 || statusCode >= 300) return;
  if (statusCode < 200 && !message.toTag && !message.hasHeader("rseq")) message.toTag = NO_TAG;
  if (message.hasHeader("contact")) return;
  const asked = core.userAgentClients.get(viaBranch + method)?.message.ruri;
  if (asked === undefined) return;
  const contact = new NameAddrHeader(asked.clone(), "", {});
  message.addHeader("contact", contact.toString());
  const [added] = message.headers["Contact"] ?? [];
  if (added !== undefined) added.parsed = contact;
}

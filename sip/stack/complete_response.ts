import {
  type IncomingResponseMessage,
  NameAddrHeader,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";

/** Stands for the tag of a ringing that has none. */
const NO_TAG = "none";

/**
 * Adds to a response to an INVITE of ours what it lacks, though it should not, where there is no doubt
 * what is meant: for a Contact stands whom we asked (RFC 3261 §12.1.1), and one that rings gets a tag
 * in To (§8.2.6.2). The library drops it else, and a call that rings, or is answered, would not be one.
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
  message.headers["Contact"]![0]!.parsed = contact;
}

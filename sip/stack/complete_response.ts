import {
  type IncomingRequestMessage,
  type IncomingResponseMessage,
  NameAddrHeader,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";
import { NO_TAG } from "../base/no_tag.ts";

/**
 * Adds mandatory headers that a response to our INVITE lacks, where their value is clear: the target of
 * its dialog, else the Request-URI, stands for a missing Contact (RFC 3261 §12.1.1), and a tag of ours
 * for one that is missing in To (§12.1.2). The library would drop the response, and with it the ringing
 * or the answer.
 */
export function completeResponse(core: UserAgentCore, message: IncomingResponseMessage): void {
  const { method, viaBranch, statusCode = 0 } = message;
  if (method !== "INVITE" || statusCode <= 100 || statusCode >= 300) return;
  if (!message.toTag) message.toTag = NO_TAG;
  if (message.hasHeader("contact")) return;
  const asked = core.userAgentClients.get(viaBranch + method)?.message;
  if (asked === undefined) return;
  const known = core.dialogs.get(`${asked.callId}${asked.fromTag}${message.toTag}`);
  const contact = new NameAddrHeader((known?.remoteTarget ?? asked.ruri).clone(), "", {});
  message.addHeader("contact", contact.toString());
  const [added] = message.headers["Contact"] ?? [];
  if (added !== undefined) added.parsed = contact;
}

/** Finds the dialog of a request whose sender has no tag, which its responses had not either. */
export function completeRequest(core: UserAgentCore, message: IncomingRequestMessage): void {
  const { callId, toTag, fromTag } = message;
  if (toTag && !fromTag && core.dialogs.has(callId + toTag + NO_TAG)) message.fromTag = NO_TAG;
}

import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import type { Flow } from "../base/flow.ts";
import { responseText } from "./patches/messages.ts";
import { statelessTag } from "./stateless_tag.ts";
import { productName, supportedOptions } from "./user_agent_core.ts";

/** A final response without a body. */
export interface Reply {
  statusCode: number;
  reasonPhrase?: string;
  extraHeaders?: string[];
}

const ours = { supported: supportedOptions, userAgent: productName };

/**
 * Answers a request without a transaction (RFC 3261 §8.2.7). Where messages can be lost, the flow
 * itself repeats the response to a request that comes again.
 */
export function reply(flow: Flow, message: IncomingRequestMessage, response: Reply): void {
  const toTag = message.toTag ? "" : statelessTag(message);
  // A peer that has gone meanwhile does not wait for it.
  flow.transport.send(responseText(message, { ...response, ...ours, toTag })).catch(() => {});
}

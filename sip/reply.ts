import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import { getReasonPhrase } from "sip.js/lib/core/messages/utils.js";
import type { Flow } from "./flow.ts";
import { productName, supportedOptions } from "./user_agent_core.ts";

/** A final response without a body. */
export interface Reply {
  statusCode: number;
  reasonPhrase?: string;
  extraHeaders?: string[];
}

const ours = `Supported: ${supportedOptions.join(", ")}\r\nUser-Agent: ${productName}\r\n`;

/**
 * Answers a request without a transaction (RFC 3261 §8.2.7). Where messages can be lost, the flow
 * itself repeats the response to a request that comes again.
 */
export function reply(flow: Flow, message: IncomingRequestMessage, response: Reply): void {
  const { statusCode, reasonPhrase = getReasonPhrase(statusCode), extraHeaders = [] } = response;
  const { headers, callId, cseq, method, toTag } = message;
  let text = `SIP/2.0 ${statusCode} ${reasonPhrase}\r\n`;
  for (const { raw } of headers["Via"] ?? []) text += `Via: ${raw}\r\n`;
  const tag = toTag ? "" : `;tag=${crypto.randomUUID()}`;
  text += `From: ${headers["From"]?.[0]?.raw}\r\nTo: ${headers["To"]?.[0]?.raw}${tag}\r\n` +
    `CSeq: ${cseq} ${method}\r\nCall-ID: ${callId}\r\n${ours}`;
  for (const line of extraHeaders) text += `${line}\r\n`;
  // Whoever has gone meanwhile does not wait for it.
  flow.transport.send(`${text}Content-Length: 0\r\n\r\n`).catch(() => {});
}

import type { IncomingMessageRequest, IncomingRequestMessage } from "sip.js/lib/core/index.js";
import type { Authenticator } from "./auth/authenticate.ts";
import { authenticateCaller } from "./auth/authenticate_caller.ts";
import { sipLimits } from "./limits.ts";
import { type Refusal, unavailable } from "./refusal.ts";
import type { ServiceLink } from "./service/service_link.ts";
import { originOf, type Signalling } from "./signalling.ts";

export interface MessageOptions {
  signalling: Signalling;
  authenticator: Authenticator;
  link: Pick<ServiceLink, "message">;
  /** Whether anything new is still taken. */
  accepting(): boolean;
}

/**
 * A text message from a Client (RFC 3428 §7). 202 says that the service has it and sends it on; what
 * becomes of it, the record tells.
 */
export async function onMessage(
  options: MessageOptions,
  request: IncomingMessageRequest,
): Promise<void> {
  const { message } = request;
  const refusal = options.accepting() ? refuseContent(message) : unavailable;
  if (refusal !== undefined) return void request.reject(refusal);
  const { signalling, authenticator, link } = options;
  const identity = await authenticateCaller(signalling, authenticator, message);
  if ("refusal" in identity) return void request.reject(identity.refusal);
  const { login, credentials: { accountSid, clientSid } } = identity;
  const uri = originOf(message).target.split("?")[0] ?? "";
  const sent = { accountSid, clientSid, login, uri, body: message.body };
  const answer = await link.message(sent).catch(() => undefined);
  if (answer === undefined) return void request.reject(unavailable);
  const { status: statusCode, retryAfterS } = answer;
  if (statusCode < 300) return void request.accept({ statusCode });
  const extraHeaders = retryAfterS === undefined ? [] : [`Retry-After: ${retryAfterS}`];
  request.reject({ statusCode, extraHeaders });
}

/** Only plain text in UTF-8, and no more than a Message may hold. */
function refuseContent(message: IncomingRequestMessage): Refusal | undefined {
  const isPlain = isPlainText(message.getHeader("content-type") ?? "");
  if (!isPlain || message.hasHeader("content-encoding")) {
    return { statusCode: 415, extraHeaders: ["Accept: text/plain", "Accept-Encoding: identity"] };
  }
  if (message.body === "") return { statusCode: 400, reasonPhrase: "Missing Text" };
  const isTooLong = [...message.body].length > sipLimits.textLength;
  return isTooLong ? { statusCode: 413, reasonPhrase: "Text Too Long" } : undefined;
}

function isPlainText(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const charset = parameters.find((one) => /^charset\s*=/i.test(one))?.split("=")[1]?.trim();
  const isUtf8 = charset === undefined || /^"?(utf-?8|us-ascii)"?$/i.test(charset);
  return type.toLowerCase() === "text/plain" && isUtf8;
}

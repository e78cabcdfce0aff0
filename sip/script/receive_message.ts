import type { IncomingMessageRequest, IncomingRequestMessage } from "../base/sip_js.ts";
import type { MessageAnswer, TrunkMessage } from "../../core/protocol/messages.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import { authenticateCaller } from "../auth/authenticate_caller.ts";
import { dialledBy } from "./admit_number.ts";
import { sipLimits } from "../base/limits.ts";
import { identityOf, refuseHiddenText } from "../text/privacy.ts";
import { type Refusal, unavailable } from "../base/refusal.ts";
import type { ServiceLink } from "../service/service_link.ts";
import { originOf } from "../text/origin.ts";
import { numberParametersOf } from "../text/user_parameters.ts";
import { atDomain } from "../text/own_address.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { charsetIn } from "../text/charset.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import { plainText } from "../text/plain_text.ts";
import type { TrunkSource } from "../contracts/trunk_sources.ts";

export interface MessageOptions {
  signalling: Signalling;
  authenticator: Authenticator;
  link: Pick<ServiceLink, "message" | "trunkMessage">;
  /** Whether anything new is still taken. */
  accepting(): boolean;
}

/**
 * A text message from a Client or a trunk (RFC 3428 §7). 202 says that the service has it and sends
 * it on; the record has the outcome.
 */
export async function onMessage(
  options: MessageOptions,
  request: IncomingMessageRequest,
): Promise<void> {
  const { message } = request;
  const { signalling, authenticator, link } = options;
  const source = signalling.sources.of(originOf(message));
  const most = source === undefined ? sipLimits.textLength : sipLimits.trunkTextLength;
  const unhidden = source === undefined ? refuseHiddenText(message) : undefined;
  const refusal = options.accepting() ? unhidden ?? refuseContent(message, most) : unavailable;
  if (refusal !== undefined) return void request.reject(refusal);
  if (source !== undefined) {
    const report = reportOf(message, source);
    if (report === undefined) return void request.reject({ statusCode: 404 });
    return reply(request, await link.trunkMessage(report).catch(() => null));
  }
  const identity = await authenticateCaller(signalling, authenticator, message);
  if ("refusal" in identity) return void request.reject(identity.refusal);
  const { login, credentials: { accountSid, clientSid } } = identity;
  const { flow, target } = originOf(message);
  const uri = atDomain(signalling, target.split("?")[0] ?? "", flow);
  const said = {
    headers: passedHeaders(message),
    ...numberParametersOf(message, { isTrusted: false }),
  };
  const sent = { accountSid, clientSid, login, uri, body: message.body, ...said };
  reply(request, await link.message(sent).catch(() => null));
}

/** What a trunk brought; undefined where it names no number. */
function reportOf(message: IncomingRequestMessage, source: TrunkSource): TrunkMessage | undefined {
  const dialled = dialledBy(message, source);
  if (dialled.length === 0) return undefined;
  const { user, host } = identityOf(message);
  return {
    dialled,
    gateway: source.gateway,
    from: { user: plainText(user, sipLimits.displayNameLength), host },
    id: `${message.callId} ${message.cseq}`.slice(0, sipLimits.messageIdLength),
    body: message.body,
    headers: passedHeaders(message),
    ...numberParametersOf(message, { isTrusted: true }),
  };
}

/** Passes the service's answer on; 503 where it gave none. */
function reply(request: IncomingMessageRequest, answer: MessageAnswer | null): void {
  if (answer === null) return void request.reject(unavailable);
  const { status: statusCode, retryAfterS } = answer;
  if (statusCode < 300) return void request.accept({ statusCode });
  const extraHeaders = retryAfterS === undefined ? [] : [`Retry-After: ${retryAfterS}`];
  request.reject({ statusCode, extraHeaders });
}

/** Only plain text in UTF-8, and no more than a Message may hold. */
function refuseContent(message: IncomingRequestMessage, most: number): Refusal | undefined {
  const isPlain = isPlainText(message.getHeader("content-type") ?? "");
  if (!isPlain || message.hasHeader("content-encoding")) {
    return { statusCode: 415, extraHeaders: ["Accept: text/plain", "Accept-Encoding: identity"] };
  }
  if (message.body === "") return { statusCode: 400, reasonPhrase: "Missing Text" };
  const isTooLong = [...message.body].length > most;
  return isTooLong ? { statusCode: 413, reasonPhrase: "Text Too Long" } : undefined;
}

/** Returns whether a text is readable: transports have decoded the charsets that are known. */
function isPlainText(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.split(";");
  const charset = charsetIn(parameters.join(";"));
  const isUtf8 = charset === undefined || /^(utf-?8|us-ascii)$/.test(charset);
  return type.trim().toLowerCase() === "text/plain" && isUtf8;
}

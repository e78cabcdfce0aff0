import type { IncomingMessageRequest, IncomingRequestMessage } from "../base/sip_js.ts";
import { messageLimits, wantedNotification } from "../../core/protocol/messages.ts";
import type { MessageAnswer, NotifiedMessage, TrunkMessage } from "../../core/protocol/messages.ts";
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
import {
  cpimType,
  type Imdn,
  imdnType,
  readCpim,
  readImdn,
  withoutParameters,
} from "../text/cpim.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import { plainText } from "../text/plain_text.ts";
import type { TrunkSource } from "../contracts/trunk_sources.ts";

export interface MessageOptions {
  signalling: Signalling;
  authenticator: Authenticator;
  link: Pick<ServiceLink, "message" | "display" | "trunkMessage">;
  /** True while new messages are accepted. */
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
  const refusal = options.accepting() ? unhidden : unavailable;
  const content = refusal === undefined ? contentOf(message, most) : { refusal };
  if ("refusal" in content) return void request.reject(content.refusal);
  if (source !== undefined) {
    if ("notification" in content) return void request.reject(unsupported);
    const report = reportOf(message, source, content.text);
    if (report === undefined) return void request.reject({ statusCode: 404 });
    return reply(request, await link.trunkMessage(report).catch(() => null));
  }
  const identity = await authenticateCaller(signalling, authenticator, message);
  if ("refusal" in identity) return void request.reject(identity.refusal);
  const { login, credentials: { accountSid, clientSid } } = identity;
  const { flow, target } = originOf(message);
  const uri = atDomain(signalling, target.split("?")[0] ?? "", flow);
  if (content.isCpim) (flow.cpimLogins ??= new Set()).add(login);
  if ("notification" in content) {
    const { messageId, status } = content.notification;
    // Of delivery the service knows by the response to the message, and has notified the sender.
    if (status !== "displayed") return void request.accept();
    const shown = { accountSid, clientSid, login, uri, messageId };
    return reply(request, await link.display(shown).catch(() => null));
  }
  const said = {
    headers: passedHeaders(message),
    ...numberParametersOf(message, { isTrusted: false }),
  };
  const { text: body, notified } = content;
  const sent = { accountSid, clientSid, login, uri, body, ...notified && { notified }, ...said };
  reply(request, await link.message(sent).catch(() => null));
}

/** Report of a trunk's MESSAGE; undefined where it names no number. */
function reportOf(
  message: IncomingRequestMessage,
  source: TrunkSource,
  body: string,
): TrunkMessage | undefined {
  const dialled = dialledBy(message, source);
  if (dialled.length === 0) return undefined;
  const { user, host } = identityOf(message);
  return {
    dialled,
    gateway: source.gateway,
    from: { user: plainText(user, sipLimits.displayNameLength), host },
    id: `${message.callId} ${message.cseq}`.slice(0, sipLimits.messageIdLength),
    body,
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

const unsupported: Refusal = {
  statusCode: 415,
  extraHeaders: [`Accept: text/plain, ${cpimType}, ${imdnType}`, "Accept-Encoding: identity"],
};

/** Content of a MESSAGE: a text, or a notification about one. */
type Content =
  & { isCpim: boolean }
  & ({ text: string; notified?: NotifiedMessage } | { notification: Imdn });

/**
 * Reads plain text in UTF-8, no longer than a Message may be, by itself or in CPIM (RFC 3862), and
 * notifications in CPIM (RFC 5438).
 */
function contentOf(
  message: IncomingRequestMessage,
  most: number,
): Content | { refusal: Refusal } {
  if (message.hasHeader("content-encoding")) return { refusal: unsupported };
  const type = message.getHeader("content-type") ?? "";
  if (mediaTypeOf(type) !== cpimType) return textOf(type, message.body, most, { isCpim: false });
  const cpim = readCpim(message.body);
  if (cpim === undefined) {
    return { refusal: { statusCode: 400, reasonPhrase: "Bad CPIM Message" } };
  }
  const { contentType, encoding, body, messageId, wants } = cpim;
  if (encoding !== undefined) return { refusal: unsupported };
  if (mediaTypeOf(contentType) === imdnType) {
    const notification = readImdn(body);
    if (notification !== undefined) return { isCpim: true, notification };
    return { refusal: { statusCode: 400, reasonPhrase: "Bad Notification" } };
  }
  const known = wantedNotification.options.filter((one) => wants.includes(one));
  const isNamed = messageId !== undefined && messageId !== "" &&
    messageId.length <= messageLimits.messageIdLength;
  const notified = isNamed && known.length > 0 ? { messageId, wants: known } : undefined;
  return textOf(contentType, body, most, { isCpim: true, ...notified && { notified } });
}

function textOf(
  type: string,
  text: string,
  most: number,
  beside: { isCpim: boolean; notified?: NotifiedMessage },
): Content | { refusal: Refusal } {
  if (!isPlainText(type)) return { refusal: unsupported };
  if (text === "") return { refusal: { statusCode: 400, reasonPhrase: "Missing Text" } };
  if ([...text].length <= most) return { ...beside, text };
  return { refusal: { statusCode: 413, reasonPhrase: "Text Too Long" } };
}

const mediaTypeOf = (contentType: string): string => withoutParameters(contentType).toLowerCase();

/** Returns true for a readable text: transports have decoded the charsets that are supported. */
function isPlainText(contentType: string): boolean {
  const [, ...parameters] = contentType.split(";");
  const charset = charsetIn(parameters.join(";"));
  const isUtf8 = charset === undefined || /^(utf-?8|us-ascii)$/.test(charset);
  return mediaTypeOf(contentType) === "text/plain" && isUtf8;
}

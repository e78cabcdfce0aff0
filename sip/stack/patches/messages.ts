import { Buffer } from "node:buffer";
import {
  IncomingMessage,
  type IncomingRequestMessage,
  Logger,
  LoggerFactory,
  OutgoingRequestMessage,
  type OutgoingResponse,
  type ResponseOptions,
  UserAgentServer,
} from "sip.js/lib/core/index.js";
import { getReasonPhrase } from "sip.js/lib/core/messages/utils.js";
import { NO_TAG } from "../../base/no_tag.ts";
import { requestUriOf } from "../../text/origin.ts";
import { isSips, sipsContact } from "../../text/secure.ts";
import { routedStrictly } from "../../text/strict_route.ts";
import { canonicalName } from "../../text/header_names.ts";

/**
 * Reads headers by their names at less cost than the library, with the same results, and writes the
 * texts of requests and responses, where a message about a `sips:` URI has a `sips:` Contact.
 */
export function replaceMessages(): void {
  Object.assign(IncomingMessage.prototype, incomingHeaders);
  Object.assign(OutgoingRequestMessage.prototype, { toString: requestText });
  Object.assign(UserAgentServer.prototype, { reply });
}

/** Loggers of the library that say nothing; it would put each line together before it is dropped. */
export function silentLoggers(): LoggerFactory {
  const factory = new LoggerFactory();
  factory.builtinEnabled = false;
  factory.level = 0;
  const silent = Object.assign(new Logger(factory, ""), { genericLog() {} });
  factory.getLogger = () => silent;
  return factory;
}

const { parseHeader } = IncomingMessage.prototype;

/** sip.js spells a name letter by letter at each access to a header. */
const incomingHeaders = {
  getHeader(this: IncomingMessage, name: string) {
    return this.headers[canonicalName(name)]?.[0]?.raw;
  },
  getHeaders(this: IncomingMessage, name: string) {
    return this.headers[canonicalName(name)]?.map(({ raw }) => raw) ?? [];
  },
  hasHeader(this: IncomingMessage, name: string) {
    return this.headers[canonicalName(name)] !== undefined;
  },
  parseHeader(this: IncomingMessage, name: string, at = 0) {
    const header = this.headers[canonicalName(name)]?.[at];
    return header && (header.parsed ?? parseHeader.call(this, name, at));
  },
};

function requestText(this: OutgoingRequestMessage): string {
  const { method, ruri, headers, extraHeaders } = this;
  const { optionTags, userAgentString } = this["options"];
  const { Route: routes = [] } = headers;
  const strict = routes.length > 0 ? routedStrictly({ target: ruri.toRaw(), routes }) : undefined;
  let text = `${method} ${strict?.target ?? ruri.toRaw()} SIP/2.0\r\n`;
  for (const [name, values] of Object.entries(headers)) {
    const written = name === "Route" && strict !== undefined ? strict.routes : values;
    for (const value of written) text += `${name}: ${value}\r\n`;
  }
  // A peer without a tag gets none (RFC 3261 §12.2.1.1).
  if (this.toTag === NO_TAG) text = text.replace(`;tag=${NO_TAG}`, "");
  // A request to a `sips:` URI has one in Contact too (RFC 3261 §8.1.1.8).
  const isSecured = ruri.scheme === "sips";
  for (const line of extraHeaders) text += `${isSecured ? sipsContact(line) : line.trim()}\r\n`;
  text += `Supported: ${(optionTags ?? []).join(", ")}\r\nUser-Agent: ${userAgentString}\r\n`;
  const { body } = this;
  if (body === undefined || typeof body === "string") return text + bodyText(body);
  return text + bodyText(body.body, body.contentType);
}

/** The end of a message: the type and length of its body, and the body. */
function bodyText(content: string | undefined, contentType?: string): string {
  if (!content) return "Content-Length: 0\r\n\r\n";
  const type = contentType ? `Content-Type: ${contentType}\r\n` : "";
  return `${type}Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`;
}

/** Protected members of a request that sip.js serves. */
interface OpenServer {
  readonly core: UserAgentServer["core"];
  readonly message: IncomingRequestMessage;
  readonly toTag: string;
  readonly transaction: { receiveResponse(statusCode: number, response: string): void };
}

function reply(this: OpenServer, options: ResponseOptions): OutgoingResponse {
  const { message, core: { configuration }, transaction } = this;
  const { statusCode } = options;
  const text = responseText(message, {
    ...options,
    toTag: statusCode === 100 ? "" : options.toTag || this.toTag,
    supported: options.supported ?? configuration.supportedOptionTagsResponse ?? [],
    userAgent: options.userAgent ?? configuration.userAgentHeaderFieldValue ?? "",
  });
  transaction.receiveResponse(statusCode, text);
  return { message: text };
}

/** The text of a response (RFC 3261 §8.2.6); an empty `toTag` adds none to the To of the request. */
export function responseText(
  message: IncomingRequestMessage,
  response: ResponseOptions & { toTag: string; supported: string[]; userAgent: string },
): string {
  const { headers, callId, cseq, method, toTag: known } = message;
  const { statusCode, reasonPhrase, toTag, supported, userAgent, extraHeaders = [] } = response;
  let text = `SIP/2.0 ${statusCode} ${reasonPhrase || getReasonPhrase(statusCode)}\r\n`;
  for (const { raw } of headers["Via"] ?? []) text += `Via: ${raw}\r\n`;
  const tag = known || toTag === "" ? "" : `;tag=${toTag}`;
  text += `From: ${headers["From"]?.[0]?.raw}\r\nTo: ${headers["To"]?.[0]?.raw}${tag}\r\n` +
    `CSeq: ${cseq} ${method}\r\nCall-ID: ${callId}\r\n` +
    `Supported: ${supported.join(", ")}\r\nUser-Agent: ${userAgent}\r\n`;
  // Those of a REGISTER are the Client's, not ours.
  const isSecured = method !== "REGISTER" && isSips(requestUriOf(message));
  for (const line of extraHeaders) text += `${isSecured ? sipsContact(line) : line.trim()}\r\n`;
  return text + bodyText(response.body?.content, response.body?.contentType);
}

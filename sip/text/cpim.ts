/**
 * Messages in Common Presence and Instant Messaging form (CPIM, RFC 3862): headers of their own, then a
 * MIME entity. Instant Message Disposition Notifications (IMDN, RFC 5438) need them: headers of the
 * namespace `urn:ietf:params:imdn` name the message and the notifications that its sender asks for.
 */

export const cpimType = "message/cpim";
export const imdnType = "message/imdn+xml";

/** Greatest numbers of headers of a message, of its entity, and of requested notifications. */
const [mostHeaders, mostWanted] = [100, 16];

const imdnNamespace = "urn:ietf:params:imdn";

/** Contents of a CPIM message. */
export interface Cpim {
  /** `Message-ID` of the IMDN namespace (RFC 5438 §6.3). */
  messageId: string | undefined;
  /** `Disposition-Notification` of the same, in lower case. */
  wants: string[];
  /** The Content-Type of the entity as written; `text/plain` where it has none. */
  contentType: string;
  /** An encoding that must be undone, in lower case; undefined for a body that reads as it stands. */
  encoding: string | undefined;
  body: string;
}

/**
 * Reads a CPIM message (RFC 3862 §2); undefined where a blank line is missing, a header
 * is malformed, or there are more than 100 of either.
 */
export function readCpim(text: string): Cpim | undefined {
  const [head, entity] = cutAtBlank(text);
  const [entityHead, body] = entity === undefined ? ["", undefined] : cutAtBlank(entity);
  const headers = headersOf(head);
  const mime = headersOf(entityHead);
  if (body === undefined || headers === undefined || mime === undefined) return undefined;
  const ofEntity = (name: string) => mime.find(([one]) => one.toLowerCase() === name)?.[1];
  const prefix = prefixOf(headers);
  const ofImdn = (name: string) =>
    headers.find(([one]) => one.toLowerCase() === `${prefix}.${name}`)?.[1];
  const encoding = ofEntity("content-transfer-encoding")?.toLowerCase();
  return {
    messageId: ofImdn("message-id"),
    wants: (ofImdn("disposition-notification") ?? "").split(",", mostWanted)
      .map((value) => withoutParameters(value).toLowerCase())
      .filter((value) => value !== ""),
    contentType: ofEntity("content-type") ?? "text/plain",
    encoding: encoding === undefined || /^(7bit|8bit|binary)$/.test(encoding)
      ? undefined
      : encoding,
    body,
  };
}

/** A message to write; its addresses are URIs. */
export interface WrittenCpim {
  from: string;
  to: string;
  /** In ms since 1970. */
  at: number;
  messageId: string;
  /** The requested notifications. */
  wants?: readonly string[];
  /** Headers of the entity, its Content-Type first. */
  entity: readonly string[];
  body: string;
}

export function writeCpim({ from, to, at, messageId, wants = [], entity, body }: WrittenCpim) {
  const asked = wants.length > 0 ? [`imdn.Disposition-Notification: ${wants.join(", ")}`] : [];
  return [
    `From: <${from}>`,
    `To: <${to}>`,
    `DateTime: ${new Date(at).toISOString()}`,
    `NS: imdn <${imdnNamespace}>`,
    `imdn.Message-ID: ${messageId}`,
    ...asked,
    "",
    ...entity,
    "",
    body,
  ].join("\r\n");
}

/** A value without what stands behind a semicolon: the media type of a Content-Type, for example. */
export const withoutParameters = (value: string): string => value.replace(/;.*/s, "").trim();

/** The text before the first blank line, and behind it; the latter is undefined without one. */
function cutAtBlank(text: string): [string, string | undefined] {
  const blank = /\r?\n\r?\n/.exec(text);
  if (blank === null) return [text, undefined];
  return [text.slice(0, blank.index), text.slice(blank.index + blank[0].length)];
}

function headersOf(head: string): [string, string][] | undefined {
  const lines = head.split(/\r?\n/, mostHeaders + 1).filter((line) => line !== "");
  if (lines.length > mostHeaders) return undefined;
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()];
  });
  return headers.every(([name]) => name !== "") ? headers : undefined;
}

/** The prefix that NS gives the IMDN namespace (RFC 3862 §3.4); `imdn` where it gives none. */
function prefixOf(headers: readonly [string, string][]): string {
  const names = headers.filter(([name]) => name.toLowerCase() === "ns").map(([, value]) => value);
  const named = names.find((value) => value.includes(`<${imdnNamespace}>`));
  return (named?.split("<")[0]?.trim() || "imdn").toLowerCase();
}

/** A notification: the message that it is about, and its disposition. */
export interface Imdn {
  messageId: string;
  /** `delivered`, `failed`, `displayed`, `processed` and others of RFC 5438 §7.2.1. */
  status: string;
}

/** Reads the XML of a notification (RFC 5438 §7.2); undefined where it names no message or status. */
export function readImdn(xml: string): Imdn | undefined {
  const messageId = /<(?:[\w-]{1,32}:)?message-id>([^<]{1,300})</.exec(xml)?.[1]?.trim();
  const status = /<(?:[\w-]{1,32}:)?status>\s{0,100}<(?:[\w-]{1,32}:)?([a-z]{1,20})[\s/>]/
    .exec(xml)?.[1];
  return messageId && status ? { messageId: unescaped(messageId), status } : undefined;
}

/** A notification to write. */
export interface WrittenImdn extends Imdn {
  at: number;
  /** Why it failed, for people: an element of our own beside the status (RFC 5438 §11.1). */
  reason?: string;
}

const kinds: Record<string, string> = {
  delivered: "delivery-notification",
  failed: "delivery-notification",
  displayed: "display-notification",
  processed: "processing-notification",
};

export function writeImdn({ messageId, status, at, reason }: WrittenImdn): string {
  const kind = kinds[status] ?? "delivery-notification";
  const why = reason === undefined
    ? ""
    : `<reason xmlns="urn:switchboard:imdn">${escaped(reason)}</reason>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\r\n<imdn xmlns="${imdnNamespace}">` +
    `<message-id>${escaped(messageId)}</message-id>` +
    `<datetime>${new Date(at).toISOString()}</datetime>` +
    `<${kind}><status><${status}/>${why}</status></${kind}></imdn>`;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'").replaceAll("&amp;", "&");

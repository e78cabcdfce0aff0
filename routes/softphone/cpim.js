/**
 * Messages in Common Presence and Instant Messaging form (CPIM, RFC 3862) with Instant Message
 * Disposition Notifications (IMDN, RFC 5438): the standard way by which a sender learns that a message
 * was delivered, displayed or failed.
 */

export const CPIM = "message/cpim";
const IMDN = "message/imdn+xml";
const NAMESPACE = "urn:ietf:params:imdn";
/** The notifications that are asked for of each message. */
const WANTED = "processing, positive-delivery, negative-delivery, display";
/** Header lines that are read; the companion passes on no more. */
const MOST_HEADERS = 100;
/** Words of a conversation for a notification. */
const states = { processed: "sent", delivered: "delivered", failed: "failed", displayed: "read" };

/** A text that asks for notifications; `from` and `to` are URIs. */
export const writeText = ({ from, to, id, body }) =>
  write({ from, to, id }, [`imdn.Disposition-Notification: ${WANTED}`], [
    "Content-Type: text/plain;charset=UTF-8",
    "",
    body,
  ]);

/** Says that the message with an id was displayed. */
export const writeDisplayed = ({ from, to, id }) =>
  write({ from, to, id: crypto.randomUUID() }, [], [
    `Content-Type: ${IMDN}`,
    "Content-Disposition: notification",
    "",
    `<?xml version="1.0" encoding="UTF-8"?><imdn xmlns="${NAMESPACE}">` +
    `<message-id>${escaped(id)}</message-id><datetime>${new Date().toISOString()}</datetime>` +
    "<display-notification><status><displayed/></status></display-notification></imdn>",
  ]);

const write = ({ from, to, id }, asked, entity) =>
  [
    `From: <${from}>`,
    `To: <${to}>`,
    `DateTime: ${new Date().toISOString()}`,
    `NS: imdn <${NAMESPACE}>`,
    `imdn.Message-ID: ${id}`,
    ...asked,
    "",
    ...entity,
  ].join("\r\n");

/**
 * Reads a CPIM message: `{ text, asksDisplay, id }`, or `{ notification: { id, state, why } }`;
 * undefined for one that the page cannot show.
 */
export function readCpim(message) {
  const [head, entity] = cut(message);
  const [entityHead, body] = cut(entity ?? "");
  if (body === undefined) return undefined;
  const headers = headersOf(head);
  const type = (headersOf(entityHead).get("content-type") ?? "text/plain").split(";")[0].trim()
    .toLowerCase();
  if (type === IMDN) return readNotification(body);
  if (type !== "text/plain" || body === "") return undefined;
  const asked = headers.get("imdn.disposition-notification") ?? "";
  return { text: body, asksDisplay: /\bdisplay\b/.test(asked), id: headers.get("imdn.message-id") };
}

/** Reads XML that the companion wrote; the page's policy of trusted types forbids a DOMParser. */
function readNotification(xml) {
  const [, id] = /<message-id>([^<]+)<\/message-id>/.exec(xml) ?? [];
  const [, status] = /<status><(\w+)\/>/.exec(xml) ?? [];
  const [, why] = /<reason [^<>]*>([^<]+)<\/reason>/.exec(xml) ?? [];
  if (id === undefined || states[status] === undefined) return undefined;
  return { notification: { id: unescaped(id), state: states[status], why: why && unescaped(why) } };
}

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const unescaped = (text) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

function cut(text) {
  const blank = /\r?\n\r?\n/.exec(text);
  if (blank === null) return [text, undefined];
  return [text.slice(0, blank.index), text.slice(blank.index + blank[0].length)];
}

const headersOf = (head) =>
  new Map(
    head.split(/\r?\n/, MOST_HEADERS).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );

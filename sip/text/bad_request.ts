import type { IncomingRequestMessage } from "../base/sip_js.ts";

type Headers = IncomingRequestMessage["headers"];

/**
 * The 400 to a request that cannot be read as a whole: what a response copies stands in it as it
 * came, as far as it is there (RFC 3261 §8.2.6.2), and `why` as a warning (§20.43).
 */
export function badRequest({ headers }: IncomingRequestMessage, why: string): string {
  const copied = (name: string) => (headers[name] ?? []).map(({ raw }) => `${name}: ${raw}`);
  return [
    "SIP/2.0 400 Bad Request",
    ...copied("Via"),
    ...copied("From"),
    ...copied("To").map((line) => line + ownTag(headers)),
    ...copied("Call-ID"),
    ...copied("CSeq"),
    `Warning: 399 switchboard "Cannot read the request: ${why}"`,
    "Content-Length: 0",
    "",
    "",
  ].join("\r\n");
}

/** The tag that our end of a response has, unless the request has one, or has no To. */
function ownTag({ To: to }: Headers): string {
  const parsed = to?.[0]?.parsed;
  if (parsed === undefined || parsed.hasParam("tag")) return "";
  return `;tag=${crypto.randomUUID()}`;
}

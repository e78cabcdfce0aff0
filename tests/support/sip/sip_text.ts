/** A SIP message as a softphone sees it: enough to talk, with no help from the code under test. */
export interface SipText {
  /** First line. */
  start: string;
  /** Undefined in a response. */
  method: string | undefined;
  /** Undefined in a request. */
  status: number | undefined;
  headers: [name: string, value: string][];
  body: string;
}

export function readSip(text: string): SipText {
  const end = text.indexOf("\r\n\r\n");
  const [start = "", ...lines] = text.slice(0, end < 0 ? undefined : end).split("\r\n");
  const status = start.startsWith("SIP/2.0 ") ? Number(start.slice(8, 11)) : undefined;
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  const method = status === undefined ? start.split(" ")[0] : undefined;
  return { start, method, status, headers, body: end < 0 ? "" : text.slice(end + 4) };
}

export const valuesOf = (message: SipText, name: string): string[] =>
  message.headers.filter(([key]) => key === name).map(([, value]) => value);

export const valueOf = (message: SipText, name: string): string => valuesOf(message, name)[0] ?? "";

export const tagOf = (address: string): string => /;tag=([^;>]+)/.exec(address)?.[1] ?? "";

/** The URI inside the angle brackets of a Contact, From or To. */
export const uriIn = (address: string): string => /<([^>]+)>/.exec(address)?.[1] ?? address;

export const branchOf = (message: SipText): string =>
  /branch=([^;,]+)/.exec(valueOf(message, "via"))?.[1] ?? "";

/** Text to send: lines of headers, and a body with its length and type. */
export function writeSip(start: string, headers: string[], sdp = "", isSdp = true): string {
  const type = sdp === "" || !isSdp ? [] : ["Content-Type: application/sdp"];
  const length = `Content-Length: ${new TextEncoder().encode(sdp).length}`;
  return [start, ...headers, ...type, length, "", sdp].join("\r\n");
}

import { createHmac } from "node:crypto";

/** What is requested from a customer's server on behalf of an account. */
export interface Signable {
  url: string;
  method: "GET" | "POST";
  params: Record<string, string>;
}

const encoder = new TextEncoder();

/** At once: `crypto.subtle` goes through another thread, which takes longer than the work itself. */
const hmac = (hash: "sha1" | "sha256", secret: string, text: string, encoding: "hex" | "base64") =>
  createHmac(hash, secret).update(text).digest(encoding);

/**
 * The request as it is sent: GET carries the parameters in the query after those already there,
 * POST in a form. Credentials in the URL become an Authorization header. Both signatures are keyed
 * with the account's AuthToken: `X-Switchboard-Signature` over time, method, URL and body, and
 * `X-Twilio-Signature` over the URL and the sorted form parameters.
 */
export function signedRequest(
  { url, method, params }: Signable,
  { authToken, now, signal }: { authToken: string; now: number; signal: AbortSignal },
): Request {
  const target = new URL(url);
  const headers = new Headers({ accept: "text/xml, application/xml, audio/*;q=0.9, */*;q=0.5" });
  authorize(headers, target);
  if (method === "GET") {
    for (const [name, value] of Object.entries(params)) target.searchParams.append(name, value);
  }
  const body = sign(headers, { url: target.href, method, params }, { authToken, now });
  if (method === "GET") return new Request(target, { method, headers, signal });
  headers.set("content-type", "application/x-www-form-urlencoded; charset=utf-8");
  return new Request(target, { method, headers, body, signal });
}

/** Makes a header of the credentials in a URL, which leave it. */
function authorize(headers: Headers, target: URL): void {
  if (target.username === "") return;
  const login = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
  headers.set("authorization", `Basic ${encoder.encode(login).toBase64()}`);
  target.username = target.password = "";
}

/**
 * What signs a request again that a redirect made of a signed one: it goes to another address, and
 * as a GET it has no form any more.
 */
export const signerOf =
  ({ params }: Signable, keyed: { authToken: string; now: number }) =>
  (redirected: Request): Request => {
    const { url, method, headers } = redirected;
    sign(headers, { url, method: method === "POST" ? "POST" : "GET", params }, keyed);
    return redirected;
  };

/** The texts that the signatures of a request are over, and its body. `at` is in seconds. */
export interface SignedTexts {
  /** Of `X-Switchboard-Signature`: HMAC-SHA256 in hex. */
  own: string;
  /** Of `X-Twilio-Signature`: HMAC-SHA1 in Base64. */
  twilio: string;
  body: string;
}

/** The URL is as it is sent: that of a GET has its parameters. */
export function signedTexts({ url, method, params }: Signable, at: number): SignedTexts {
  const body = method === "POST" ? new URLSearchParams(params).toString() : "";
  const sorted = method === "POST" ? Object.entries(params).sort(byName).flat().join("") : "";
  return { own: `${at}.${method}.${url}.${body}`, twilio: url + sorted, body };
}

/** The signature headers of a request. */
export function signaturesOf(
  signable: Signable,
  { authToken, now }: { authToken: string; now: number },
): Record<"x-switchboard-signature" | "x-twilio-signature", string> {
  const at = Math.floor(now / 1000);
  const { own, twilio } = signedTexts(signable, at);
  return {
    "x-switchboard-signature": `t=${at},v1=${hmac("sha256", authToken, own, "hex")}`,
    "x-twilio-signature": hmac("sha1", authToken, twilio, "base64"),
  };
}

/** Sets both signatures; returns the body that they are about. */
function sign(
  headers: Headers,
  signable: Signable,
  keyed: { authToken: string; now: number },
): string {
  for (const [name, value] of Object.entries(signaturesOf(signable, keyed))) {
    headers.set(name, value);
  }
  return signedTexts(signable, 0).body;
}

/**
 * The headers by which a customer's server knows that a WebSocket comes from here: both signatures
 * over its URL, and the credentials in the URL. The URL without those comes back too.
 */
export function signedHandshake(
  url: string,
  { authToken, now }: { authToken: string; now: number },
): { url: string; headers: Record<string, string> } {
  const target = new URL(url);
  const headers = new Headers();
  authorize(headers, target);
  sign(headers, { url: target.href, method: "GET", params: {} }, { authToken, now });
  return { url: target.href, headers: Object.fromEntries(headers) };
}

const byName = ([a]: [string, string], [b]: [string, string]) => a < b ? -1 : a > b ? 1 : 0;

/** What is requested from a customer's server on behalf of an account. */
export interface Signable {
  url: string;
  method: "GET" | "POST";
  params: Record<string, string>;
}

const encoder = new TextEncoder();

async function hmac(hash: "SHA-1" | "SHA-256", secret: string, text: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
  ]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}

/**
 * The request as it is sent: GET carries the parameters in the query after those already there,
 * POST in a form. Credentials in the URL become an Authorization header. Both signatures are keyed
 * with the account's AuthToken: `X-Switchboard-Signature` over time, method, URL and body, and
 * `X-Twilio-Signature` over the URL and the sorted form parameters.
 */
export async function signedRequest(
  { url, method, params }: Signable,
  { authToken, now, signal }: { authToken: string; now: number; signal: AbortSignal },
): Promise<Request> {
  const target = new URL(url);
  const headers = new Headers({ accept: "text/xml, application/xml, audio/*;q=0.9, */*;q=0.5" });
  if (target.username !== "") {
    const login = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
    headers.set("authorization", `Basic ${encoder.encode(login).toBase64()}`);
    target.username = target.password = "";
  }
  if (method === "GET") {
    for (const [name, value] of Object.entries(params)) target.searchParams.append(name, value);
  }
  const body = method === "POST" ? new URLSearchParams(params).toString() : "";
  const at = Math.floor(now / 1000);
  const signature = await hmac("SHA-256", authToken, `${at}.${method}.${target.href}.${body}`);
  headers.set("x-switchboard-signature", `t=${at},v1=${signature.toHex()}`);
  const sorted = method === "POST" ? Object.entries(params).sort(byName).flat().join("") : "";
  const twilio = await hmac("SHA-1", authToken, target.href + sorted);
  headers.set("x-twilio-signature", twilio.toBase64());
  if (method === "GET") return new Request(target, { method, headers, signal });
  headers.set("content-type", "application/x-www-form-urlencoded; charset=utf-8");
  return new Request(target, { method, headers, body, signal });
}

const byName = ([a]: [string, string], [b]: [string, string]) => a < b ? -1 : a > b ? 1 : 0;

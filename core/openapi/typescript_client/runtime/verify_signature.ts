/** A request that claims to come from the service. */
export interface SignedRequest {
  /** The value of `X-Switchboard-Signature`. */
  signature: string | null | undefined;
  method: string;
  /** The URL that the service requested, with its query: the public one, behind a proxy. */
  url: string;
  /** The raw body; empty for GET. */
  body: string;
}

/**
 * True when an account's AuthToken signed a request, at most `toleranceS` seconds ago (300 by default).
 * Compares in constant time.
 */
export async function verifySignature(
  { signature, method, url, body }: SignedRequest,
  authToken: string,
  { toleranceS = 300, now = Date.now() }: { toleranceS?: number; now?: number } = {},
): Promise<boolean> {
  const [, at, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature ?? "") ?? [];
  if (at === undefined || hex === undefined) return false;
  if (Math.abs(now / 1000 - Number(at)) > toleranceS) return false;
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = encoder.encode(authToken);
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  const given = Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  const text = encoder.encode(`${at}.${method.toUpperCase()}.${url}.${body}`);
  return await crypto.subtle.verify("HMAC", key, given, text);
}

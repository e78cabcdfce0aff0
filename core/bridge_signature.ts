import { bridgeLimits } from "./bridge.ts";

const encoder = new TextEncoder();
const keys = new Map<string, Promise<CryptoKey>>();

function hmacKey(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign", "verify"],
  );
  keys.set(secret, key);
  return key;
}

const signed = (at: string, method: string, path: string, body: string) =>
  encoder.encode(`${at}.${method}.${path}.${body}`);

/** The value of the `X-Switchboard-Bridge` header: HMAC-SHA256 over time, method, path and body. */
export async function signBridge(
  secret: string,
  request: { at: number; method: string; path: string; body: string },
): Promise<string> {
  const at = String(request.at);
  const bytes = signed(at, request.method, request.path, request.body);
  const mac = await crypto.subtle.sign("HMAC", await hmacKey(secret), bytes);
  return `t=${at},v1=${new Uint8Array(mac).toHex()}`;
}

/** Whether a header made by `signBridge` fits the request and is fresh; compares in constant time. */
export async function verifyBridge(
  secret: string,
  header: string | undefined,
  request: { now: number; method: string; path: string; body: string },
): Promise<boolean> {
  const parts = /^t=(\d{1,16}),v1=([0-9a-f]{64})$/.exec(header ?? "");
  if (parts === null) return false;
  const [, at, mac] = parts as unknown as [string, string, string];
  if (Math.abs(request.now - Number(at)) > bridgeLimits.signatureWindowMs) return false;
  const bytes = signed(at, request.method, request.path, request.body);
  return await crypto.subtle.verify("HMAC", await hmacKey(secret), Uint8Array.fromHex(mac), bytes);
}

export const bridgeHeader = "X-Switchboard-Bridge";

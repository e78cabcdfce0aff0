/**
 * Signatures of the call-control protocol. The header covers the hash of the body, so that the sender is
 * proved before the body is read: an unproved body takes no memory. Used signatures are remembered by
 * the process that took them; a memory that processes share would cost a write for each request.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { acceptedSecrets, type BridgeSecret, signingSecret } from "./bridge_secret.ts";
import { protocolLimits } from "./companion.ts";

/** Header of the signatures of service and companion. */
export const signatureHeader = "X-Switchboard-Bridge";

/**
 * Cause of a refused request by its status, for the operator's log; "" where the status is enough.
 */
export const refusalHint = (status: number): string =>
  status === 401
    ? ": BRIDGE_SECRET of service and companion differ, or their clocks by more than " +
      `${protocolLimits.signatureWindowMs / 1_000} s`
    : "";

interface SignedHead {
  method: string;
  path: string;
}

/** Claims of the header: time, nonce, and the SHA-256 of the body in hexadecimal digits. */
interface Claims {
  at: string;
  nonce: string;
  digest: string;
}

const mac = (secret: string, { at, nonce, digest }: Claims, { method, path }: SignedHead): string =>
  createHmac("sha256", secret).update(`${at}.${nonce}.${digest}.${method}.${path}`).digest("hex");

/**
 * Value of the header. It signs the body by its hash, so that the header proves the sender before
 * any of the body is read. It counts once: a repeated request is signed again.
 */
export function signRequest(
  secret: BridgeSecret,
  { at, body, ...head }: SignedHead & { at: number; body: string },
): string {
  const claims = { at: String(at), nonce: randomBytes(16).toString("hex"), digest: digestOf(body) };
  const proof = mac(signingSecret(secret), claims, head);
  return `t=${claims.at},n=${claims.nonce},d=${claims.digest},v1=${proof}`;
}

const header = /^t=(\d{1,16}),n=([0-9a-f]{32}),d=([0-9a-f]{64}),v1=([0-9a-f]{64})$/;

/** Checks headers made by `signRequest`, each of which counts once in a process. */
export interface SignatureVerifier {
  /**
   * Digest of the body that a header signs; undefined when it is forged, stale, used before, or
   * signs another body than the given one.
   */
  verify(header: string | undefined, head: SignedHead & { body?: string }): string | undefined;
}

export function createSignatureVerifier(
  secret: BridgeSecret,
  now: () => number,
): SignatureVerifier {
  const isNew = createUsedOnce(2 * protocolLimits.signatureWindowMs, now);
  return {
    verify(given, head) {
      const [, at = "", nonce = "", digest = "", proof] = header.exec(given ?? "") ?? [];
      if (proof === undefined) return undefined;
      if (Math.abs(now() - Number(at)) > protocolLimits.signatureWindowMs) return undefined;
      const isProof = acceptedSecrets(secret).some((one) => {
        const expected = mac(one, { at, nonce, digest }, head);
        return timingSafeEqual(Uint8Array.fromHex(expected), Uint8Array.fromHex(proof));
      });
      if (!isProof) return undefined;
      if (head.body !== undefined && !isSignedBody(digest, head.body)) return undefined;
      return isNew(nonce) ? digest : undefined;
    },
  };
}

/** True when a verified header signs this body. */
export const isSignedBody = (digest: string, body: string): boolean => digestOf(body) === digest;

const digestOf = (body: string): string => createHash("sha256").update(body).digest("hex");

/**
 * Makes a test that is true for the first use of a value in `ttlMs`, at least. Only values that
 * prove the secret are tested, so their number is that of the requests of two such times.
 */
function createUsedOnce(ttlMs: number, now: () => number): (value: string) => boolean {
  let [older, newer] = [new Set<string>(), new Set<string>()];
  let since = now();
  return (value) => {
    if (now() - since >= ttlMs) {
      [older, newer] = [newer, new Set()];
      since = now();
    }
    if (older.has(value) || newer.has(value)) return false;
    newer.add(value);
    return true;
  };
}

import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import type { Credentials } from "../../core/bridge.ts";
import type { CredentialsCache } from "./credentials.ts";
import {
  algorithmOf,
  algorithmsOver,
  type DigestParameters,
  type Nonces,
  parseDigest,
  provesHa1,
} from "./digest.ts";
import type { Flow } from "../flow.ts";
import type { Lockout } from "./lockout.ts";
import type { Refusal } from "../refusal.ts";
import { parseUri } from "../text/uri.ts";

/** Whom a request comes from, or the response that refuses it. */
export type Identity = { login: string; credentials: Credentials } | { refusal: Refusal };

export interface Authenticator {
  realm: string;
  nonces: Nonces;
  /** Offers SHA-256 over every transport. */
  sha256Everywhere: boolean;
  credentials: CredentialsCache;
  lockout: Lockout;
}

/** Who asks: 401 and WWW-Authenticate for a registrar, 407 and Proxy-Authenticate for a proxy. */
const kinds = {
  registrar: { status: 401, challenge: "WWW-Authenticate", answer: "authorization" },
  proxy: { status: 407, challenge: "Proxy-Authenticate", answer: "proxy-authorization" },
} as const;

/** Nobody's HA1: an unknown login costs the same work and gets the same answer. */
const nobody = { md5: "0".repeat(32), sha256: "0".repeat(64) };

/** What a Client can be called; nobody is asked about any other name. */
const possibleLogin = /^[A-Za-z0-9\-._+]{1,64}$/;

/** The challenge to a request that brings no answer to one; undefined when it brings any. */
export function challengeOf(
  { nonces, sha256Everywhere }: Authenticator,
  { message, flow }: { message: IncomingRequestMessage; flow: Flow },
  as: keyof typeof kinds,
): Refusal | undefined {
  const { status: statusCode, challenge, answer } = kinds[as];
  if (message.hasHeader(answer)) return undefined;
  const algorithms = algorithmsOver(flow.transport.protocol, sha256Everywhere);
  return { statusCode, extraHeaders: nonces.challenges(challenge, { stale: false, algorithms }) };
}

/** Checks the digest of a request (RFC 3261 §22); a request without one is challenged. */
export async function authenticate(
  authenticator: Authenticator,
  request: { message: IncomingRequestMessage; target: string; flow: Flow },
  as: keyof typeof kinds,
): Promise<Identity> {
  const { realm, nonces, credentials, lockout, sha256Everywhere } = authenticator;
  const { message, target, flow } = request;
  const kind = kinds[as];
  const algorithms = algorithmsOver(flow.transport.protocol, sha256Everywhere);
  const challenge = (stale: boolean): Identity => ({
    refusal: {
      statusCode: kind.status,
      extraHeaders: nonces.challenges(kind.challenge, { stale, algorithms }),
    },
  });

  const given = message.getHeaders(kind.answer).map(parseDigest)
    .find((parameters) => parameters?.["realm"] === realm);
  if (given === undefined) return challenge(false);

  const login = given["username"] ?? "";
  const { host } = flow.remote;
  const answerer = { login: possibleLogin.test(login) ? login : undefined, host };
  const remainingMs = () => flow.proven.has(login) ? 0 : lockout.remainingMs(answerer);
  let lockedMs = remainingMs();
  if (lockedMs > 0) return lockedOut(lockedMs);
  const found = answerer.login === undefined ? null : await credentials.lookup(login, host);
  // Guesses sent at once all come to here, and count one after another.
  lockedMs = remainingMs();
  if (lockedMs > 0) return lockedOut(lockedMs);
  const ha1 = algorithmOf(given) === "MD5" ? "md5" : "sha256";
  const proof = { method: message.method, ha1: (found?.ha1 ?? nobody)[ha1] };
  if (!provesHa1(proof, given) || found === null || !isFor(target, given)) {
    flow.proven.delete(login);
    lockout.wrong(answerer);
    return challenge(false);
  }
  // The password was right, so a client may try again without asking its user (RFC 7616 §3.3).
  if (!nonces.take(given["nonce"] ?? "", parseInt(given["nc"] ?? "", 16))) return challenge(true);
  flow.proven.add(login);
  lockout.right(answerer);
  if (!found.allowed) return { refusal: { statusCode: 403 } };
  return { login, credentials: found };
}

const lockedOut = (ms: number): Identity => ({
  refusal: { statusCode: 403, extraHeaders: [`Retry-After: ${Math.ceil(ms / 1000)}`] },
});

/** Whether the digest was made for this Request-URI (RFC 7616 §3.4.6). */
function isFor(target: string, given: DigestParameters): boolean {
  const uri = given["uri"] ?? "";
  return uri === target || parseUri(uri)?.toString() === parseUri(target)?.toString();
}

import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import type { Credentials } from "../core/bridge.ts";
import type { CredentialsCache } from "./credentials.ts";
import {
  algorithmOf,
  type DigestParameters,
  type Nonces,
  parseDigest,
  provesHa1,
} from "./digest.ts";
import type { Flow } from "./flow.ts";
import { sipLimits } from "./limits.ts";
import type { Refusal } from "./refusal.ts";
import { parseUri } from "./uri.ts";

/** Whom a request comes from, or the response that refuses it. */
export type Identity = { login: string; credentials: Credentials } | { refusal: Refusal };

export interface Authenticator {
  realm: string;
  nonces: Nonces;
  credentials: CredentialsCache;
}

/** Who asks: 401 and WWW-Authenticate for a registrar, 407 and Proxy-Authenticate for a proxy. */
const kinds = {
  registrar: { status: 401, challenge: "WWW-Authenticate", answer: "authorization" },
  proxy: { status: 407, challenge: "Proxy-Authenticate", answer: "proxy-authorization" },
} as const;

/** Nobody's HA1: an unknown login costs the same work and gets the same answer. */
const nobody = { md5: "0".repeat(32), sha256: "0".repeat(64) };

/** Checks the digest of a request (RFC 3261 §22); a request without one is challenged. */
export async function authenticate(
  { realm, nonces, credentials }: Authenticator,
  request: { message: IncomingRequestMessage; target: string; flow: Flow },
  as: keyof typeof kinds,
): Promise<Identity> {
  const { message, target, flow } = request;
  const kind = kinds[as];
  const challenge = (stale: boolean): Identity => ({
    refusal: { statusCode: kind.status, extraHeaders: nonces.challenges(kind.challenge, stale) },
  });

  const given = message.getHeaders(kind.answer).map(parseDigest)
    .find((parameters) => parameters?.["realm"] === realm);
  if (given === undefined) return challenge(false);
  if (flow.wrongPasswords >= sipLimits.wrongPasswords) return { refusal: { statusCode: 403 } };

  const login = given["username"] ?? "";
  const found = await credentials.lookup(login);
  const ha1 = algorithmOf(given) === "MD5" ? "md5" : "sha256";
  const proof = { method: message.method, ha1: (found?.ha1 ?? nobody)[ha1] };
  if (!provesHa1(proof, given) || found === null || !isFor(target, given)) {
    flow.wrongPasswords++;
    return challenge(false);
  }
  // The password was right, so a client may try again without asking its user (RFC 7616 §3.3).
  if (!nonces.take(given["nonce"] ?? "", parseInt(given["nc"] ?? "", 16))) return challenge(true);
  flow.wrongPasswords = 0;
  if (!found.allowed) return { refusal: { statusCode: 403 } };
  return { login, credentials: found };
}

/** Whether the digest was made for this Request-URI (RFC 7616 §3.4.6). */
function isFor(target: string, given: DigestParameters): boolean {
  const uri = given["uri"] ?? "";
  return uri === target || parseUri(uri)?.toString() === parseUri(target)?.toString();
}

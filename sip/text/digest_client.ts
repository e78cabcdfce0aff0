import { randomBytes } from "node:crypto";
import {
  type Algorithm,
  algorithmOf,
  digestHa1,
  type DigestParameters,
  digestResponse,
  parseDigest,
  sessionHa1,
} from "./digest.ts";

/** Credentials for the answer to a challenge. */
export interface Login {
  userName: string;
  password: string;
}

/** The challenges of a 401 or 407, in the shape that the library hands on. */
export interface Challenges {
  readonly headers: string[];
}

/** A challenge that can be answered. */
export type Challenge = DigestParameters & { readonly realm: string };

/**
 * Of each realm, the topmost challenge whose algorithm and quality of protection we know (RFC 8760
 * §2.4); several servers on the way may ask at once (RFC 3261 §22.3).
 */
export function knownChallenges({ headers }: Challenges): Challenge[] {
  const known = headers.map(parseDigest).filter((one) => one !== undefined).filter(isKnown);
  return known.filter(({ realm }, at) => known.findIndex((one) => one.realm === realm) === at);
}

/** True when only the nonce was too old, and not the password wrong (RFC 7616 §3.3). */
export const isStale = (challenge: Challenge): boolean =>
  challenge["stale"]?.toLowerCase() === "true";

/** Parsed challenge; undefined where its algorithm or qop is not supported. */
function wantedBy(
  { algorithm = "MD5", qop }: DigestParameters,
): { algorithm: Algorithm; isSession: boolean; qop: "auth" | "auth-int" | undefined } | undefined {
  const isSession = /-sess$/i.test(algorithm);
  const known = algorithmOf({ algorithm: algorithm.replace(/-sess$/i, "") });
  const offered = qop?.split(",").map((one) => one.trim().toLowerCase());
  const chosen = (["auth", "auth-int"] as const).find((one) => offered?.includes(one));
  if (known === undefined || offered !== undefined && chosen === undefined) return undefined;
  return { algorithm: known, isSession, qop: chosen };
}

/** A challenge as a text for the log. */
export const describeChallenge = (header: string): string => {
  const { realm = "", algorithm = "MD5", qop = "none" } = parseDigest(header) ?? {};
  const [scheme = ""] = header.split(" ", 1);
  return /^digest$/i.test(scheme)
    ? `realm "${realm}", algorithm ${algorithm}, qop ${qop}`
    : `scheme ${scheme}`;
};

/** A request that answers a challenge for the `count`th time, with the client nonce of all those. */
export interface ChallengedRequest {
  method: string;
  uri: string;
  body: string;
  count: number;
  cnonce: string;
}

/** A client nonce (RFC 7616 §3.4). */
export const newCnonce = (): string => randomBytes(12).toString("hex");

/** The value of Authorization or Proxy-Authorization that answers a challenge (RFC 7616 §3.4). */
export function answerChallenge(
  challenge: Challenge,
  login: Login,
  { method, uri, body, count, cnonce }: ChallengedRequest,
): string {
  const { realm, nonce = "", opaque } = challenge;
  const { algorithm, isSession, qop } = wantedBy(challenge)!; // isKnown() has checked it.
  const identity = { username: login.userName, realm, password: login.password };
  const proof = qop === undefined ? {} : { qop, nc: count.toString(16).padStart(8, "0"), cnonce };
  const parameters = { nonce, uri, ...proof };
  const plain = digestHa1(algorithm, identity);
  const ha1 = isSession ? sessionHa1(algorithm, plain, { nonce, cnonce }) : plain;
  const response = digestResponse(algorithm, { method, ha1, body }, parameters);
  const quoted = { username: login.userName, realm, nonce, uri, response };
  return "Digest " + [
    ...Object.entries(quoted).map(([name, value]) => `${name}="${escaped(value)}"`),
    // Repeated only where it was named: old servers know no such parameter.
    ...challenge["algorithm"] === undefined
      ? []
      : [`algorithm=${algorithm}${isSession ? "-sess" : ""}`],
    ...proof.qop === undefined ? [] : [`qop=${proof.qop}, nc=${proof.nc}`],
    ...proof.qop === undefined && !isSession ? [] : [`cnonce="${cnonce}"`],
    ...opaque === undefined ? [] : [`opaque="${escaped(opaque)}"`],
  ].join(", ");
}

function isKnown(challenge: DigestParameters): challenge is Challenge {
  const { realm, nonce } = challenge;
  return realm !== undefined && !!nonce && wantedBy(challenge) !== undefined;
}

const escaped = (text: string): string => text.replace(/["\\]/g, "\\$&");

import { randomBytes } from "node:crypto";
import {
  algorithmOf,
  digestHa1,
  type DigestParameters,
  digestResponse,
  parseDigest,
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

/** Whether the password was right, and only the nonce too old (RFC 7616 §3.3). */
export const isStale = (challenge: Challenge): boolean =>
  challenge["stale"]?.toLowerCase() === "true";

/**
 * The value of Authorization or Proxy-Authorization that answers a challenge for the `count`th time
 * (RFC 7616 §3.4).
 */
export function answerChallenge(
  challenge: Challenge,
  login: Login,
  { method, uri, count }: { method: string; uri: string; count: number },
): string {
  const { realm, nonce = "", opaque } = challenge;
  const algorithm = algorithmOf(challenge)!; // isKnown() has checked it.
  const identity = { username: login.userName, realm, password: login.password };
  const proof = challenge["qop"] === undefined ? {} : {
    qop: "auth",
    nc: count.toString(16).padStart(8, "0"),
    cnonce: randomBytes(12).toString("hex"),
  };
  const parameters = { nonce, uri, ...proof };
  const ha1 = digestHa1(algorithm, identity);
  const response = digestResponse(algorithm, { method, ha1 }, parameters);
  const quoted = { username: login.userName, realm, nonce, uri, response };
  return "Digest " + [
    ...Object.entries(quoted).map(([name, value]) => `${name}="${escaped(value)}"`),
    // Repeated only where it was named: old servers know no such parameter.
    ...challenge["algorithm"] === undefined ? [] : [`algorithm=${algorithm}`],
    ...proof.qop === undefined ? [] : [`qop=auth, nc=${proof.nc}, cnonce="${proof.cnonce}"`],
    ...opaque === undefined ? [] : [`opaque="${escaped(opaque)}"`],
  ].join(", ");
}

function isKnown(challenge: DigestParameters): challenge is Challenge {
  const { qop, realm, nonce } = challenge;
  if (algorithmOf(challenge) === undefined || realm === undefined || !nonce) return false;
  return qop === undefined || qop.split(",").some((one) => one.trim().toLowerCase() === "auth");
}

const escaped = (text: string): string => text.replace(/["\\]/g, "\\$&");

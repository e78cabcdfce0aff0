import { randomBytes } from "node:crypto";
import {
  algorithmOf,
  digestHa1,
  type DigestParameters,
  digestResponse,
  parseDigest,
} from "./digest.ts";

/** Who we are to somebody who challenges us. */
export interface Login {
  userName: string;
  password: string;
}

/** The challenges of a 401 or 407, in the shape that the library hands on. */
export interface Challenges {
  /** The password was right and only the nonce too old (RFC 7616 §3.3). */
  stale: boolean;
  readonly headers: string[];
}

/**
 * The value of Authorization or Proxy-Authorization that answers a challenge (RFC 7616 §3.4): the
 * topmost whose algorithm and quality of protection we know (RFC 8760 §2.4). Undefined when it is
 * none of them.
 */
export function answerChallenge(
  { headers }: Challenges,
  login: Login,
  { method, uri }: { method: string; uri: string },
): string | undefined {
  const challenge = headers.map(parseDigest).find((one) => one !== undefined && isKnown(one));
  if (challenge === undefined) return undefined;
  const { realm = "", nonce = "", opaque } = challenge;
  const algorithm = algorithmOf(challenge)!;
  const identity = { username: login.userName, realm, password: login.password };
  const proof = challenge["qop"] === undefined
    ? {}
    : { qop: "auth", nc: "00000001", cnonce: randomBytes(12).toString("hex") };
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

function isKnown(challenge: DigestParameters): boolean {
  const { qop, realm, nonce } = challenge;
  if (algorithmOf(challenge) === undefined || realm === undefined || !nonce) return false;
  return qop === undefined || qop.split(",").some((one) => one.trim().toLowerCase() === "auth");
}

const escaped = (text: string): string => text.replace(/["\\]/g, "\\$&");

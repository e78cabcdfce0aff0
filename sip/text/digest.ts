import { steadyNow } from "../../core/base/steady_clock.ts";
import { hash as hashOf, randomBytes } from "node:crypto";
import { sipLimits } from "../base/limits.ts";
import { apart } from "../base/apart.ts";
import { BareObject } from "../base/bare_object.ts";

/**
 * Digest authentication: RFC 7616 with the algorithms of RFC 8760. As a server we offer neither `-sess`
 * algorithms nor `qop=auth-int`, and an answer that uses them proves nothing (`digest_client.ts` answers
 * those of others).
 *
 * The `uri` of an answer is compared with the Request-URI without parameters and headers: RFC 7616
 * §3.4.6 asks for the same resource. sipgo leaves parameters out, and could not register over TCP.
 */

export type Algorithm = "SHA-256" | "MD5";

/** Most preferred first (RFC 8760 §2.4). */
const algorithms: readonly Algorithm[] = ["SHA-256", "MD5"];

/**
 * Algorithms that are offered over a transport. Browser softphones use the last challenge and support
 * only MD5, so both are offered. Many desk phones read one challenge alone and give up on SHA-256, so
 * they get MD5 unless the operator sets otherwise.
 */
export const algorithmsOver = (protocol: string, sha256Everywhere = false): readonly Algorithm[] =>
  sha256Everywhere || /^WSS?$/i.test(protocol) ? algorithms : ["MD5"];

/** The parameters of an Authorization header, unquoted, by name in lower case. */
export type DigestParameters = Readonly<Record<string, string>>;

export interface DigestRequest {
  method: string;
  /** The hash of user, realm and password for the algorithm that the parameters name. */
  ha1: string;
  /** The body, which `qop=auth-int` protects too; empty unless given. */
  body?: string;
}

const parameter = /([A-Za-z0-9_*-]+) *= *(?:"((?:[^"\\]|\\.)*)"|([^ ,"]+)) *(?:, *|$)/gy;

/** Reads a `Digest` header; undefined when it is none, malformed or names something twice. */
export function parseDigest(header: string): DigestParameters | undefined {
  const text = /\t| {2}/.test(header) ? header.replace(/[ \t]+/g, " ") : header;
  if (!/^Digest /i.test(text)) return undefined;
  const parameters = new BareObject<string>();
  let end = "Digest ".length;
  while (end < text.length) {
    parameter.lastIndex = end;
    const found = parameter.exec(text);
    const name = found?.[1]?.toLowerCase();
    if (found === null || name === undefined || name in parameters) return undefined;
    const quoted = found[2];
    parameters[name] = quoted?.includes("\\")
      ? quoted.replace(/\\(.)/g, "$1")
      : quoted ?? found[3] ?? "";
    end = parameter.lastIndex;
  }
  return parameters;
}

/** Algorithm of the parameters; undefined for one that was not offered. */
export function algorithmOf(parameters: DigestParameters): Algorithm | undefined {
  const named = (parameters["algorithm"] ?? "MD5").toUpperCase();
  return algorithms.find((algorithm) => algorithm === named);
}

const hash = (algorithm: Algorithm, text: string): string =>
  hashOf(algorithm === "MD5" ? "md5" : "sha256", text);

/** HA1 of RFC 7616 §3.4.2. */
export const digestHa1 = (
  algorithm: Algorithm,
  identity: { username: string; realm: string; password: string },
): string => hash(algorithm, `${identity.username}:${identity.realm}:${identity.password}`);

/** HA1 of the `-sess` algorithms (§3.4.2), from that of the others. */
export const sessionHa1 = (
  algorithm: Algorithm,
  ha1: string,
  { nonce, cnonce }: { nonce: string; cnonce: string },
): string => hash(algorithm, `${ha1}:${nonce}:${cnonce}`);

/** The response that proves knowledge of HA1 (RFC 7616 §3.4.1); without a qop, that of RFC 2069. */
export function digestResponse(
  algorithm: Algorithm,
  request: DigestRequest,
  parameters: DigestParameters,
): string {
  const { nonce, nc, cnonce, qop, uri } = parameters;
  const { method, ha1, body = "" } = request;
  const integrity = qop === "auth-int" ? `:${hash(algorithm, body)}` : "";
  const ha2 = hash(algorithm, `${method}:${uri}${integrity}`);
  const once = qop === undefined ? nonce : `${nonce}:${nc}:${cnonce}:${qop}`;
  return hash(algorithm, `${ha1}:${once}:${ha2}`);
}

/** Verifies the response in constant time; the nonce is checked elsewhere. */
export function provesHa1(request: DigestRequest, parameters: DigestParameters): boolean {
  const algorithm = algorithmOf(parameters);
  if (algorithm === undefined || parameters["qop"] !== "auth") return false;
  if (!/^[0-9a-f]{8}$/i.test(parameters["nc"] ?? "") || !parameters["cnonce"]) return false;
  const given = (parameters["response"] ?? "").toLowerCase();
  return isSame(given, digestResponse(algorithm, request, parameters));
}

/** Compares in a time that depends on the lengths alone, for a tenth of `timingSafeEqual`'s cost. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}

export interface ChallengeOptions {
  stale: boolean;
  algorithms: readonly Algorithm[];
  /** The client's address; answers to this challenge are accepted from there alone. */
  host: string;
}

export interface Nonces {
  /** WWW-Authenticate or Proxy-Authenticate lines for a client address, one for each algorithm. */
  challenges(header: string, options: ChallengeOptions): string[];
  /** True when a nonce is ours, was made for this client address, and has not expired. */
  isFresh(nonce: string, host: string): boolean;
  /** Uses up one count of a fresh nonce; false when that count was used before (§3.4.5). */
  take(nonce: string, count: number): boolean;
}

/**
 * Nonces that carry their time, under a hash with a secret and the client's address (RFC 7616 §3.3,
 * §5.4), so that none is stored before it is used. A source that cannot receive at an address cannot
 * answer for it. Half of the hash is kept back: what was signed cannot be extended.
 */
export function createNonces(realm: string, now: () => number = steadyNow): Nonces {
  const secret = randomBytes(32).toString("hex");
  const counts = new Map<string, number>();
  // In the order of their first use: the Map would walk over all removed entries.
  let used: string[] = [];
  let first = 0;
  // Counts forgotten for want of room could be replayed, so everything as old is refused.
  let refusedUntil = 0;

  const macOf = (stamp: string, host: string): string =>
    hash("SHA-256", `${secret}.${stamp}.${host}.${realm}`).slice(0, 32);

  const make = (host: string): string => {
    // Random bytes by themselves cost thirty times as much.
    const stamp = `${now().toString(36)}.${crypto.randomUUID()}`;
    return `${stamp}.${macOf(stamp, host)}`;
  };

  const madeAt = (nonce: string): number => parseInt(nonce, 36);

  const isGivenTo = (host: string, nonce: string): boolean => {
    const dot = nonce.lastIndexOf(".");
    return isSame(nonce.slice(dot + 1), macOf(nonce.slice(0, Math.max(dot, 0)), host));
  };

  const forgetOldest = () => {
    const oldest = used[first++]!; // Called where one was used.
    counts.delete(oldest);
    refusedUntil = Math.max(refusedUntil, madeAt(oldest));
    if (first < sipLimits.nonces) return;
    used = used.slice(first);
    first = 0;
  };

  return {
    challenges(header, { stale, algorithms, host }) {
      const nonce = make(host);
      const flag = stale ? ", stale=true" : "";
      return algorithms.map((algorithm) =>
        `${header}: Digest realm="${realm}", nonce="${nonce}", algorithm=${algorithm}, ` +
        `qop="auth"${flag}`
      );
    },
    isFresh(nonce, host) {
      const at = madeAt(nonce);
      return isGivenTo(host, nonce) && now() - at <= sipLimits.nonceTtlMs && at > refusedUntil;
    },
    take(nonce, count) {
      const before = counts.get(nonce);
      if (count <= (before ?? 0)) return false;
      const kept = before === undefined ? apart(nonce) : nonce;
      counts.set(kept, count);
      if (before === undefined) used.push(kept);
      if (counts.size > sipLimits.nonces) forgetOldest();
      return true;
    },
  };
}

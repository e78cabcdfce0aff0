import type { IncomingRequestMessage } from "../base/sip_js.ts";
import type { Credentials } from "../../core/protocol/companion.ts";
import { readUsername, tokenPassword } from "../../core/base/sip_token.ts";
import type { CredentialsCache } from "./credentials.ts";
import {
  algorithmOf,
  algorithmsOver,
  digestHa1,
  type DigestParameters,
  type Nonces,
  parseDigest,
  provesHa1,
} from "../text/digest.ts";
import type { Flow } from "../base/flow.ts";
import type { Answerer, Lockout } from "../base/lockout.ts";
import type { Binding, Location } from "../text/location.ts";
import { networkOf } from "../../core/base/networks.ts";
import { keyOf } from "../text/binding_key.ts";
import { type Refusal, unavailable } from "../base/refusal.ts";
import { parseUri } from "../text/uri.ts";
import { warning } from "../base/warning.ts";

/** The Client that sent a request, or the response that refuses it. */
export type Identity = Proven | { refusal: Refusal };

/** A Client that proved a password. */
export interface Proven {
  login: string;
  credentials: Credentials;
  /** The end of the password in ms since 1970; undefined for the Client's own. */
  endsAt?: number;
}

export interface Authenticator {
  realm: string;
  nonces: Nonces;
  /** Offers SHA-256 over every transport. */
  sha256Everywhere: boolean;
  credentials: CredentialsCache;
  lockout: Lockout;
  /** Distinguishes registered devices from others on their network. */
  location: Pick<Location, "find">;
}

/** Challenges: 401 and WWW-Authenticate of a registrar, 407 and Proxy-Authenticate of a proxy. */
const kinds = {
  registrar: { status: 401, challenge: "WWW-Authenticate", answer: "authorization" },
  proxy: { status: 407, challenge: "Proxy-Authenticate", answer: "proxy-authorization" },
} as const;

/** HA1 for an unknown login, which thereby costs the same work and gets the same response. */
const absentDigests = { md5: "0".repeat(32), sha256: "0".repeat(64) };

/** A possible login of a Client; the service gets no query about any other name. */
const possibleLogin = /^[A-Za-z0-9\-._+]{1,64}$/;

/** The challenge to a request without an answer to a fresh challenge of ours; undefined for others. */
export function challengeOf(
  authenticator: Authenticator,
  request: { message: IncomingRequestMessage; flow: Flow },
  as: keyof typeof kinds,
): Refusal | undefined {
  const read = readAnswer(authenticator, request, as);
  return "refusal" in read ? read.refusal : undefined;
}

/**
 * The answer to a fresh challenge that was given to the request's address. One to an expired or foreign
 * nonce is not evaluated: it may be forged, or the client's address has changed. `stale=true` has the
 * client answer again (RFC 7616 §3.3).
 */
function readAnswer(
  authenticator: Authenticator,
  { message, flow }: { message: IncomingRequestMessage; flow: Flow },
  as: keyof typeof kinds,
): { given: DigestParameters } | { refusal: Refusal } {
  const { realm, nonces } = authenticator;
  const given = message.getHeaders(kinds[as].answer).map(parseDigest)
    .find((parameters) => parameters?.["realm"] === realm);
  if (given !== undefined && nonces.isFresh(given["nonce"] ?? "", flow.remote.host)) {
    return { given };
  }
  return { refusal: challenge(authenticator, { flow }, as, given !== undefined) };
}

/**
 * Checks the digest of a request (RFC 3261 §22); a request without one is challenged, and refused
 * while the service is out of reach. At once, unless that has to be asked: what waits, and all of its
 * request, is copied by the collector meanwhile.
 */
export function authenticate(
  authenticator: Authenticator,
  request: AuthenticatedRequest,
  as: keyof typeof kinds,
): Identity | Promise<Identity> {
  const { credentials } = authenticator;
  const read = readAnswer(authenticator, request, as);
  if ("refusal" in read) return read;

  const { given } = read;
  const { login } = readUsername(given["username"] ?? "");
  const judged = (found: Credentials | null) =>
    judge(authenticator, request, { as, given, login, found });
  if (!possibleLogin.test(login)) return judged(null);
  const known = credentials.known(login);
  if (known !== undefined) return judged(known);
  const lockedMs = authenticator.lockout.remainingMs(answererOf(authenticator, request, login));
  if (lockedMs > 0) return lockedOut(lockedMs);
  return credentials.lookup(login, request.flow.remote.host).then(
    judged,
    () => ({ refusal: unavailable }),
  );
}

interface AuthenticatedRequest {
  message: IncomingRequestMessage;
  target: string;
  flow: Flow;
}

interface GivenAnswer {
  as: keyof typeof kinds;
  given: DigestParameters;
  login: string;
  /** The account and Client of the login. */
  found: Credentials | null;
}

/** Verifies the response to a challenge. Guesses that arrive together are counted one by one. */
function judge(
  authenticator: Authenticator,
  request: AuthenticatedRequest,
  { as, given, login, found }: GivenAnswer,
): Identity {
  const { nonces, lockout } = authenticator;
  const { message: { method }, target, flow } = request;
  const answerer = answererOf(authenticator, request, login);
  const lockedMs = lockout.remainingMs(answerer);
  if (lockedMs > 0) return lockedOut(lockedMs);
  const proof = { method, ha1: ha1Of(authenticator, given, found) };
  if (!provesHa1(proof, given) || found === null || !isFor(target, given)) {
    lockout.wrong(answerer);
    return { refusal: challenge(authenticator, request, as, false) };
  }
  // The password was right, so a client may try again without asking its user (RFC 7616 §3.3).
  if (!nonces.take(given["nonce"] ?? "", parseInt(given["nc"] ?? "", 16))) {
    return { refusal: challenge(authenticator, request, as, true) };
  }
  flow.proven.add(login);
  lockout.right(answerer);
  if (!found.allowed) return { refusal: disabled(authenticator, login) };
  const { expiresAt } = readUsername(given["username"] ?? "");
  if (expiresAt === undefined) return { login, credentials: found };
  if (expiresAt <= Date.now()) return { refusal: expired(authenticator, login) };
  return { login, credentials: found, endsAt: expiresAt };
}

/** HA1 of the password that the user name stands for: the Client's own, or that of a token. */
function ha1Of(
  { realm }: Authenticator,
  given: DigestParameters,
  found: Credentials | null,
): string {
  const algorithm = algorithmOf(given) === "MD5" ? "MD5" : "SHA-256";
  const name = algorithm === "MD5" ? "md5" : "sha256";
  const { username = "" } = given;
  if (readUsername(username).expiresAt === undefined) return (found?.ha1 ?? absentDigests)[name];
  if (found?.tokenKey === undefined) return absentDigests[name];
  const password = tokenPassword(found.tokenKey, username);
  return digestHa1(algorithm, { username, realm, password });
}

function challenge(
  { nonces, sha256Everywhere }: Authenticator,
  { flow }: { flow: Flow },
  as: keyof typeof kinds,
  stale: boolean,
): Refusal {
  const { status: statusCode, challenge } = kinds[as];
  const { transport: { protocol }, remote: { host } } = flow;
  const algorithms = algorithmsOver(protocol, sha256Everywhere);
  return { statusCode, extraHeaders: nonces.challenges(challenge, { stale, algorithms, host }) };
}

function answererOf(
  { location }: Authenticator,
  { message, flow }: AuthenticatedRequest,
  login: string,
): Answerer {
  const { id, remote: { host, port }, proven } = flow;
  if (!possibleLogin.test(login)) return { login: undefined, host, port };
  const knownAs = proven.has(login) ? id : registeredAs(location.find(login), message, host);
  return { login, host, port, knownAs };
}

/** The rate limit of wrong passwords: it passes, so it is no 403 (RFC 3261 §21.5.4). */
const lockedOut = (ms: number): Identity => ({
  refusal: {
    statusCode: 503,
    reasonPhrase: "Too Many Wrong Passwords",
    extraHeaders: [`Retry-After: ${Math.ceil(ms / 1000)}`],
  },
});

/** The password was right, and its time is over. */
const expired = ({ realm }: Authenticator, login: string): Refusal => ({
  statusCode: 403,
  reasonPhrase: "Credentials Expired",
  extraHeaders: [warning(realm, `Cannot serve ${login}: request a new Token`)],
});

/** Refusal after a valid password, which may name the reason. */
const disabled = ({ realm }: Authenticator, login: string): Refusal => ({
  statusCode: 403,
  reasonPhrase: "Client Is Disabled",
  extraHeaders: [
    warning(
      realm,
      `Cannot serve ${login}: set Status of the Client to 1, and its account to active`,
    ),
  ],
});

/**
 * Returns whether the digest was made for the resource of this Request-URI (RFC 7616 §3.4.6). User and
 * host name it: LiveKit leaves the port out, sipgo the parameters, and proxies rewrite both.
 */
function isFor(target: string, given: DigestParameters): boolean {
  const uri = given["uri"] ?? "";
  const resource = resourceOf(uri);
  return uri === target || resource !== undefined && resource === resourceOf(target);
}

/** User and host of a SIP URI; other URIs as a whole. */
function resourceOf(text: string): string | undefined {
  const uri = parseUri(text);
  if (uri === undefined || !/^sips?$/.test(uri.scheme)) return uri?.toString();
  return `${decodeURIComponent(uri.user ?? "")}@${uri.host.toLowerCase()}`;
}

/**
 * Name of the registered device that a request comes from, within its network; undefined for others. The
 * device uses the Call-ID of its registration, which cannot be guessed (RFC 3261 §8.1.1.4), or has the
 * same instance or Contact. Failures of each are counted apart: a source that guesses a Contact does not
 * lock out the device.
 */
function registeredAs(
  bindings: readonly Binding[],
  message: IncomingRequestMessage,
  host: string,
): string | undefined {
  const network = networkOf(host);
  const near = bindings.filter(({ flow }) => networkOf(flow.remote.host) === network);
  if (near.length === 0) return undefined;
  if (near.some(({ callId }) => callId === message.callId)) return `call ${message.callId}`;
  const contacts = (message.headers["Contact"] ?? []).map(({ parsed }) => parsed);
  const found = near.find(({ key, instance }) =>
    contacts.some((contact) =>
      contact !== "*" && contact !== undefined &&
      (keyOf(contact) === key || contact.getParam("+sip.instance") === (instance ?? ""))
    )
  );
  return found && `at ${found.instance ?? found.key}`;
}

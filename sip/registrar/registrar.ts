import { awakeNow } from "../../core/base/steady_clock.ts";
import type { IncomingRequestMessage } from "../base/sip_js.ts";
import type { Credentials } from "../../core/protocol/companion.ts";
import { authenticate, type Authenticator, type Identity } from "../auth/authenticate.ts";
import type { CredentialsCache } from "../auth/credentials.ts";
import type { Flow } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import type { Binding, Location } from "../text/location.ts";
import type { Refusal } from "../base/refusal.ts";
import { type Reply, reply } from "../stack/reply.ts";
import { readRegister, type Registration, supports, wantsOutbound } from "./registration.ts";
import { originOf } from "../text/origin.ts";
import type { IceServersOf, Signalling } from "../contracts/signalling.ts";
import { userOf } from "../text/uri.ts";
import { warning } from "../base/warning.ts";

/**
 * Answers a REGISTER (RFC 3261 §10.3): authenticates it, then changes bindings. A binding put twice
 * stays the same, so no transaction is needed to recognise a repetition. It waits for the service alone.
 */
export function onRegister(
  signalling: Signalling,
  authenticator: Authenticator,
  message: IncomingRequestMessage,
): Promise<void> | void {
  const { flow, target } = originOf(message);
  if (!signalling.isOwn(message.to.uri, flow)) {
    return reply(flow, message, otherDomain(signalling.domain, message));
  }
  const identity = authenticate(authenticator, { message, flow, target }, "registrar");
  const answer = (identity: Identity) => answerAs(identity, signalling, message);
  return identity instanceof Promise ? identity.then(answer) : answer(identity);
}

function answerAs(
  identity: Identity,
  { domain, location, iceServersOf }: Signalling,
  message: IncomingRequestMessage,
): void {
  const { flow } = originOf(message);
  if ("refusal" in identity) return reply(flow, message, identity.refusal);
  const { login, credentials, endsAt } = identity;
  if (userOf(message.to.uri) !== login) {
    return reply(flow, message, otherLogin(domain, message, login));
  }
  flow.logins.add(login);
  // One that closed meanwhile was dropped already: a binding to it would stay.
  if (flow.closed) return;
  const registration = { message, login, flow, proof: proofOf(credentials), endsAt };
  const response = register(domain, location, registration);
  reply(flow, message, withIceServers(response, registration, iceServersOf));
}

/**
 * Checks the bindings of Clients that changed: removes them where the Client may not call any more,
 * was replaced by another of the same login, or has another password.
 */
export async function invalidate(
  location: Location,
  credentials: CredentialsCache,
  logins: string[],
): Promise<void> {
  for (const login of logins) credentials.forget(login);
  await Promise.all(logins.map(async (login) => {
    if (!location.has(login)) return;
    const found = await credentials.lookup(login).catch(() => undefined);
    if (found === undefined) return; // Out of reach is no answer: the bindings stay.
    if (found?.allowed) removeUnproven(location, login, proofOf(found));
    else removeProven(location, login, location.find(login));
  }));
}

/** Looks again at every Client here: what was said of them meanwhile has not come. */
export async function invalidateAll(
  location: Location,
  credentials: CredentialsCache,
): Promise<void> {
  const logins = [...location.logins()];
  for (let at = 0; at < logins.length; at += sipLimits.lookupsAtOnce) {
    await invalidate(location, credentials, logins.slice(at, at + sipLimits.lookupsAtOnce));
  }
}

/** The same for as long as Client and password are. */
const proofOf = ({ clientSid, ha1 }: Credentials): string => `${clientSid}:${ha1.md5}`;

function removeUnproven(location: Location, login: string, proof: string): void {
  removeProven(location, login, location.find(login).filter((binding) => binding.proof !== proof));
}

/** Removes bindings, and the trust in the connections that they were made by. */
function removeProven(location: Location, login: string, bindings: Binding[]): void {
  for (const { key, flow } of bindings) {
    flow.proven.delete(login);
    location.remove(login, key);
  }
}

/** Adds, renews, removes or lists bindings; the result is what to answer (RFC 3261 §10.3). */
function register(domain: string, location: Location, registration: Registration): Reply {
  const { message, login, proof } = registration;
  removeUnproven(location, login, proof);
  const refusal = update(domain, location, registration);
  if (refusal !== undefined) return refusal;
  const contacts = location.find(login).map(({ contact, expiresAt }) => {
    const left = Math.ceil((expiresAt - awakeNow()) / 1000);
    return `Contact: ${contact};expires=${left}`;
  });
  const outbound = wantsOutbound(message) ? ["Require: outbound"] : [];
  // A user agent without support for Path gets none in the response (RFC 3327 §5.3).
  const path = supports(message, "path") ? message.getHeaders("path") : [];
  const date = `Date: ${new Date().toUTCString()}`;
  const extraHeaders = [...contacts, ...path.map((line) => `Path: ${line}`), ...outbound, date];
  return { statusCode: 200, extraHeaders };
}

/**
 * All changes of a REGISTER are made, or none (§10.3 step 7). Beyond what a Client may have, addresses
 * that were renewed least recently give way.
 */
function update(
  domain: string,
  location: Location,
  registration: Registration,
): Refusal | undefined {
  const { login, message } = registration;
  const read = readRegister(registration);
  if ("refusal" in read) return read.refusal;
  const { wish } = read;
  if (wish === "list") return undefined;
  const known = location.find(login);
  const changed = wish === "remove all"
    ? known
    : known.filter(({ key }) => wish.some((binding) => binding.key === key));
  const isLate = changed.some(({ callId, cseq }) =>
    callId === message.callId && cseq >= message.cseq
  );
  if (isLate) return { statusCode: 500, reasonPhrase: "CSeq Out Of Order" };
  if (wish === "remove all") return void location.removeAll(login);
  const more = wish.filter(({ expiresAt }) => expiresAt > awakeNow());
  if (more.length > sipLimits.bindingsPerClient) return tooManyContacts(domain);
  const others = known.filter(({ key }) => wish.every((binding) => binding.key !== key));
  // A phone that has a new address at each start leaves the old ones behind.
  const excess = others.length + more.length - sipLimits.bindingsPerClient;
  for (const { key } of others.slice(0, Math.max(0, excess))) location.remove(login, key);
  for (const binding of wish) put(location, login, binding, changed);
  return undefined;
}

function put(location: Location, login: string, binding: Binding, known: Binding[]): void {
  if (binding.expiresAt <= awakeNow()) return location.remove(login, binding.key);
  const before = known.find(({ key }) => key === binding.key);
  const { registeredAt } = before ?? binding;
  location.put(login, { ...binding, registeredAt });
}

/**
 * Adds a Client's ICE servers to the 200 of its REGISTER, the first response that needs its password:
 * as base64 of the JSON that RTCPeerConnection takes. Only phones over WebSocket get it.
 */
function withIceServers(
  response: Reply,
  { flow, login }: { flow: Flow; login: string },
  iceServersOf: IceServersOf,
): Reply {
  const isBrowser = ["WS", "WSS"].includes(flow.transport.protocol);
  const servers = isBrowser && response.statusCode === 200 ? iceServersOf(login) : [];
  if (servers.length === 0) return response;
  const header = `X-Ice-Servers: ${btoa(JSON.stringify(servers))}`;
  return { ...response, extraHeaders: [...response.extraHeaders ?? [], header] };
}

/** The refusal of an address that is none of ours (RFC 3261 §10.3 step 5). */
function otherDomain(domain: string, { to }: IncomingRequestMessage): Refusal {
  const text = `Cannot register an address at ${to.uri.host}: ` +
    `set the domain of the phone to ${domain} (SIP_DOMAIN)`;
  return {
    statusCode: 404,
    reasonPhrase: `Domain Is Not ${domain}`,
    extraHeaders: [warning(domain, text)],
  };
}

/** The refusal to register the address of another Client. */
function otherLogin(domain: string, { to }: IncomingRequestMessage, login: string): Refusal {
  const text = `Cannot register ${userOf(to.uri)} with the password of ${login}: ` +
    "set user name and authentication name of the phone to the same Login";
  return {
    statusCode: 403,
    reasonPhrase: "Address Is Not The Login",
    extraHeaders: [warning(domain, text)],
  };
}

/**
 * The refusal of more addresses at once than a Client may have. It is no 403: phones take that for a
 * wrong account and give up (RFC 3261 §21.4.4).
 */
function tooManyContacts(domain: string): Refusal {
  const text =
    `Cannot register more than ${sipLimits.bindingsPerClient} addresses of one Client: ` +
    "register fewer at once";
  return {
    statusCode: 503,
    reasonPhrase: "Too Many Contacts",
    extraHeaders: [warning(domain, text), `Retry-After: ${sipLimits.registrationMinS}`],
  };
}

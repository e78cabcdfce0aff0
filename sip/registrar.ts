import type { IncomingRegisterRequest, NameAddrHeader } from "sip.js/lib/core/index.js";
import { authenticate, type Authenticator } from "./authenticate.ts";
import type { CredentialsCache } from "./credentials.ts";
import type { Flow } from "./flow.ts";
import { sipLimits } from "./limits.ts";
import type { Binding, Location } from "./location.ts";
import { type Refusal, unavailable } from "./refusal.ts";
import { originOf, type Signalling } from "./signalling.ts";
import { userOf } from "./uri.ts";

/** A REGISTER of a Client who has proved its login. */
interface Registration {
  request: IncomingRegisterRequest;
  login: string;
  flow: Flow;
}

/** A REGISTER of anybody (RFC 3261 §10.3): who it is, then what it wants. */
export async function onRegister(
  { location, domain }: Signalling,
  authenticator: Authenticator,
  request: IncomingRegisterRequest,
): Promise<void> {
  const { message } = request;
  const { flow, target } = originOf(message);
  if (message.to.uri.host !== domain) {
    request.reject({ statusCode: 404 });
    return;
  }
  const identity = await authenticate(authenticator, { message, flow, target }, "registrar")
    .catch(() => ({ refusal: unavailable }));
  if ("refusal" in identity) request.reject(identity.refusal);
  else if (userOf(message.to.uri) !== identity.login) request.reject({ statusCode: 403 });
  else {
    flow.logins.add(identity.login);
    register(location, { request, login: identity.login, flow });
  }
}

/** Looks again at Clients who changed; one who may not call any more is reached no more. */
export async function invalidate(
  location: Location,
  credentials: CredentialsCache,
  logins: string[],
): Promise<void> {
  for (const login of logins) credentials.forget(login);
  await Promise.all(logins.map(async (login) => {
    if (location.find(login).length === 0) return;
    const found = await credentials.lookup(login).catch(() => undefined);
    // Out of reach is no answer: the bindings stay.
    if (found === null || found?.allowed === false) location.removeAll(login);
  }));
}

/** Adds, renews, removes or lists bindings, and answers (RFC 3261 §10.3). */
function register(location: Location, registration: Registration): void {
  const { request, login } = registration;
  const refusal = update(location, registration);
  if (refusal !== undefined) {
    request.reject(refusal);
    return;
  }
  const contacts = location.find(login).map((binding) => {
    const left = Math.ceil((binding.expiresAt - Date.now()) / 1000);
    return `Contact: ${binding.contact};expires=${left}`;
  });
  const outbound = usesOutbound(registration) ? ["Require: outbound"] : [];
  const date = `Date: ${new Date().toUTCString()}`;
  request.accept({ statusCode: 200, extraHeaders: [...contacts, ...outbound, date] });
}

function update(location: Location, registration: Registration): Refusal | undefined {
  const { request: { message }, login } = registration;
  const contacts = message.headers["Contact"] ?? [];
  if (contacts.some(({ parsed }) => parsed === "*")) {
    if (contacts.length > 1 || message.getHeader("expires") !== "0") {
      return { statusCode: 400, reasonPhrase: "Wildcard Needs Expires Zero" };
    }
    location.removeAll(login);
    return undefined;
  }
  const bindings: Binding[] = [];
  for (const { raw, parsed } of contacts) {
    const binding = toBinding(registration, raw, parsed);
    if ("statusCode" in binding) return binding;
    bindings.push(binding);
  }
  return refuse(location.find(login), bindings) ?? apply(location, login, bindings);
}

/** All changes of a REGISTER are made, or none (§10.3 step 7). */
function refuse(known: Binding[], wanted: Binding[]): Refusal | undefined {
  const late = wanted.some((binding) =>
    known.some((old) =>
      old.key === binding.key && old.callId === binding.callId && old.cseq >= binding.cseq
    )
  );
  if (late) return { statusCode: 500, reasonPhrase: "CSeq Out Of Order" };
  const keys = new Set([...known, ...wanted].map((binding) => binding.key));
  if (keys.size <= sipLimits.bindingsPerClient) return undefined;
  return { statusCode: 403, reasonPhrase: "Too Many Contacts" };
}

function apply(location: Location, login: string, bindings: Binding[]): undefined {
  for (const binding of bindings) {
    if (binding.expiresAt > Date.now()) location.put(login, binding);
    else location.remove(login, binding.key);
  }
}

function toBinding(
  { request: { message }, flow }: Registration,
  raw: string,
  contact: NameAddrHeader,
): Binding | Refusal {
  if (contact.uri.scheme !== "sip" && contact.uri.scheme !== "sips") return { statusCode: 400 };
  const expiresS = expiryOf(contact.getParam("expires") ?? message.getHeader("expires"));
  if (expiresS > 0 && expiresS < sipLimits.expiresMinS) {
    return { statusCode: 423, extraHeaders: [`Min-Expires: ${sipLimits.expiresMinS}`] };
  }
  const { callId, cseq } = message;
  const expiresAt = Date.now() + expiresS * 1000;
  const binding = { uri: contact.uri, contact: withoutExpiry(raw, contact), flow, callId, cseq };
  return { ...binding, key: keyOf(contact), expiresAt };
}

/** What is malformed counts as the default (§10.3 step 6). */
function expiryOf(text: string | undefined): number {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return sipLimits.expiresDefaultS;
  return Math.min(Number(text), sipLimits.expiresMaxS);
}

function keyOf(contact: NameAddrHeader): string {
  const instance = contact.getParam("+sip.instance");
  const regId = contact.getParam("reg-id");
  return instance && regId ? `${instance};${regId}` : contact.uri.toString();
}

function usesOutbound({ request: { message } }: Registration): boolean {
  const supported = message.getHeaders("supported").join(",").split(",").map((tag) => tag.trim());
  return supported.includes("outbound") &&
    (message.headers["Contact"] ?? []).some(({ parsed }) =>
      parsed !== "*" && parsed.hasParam("reg-id") && parsed.hasParam("+sip.instance")
    );
}

/** The Contact to list again: our expiry replaces the one that was asked for. */
function withoutExpiry(raw: string, contact: NameAddrHeader): string {
  const bare = contact.clone();
  bare.deleteParam("expires");
  if (!contact.hasParam("expires") && raw.includes("<")) return raw;
  return bare.toString();
}

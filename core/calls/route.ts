import { isTest } from "../accounts/access.ts";
import { isRoot, tenantField, tenantOf } from "../accounts/tenant.ts";
import type { Target } from "../protocol/script.ts";
import type { FaultName } from "../base/faults.ts";
import {
  callerId,
  callerIdAtClient,
  callerIdRule,
  isUnproven,
  showsForeignLogin,
} from "../numbers/caller_id.ts";
import { refusedDestination } from "../numbers/destination.ts";
import { type Found, numberFor } from "../numbers/find_number.ts";
import { areRelated } from "../numbers/relation.ts";
import { directRoute, provingRoutes, tenantsAlone, trunkRoutes } from "../numbers/trunk_routes.ts";
import { limits } from "../base/limits.ts";
import { boundOf } from "./counted_minutes.ts";
import { dialString, e164Of, numberLike, readsAsNumber } from "../model/values/dialled.ts";
import { refusalOf } from "../model/values/test_calls.ts";
import { isPattern } from "../model/values/number_pattern.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Client } from "../model/resources/clients.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import { type Address, parseAddress, type SipAddress, sipUri } from "../model/values/address.ts";
import { isPremium } from "../model/values/premium_number.ts";

/*
 * Routes of calls: which callee a caller reaches. Accounts must not receive each other's calls.
 *
 * - Every account may call every Client: Logins are unique in the domain. The record of a Client is visible
 *   to its account alone.
 * - Accounts are related when one is above the other, or both are below the same account right under the
 *   root. A dialled number, pattern or Login that reads as a number stays within the service for related
 *   accounts. Anybody may add a number to an account where the provider does not check who holds it. So
 *   another account's number stays here only where `NUMBERS_PROVIDER` vouches for its holder, which `open`
 *   does not. Other calls leave, and the trunk that brings them back proves whose number it is.
 * - The root account is above all. Its calls reach the virtual numbers of others by their exact text alone,
 *   and only where this reads as no number elsewhere: not in E.164 form, also without `+` or as
 *   `DEFAULT_COUNTRY` dials it, and not with up to three digits, as emergency services have. `support` and
 *   `*135#` of an account are called from the root account; `112` and patterns are not.
 * - A Login such as `14155550142` or `112` counts for related accounts alone when it reads as a number in
 *   E.164 form, also without `+` or as `DEFAULT_COUNTRY` dials it, or has up to three digits. For the root
 *   account only its own such Logins count. An account that dials a number of its own reaches that number
 *   before a Client of another account. `1000` is called by everybody; `client:112` names the Client in any
 *   case.
 * - A Client that dials a number of its own account gets the markup of the number on its own leg. Any other
 *   call becomes a second, inbound call to the account of the number. No trunk is needed. A call goes from
 *   number to number three times at most.
 * - Only hosts in `DIAL_SIP_HOSTS` are called by `sip:`: otherwise a customer could call into the
 *   operator's network, or run up bills at a PBX that trusts it. Hosts that match by `*`, and Gateways of
 *   sub-accounts, must have public addresses.
 */

/** The caller. */
export interface Caller {
  account: Account;
  /** The caller ID that it requests. */
  from: string;
  /** The call that dials, by its markup or its Client; null when the REST interface does. */
  call: Call | null;
  /** The Gateway that it leaves by, and by no other. */
  gatewaySid?: string | null;
  /** The telephone network has to find the callee: the call leaves by the operator's trunks. */
  provesCallee?: boolean;
  /** For the host of a SIP address that asks for them. */
  credentials?: { userName: string; password: string };
}

/** Target of a call, and the ends and price for its record. */
export interface Routed {
  target: Target;
  /** For the record. */
  to: string;
  from: string;
  /** Price per minute, in millionths. */
  rateMicros: number;
  /** Limits count the calls of the account: a leg is admitted before its INVITE goes out. */
  limited?: true;
  /** In ms after the answer: the companion ends the leg then if no service counts its minutes. */
  endsAfterMs?: number;
}

/** The reason why a call has no route. */
export interface Unroutable {
  fault: FaultName;
  detail: string;
}

export type Routing = Routed | Unroutable;

/** Names the caller ID, the parameters that set it, and what they may be. */
const callerIdRefused = (from: string): Unroutable => ({
  fault: "callerIdNotAllowed",
  detail: callerIdRule(from),
});

const noRoute = (detail: string): Unroutable => ({ fault: "noRoute", detail });

/**
 * Finds the route of a call: to a Client; to a number of this service, which leaves it only when a Gateway
 * is named; to any other number through Gateways and the operator's proxy; or to a SIP host that the
 * operator allows.
 */
export async function routeTo(address: Address, caller: Caller, ports: Ports): Promise<Routing> {
  if (isTest(caller.account)) return simulatedRoute(address, caller);
  const routing = await routeOut(address, caller, ports);
  if ("fault" in routing) return routing;
  const isLimited = (await ports.accounts.limitStates(caller.account.sid)).length > 0;
  if (!isLimited) return routing;
  const bound = routing.rateMicros === 0 ? {} : { endsAfterMs: boundOf(1) };
  return { ...routing, ...bound, limited: true };
}

async function routeOut(address: Address, caller: Caller, ports: Ports): Promise<Routing> {
  if (address.kind === "number") return await numberRoute(address.dialled, caller, ports);
  if (caller.gatewaySid) return noRoute("a call by a Gateway needs a phone number");
  if (address.kind === "client") {
    const client = await ports.records.clients.holder("login", address.login);
    return await clientRoute(client, address.login, caller, ports);
  }
  if (address.host !== ports.settings.sipDomain.toLowerCase()) {
    return await directly(address, caller, ports);
  }
  const client = await clientAt(address.user, caller.account, ports);
  if (client !== null) return await clientRoute(client, client.login, caller, ports);
  return await numberRoute(address.user, caller, ports);
}

/** Route of a call of a test account: it stays within the service, free of charge. */
function simulatedRoute(address: Address, { from }: Caller): Routing {
  const to = address.kind === "number"
    ? address.dialled
    : address.kind === "client"
    ? `client:${address.login}`
    : sipUri(address);
  const refusal = refusalOf(to);
  if (refusal === "notAllowed") return { fault: "destinationNotAllowed", detail: to };
  if (refusal !== null) return noRoute(to);
  return { target: { kind: "trunk", dialled: to, routes: [] }, to, from, rateMicros: 0 };
}

/**
 * The Client that a user part of our domain names, for an account. A Login that reads as a phone number
 * counts for related accounts only: it cannot catch calls of other accounts to that number. The root
 * account is related to all, so for it only its own such Logins count. Nor does a Login of digits take what
 * an account dials for a number of its own.
 */
export async function clientAt(
  user: string,
  account: Account,
  ports: Ports,
): Promise<Client | null> {
  const { records, accounts, settings: { trunks } } = ports;
  const client = await records.clients.holder("login", user);
  if (client === null || dialString(user) === null || client.accountSid === account.sid) {
    return client;
  }
  const owner = await accounts.get(client.accountSid);
  if (owner === null) return null;
  if (!isRoot(account) && areRelated(account, owner)) return client;
  if (readsAsNumber(user, trunks.country)) return null;
  return await numberFor(user, account, ports) === null ? client : null;
}

async function clientRoute(
  client: Client | null,
  login: string,
  caller: Caller,
  ports: Ports,
): Promise<Routing> {
  if (client === null) return noRoute(`client:${login}`);
  if (client.status === "0") return noRoute(`client:${login} is disabled`);
  const from = await callerIdAtClient(caller.from, caller, client.accountSid, ports);
  const owner = await ports.accounts.get(client.accountSid);
  const isOthers = owner === null || tenantOf(owner) !== tenantOf(caller.account);
  if (from === null || isOthers && await isUnproven(from, caller, ports)) {
    return callerIdRefused(caller.from);
  }
  return { target: { kind: "client", login }, to: `client:${login}`, from, rateMicros: 0 };
}

async function numberRoute(dialled: string, caller: Caller, ports: Ports): Promise<Routing> {
  const { account, gatewaySid = null, provesCallee = false } = caller;
  const isHere = gatewaySid === null && !provesCallee;
  const found = isHere ? await numberFor(dialled, account, ports) : null;
  const routing = found === null
    ? await outward(dialled, { account, gatewaySid, provesCallee }, ports)
    : inward(found, (caller.call?.numberHops ?? 0) + 1);
  if ("fault" in routing) return routing;
  const toOthers = () =>
    Promise.resolve(found === null || tenantOf(found.owner) !== tenantOf(account));
  const from = await callerId(caller.from, { ...caller, toOthers }, ports);
  const refused = callerIdRefused(caller.from);
  if (from === null) return refused;
  if (!await isUnproven(from, caller, ports)) return { ...routing, from };
  const { target } = routing;
  if (target.kind !== "trunk") return await toOthers() ? refused : { ...routing, from };
  const routes = tenantsAlone(target.routes, account);
  return routes.length === 0 ? refused : { ...routing, target: { ...target, routes }, from };
}

/** Route to a number of this service. A call goes from number to number `limits.numberHops` times at most. */
function inward(
  { number, owner, dialled }: Found,
  hops: number,
): Omit<Routed, "from"> | Unroutable {
  const to = calledAs(number, dialled);
  if (hops > limits.numberHops) {
    return noRoute(`${to}, after ${limits.numberHops} numbers whose markup dialled the next`);
  }
  const { accountSid, sid: numberSid } = number;
  const holder = { accountSid, ...tenantField(owner) };
  return { target: { kind: "number", ...holder, numberSid, dialled, hops }, to, rateMicros: 0 };
}

async function outward(
  text: string,
  { account, gatewaySid, provesCallee }: {
    account: Account;
    gatewaySid: string | null;
    provesCallee: boolean;
  },
  ports: Ports,
): Promise<Omit<Routed, "from"> | Unroutable> {
  const { trunks } = ports.settings;
  const dialled = e164Of(text, trunks.country) ?? dialString(text);
  if (dialled === null) return noRoute(text);
  const refused = await refusedDestination(dialled, account, ports);
  if (refused !== null) return refused;
  const routes = provesCallee
    ? await provingRoutes(account, ports)
    : await trunkRoutes(account, ports, gatewaySid);
  if (routes.length === 0) {
    const which = gatewaySid === null ? "that it could leave by" : gatewaySid;
    return noRoute(`${dialled}: there is no Gateway ${which}`);
  }
  const rateMicros = trunks.rateMicros(dialled);
  return { target: { kind: "trunk", dialled, routes }, to: dialled, rateMicros };
}

/** Route to a SIP host. A caller may show any name there, but only numbers of its own. */
async function directly(address: SipAddress, caller: Caller, ports: Ports): Promise<Routing> {
  const uri = sipUri(address);
  const route = directRoute(address, ports.settings);
  if (route === null) return noRoute(`${uri}: the operator does not allow calls to that host`);
  const number = calledBy(address.user, ports);
  const refused = number && await refusedDirectly(number, caller.account, ports);
  if (refused) return refused;
  const { from: wanted, credentials } = caller;
  const isName = /^[^:@]+$/.test(wanted) && dialString(wanted) === null;
  const isForeign = isName && await showsForeignLogin(wanted, caller, ports);
  const toOthers = () => Promise.resolve(true);
  const from = isForeign
    ? null
    : isName
    ? wanted
    : await callerId(wanted, { ...caller, toOthers }, ports);
  const isRefused = from === null || await isUnproven(wanted, caller, ports);
  if (isRefused) return callerIdRefused(wanted);
  const routes = [{ ...route, ...(credentials === undefined ? {} : { credentials }) }];
  return { target: { kind: "trunk", dialled: uri, routes }, to: uri, from, rateMicros: 0 };
}

/** Fewer digits that are no number are an extension of a PBX. */
const leastDialled = 7;

/** The number that a carrier would read in a user part, one with too many digits included; else null. */
function calledBy(user: string, { settings: { trunks } }: Pick<Ports, "settings">): string | null {
  const dialled = dialString(user);
  const isLong = dialled !== null && dialled.replaceAll(/\D/g, "").length >= leastDialled;
  return numberLike(user, trunks.country) ?? (isLong ? dialled : null);
}

/**
 * The refusal of a number at another SIP host, or null. The host may be a carrier, so the prefixes of the
 * account count there too, but not those of the operator, who allows the host.
 */
async function refusedDirectly(number: string, account: Account, ports: Ports) {
  const { settings } = ports;
  const trunks = { ...settings.trunks, prefixes: [] };
  return await refusedDestination(number, account, { ...ports, settings: { ...settings, trunks } });
}

/** The rate and the refusal of a call to a number that leaves, before it is placed; null: it does not. */
export async function quoteOf(
  to: string,
  { account, gatewaySid }: { account: Account; gatewaySid: string | null },
  ports: Ports,
): Promise<{ rateMicros: number } | Unroutable | null> {
  const { settings: { sipDomain, trunks } } = ports;
  const address = parseAddress(to);
  if (address === null || address.kind === "client" || isTest(account)) return null;
  const isHere = address.kind === "sip" && address.host === sipDomain.toLowerCase();
  if (address.kind === "sip" && !isHere) {
    const number = calledBy(address.user, ports);
    return number === null ? null : await refusedDirectly(number, account, ports);
  }
  const text = address.kind === "number" ? address.dialled : address.user;
  const dialled = e164Of(text, trunks.country) ?? dialString(text);
  const isLimited = (await ports.accounts.limitStates(account.sid)).length > 0;
  if (dialled === null || !isLimited && !isPremium(dialled, trunks.country)) return null;
  if (isHere && await clientAt(text, account, ports) !== null) return null;
  if (gatewaySid === null && await numberFor(text, account, ports) !== null) return null;
  return await refusedDestination(dialled, account, ports) ??
    { rateMicros: trunks.rateMicros(dialled) };
}

/** `To` of a call to a number: the number, or the dialled text where the number is a pattern. */
export const calledAs = ({ phoneNumber, isSIP }: IncomingPhoneNumber, dialled: string): string =>
  isSIP && isPattern(phoneNumber) ? dialString(dialled) ?? dialled : phoneNumber;

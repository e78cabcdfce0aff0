import { isTest } from "../accounts/access.ts";
import { tenantOf } from "../accounts/tenant.ts";
import { Fault } from "../base/faults.ts";
import { reference } from "../base/fields.ts";
import { applicationUrl } from "../model/flows/address.ts";
import { callerId, callerIdAtClient, callerIdRule } from "../numbers/caller_id.ts";
import { numberFor } from "../numbers/find_number.ts";
import { ownPartyOf, partyOf } from "../numbers/party.ts";
import { trunkRoutes } from "../numbers/trunk_routes.ts";
import { dialString } from "../model/values/dialled.ts";
import type { Parameters } from "../model/rest/parameters.ts";
import type { Ports } from "../model/ports/ports.ts";
import { paramsSchema } from "../model/resource.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Application } from "../model/resources/applications.ts";
import { calls } from "../model/resources/calls.ts";
import type { Client } from "../model/resources/clients.ts";
import { refusalOf, senderRefusal } from "../model/values/test_calls.ts";
import { type Address, parseAddress, type SipAddress } from "../model/values/address.ts";
import { ownCallback, ownManner } from "./own_manner.ts";
import { clientAt, quoteOf } from "./route.ts";

const { required, optional } = calls.create!; // The definition of calls declares it.

/** Parameters that place a call: the stored fields, and an application in place of a Url. */
export const placeParameters: Parameters = {
  schema: paramsSchema(calls.fields, required, optional).extend({
    applicationSid: reference("AP").optional().describe(
      "Sid of the Application whose flow or RcmlUrl handles the call; Url, Method and the Fallback parameters are then ignored.",
    ),
  }),
  aliases: calls.aliases ?? {},
  faults: calls.faults ?? {},
};

/**
 * The fields of a call to be placed, from the parameters sent, with numbers in E.164 form. An application
 * takes precedence over a Url and its parameters, as for numbers and Clients. Throws `badUrl` without
 * either, and `badParameter` for an application without markup of this kind. Throws `callerIdNotAllowed`
 * for a From that the account may not show at the callee.
 */
export async function placedBy(
  { applicationSid, ...asked }: Record<string, unknown>,
  { kind, account }: { kind: Application["kind"]; account: Account },
  ports: Ports,
): Promise<Record<string, unknown>> {
  const ends = {
    to: await partyOf(String(asked.to), account, ports),
    from: await ownPartyOf(String(asked.from), account, ports),
  };
  assertDialable(ends.to);
  const sent: typeof asked = { ...asked, ...ends };
  const fields = await withMarkup({ applicationSid, ...sent }, { kind, account }, ports);
  await assertCallerId(String(sent.from), String(sent.to), account, ports);
  await assertGateway(sent, account, ports);
  const gatewaySid = typeof sent.gatewaySid === "string" ? sent.gatewaySid : null;
  const quote = await quoteOf(String(sent.to), { account, gatewaySid }, ports);
  if (quote !== null && "fault" in quote) throw new Fault(quote.fault, quote.detail);
  const isTalked = quote !== null && kind === "voice"; // A USSD dialogue has no minutes.
  return isTalked ? { ...fields, rateMicros: quote.rateMicros } : fields;
}

/** Throws `badTo` for a text that is neither a number nor another address. */
function assertDialable(to: string): void {
  const address = parseAddress(to);
  const isTooLong = address?.kind === "number" && /^\+(?:0|\d{16})/.test(address.dialled);
  if (address !== null && !isTooLong) return;
  const rule =
    "To must be a phone number (+ and at most 15 digits), client: and a Login, or a sip: address " +
    "(with a port from 1 to 65535)";
  throw new Fault("badTo", rule);
}

/** Throws `badParameter` for a Gateway that the account may not use, or that no number is called by. */
async function assertGateway(
  { gatewaySid, to }: Record<string, unknown>,
  account: Account,
  ports: Ports,
): Promise<void> {
  if (typeof gatewaySid !== "string" || isTest(account)) return;
  if (parseAddress(String(to))?.kind !== "number") {
    throw new Fault("badParameter", "GatewaySid needs a To that is a phone number");
  }
  if ((await trunkRoutes(account, ports, gatewaySid)).length > 0) return;
  const rule = "GatewaySid must name a Gateway of the account or of an account above it";
  throw new Fault("badParameter", rule);
}

/** The parameters with a Url, be it that of an application. */
async function withMarkup(
  { applicationSid, ...sent }: Record<string, unknown>,
  { kind, account: { sid: accountSid } }: { kind: Application["kind"]; account: Account },
  { records, settings }: Ports,
): Promise<Record<string, unknown>> {
  if (applicationSid === undefined) {
    if (sent.url !== undefined) return sent;
    throw new Fault("badUrl", "Url or ApplicationSid is required");
  }
  const application = await records.applications.get(accountSid, String(applicationSid));
  if (application === null) {
    throw new Fault("badParameter", "ApplicationSid must name one of the account's applications");
  }
  if (application.kind !== kind) {
    const rule = `ApplicationSid must name an application of Kind ${kind}`;
    throw new Fault("badParameter", `${rule}; this one has Kind ${application.kind}`);
  }
  const url = applicationUrl(application, settings);
  if (url === null) {
    const rule = "ApplicationSid must name an application that has a Flow or an RcmlUrl";
    throw new Fault("badParameter", rule);
  }
  // Parameters that belong to a Url do not hold for an application.
  const callback = sent.statusCallback === undefined ? ownCallback(application) : {};
  return { ...sent, ...callback, ...ownManner(application), url };
}

/** Throws at once the fault with which the job that places the call would fail. */
async function assertCallerId(
  from: string,
  to: string,
  account: Account,
  ports: Ports,
): Promise<void> {
  if (isTest(account)) return assertTestEnds(from, to);
  const address = parseAddress(to);
  const caller = { account, call: null };
  const client = address === null ? null : await clientOf(address, account, ports);
  if (client !== null) {
    if (await callerIdAtClient(from, caller, client.accountSid, ports) !== null) return;
  } else {
    if (address === null || !isNumber(address, ports)) return;
    const dialled = address.kind === "number" ? address.dialled : address.user;
    const toOthers = async () => {
      const found = await numberFor(dialled, account, ports);
      return found === null || tenantOf(found.owner) !== tenantOf(account);
    };
    if (await callerId(from, { ...caller, toOthers }, ports) !== null) return;
  }
  throw new Fault("callerIdNotAllowed", callerIdRule(from));
}

/** The refusals that a test account asks for by its magic numbers. */
function assertTestEnds(from: string, to: string): void {
  if (refusalOf(to) === "invalid") throw new Fault("badTo", to);
  const refusal = senderRefusal(from);
  if (refusal === "invalid") throw new Fault("badFrom", from);
  if (refusal === "foreign") throw new Fault("callerIdNotAllowed", from);
}

/** The Client that an address means, by its Login or in our domain. */
async function clientOf(address: Address, account: Account, ports: Ports): Promise<Client | null> {
  if (address.kind === "client") return await ports.records.clients.holder("login", address.login);
  return isAtHome(address, ports) ? await clientAt(address.user, account, ports) : null;
}

const isNumber = (
  address: Address,
  ports: Ports,
): address is Exclude<Address, { kind: "client" }> =>
  address.kind === "number" || isAtHome(address, ports) && dialString(address.user) !== null;

const isAtHome = (address: Address, { settings }: Ports): address is SipAddress =>
  address.kind === "sip" && address.host === settings.sipDomain.toLowerCase();

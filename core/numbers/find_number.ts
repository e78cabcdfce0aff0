/**
 * The number that a call, a text or a USSD dialogue is for.
 *
 * Real numbers (those that the provider of numbers gave to an account, in E.164 form) have one holder in
 * the whole service. Virtual numbers (`isSIP`) and patterns are spelt as their account likes, so they
 * count only for those who trust that account: related callers and the account's own Gateways, and for
 * the operator's trunks those of the root account and of `VIRTUAL_NUMBER_ACCOUNTS`. Otherwise the text
 * `14155550101` of one account would take what a carrier sends for `+14155550101` of another.
 *
 * Refused: virtual numbers that read as numbers, which the contract allows, are not rejected. The kind of
 * a number decides before its spelling. The operator's trunks are the allowed sources, the outbound proxy,
 * SMPP, the HTTP aggregator and the Gateways of the root account. They reach all real numbers first. A
 * Gateway of a customer reaches the numbers of its account and of the accounts below, so it cannot call
 * another customer's number as an inbound call. `VIRTUAL_NUMBER_ACCOUNTS` is a variable and no field of
 * the account, since variables say already what the operator's trunks may do; an account with a short
 * code or USSD code on such a trunk has to be in it.
 *
 * Patterns are read by tenant, of those tenants alone that count, so that no account's calls cost what the
 * patterns of others cost.
 */
import { effectiveStatus } from "../accounts/access.ts";
import { isRoot, tenantField, tenantOf } from "../accounts/tenant.ts";
import type { FoundNumber, NumberQuery } from "../protocol/trunks.ts";
import { formsOf, readsAsNumber } from "../model/values/dialled.ts";
import { isPattern, patternSet } from "../model/values/number_pattern.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import { areRelated, isWithin } from "./relation.ts";

/** A number, whose it is, and what was dialled for it. */
export interface Found {
  number: IncomingPhoneNumber;
  owner: Account;
  dialled: string;
}

/** The numbers that count for a caller. */
interface Scope {
  reaches(number: IncomingPhoneNumber, owner: Account): boolean;
  /** Real numbers go before virtual ones, whichever spelling comes first. */
  realFirst: boolean;
  /** The tenants whose patterns count, the root account among them. */
  tenants(): Promise<string[]>;
}

/**
 * The number that a trunk's call is for. What comes through a Gateway reaches the numbers of its
 * account and those below. The Gateways of the root account, the allowed sources and the carriers of
 * texts are the operator's: they reach all real numbers, then the virtual ones that count for them.
 */
export async function numberOf(
  { dialled, gateway }: NumberQuery,
  ports: Ports,
): Promise<FoundNumber | null> {
  const owner = gateway && await ownerOf(gateway, ports);
  if (gateway !== null && owner === null) return null;
  const scope: Scope = owner === null || isRoot(owner) ? ofOperator(ports) : {
    reaches: (_, holder) => isWithin(holder, owner.sid),
    realFirst: false,
    tenants: () => Promise.resolve([tenantOf(owner)]),
  };
  const found = await find(dialled, scope, ports);
  return found === null ? null : {
    accountSid: found.owner.sid,
    ...tenantField(found.owner),
    numberSid: found.number.sid,
    dialled: found.dialled,
    allowed: await effectiveStatus(found.owner, ports.accounts) === "active",
  };
}

/** The account of a Gateway; null where either is gone. */
async function ownerOf(
  { accountSid, gatewaySid }: NonNullable<NumberQuery["gateway"]>,
  { records, accounts }: Ports,
): Promise<Account | null> {
  const gateway = await records.gateways.get(accountSid, gatewaySid);
  return gateway && await accounts.get(accountSid);
}

/**
 * The number of this service that an account means by what it dials: one of its own or of a related
 * account, or any real one where the provider of numbers verifies its holder. Otherwise any account
 * could provision a number, or a pattern, and receive the calls of others. The root account is related to
 * all: its calls reach what the operator's trunks reach, and virtual numbers of all accounts, but no
 * patterns of theirs, and none that reads as a number elsewhere.
 */
export function numberFor(dialled: string, caller: Account, ports: Ports): Promise<Found | null> {
  const { numbersVouched, country } = ports.settings.trunks;
  if (isRoot(caller)) {
    const isElsewhere = readsAsNumber(dialled, country);
    const scope = ofOperator(ports);
    const reaches: Scope["reaches"] = (number, owner) =>
      scope.reaches(number, owner) || !isElsewhere && !isPattern(number.phoneNumber);
    return find([dialled], { ...scope, reaches }, ports);
  }
  const [root = caller.sid] = caller.ancestors;
  const scope: Scope = {
    reaches: (number, owner) => areRelated(caller, owner) || numbersVouched && !number.isSIP,
    realFirst: false,
    tenants: () => Promise.resolve([tenantOf(caller), root]),
  };
  return find([dialled], scope, ports);
}

/** All real numbers, and the virtual ones of accounts that the operator trusts with its trunks. */
const ofOperator = ({ settings: { trunks }, accounts }: Ports): Scope => ({
  reaches: (number, owner) => !number.isSIP || isOperators(owner, trunks),
  realFirst: true,
  async tenants() {
    const allowed = await Promise.all(trunks.virtualNumberAccounts.map(accounts.get));
    const tenants = allowed.filter((account) => account !== null).map(tenantOf);
    return [...new Set([...await accounts.childSids(""), ...tenants])];
  },
});

/** Returns whether the operator's trunks reach the virtual numbers of an account. */
export const isOperators = (
  account: Account,
  { virtualNumberAccounts }: Pick<Ports["settings"]["trunks"], "virtualNumberAccounts">,
): boolean => isRoot(account) || virtualNumberAccounts.some((sid) => isWithin(account, sid));

/** Exact and E.164 forms first, then patterns: the longest, and of those the oldest. */
async function find(dialled: string[], scope: Scope, ports: Ports): Promise<Found | null> {
  const { records, accounts, settings: { trunks } } = ports;
  const reached = async (number: IncomingPhoneNumber, text: string): Promise<Found | null> => {
    const owner = await accounts.get(number.accountSid);
    return owner !== null && scope.reaches(number, owner) ? { number, owner, dialled: text } : null;
  };
  const forms: Dialled[] = dialled.map((text) => ({ text, forms: formsOf(text, trunks.country) }));
  for (const { text, forms: likely } of forms) {
    const held: Found[] = [];
    for (const form of likely) {
      const number = await records.incomingPhoneNumbers.holder("phoneNumber", form);
      const found = number && await reached(number, text);
      if (found !== null) held.push(found);
      if (found !== null && (!scope.realFirst || !found.number.isSIP)) return found;
    }
    if (held[0] !== undefined) return held[0];
  }
  for (const { number, text } of await fitting(forms, await scope.tenants(), ports)) {
    const found = await reached(number, text);
    if (found !== null) return found;
  }
  return null;
}

/** A dialled text, and the forms under which it may be held. */
interface Dialled {
  text: string;
  forms: string[];
}

/** The patterns of some tenants that dialled texts fit, with the text of each, by precedence. */
async function fitting(
  dialled: Dialled[],
  tenants: string[],
  { records, log }: Ports,
): Promise<{ number: IncomingPhoneNumber; text: string }[]> {
  const fitting = [];
  for (const tenant of tenants) {
    const numbers = await records.incomingPhoneNumbers.group("tenantPatterns", tenant);
    if (numbers.length === 0) continue;
    const patterns = numbers.toSorted(byPrecedence);
    const set = patternSet(patterns.map(({ phoneNumber }) => phoneNumber), ({ leftOut }) => {
      if (leftOut > 0) log("Left out patterns beyond the bound of a tenant", { tenant, leftOut });
    });
    for (const { text, forms } of dialled) {
      const positions = new Set(forms.flatMap((form) => set.fitting(form)));
      // A program names patterns by their positions.
      fitting.push(...[...positions].map((at) => ({ number: patterns[at]!, text })));
    }
  }
  return fitting.toSorted((a, b) => byPrecedence(a.number, b.number));
}

const byPrecedence = (a: IncomingPhoneNumber, b: IncomingPhoneNumber): number =>
  b.phoneNumber.length - a.phoneNumber.length || a.dateCreated - b.dateCreated ||
  (a.sid < b.sid ? -1 : 1);

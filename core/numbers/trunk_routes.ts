import { trunkLimits, type TrunkRoute } from "../protocol/trunks.ts";
import { limits } from "../base/limits.ts";
import { vouchesForCallerIds } from "./caller_id.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Gateway } from "../model/resources/gateways.ts";

/**
 * Routes of an account's calls to the telephone network, in the order they are tried: its Gateways, its
 * ancestors' from the nearest up, the operator's proxy, and last the Gateways whose registration fails.
 * With the Sid of a Gateway, that one alone, if the account may use it. `choose` leaves out Gateways.
 */
export async function trunkRoutes(
  account: Account,
  ports: Ports,
  only: string | null = null,
  choose: (routes: TrunkRoute[]) => TrunkRoute[] = (routes) => routes,
): Promise<TrunkRoute[]> {
  const routes: TrunkRoute[] = [];
  const failed: TrunkRoute[] = [];
  for (const accountSid of [account.sid, ...account.ancestors.toReversed()]) {
    const query = { where: [], skip: 0, limit: limits.pageSizeMax };
    const { items } = await ports.records.gateways.list(accountSid, query);
    const isOperators = accountSid === (account.ancestors[0] ?? account.sid);
    const publicOnly = !isOperators && !ports.settings.trunks.allowPrivate;
    const usable = items.toReversed().toSorted((a, b) => rank(a) - rank(b));
    for (const { sid: gatewaySid, friendlyName, register, status, ...gateway } of usable) {
      const { proxy, userName, password } = gateway;
      const credentials = { userName, password };
      const isFailed = register && status === "failed";
      const named = accountSid === account.sid && { gatewayName: friendlyName };
      (isFailed ? failed : routes).push(
        { gatewaySid, ...named, accountSid, proxy, credentials, publicOnly },
      );
    }
  }
  if (only !== null) return [...routes, ...failed].filter(({ gatewaySid }) => gatewaySid === only);
  const { outboundProxy } = ports.settings.trunks;
  const operators: TrunkRoute[] = outboundProxy === null
    ? []
    : [{ gatewaySid: null, publicOnly: false, ...outboundProxy }];
  // Chosen before they are cut: a tenant's own Gateways may be more than a call tries.
  const gateways = choose(routes).slice(0, trunkLimits.routes - operators.length);
  return [...gateways, ...operators, ...choose(failed)].slice(0, trunkLimits.routes);
}

/**
 * Routes of a call by which a callee proves a number: the operator's trunks, as what answers behind a
 * customer's Gateway may be the customer. Those of a tenant count only where the operator has no trunk and
 * shows callers as tenants give them.
 */
export async function provingRoutes(account: Account, ports: Ports): Promise<TrunkRoute[]> {
  const root = account.ancestors[0] ?? account.sid;
  const operators = (routes: TrunkRoute[]) => routes.filter((one) => one.accountSid === root);
  const proving = await trunkRoutes(account, ports, null, operators);
  const isEnough = proving.length > 0 || await vouchesForCallerIds(account, ports);
  return isEnough ? proving : await trunkRoutes(account, ports);
}

/** The routes of a tenant's Gateways among some routes. */
export const tenantsAlone = (
  routes: TrunkRoute[],
  { sid, ancestors: [root = sid] }: Account,
): TrunkRoute[] =>
  routes.filter(({ gatewaySid, accountSid }) => gatewaySid !== null && accountSid !== root);

/** Registered ones first, then those that need no registration, then those that try to register. */
const rank = ({ status, register }: Gateway): number =>
  status === "registered" ? 0 : register ? 2 : 1;

/** The host of a `sip:` address, and how far it is trusted. */
export interface SipAddress {
  /** `sip` or `sips`. */
  scheme: string;
  host: string;
  port: string | null;
  transport: string | null;
}

/**
 * The direct route to the host of a `sip:` address; null unless the operator allows that host, so
 * that no customer reaches the operator's own network or runs up the bill of another's.
 */
export function directRoute(
  { scheme, host, port, transport }: SipAddress,
  { trunks }: Ports["settings"],
): TrunkRoute | null {
  const name = host.toLowerCase();
  const isNamed = trunks.sipHosts.includes(name);
  const isFitting = trunks.sipHosts.some((allowed) =>
    allowed === "*" || allowed.startsWith("*.") && name.endsWith(allowed.slice(1))
  );
  if (!isNamed && !isFitting) return null;
  const proxy = `${scheme}:${name}${port === null ? "" : `:${port}`}` +
    (transport === null ? "" : `;transport=${transport}`);
  return { gatewaySid: null, proxy, publicOnly: !isNamed && !trunks.allowPrivate };
}

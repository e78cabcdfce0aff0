import { trunkLimits, type TrunkRoute } from "../protocol/trunks.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../ports/ports.ts";
import type { Account } from "../resources/accounts.ts";
import type { Gateway } from "../resources/gateways.ts";

/**
 * The ways by which an account's calls leave, in the order they are tried: its Gateways, its
 * ancestors' from the nearest up, then the operator's proxy, and last the Gateways whose registration
 * fails. None: there is no way out. With the Sid of a Gateway that is the only way, if the account may
 * use it.
 */
export async function trunkRoutes(
  account: Account,
  ports: Ports,
  only: string | null = null,
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
  const gateways = routes.slice(0, trunkLimits.routes - (outboundProxy === null ? 0 : 1));
  const operators = outboundProxy === null
    ? []
    : [{ gatewaySid: null, publicOnly: false, ...outboundProxy }];
  return [...gateways, ...operators, ...failed].slice(0, trunkLimits.routes);
}

/** The operator's trunks among some ways, where there is one: what answers there is no customer's PBX. */
export function preferOperators(
  routes: TrunkRoute[],
  { sid, ancestors: [root = sid] }: Account,
): TrunkRoute[] {
  const ofOperator = routes.filter(({ gatewaySid, accountSid }) =>
    gatewaySid === null || accountSid === root
  );
  return ofOperator.length > 0 ? ofOperator : routes;
}

/** The trunks among some ways that are no operator's: those of a tenant's Gateways. */
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
 * The way straight to the host of a `sip:` address; null unless the operator allows that host, so
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

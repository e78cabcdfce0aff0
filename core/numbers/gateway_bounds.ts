/**
 * The bound of Gateways: 200 of a tenant. Each companion reads all that are to be registered every 15 s, so
 * 100,000 of one tenant took time of all. Refused: a bound for each account, which sub-accounts pass. The
 * root account is the operator's and has none. Gateways beyond the bound that exist already stay.
 */
import { isRoot, tenantOf } from "../accounts/tenant.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { inTurn } from "../base/in_turn.ts";
import type { Ports } from "../model/ports/ports.ts";

type Gateways = Ports["records"]["gateways"];

/** The Gateways, of which a tenant gets no more than it may have: `insert` throws `badParameter`. */
export function boundedGateways(
  { records, accounts }: Pick<Ports, "records" | "accounts">,
): Gateways {
  const { gateways } = records;
  return {
    ...gateways,
    async insert(change) {
      const account = await accounts.get(change.record.accountSid);
      if (account === null || isRoot(account)) return await gateways.insert(change);
      const tenant = tenantOf(account);
      return await inTurn(`gateways ${tenant}`, async () => {
        const held = await gateways.group("tenantGateways", tenant);
        if (held.length < limits.gatewaysOfTenant) return await gateways.insert(change);
        throw new Fault(
          "badParameter",
          `account ${tenant} and its sub-accounts have ${held.length} Gateways, and at most ` +
            `${limits.gatewaysOfTenant}`,
        );
      });
    },
  };
}

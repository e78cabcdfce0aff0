import { isRoot, tenantOf } from "../accounts/tenant.ts";
import { Fault } from "../base/faults.ts";
import type { Account } from "../model/resources/accounts.ts";
import { eventLimits } from "./event_limits.ts";

type Named = Pick<Account, "sid" | "ancestors">;

/** The account whose credentials open a stream, and the account that the stream is of. */
interface Opening {
  caller: Named;
  account: Named;
}

/** Takes a place for one more stream; its result frees it. Throws `throttled`. */
export type TakeStream = (opening: Opening) => () => void;

/**
 * The places of this instance for event streams. A tenant may have a quarter of the free ones, so that
 * many tenants together leave room. Some places are for tenants without a stream. The last ones are for
 * streams that the root account opens, which no bound of a tenant holds up.
 */
export function createStreamPlaces(): TakeStream {
  const open = createCounts();
  let all = 0;

  function refusalOf({ caller, account }: Opening): string | null {
    const { streamsOfAccount, streamsOfTenant, streams } = eventLimits;
    if (isRoot(caller)) return all < streams ? null : "this instance has no place for more of them";
    if (open.of(account.sid) >= streamsOfAccount) {
      return `the account has ${streamsOfAccount} event streams open here; close one`;
    }
    const tenant = tenantOf(caller);
    const own = open.of(`tenant ${tenant}`);
    if (own >= streamsOfTenant) {
      return `account ${tenant} and its sub-accounts have ${own} event streams open here; close one`;
    }
    const free = streams - eventLimits.streamsOfRoot - all;
    const isFree = own === 0 ? free > 0 : own < (free - eventLimits.firstStreams) / 4;
    return isFree ? null : "this instance has few places left for event streams";
  }

  return (opening) => {
    const refusal = refusalOf(opening);
    if (refusal !== null) {
      throw new Fault("throttled", refusal, { retryAfterS: eventLimits.retryAfterS });
    }
    const { caller, account } = opening;
    const names = isRoot(caller) ? [] : [account.sid, `tenant ${tenantOf(caller)}`];
    for (const name of names) open.add(name, 1);
    all++;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      all--;
      for (const name of names) open.add(name, -1);
    };
  };
}

/** Counts by name; a count of 0 is removed. */
function createCounts() {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, by: number) {
      const count = of(name) + by;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
  };
}

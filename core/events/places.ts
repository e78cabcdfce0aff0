import { Fault } from "../base/faults.ts";
import { eventLimits } from "./limits.ts";

/** Takes a place for one more stream of an account; its result frees it. Throws `throttled`. */
export type TakeStream = (accountSid: string) => () => void;

/** The places of this instance for event streams. */
export function createStreamPlaces(): TakeStream {
  const open = new Map<string, number>();
  let all = 0;
  return (accountSid) => {
    const own = open.get(accountSid) ?? 0;
    const { streamsOfAccount, streams, retryAfterS } = eventLimits;
    if (own >= streamsOfAccount || all >= streams) {
      const reason = own >= streamsOfAccount
        ? `the account has ${streamsOfAccount} event streams open here; close one`
        : "this instance has no place for more event streams";
      throw new Fault("throttled", reason, { retryAfterS });
    }
    open.set(accountSid, own + 1);
    all++;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      all--;
      const left = (open.get(accountSid) ?? 1) - 1;
      if (left === 0) open.delete(accountSid);
      else open.set(accountSid, left);
    };
  };
}

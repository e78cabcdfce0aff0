import { netLimits } from "./limits.ts";
import { networkOf } from "./networks.ts";

/** Takes a place; the result gives it back, undefined is a refusal. */
export type TakePlace = () => (() => void) | undefined;

/** So many places for all the connections of a process. */
export function createPlaces(most: number): TakePlace {
  let taken = 0;
  return () => {
    if (taken >= most) return undefined;
    taken++;
    return once(() => taken--);
  };
}

/** So many places for each address, or /64 network of IPv6; 0 is no bound. */
export function createAddressPlaces(most: number): (host: string) => (() => void) | undefined {
  const taken = new Map<string, number>();
  return (host) => {
    const network = networkOf(host);
    const count = taken.get(network) ?? 0;
    if (most > 0 && count >= most) return undefined;
    taken.set(network, count + 1);
    return once(() => {
      const left = (taken.get(network) ?? 0) - 1;
      if (left > 0) taken.set(network, left);
      else taken.delete(network);
    });
  };
}

/** How many connections one address may have, so that it never takes all places; 0 is no bound. */
export const boundOfAddress = (wanted: number, places: number): number =>
  wanted === 0 ? 0 : Math.min(wanted, Math.ceil(places * netLimits.addressPart));

function once(callback: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    callback();
  };
}

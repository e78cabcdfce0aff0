/** Places that a tenant may hold for each one that is free beyond the reserve. */
const heldForFree = 6;

/** The part of places that is for tenants with few of them. */
export const reserveOf = (most: number): number => Math.ceil(most / 8);

/**
 * True when a tenant that holds `own` places may have another one while all hold `all` of `most`.
 * It may hold six times those that are free beyond a reserve of an eighth (a dynamic threshold, as
 * of queues that share a buffer). Its share shrinks while others use places: alone it has three
 * quarters, two tenants have two fifths each, eight have a tenth each. A tenant that holds more
 * gets none when it gives one back. The reserve is for tenants that hold fewer than `few`.
 */
export const mayHoldMore = (
  { own, all, most, few = 1 }: { own: number; all: number; most: number; few?: number },
): boolean => own < few || own < heldForFree * (most - reserveOf(most) - all);

/** Takes a place; its result frees it. */
type Leave = () => void;

export interface Shares {
  /** Takes a place at once; null where none is free for the tenant. */
  take(tenant: string | undefined): Leave | null;
  /** Takes a place as soon as one is free for the tenant; null where that takes over `ms`. */
  wait(tenant: string | undefined, ms: number): Promise<Leave | null>;
}

/**
 * Places of which each tenant has a share: at most `each`, and a quarter of those free, so that
 * many tenants fit. A tenant gets a first place where any is free. One eighth of the places is for
 * work of the operator, which has no tenant and no share.
 */
export function createShares({ most, each }: { most: number; each: number }): Shares {
  const held = new Map<string, number>();
  const waiting = new Map<string | undefined, Set<() => void>>();
  const ofTenants = most - Math.ceil(most / 8);
  let all = 0;

  function hasPlace(tenant: string | undefined): boolean {
    if (tenant === undefined) return all < most;
    const own = held.get(tenant) ?? 0;
    const free = ofTenants - all;
    return own === 0 ? free > 0 : own < Math.min(each, free / 4);
  }

  function add(tenant: string | undefined, by: 1 | -1): void {
    all += by;
    if (tenant === undefined) return;
    const own = (held.get(tenant) ?? 0) + by;
    if (own > 0) held.set(tenant, own);
    else held.delete(tenant);
  }

  /** Gives free places to those that wait, one tenant after the other. */
  function serve(): void {
    for (const [tenant, queue] of [...waiting]) {
      const [first] = queue;
      if (first === undefined || !hasPlace(tenant)) continue;
      first();
      // The next place is for another tenant first.
      if (waiting.delete(tenant) && queue.size > 0) waiting.set(tenant, queue);
    }
  }

  function take(tenant: string | undefined): Leave | null {
    if (!hasPlace(tenant)) return null;
    add(tenant, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      add(tenant, -1);
      serve();
    };
  }

  return {
    take,
    wait(tenant, ms) {
      const leave = waiting.has(tenant) ? null : take(tenant);
      if (leave !== null) return Promise.resolve(leave);
      const { promise, resolve } = Promise.withResolvers<Leave | null>();
      const queue = waiting.get(tenant) ?? new Set();
      waiting.set(tenant, queue);
      const settle = (result: Leave | null) => {
        clearTimeout(late);
        queue.delete(begin);
        if (queue.size === 0) waiting.delete(tenant);
        resolve(result);
      };
      const begin = () => settle(take(tenant));
      const late = setTimeout(() => settle(null), ms);
      queue.add(begin);
      return promise;
    },
  };
}

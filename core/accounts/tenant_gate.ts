import { Fault } from "../base/faults.ts";

export interface TenantGateOptions {
  /** The work, as the message of a refusal names it: "MP3 encodings". */
  what: string;
  /** Pieces of work at once: of all tenants, and of one. */
  most: number;
  ofTenant: number;
  /** Pieces of work of one tenant that may wait for their turn, and for how long in ms. */
  waiting: number;
  waitMs: number;
}

/** Bounds expensive work that runs at once. */
export interface TenantGate {
  /**
   * Resolves when the tenant may begin; its result lets the next one begin. Rejects with `throttled`
   * where too many of the tenant wait, or this one has waited for too long.
   */
  enter(tenant: string): Promise<() => void>;
  /** Runs work when the tenant may begin. */
  pass<T>(tenant: string, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  tenant: string;
  begin(): void;
}

/**
 * A gate for work that takes a core or memory. The tenant with the least at work begins next, so that
 * no tenant waits for all that another one has ordered.
 */
export function createTenantGate(options: TenantGateOptions): TenantGate {
  const { most, ofTenant } = options;
  const running = new Map<string, number>();
  const queue: Waiting[] = [];
  let all = 0;
  const runningOf = (tenant: string) => running.get(tenant) ?? 0;

  function begin(tenant: string): () => void {
    all++;
    running.set(tenant, runningOf(tenant) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      all--;
      const left = runningOf(tenant) - 1;
      if (left > 0) running.set(tenant, left);
      else running.delete(tenant);
      beginNext();
    };
  }

  function beginNext(): void {
    if (all >= most) return;
    let next: Waiting | undefined;
    for (const one of queue) {
      const own = runningOf(one.tenant);
      if (own < ofTenant && (next === undefined || own < runningOf(next.tenant))) next = one;
    }
    if (next === undefined) return;
    queue.splice(queue.indexOf(next), 1);
    next.begin();
  }

  async function enter(tenant: string): Promise<() => void> {
    if (all < most && runningOf(tenant) < ofTenant) return begin(tenant);
    const waiting = queue.filter((one) => one.tenant === tenant).length;
    if (waiting >= options.waiting) throw tooMany(tenant, options);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const one = { tenant, begin: () => resolve(begin(tenant)) };
    queue.push(one);
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(one), 1);
      reject(tooMany(tenant, options));
    }, options.waitMs);
    return await promise.finally(() => clearTimeout(timer));
  }

  return {
    enter,
    async pass(tenant, work) {
      const leave = await enter(tenant);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

const tooMany = (tenant: string, { what, ofTenant }: TenantGateOptions): Fault =>
  new Fault(
    "throttled",
    `account ${tenant} and its sub-accounts may have ${ofTenant} ${what} at once, and too many wait`,
    { retryAfterS: 5 },
  );

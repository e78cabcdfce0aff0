/**
 * Shares of the loop. One loop answers all requests, performs jobs, takes reports of calls and
 * writes event streams. A tenant that sends expensive requests in numbers would delay all others. A
 * tenant therefore has requests for 20 ms of expected work under way beside other tenants, 100 ms
 * alone, and at least one; more wait in its own queue. Beside others it has at most half of the
 * loop for longer than 0.5 s. Clients without credentials share by network (/24 or /64), and all of
 * them have 100 ms together. `/health`, `/ready`, `/metrics` and companions wait for no share.
 * Reports of live calls come first and wait for room alone: a caller must not hear silence while
 * the loop is idle. A request that has waited 15 s, or that 500 of its tenant are before, gets 429.
 *
 * The cost of a request is estimated from how late a timer fires while it is under way. That costs
 * two reads of the clock for each request, some 1 µs. Requests that are under way together, and
 * other work of the service, share the delay by their expected cost. An estimate is for one tenant
 * and route, since the same route is cheap for one and expensive for another. It falls quickly and
 * rises slowly, so that neighbours do not make a tenant look expensive.
 *
 * Refused: the CPU time of each request (the runtime does not separate it from that of others); a
 * bound by number (too many expensive ones, or too few cheap ones); a bound by number that falls
 * while the loop is late (a tenant with few expensive requests takes the loop from one with many
 * cheap ones). One piece of work is not interrupted. On a simulated loop a tenant keeps 50 requests
 * of 60 ms under way; a request of 1 ms of another tenant takes less than 130 ms, where it was over
 * 2,500 ms.
 */
import { Fault } from "../../base/faults.ts";
import type { EndLoopWork, LoopShares, LoopWork } from "../../base/loop_work.ts";
import { loopLimits } from "./limits.ts";

/** Clock and timer, which tests replace. */
export interface LoopClock {
  now(): number;
  setTimer(run: () => void, ms: number): unknown;
}

interface Waiting extends LoopWork {
  since: number;
  admit(leave: EndLoopWork): void;
  refuse(fault: Fault): void;
}

interface Tenant {
  name: string;
  group: Group;
  /** Expected cost of its requests under way, in ms, and the number that still cost something. */
  expected: number;
  active: number;
  /** Reports of its live calls, and all else, in order; and how much of that may be refused. */
  ofCalls: Waiting[];
  queue: Waiting[];
  refusable: number;
  /** Expected cost of its requests of a kind, in ms. */
  costs: Map<string, number>;
  /** Its use of the loop in ms, less what half of the time since `usedAt` allows. */
  used: number;
  usedAt: number;
}

/** All strangers, or all others. */
interface Group {
  most: number;
  expected: number;
  active: number;
  /** Those with a queue. */
  waiting: Set<Tenant>;
}

/** A request under way. */
interface Running {
  tenant: Tenant;
  cost: number;
  since: number;
  /** The delay for each ms of expected cost when it began. */
  delayThen: number;
  /** Its expected cost counts no more: it waits for others. */
  isLong: boolean;
}

const realClock: LoopClock = {
  now: () => performance.now(),
  setTimer: (run, ms) => setTimeout(run, ms),
};

/** The shares of this instance's loop. */
export function createLoopShares(clock: LoopClock = realClock): LoopShares {
  const { tickMs, besideMs, aloneMs, burstMs } = loopLimits;
  const tenants = new Map<string, Tenant>();
  const groups = [Infinity, loopLimits.strangersMs].map((most): Group => ({
    most,
    expected: 0,
    active: 0,
    waiting: new Set(),
  }));
  /** Expected cost of requests of a kind, in ms. The program fixes the kinds: they are few. */
  const kinds = new Map<string, number>();
  const underWay = new Set<Running>();
  /** The sum of their expected costs, and the delay so far for each ms of it. */
  let [weight, delay] = [0, 0];
  let [dueAt, settledAt, isTicking] = [Infinity, 0, false];
  const latest = createLatest();

  /**
   * Shares out the time since the timer was due: the loop was busy all of it. Returns the part of a
   * request that ends now: the last piece of work is mostly its own.
   */
  function settle(now: number, isEnd: boolean): number {
    const late = Math.max(0, now - Math.max(dueAt, settledAt));
    settledAt = now;
    const own = isEnd ? late * loopLimits.ownPart : 0;
    delay += (late - own) / (weight + loopLimits.othersMs);
    return own;
  }

  function tick(): void {
    const now = clock.now();
    settle(now, false);
    isTicking = underWay.size > 0 || groups.some(({ waiting }) => waiting.size > 0);
    dueAt = isTicking ? now + tickMs : Infinity;
    if (!isTicking) return;
    clock.setTimer(tick, tickMs);
    for (const one of underWay) {
      if (now - one.since < loopLimits.longMs) break; // The others are younger.
      if (!one.isLong) noMore(one);
      underWay.delete(one);
    }
    for (const { waiting } of groups) for (const tenant of waiting) admitNext(tenant, now);
  }

  /** No more is expected of a request. */
  function noMore(one: Running): void {
    one.isLong = true;
    count(one.tenant, -1, one.cost);
    count(one.tenant.group, -1, one.cost);
  }

  const usedBy = (tenant: Tenant, now: number): number =>
    Math.max(0, tenant.used - (now - tenant.usedAt) * loopLimits.share);

  /**
   * Of a new tenant never much: others may have made the kind expensive. There are many networks.
   */
  function expectedOf({ costs, group }: Tenant, kind: string): number {
    const known = costs.get(kind);
    if (known !== undefined) return known;
    const { unknownMs } = loopLimits;
    return Math.min(kinds.get(kind) ?? unknownMs, group.most === Infinity ? unknownMs : Infinity);
  }

  function mayBegin(tenant: Tenant, { kind, isOfCall = false }: LoopWork, now: number): boolean {
    const { group } = tenant;
    const cost = expectedOf(tenant, kind);
    if (group.active > 0 && group.expected + cost > group.most) return false;
    const isBeside = latest.isOther(tenant.name, now);
    if (isBeside && !isOfCall && usedBy(tenant, now) > burstMs) return false;
    const most = (isBeside ? besideMs : aloneMs) + (isOfCall ? loopLimits.callsMs : 0);
    return tenant.active === 0 || tenant.expected + cost <= most;
  }

  function begin(tenant: Tenant, kind: string, now: number): EndLoopWork {
    const { group } = tenant;
    const cost = expectedOf(tenant, kind);
    const one: Running = { tenant, cost, since: now, delayThen: delay, isLong: false };
    underWay.add(one);
    weight += cost;
    count(tenant, 1, cost);
    count(group, 1, cost);
    if (!isTicking) {
      isTicking = true;
      dueAt = now + tickMs;
      clock.setTimer(tick, tickMs);
    }
    return () => {
      const now = clock.now();
      const own = settle(now, true);
      underWay.delete(one);
      weight = Math.max(0, weight - cost);
      if (!one.isLong) noMore(one);
      const used = own + cost * (delay - one.delayThen);
      learn(tenant.costs, kind, used);
      learn(kinds, kind, used);
      if (used > 0) {
        tenant.used = usedBy(tenant, now) + used;
        tenant.usedAt = now;
      }
      if (group.waiting.size > 0) admitWaiting(tenant, now);
    };
  }

  /** The tenant of a request that has ended comes first. */
  function admitWaiting(tenant: Tenant, now: number): void {
    admitNext(tenant, now);
    if (tenant.group.most === Infinity) return;
    for (const other of tenant.group.waiting) admitNext(other, now);
  }

  function admitNext(tenant: Tenant, now: number): void {
    admitFrom(tenant.ofCalls, tenant, now);
    if (tenant.ofCalls.length > 0) return;
    admitFrom(tenant.queue, tenant, now);
    if (tenant.queue.length === 0) tenant.group.waiting.delete(tenant);
  }

  function admitFrom(queue: Waiting[], tenant: Tenant, now: number): void {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      const isLate = !next.isPatient && now - next.since > loopLimits.waitMs;
      if (!isLate && !mayBegin(tenant, next, now)) return;
      queue.shift();
      if (!next.isPatient) tenant.refusable--;
      if (isLate) next.refuse(tooBusy(tenant));
      else admitInTurn(next, begin(tenant, next.kind, now));
    }
  }

  /** Others have their turn first: requests that wait for nothing would follow each other without one. */
  const admitInTurn = ({ admit }: Waiting, leave: EndLoopWork) =>
    void clock.setTimer(() => admit(leave), 0);

  function tenantOf({ tenant: name, isAnonymous = false }: LoopWork, now: number): Tenant {
    const known = tenants.get(name);
    if (known !== undefined) return known;
    const group = groups[isAnonymous ? 1 : 0]!; // Both were made above.
    const costs = new Map<string, number>();
    const counts = { expected: 0, active: 0, refusable: 0, used: 0, usedAt: now };
    const made = { name, group, costs, ...counts, ofCalls: [], queue: [] };
    tenants.set(name, made);
    if (tenants.size > loopLimits.known) forgetIdle(tenants);
    return made;
  }

  return {
    enter(asking) {
      const now = clock.now();
      settle(now, false);
      const tenant = tenantOf(asking, now);
      latest.note(tenant.name, now);
      const { ofCalls, group } = tenant;
      const isFirst = ofCalls.length === 0 && (asking.isOfCall || tenant.queue.length === 0);
      if (isFirst && mayBegin(tenant, asking, now)) return begin(tenant, asking.kind, now);
      if (!asking.isPatient && ++tenant.refusable > loopLimits.waiting) {
        tenant.refusable--;
        throw tooBusy(tenant);
      }
      const { promise, resolve, reject } = Promise.withResolvers<EndLoopWork>();
      const queue = asking.isOfCall ? ofCalls : tenant.queue;
      queue.push({ ...asking, since: now, admit: resolve, refuse: reject });
      group.waiting.add(tenant);
      if (!isTicking) tick();
      return promise;
    },
  };
}

/** Counts a request that begins, or of which no more is expected. */
function count(sum: { active: number; expected: number }, by: 1 | -1, cost: number): void {
  sum.active += by;
  sum.expected = sum.active === 0 ? 0 : sum.expected + by * cost;
}

/** Updates the estimate by the cost of a request, in ms. */
function learn(costs: Map<string, number>, kind: string, used: number): void {
  const before = costs.get(kind);
  const { expectedMs } = loopLimits;
  if (before === expectedMs && used <= expectedMs) return;
  const part = before === undefined ? 1 : used < before ? 1 / 2 : 1 / 4;
  const from = before ?? used;
  costs.set(kind, Math.max(expectedMs, from + (used - from) * part));
}

/** The tenant that came last, and when another one did. */
function createLatest() {
  let [last, lastAt, otherAt] = ["", -Infinity, -Infinity];
  return {
    note(tenant: string, now: number) {
      if (tenant !== last) [otherAt, last] = [lastAt, tenant];
      lastAt = now;
    },
    /** True after recent work of another tenant. */
    isOther: (tenant: string, now: number) =>
      now - (tenant === last ? otherAt : lastAt) < loopLimits.besideForMs,
  };
}

function forgetIdle(tenants: Map<string, Tenant>): void {
  for (const [name, { active, queue, ofCalls }] of tenants) {
    if (active === 0 && queue.length === 0 && ofCalls.length === 0) tenants.delete(name);
    if (tenants.size <= loopLimits.known / 2) return;
  }
}

const tooBusy = ({ name }: Tenant): Fault =>
  new Fault(
    "throttled",
    `requests of ${name} wait too long for their share of this instance; send fewer at once`,
    { retryAfterS: loopLimits.retryAfterS },
  );

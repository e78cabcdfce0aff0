import assert from "node:assert/strict";
import { loopLimits } from "../../../../core/model/rest/limits.ts";
import type { EndLoopWork } from "../../../../core/base/loop_work.ts";
import { createLoopShares } from "../../../../core/model/rest/loop_shares.ts";

interface Load {
  tenant: string;
  isAnonymous?: boolean;
  /** Work on the loop in ms, in one piece, after so many ms of waiting for others; in turn. */
  cost: number | number[];
  waitMs?: number;
  /** Requests that wait for their responses at any time, or one each so many ms. */
  atOnce?: number;
  everyMs?: number;
}

/** What became of the requests of a load. */
interface Outcome {
  /** How long responses took, in ms, in the order of their requests. */
  tookMs: number[];
  usedMs: number;
  refused: number;
  waiting: number;
}

/** A loop on a clock of its own: it runs one piece of work after another, and timers fire late. */
async function simulate(loads: Load[], { forMs = 20_000, bounded = true } = {}) {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  const ready: (() => void)[] = [];
  const at = (ms: number, run: () => void) => timers.push({ at: now + ms, run });
  const shares = createLoopShares({ now: () => now, setTimer: (run, ms) => at(ms, run) });
  const outcomes = loads.map((): Outcome => ({ tookMs: [], usedMs: 0, refused: 0, waiting: 0 }));

  async function request(load: Load, outcome: Outcome): Promise<void> {
    const since = now;
    outcome.waiting++;
    const { tenant, waitMs = 0, isAnonymous = false } = load;
    const costs = [load.cost].flat();
    const cost = costs[outcome.tookMs.length % costs.length]!; // Below the length.
    let leave: EndLoopWork = () => {};
    try {
      if (bounded) leave = await shares.enter({ tenant, kind: "GET /", isAnonymous });
      if (waitMs > 0) await new Promise<void>((resolve) => at(waitMs, resolve));
      await new Promise<void>((resolve) =>
        ready.push(() => {
          now += cost;
          resolve();
        })
      );
      outcome.usedMs += cost;
      outcome.tookMs.push(now - since);
    } catch {
      outcome.refused++;
    }
    leave();
    outcome.waiting--;
    if (load.atOnce !== undefined && now < forMs) at(0.1, () => void request(load, outcome));
  }

  loads.forEach((load, n) => {
    const outcome = outcomes[n]!;
    for (let i = 0; i < (load.atOnce ?? 0); i++) at(0, () => void request(load, outcome));
    const { everyMs } = load;
    if (everyMs === undefined) return;
    const next = () => {
      if (now >= forMs) return;
      void request(load, outcome);
      at(everyMs, next);
    };
    at(everyMs, next);
  });
  while (timers.length > 0 || ready.length > 0) {
    const due = timers.filter((one) => one.at <= now);
    timers = timers.filter((one) => one.at > now);
    for (const { run } of due.toSorted((a, b) => a.at - b.at)) run();
    for (let i = 0; i < 20; i++) await Promise.resolve();
    ready.shift()?.();
    for (let i = 0; i < 20; i++) await Promise.resolve();
    if (ready.length === 0 && timers.every((one) => one.at > now)) {
      now = Math.min(...timers.map((one) => one.at), Infinity);
    }
  }
  assert.deepEqual(outcomes.map(({ waiting }) => waiting), outcomes.map(() => 0));
  return outcomes.map((outcome) => ({ ...outcome, medianMs: median(outcome.tookMs) }));
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

Deno.test("a flood of expensive requests of one tenant hardly delays another one", async () => {
  const flood = { tenant: "a", cost: 60, atOnce: 50 };
  const bystander = { tenant: "b", cost: 1, everyMs: 100 };
  const [, free] = await simulate([flood, bystander], { bounded: false });
  const [dear, other] = await simulate([flood, bystander]);
  assert.ok(free!.medianMs > 2_500, `${free!.medianMs} ms without shares`);
  assert.ok(other!.medianMs < 130, `${other!.medianMs} ms`);
  assert.ok(Math.max(...other!.tookMs.slice(50)) < 200);
  assert.equal(other!.refused, 0);
  assert.ok(dear!.usedMs > 0.4 * 20_000, "the flood goes on");
});

Deno.test("a tenant that waits for others before its expensive work is bounded as well", async () => {
  const flood = { tenant: "a", cost: 60, waitMs: 200, atOnce: 50 };
  const [, other] = await simulate([flood, { tenant: "b", cost: 1, everyMs: 100 }]);
  assert.ok(other!.medianMs < 200, `${other!.medianMs} ms`);
});

Deno.test("cheap requests of the same kind do not hide a tenant's expensive ones", async () => {
  const flood = { tenant: "a", cost: [60, 0.5, 0.5, 0.5], atOnce: 50 };
  const [, other] = await simulate([flood, { tenant: "b", cost: 1, everyMs: 100 }]);
  assert.ok(other!.medianMs < 250, `${other!.medianMs} ms`);
});

Deno.test("no tenant has more than its share while others want it", async () => {
  const [dear, cheap] = await simulate([
    { tenant: "a", cost: 60, atOnce: 20 },
    { tenant: "b", cost: 1, atOnce: 20 },
  ]);
  const share = dear!.usedMs / (dear!.usedMs + cheap!.usedMs);
  assert.ok(share < 0.65, `${share} of the loop`);
});

Deno.test("a tenant alone has all of the loop, and cheap requests wait for nothing", async () => {
  const [alone] = await simulate([{ tenant: "a", cost: 10, atOnce: 50 }]);
  assert.ok(alone!.usedMs > 0.99 * 20_000);
  assert.equal(alone!.refused, 0);
  const [cheap, other] = await simulate([
    { tenant: "a", cost: 0.1, waitMs: 2, atOnce: 16 },
    { tenant: "b", cost: 1, everyMs: 100 },
  ]);
  const expected = 20_000 / 2.2 * 16; // As many as without bounds.
  assert.ok(cheap!.tookMs.length > 0.8 * expected, `${cheap!.tookMs.length} of ${expected}`);
  assert.ok(other!.medianMs < 10);
});

Deno.test("requests that wait for others keep none of their tenant's waiting", async () => {
  const slow = { tenant: "a", cost: 30, waitMs: 15_000, atOnce: 8 };
  const [, quick] = await simulate([slow, { tenant: "a", cost: 1, everyMs: 100 }]);
  assert.equal(quick!.refused, 0);
  assert.ok(quick!.medianMs < 100, `${quick!.medianMs} ms`);
});

Deno.test("anonymous requests from many networks leave a share for an account", async () => {
  const strangers = Array.from({ length: 100 }, (_, n) => ({
    tenant: `network ${n}`,
    isAnonymous: true,
    cost: 20,
    atOnce: 2,
  }));
  const loads = [{ tenant: "a", cost: 1, everyMs: 100 }, ...strangers];
  const [other, ...network] = await simulate(loads);
  assert.ok(other!.medianMs < 250, `${other!.medianMs} ms`);
  const served = network.filter(({ tookMs }) => tookMs.length > 0).length;
  assert.equal(served, 100, "each of them is served");
});

Deno.test("a request that waits too long is refused, and names the tenant of the share", async () => {
  let now = 0;
  const timers: (() => void)[] = [];
  const shares = createLoopShares({ now: () => now, setTimer: (run) => timers.push(run) });
  const asking = { tenant: "AC1", kind: "GET /" };
  const running: EndLoopWork[] = [];
  for (;;) {
    const entered = shares.enter(asking);
    if (typeof entered !== "function") {
      const refused = assert.rejects(entered, {
        fault: "throttled",
        message: /requests of AC1 wait/,
      });
      for (let n = 1; n < loopLimits.waiting; n++) {
        Promise.resolve(shares.enter(asking)).catch(() => {});
      }
      assert.throws(() => shares.enter(asking), { fault: "throttled" });
      now += loopLimits.waitMs + 1;
      timers.shift()!();
      await refused;
      break;
    }
    running.push(entered);
  }
  for (const leave of running) leave();
});

import assert from "node:assert/strict";
import { z } from "zod";
import { customerLane, exponential, type Job } from "../../../core/model/job.ts";
import type { JobHandler } from "../../../core/model/ports/job_handler.ts";
import { limits } from "../../../core/base/limits.ts";
import { type App, startApp } from "../../support/service/app.ts";
import { eventually } from "../../support/process/eventually.ts";

interface Lab {
  app: App;
  kind: JobHandler<string>;
  /** Names of jobs in the order in which they began. */
  begun: string[];
  /** Lets a job that hangs end. */
  release(name: string, error?: Error): void;
  commit(jobs: { host: string; name: string; series?: string; account?: string }[]): Promise<void>;
}

/** Jobs whose work ends at once where `hangs` and `fails` do not say else. */
async function startLab(
  { hangs = () => false, fails = () => false, ...own }: {
    hangs?: (name: string) => boolean;
    fails?: (name: string) => boolean;
    maxAgeMs?: number;
  } = {},
): Promise<Lab & Disposable> {
  const app = await startApp();
  const begun: string[] = [];
  const held = new Map<string, PromiseWithResolvers<void>>();
  const kind: JobHandler<string> = {
    kind: "test",
    args: z.string(),
    maxAttempts: 6,
    retryMs: exponential(5_000, 3_600_000, 4),
    ...own,
    work(name) {
      begun.push(name);
      if (fails(name)) return Promise.reject(new Error("it fails"));
      if (!hangs(name)) return Promise.resolve();
      held.set(name, Promise.withResolvers());
      return held.get(name)!.promise;
    },
  };
  return {
    app,
    kind,
    begun,
    release: (name, error) =>
      error === undefined ? held.get(name)!.resolve() : held.get(name)!.reject(error),
    async commit(wanted) {
      const jobs: Job[] = wanted.map(({ host, name, series, account = "AC1" }) => ({
        kind: "test",
        lane: customerLane("test", host, account),
        args: name,
        ...(series === undefined ? {} : { series }),
      }));
      await app.ports.accounts.update(app.root.sid, (account) => ({ record: account, jobs }));
    },
    [Symbol.dispose]: () => app[Symbol.dispose](),
  };
}

const named = (count: number, host: string, account = "AC1") =>
  Array.from({ length: count }, (_, n) => ({ host, account, name: `${host} ${n}` }));

Deno.test("jobs of one series run one after another, in their order; others pass them", async () => {
  using lab = await startLab({ hangs: (name) => name.startsWith("call") });
  const { app, kind, begun } = lab;
  await lab.commit([
    { host: "a.test", name: "call 0", series: "CA1" },
    { host: "a.test", name: "call 1", series: "CA1" },
    { host: "a.test", name: "call 2", series: "CA1" },
    { host: "a.test", name: "other", series: "CA2" },
  ]);
  const worker = await app.worker([kind]);
  const draining = worker.drain();
  for (const name of ["call 0", "call 1", "call 2"]) {
    await eventually(`${name} begins`, () => begun.includes(name));
    lab.release(name);
  }
  await draining;

  assert.deepEqual(begun.filter((name) => name !== "other"), ["call 0", "call 1", "call 2"]);
  assert.ok(begun.indexOf("other") <= 1);
});

Deno.test("hosts that hang use the bounds of neither other hosts nor other accounts", async () => {
  using lab = await startLab({ hangs: (name) => name.startsWith("slow") });
  const { app, kind, begun } = lab;
  for (let n = 0; n < 100; n++) await lab.commit(named(20, `slow${n}.test`));
  await lab.commit([...named(5, "quick.test"), ...named(5, "quick.test", "AC2")]);
  const worker = await app.worker([kind]);
  worker.start();
  const quickOf = () => begun.filter((name) => name.startsWith("quick")).length;
  await eventually("five begin", () => quickOf() >= 5);
  const slow = begun.filter((name) => name.startsWith("slow"));
  assert.ok(slow.length <= limits.jobsPerTenant, `${slow.length} at once`);
  assert.equal(slow.length, new Set(slow).size);
  for (const name of slow) lab.release(name);
  await worker.stop(0);
});

Deno.test("a failing server gets no requests, and its waiting jobs burn no attempts", async () => {
  let isDown = true;
  using lab = await startLab({ fails: () => isDown });
  const { app, kind, begun } = lab;
  await lab.commit(named(50, "down.test"));
  const worker = await app.worker([kind]);
  await worker.drain();
  assert.ok(begun.length <= limits.circuitFailures + limits.jobsToUnknownHost, `${begun.length}`);
  assert.equal(new Set(begun).size, begun.length, "no job was tried twice");

  const before = begun.length;
  app.clock.now += limits.circuitOpenMs + 1;
  await worker.drain();
  assert.equal(begun.length, before + 1, "one tries it out");
  isDown = false;
  app.clock.now += limits.circuitOpenMaxMs;
  await worker.drain();
  assert.equal(new Set(begun).size, 50);
});

for (const step of [20_000, -20_000, 3_600_000, -3_600_000, 10_800_000]) {
  Deno.test(`a server is tried out when its pause is over, though the clock was set by ${step} ms`, async () => {
    let isDown = true;
    using lab = await startLab({ fails: () => isDown });
    const { app, kind, begun } = lab;
    await lab.commit(named(20, "down.test"));
    const worker = await app.worker([kind]);
    await worker.drain();
    const before = begun.length;
    app.clock.step(step);
    await lab.commit([{ host: "down.test", name: "a new one" }]);
    await worker.drain();
    assert.equal(begun.length, before, "it is left alone");
    isDown = false;
    app.clock.now += limits.circuitOpenMs + 1;
    await worker.drain();
    app.clock.now += limits.circuitOpenMaxMs;
    await worker.drain();
    assert.equal(new Set(begun).size, 21);
  });
}

Deno.test("jobs that waited too long for a server that fails come to an end without it", async () => {
  const spent: string[] = [];
  using lab = await startLab({ fails: () => true, maxAgeMs: 60_000 });
  const kind: JobHandler<string> = {
    ...lab.kind,
    spent: (name, _, error) => {
      spent.push(`${name}: ${(error as Error).message}`);
      return Promise.resolve([]);
    },
  };
  const { app, begun } = lab;
  await lab.commit(named(700, "down.test"));
  const worker = await app.worker([kind]);
  await worker.drain();
  const asked = begun.length;
  app.clock.now += 61_000;
  await worker.drain();
  for (let i = 0; i < 4 && spent.length < 700; i++) {
    app.clock.now += limits.circuitOpenMaxMs;
    await worker.drain();
  }

  assert.equal(begun.length, asked, "nobody was asked any more");
  assert.equal(new Set(spent).size, 700);
  assert.match(spent[0]!, /Cannot retry the request: the time limit for retries is over$/);
});

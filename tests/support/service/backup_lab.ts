import assert from "node:assert/strict";
import type { Base } from "../../../core/base/record.ts";
import type { Query, Slice } from "../../../core/model/store.ts";
import { openStore, type Store } from "../../../kv/open_store.ts";
import { spawnTask, type System } from "../process/system.ts";

/** Runs `deno task backup` or `deno task restore` with an environment. */
export async function runTask(task: string[], env: Record<string, string>) {
  const { ended, output } = spawnTask(task, env);
  return { code: await ended, output: output() };
}

/** Writes of REST at a rate, each remembered once it is acknowledged. */
export interface Load {
  /** Sids that were acknowledged so far, by the path of their list. */
  acknowledged(): Record<"applications" | "clients" | "calls", Set<string>>;
  /** Writes a second since the start. */
  rate(): number;
  stop(): Promise<void>;
}

const tickMs = 50;
/** Requests under way; a service that is slower than the rate gets no more. */
const mostAtOnce = 100;

/** Begins to create Applications, Clients and Calls, `perSecond` altogether, until it is stopped. */
export function startLoad(system: System, perSecond: number): Load {
  const made = { applications: [] as string[], clients: [] as string[], calls: [] as string[] };
  const pending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const startedAt = performance.now();
  let sent = 0;
  const write = async (n: number) => {
    const run = crypto.randomUUID().slice(0, 8);
    switch (n % 10) {
      case 0:
      case 1: {
        const form = { Login: `client${run}`, Password: "secret-of-it" };
        return void made.clients.push((await system.post("Clients.json", form)).sid);
      }
      case 2: {
        const form = { From: "me", To: "client:absent", Url: "http://127.0.0.1:9/voice" };
        return void made.calls.push((await system.post("Calls.json", form)).sid);
      }
      default: {
        const form = { FriendlyName: `application ${n % 7}` };
        return void made.applications.push((await system.post("Applications.json", form)).sid);
      }
    }
  };
  const timer = setInterval(() => {
    const due = (performance.now() - startedAt) / 1_000 * perSecond;
    for (; sent < due && pending.size < mostAtOnce; sent++) {
      const one = write(sent).catch((error) => void failures.push(error))
        .finally(() => pending.delete(one));
      pending.add(one);
    }
  }, tickMs);
  return {
    acknowledged: () => ({
      applications: new Set(made.applications),
      clients: new Set(made.clients),
      calls: new Set(made.calls),
    }),
    rate: () => (sent - pending.size) / (performance.now() - startedAt) * 1_000,
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      assert.deepEqual(failures, []);
    },
  };
}

/** Opens the store that was restored into a folder, with the key that was restored. */
export const restoredStore = async (directory: string): Promise<Store> =>
  await openStore({
    location: `${directory}/switchboard.db`,
    secretKey: await Deno.readTextFile(`${directory}/secret_key`),
    now: () => Date.now(),
  });

/** A field of each list whose values are counted. */
const filters = { applications: "friendlyName", clients: "friendlyName", calls: "status" } as const;

/** Asserts that a store holds every record of a load, and that totals, filters and lists agree. */
export async function assertHolds(
  store: Store,
  accountSid: string,
  expected: ReturnType<Load["acknowledged"]>,
): Promise<void> {
  for (const [name, field] of Object.entries(filters) as [keyof typeof filters, string][]) {
    const list: (query: Query) => Promise<Slice<Base>> = (query) =>
      store.records[name].list(accountSid, query);
    const all = await allOf(list);
    const sids = new Set(all.map(({ sid }) => sid));
    assert.equal(sids.size, all.length, `${name} in a list once each`);
    const lost = [...expected[name]].filter((sid) => !sids.has(sid));
    assert.deepEqual(lost, [], `${name} that were acknowledged`);

    const byValue = Map.groupBy(all, (one) => String({ ...one }[field as keyof Base]));
    for (const [value, ones] of [...byValue].slice(0, 10)) {
      const where = [{ field, op: "equals", value } as const];
      const { items, total } = await list({ where, skip: 0, limit: 1_000 });
      assert.equal(total, ones.length, `the total of ${name} whose ${field} is ${value}`);
      assert.deepEqual(items.map(({ sid }) => sid), ones.slice(0, 1_000).map(({ sid }) => sid));
    }
  }
}

/** All records, page by page; their number is the total that each page says. */
async function allOf(list: (query: Query) => Promise<Slice<Base>>): Promise<Base[]> {
  const all: Base[] = [];
  for (;;) {
    const { items, total } = await list({ where: [], skip: all.length, limit: 1_000 });
    all.push(...items);
    if (items.length > 0 && all.length < total) continue;
    assert.equal(all.length, total);
    return all;
  }
}

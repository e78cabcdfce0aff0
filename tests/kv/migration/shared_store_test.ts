import assert from "node:assert/strict";
import { limits } from "../../../core/base/limits.ts";
import { calls } from "../../../core/model/resources/calls.ts";
import type { AnyResource } from "../../../core/model/resource.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import { openStore, type Store } from "../../../kv/open_store.ts";
import type { Declarations, Schema } from "../../../kv/records/schema.ts";
import { keys } from "../../../kv/store/keys.ts";
import { withDirection } from "../../support/process/migrating_process.ts";
import { unpackStore } from "../../support/service/former_stores.ts";
import { auditIndexes } from "../../support/service/index_audit.ts";
import { type KvConnect, startKvConnect } from "../../support/service/kv_connect.ts";
import { rootAccount, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const never = new AbortController().signal;
const secretKey = "lab";

/** Runs a test with other times than those of production. */
async function inTimes(
  test: () => Promise<void>,
  { pollMs = 50, leaseMs = 15_000 } = {},
): Promise<void> {
  const { layoutPollMs, migrationLeaseMs } = limits;
  Object.assign(limits, { layoutPollMs: pollMs, migrationLeaseMs: leaseMs });
  await test().finally(() => Object.assign(limits, { layoutPollMs, migrationLeaseMs }));
}

const open = (
  { url }: KvConnect,
  declarations: Declarations,
  progress: () => void = () => {},
): Promise<Store> =>
  openStore({ location: url, secretKey, now: () => Date.now(), declarations, progress });

const direction = (value: string) => [{ field: "direction", op: "equals" as const, value }];

const totalOf = async ({ records }: Store, accountSid: string, value: string) =>
  (await records.calls.list(accountSid, { where: direction(value), skip: 0, limit: 0 })).total;

Deno.test("two services that open a former store at once migrate it once", () =>
  inTimes(async () => {
    await using former = await unpackStore("0.1.0");
    await using endpoint = startKvConnect();
    {
      using from = await openDenoKv(former.location);
      using to = await openDenoKv(endpoint.url);
      for await (const { key, value } of from.list({ prefix: [] })) await to.set(key, value);
    }
    const commits: string[] = [];
    const open = (name: string) =>
      openStore({
        location: endpoint.url,
        secretKey: former.secretKey,
        now: () => Date.now(),
        progress: () => commits.push(name),
      });
    const [one, two] = await Promise.all([open("one"), open("two")]);
    const before = new Set(commits);
    await Promise.all([one.buildIndexes(never), two.buildIndexes(never)]);
    one.close();
    two.close();

    assert.equal(before.size, 1);
    // Either may build the indexes, but not both at a time.
    const changes = commits.filter((name, at) => at > 0 && name !== commits[at - 1]);
    assert.ok(changes.length <= 1, commits.join(" "));
    assert.ok(await auditIndexes(endpoint.url, former) > 150);
  }));

Deno.test("a service that does not declare an index keeps it for the one that builds it", () =>
  inTimes(async () => {
    await using endpoint = startKvConnect();
    using lab = await storeLab(endpoint.url, secretKey);
    const { accountSid, store: former } = lab;
    const insert = (count: number, value: "inbound" | "outbound-api") =>
      Promise.all(
        Array.from({ length: count }, () => {
          lab.clock.now += 1_000;
          return former.records.calls.insert({ record: lab.call({ direction: value }) });
        }),
      );
    const [first] = await insert(60, "inbound");
    const latter = await open(endpoint, withDirection);
    const building = latter.buildIndexes(never);
    await insert(40, "inbound");
    await former.records.calls.update(accountSid, first!.sid, (record) => ({
      record: { ...record, direction: "outbound-api" },
    }));
    await building;
    await insert(20, "outbound-api");

    assert.equal(await totalOf(latter, accountSid, "inbound"), 99);
    assert.equal(await totalOf(latter, accountSid, "outbound-api"), 21);
    latter.close();
    assert.equal(await auditIndexes(endpoint.url, { secretKey, declarations: withDirection }), 120);
  }, { pollMs: 60_000 })); // The former service learns of the change by its commits only.

Deno.test("a service writes no record that it cannot keep findable for a later version", () =>
  inTimes(async () => {
    await using endpoint = startKvConnect();
    using lab = await storeLab(endpoint.url, secretKey);
    const { accountSid, store: former } = lab;
    await former.records.calls.insert({ record: lab.call({ direction: "inbound" }) });
    const grouped: AnyResource = {
      ...calls as AnyResource,
      groups: { ...calls.groups, direction: (record) => String(record.direction) },
    };
    const latter = await open(endpoint, { ...resources, calls: grouped });

    assert.equal((await latter.records.calls.group("direction", "inbound")).length, 1);
    await assert.rejects(
      former.records.calls.insert({ record: lab.call({ direction: "inbound" }) }),
      ({ message }: Error) => /start all services with the same version/.test(message),
    );
    const listed = await former.records.calls.list(accountSid, { where: [], skip: 0, limit: 10 });
    assert.equal(listed.total, 1);
    latter.close();
    await assert.rejects(open(endpoint, resources), /keeps "group direction" there/);
  }));

Deno.test("a service opens a shared store with the groups of patterns of former versions", () =>
  inTimes(async () => {
    await using endpoint = startKvConnect();
    const numbers = resources.incomingPhoneNumbers as AnyResource;
    const { tenantGroups: _, ...ungrouped } = numbers;
    const former = {
      ...ungrouped,
      groups: { patterns: ({ isSIP }) => isSIP === true ? "any" : null },
    } as AnyResource;
    const before = await open(endpoint, { ...resources, incomingPhoneNumbers: former });
    const accountSid = `AC${"1".repeat(32)}`;
    await before.accounts.insert({ record: rootAccount(accountSid, 1) });
    before.close();
    using lab = await storeLab(endpoint.url, secretKey);
    const record = { ...lab.number({ phoneNumber: "7.", friendlyName: "x" }), isSIP: true };
    await lab.store.records.incomingPhoneNumbers.insert({ record });
    const members = await lab.store.records.incomingPhoneNumbers.group(
      "tenantPatterns",
      accountSid,
    );
    assert.deepEqual(members.map(({ phoneNumber }) => phoneNumber), ["7."]);
  }));

Deno.test("a service goes on with the migration of one that shows no progress, which then ends", () =>
  inTimes(async () => {
    await using endpoint = startKvConnect();
    const { accountSid } = await (async () => {
      using lab = await storeLab(endpoint.url, secretKey);
      await Promise.all(Array.from({ length: 40 }, () => {
        lab.clock.now += 1_000;
        return lab.store.records.calls.insert({ record: lab.call({ direction: "inbound" }) });
      }));
      return lab;
    })();
    const suspended = Promise.withResolvers<void>();
    using kv = await openDenoKv(endpoint.url);
    const { taken, letGo } = await (async () => {
      const slow = await open(endpoint, withDirection, () => suspended.resolve());
      const held = { slow, building: slow.buildIndexes(never) };
      await suspended.promise;
      const write = endpoint.holdWrite(); // Its next commit does not arrive for now.
      await write.taken;
      return { taken: held, letGo: write.letGo };
    })();
    const other = await open(endpoint, withDirection);
    await other.buildIndexes(never);
    letGo();
    await taken.building; // Its commit was refused; nothing is left to do.

    assert.equal(await totalOf(other, accountSid, "inbound"), 40);
    const { value } = await kv.get<Schema>(keys.version);
    assert.deepEqual(value!.building, {});
    taken.slow.close();
    other.close();
    assert.equal(await auditIndexes(endpoint.url, { secretKey, declarations: withDirection }), 40);
  }, { leaseMs: 1_000 }));

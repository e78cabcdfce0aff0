import assert from "node:assert/strict";
import type { AnyResource } from "../../../core/model/resource.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import { openStore } from "../../../kv/open_store.ts";
import type { Declarations } from "../../../kv/records/schema.ts";
import { unpackStore } from "../../support/service/former_stores.ts";
import { auditIndexes } from "../../support/service/index_audit.ts";

const never = new AbortController().signal;
const { calls, clients, notifications } = resources as Record<string, AnyResource> as Record<
  "calls" | "clients" | "notifications",
  AnyResource
>;

const changes: Record<string, Declarations> = {
  "another end of calls": {
    ...resources,
    calls: { ...calls, period: { start: "startTime", end: "dateUpdated" } },
  },
  "dates of Clients": {
    ...resources,
    clients: { ...clients, period: { start: "dateCreated", end: "dateUpdated" } },
  },
  "another order of Clients": {
    ...resources,
    clients: { ...clients, sorted: { by: "login", holds: ["friendlyName"] } },
  },
  "a group of calls": {
    ...resources,
    calls: { ...calls, groups: { ...calls.groups, status: ({ status }) => String(status) } },
  },
  "a group of the Clients of a tenant": {
    ...resources,
    clients: { ...clients, tenantGroups: { named: ({ login }) => String(login).length % 2 === 0 } },
  },
  "a unique value of Clients": {
    ...resources,
    clients: { ...clients, unique: [...clients.unique ?? [], "sid"] },
  },
};

for (const [name, declarations] of Object.entries(changes)) {
  Deno.test(`${name}: later declarations cover the records from before, each time anew`, async () => {
    await using former = await unpackStore("0.3.0");
    const { location, secretKey, root } = former;
    const run = async (declarations: Declarations) => {
      const store = await openStore({ location, secretKey, now: () => Date.now(), declarations });
      await store.buildIndexes(never);
      const where = { where: [], skip: 0, limit: 1_000 };
      const { items: [call] } = await store.records.calls.list(root, where);
      const { items: [client] } = await store.records.clients.list(root, where);
      const isOver = call!.status === "failed";
      await store.records.calls.update(root, call!.sid, (record) => ({
        record: { ...record, status: isOver ? "canceled" : "failed" },
      }));
      await store.records.clients.update(root, client!.sid, (record) => ({
        record: { ...record, login: `${record.login}x`, friendlyName: `${record.login}y` },
      }));
      store.close();
      assert.ok(await auditIndexes(location, { secretKey, declarations }) > 150);
    };
    await run(resources);
    await run(declarations);
    await run(resources);
    await run(declarations);
  });
}

Deno.test("a text filter that is declared later finds records from before", async () => {
  await using former = await unpackStore("0.3.0");
  const { location, secretKey, root } = former;
  const { filters } = notifications;
  const declarations: Declarations = {
    ...resources,
    notifications: { ...notifications, filters: { ...filters, requestUrl: "contains" } },
  };
  const open = () => openStore({ location, secretKey, now: () => Date.now(), declarations });
  const store = await open();
  const query = { skip: 0, limit: 1_000 };
  const { items } = await store.records.notifications.list(root, { where: [], ...query });
  const value = items[0]!.requestUrl!.slice(3, 12);
  const where = [{ field: "requestUrl", op: "contains" as const, value }];
  const wanted = items.filter(({ requestUrl }) => requestUrl?.includes(value)).map(({ sid }) =>
    sid
  );
  const before = await store.records.notifications.list(root, { where, ...query });
  await store.buildIndexes(never);
  const after = await store.records.notifications.list(root, { where, ...query });
  store.close();

  assert.ok(wanted.length > 0);
  assert.deepEqual(before.items.map(({ sid }) => sid), wanted);
  assert.deepEqual(after.items.map(({ sid }) => sid), wanted);
});

import assert from "node:assert/strict";
import type { Base } from "../../../core/base/record.ts";
import { openStore } from "../../../kv/open_store.ts";
import { startApp } from "../../support/service/app.ts";
import { made, reportWholeCall, xml } from "../../support/service/hand_companion.ts";
import { storeFile } from "../../support/service/store_lab.ts";

const kinds = ["calls", "clients", "deliveries", "documentRequests", "applications"] as const;
type Lists = Record<
  typeof kinds[number],
  { list(account: string, query: object): Promise<{ items: Base[] }> }
>;

Deno.test("a record that this process wrote is in memory as the next one reads it", async () => {
  await using file = await storeFile();
  const options = {
    location: file.location,
    secretKey: "test",
    now: () => Date.UTC(2024, 0, 31, 12),
  };
  const store = await openStore(options);
  const app = await startApp({ opened: store });
  app.answers = ({ url }) =>
    url === "https://app.test/voice" ? xml("<Pause length='1'/>") : new Response();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  await made(app.root, "Applications", { FriendlyName: "one" });
  const { sid } = await made(app.root, "Calls", {
    From: "+15550001",
    To: "client:alice",
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/events",
    StatusCallbackEvent: "initiated ringing answered completed",
  });
  await reportWholeCall(app, sid);

  const listed = async (records: unknown) => {
    const lists = records as Lists;
    const query = { where: [], skip: 0, limit: 50 };
    return await Promise.all(kinds.map((kind) => lists[kind].list(app.root.sid, query)));
  };
  const sids = (await listed(store.records)).flatMap(({ items }) => items.map(({ sid }) => sid));
  const getAll = (records: unknown) =>
    Promise.all(
      kinds.flatMap((kind) =>
        sids.map((sid) =>
          (records as Record<string, { get(account: string, sid: string): Promise<unknown> }>)[
            kind
          ]!
            .get(app.root.sid, sid)
        )
      ),
    );
  const here = (await getAll(store.records)).filter((one) => one !== null);
  app[Symbol.dispose]();

  const next = await openStore(options);
  const there = (await getAll(next.records)).filter((one) => one !== null);
  next.close();
  assert.ok(here.length >= 8, `${here.length} records`);
  assert.deepEqual(here, there);
});

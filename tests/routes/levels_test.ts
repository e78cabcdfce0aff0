import assert from "node:assert/strict";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { readerOf } from "../support/service/event_reader.ts";
import { companion } from "../support/service/hand_companion.ts";
import { assertFits } from "../support/service/openapi.ts";

/** A call in progress. */
async function talking(app: App, account: ApiClient): Promise<string> {
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = (await account.post("Calls.json", form)).json();
  await app.ports.records.calls.update(account.sid, sid, (call) => ({
    record: { ...call, status: "in-progress", companion },
  }));
  return sid;
}

const ask = (app: App, { sid, token }: ApiClient, query: string, account = sid) =>
  app.http.request(`/2012-04-24/Accounts/${account}/Levels${query}`, {
    headers: { Authorization: `Basic ${btoa(`${sid}:${token}`)}` },
  });

Deno.test("GET …/Levels streams how loud calls are, whenever that changes", async () => {
  using app = await startApp();
  const [one, other] = [await talking(app, app.root), await talking(app, app.root)];
  app.levels.set(one, -30);
  const stream = readerOf(await ask(app, app.root, `?CallSid=${one},${other}`));
  const next = async () => JSON.parse((await stream.next()).data);

  const first = await next();
  assertFits("Levels", first);
  assert.deepEqual(first, { levels: [{ call_sid: one, level: -30 }] });
  app.levels.set(other, -12);
  assert.deepEqual(await next(), {
    levels: [{ call_sid: one, level: -30 }, { call_sid: other, level: -12 }],
  });
  app.levels.clear();
  assert.deepEqual(await next(), { levels: [] });
  await stream.close();
});

Deno.test("with Follow=false the levels of this moment are all there is", async () => {
  using app = await startApp();
  const sid = await talking(app, app.root);
  app.levels.set(sid, -30);
  const response = await ask(app, app.root, `?CallSid=${sid}&Follow=false`);
  assert.equal(
    await response.text(),
    `data: {"levels":[{"call_sid":"${sid}","level":-30}]}\n\n`,
  );
});

Deno.test("nothing is measured of a call that is not in progress", async () => {
  using app = await startApp();
  const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
  const { sid } = (await app.root.post("Calls.json", form)).json();
  app.levels.set(sid, -30);
  const stream = readerOf(await ask(app, app.root, `?CallSid=${sid}`));
  assert.deepEqual(JSON.parse((await stream.next()).data), { levels: [] });
  await stream.close();
});

Deno.test("levels of another account's calls are refused, and so are texts that are no Sids", async () => {
  using app = await startApp();
  const [child, sibling] = [
    await app.subAccount(app.root, "child"),
    await app.subAccount(app.root, "sibling"),
  ];
  const sid = await talking(app, child);
  const statusOf = async (...asked: Parameters<typeof ask>) => {
    const response = await ask(...asked);
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await statusOf(app, app.root, `?CallSid=${sid}`, child.sid), 200);
  assert.equal(await statusOf(app, sibling, `?CallSid=${sid}`), 404);
  assert.ok([401, 403, 404].includes(await statusOf(app, sibling, `?CallSid=${sid}`, child.sid)));
  for (const query of ["", "?CallSid=", "?CallSid=CF1", `?CallSid=${sid},x`]) {
    assert.equal(await statusOf(app, child, query), 400, query);
  }
});

import assert from "node:assert/strict";
import { resources } from "../../../core/model/resources/mod.ts";
import { emptyBatch } from "../../../kv/store/batch.ts";
import { committer } from "../../../kv/store/commit.ts";
import { keys } from "../../../kv/store/keys.ts";
import { isOvertaken, stageReferences } from "../../../kv/records/references.ts";
import type { Answer } from "../../support/service/api_client.ts";
import { startApp } from "../../support/service/app.ts";
import { startKvConnect } from "../../support/service/kv_connect.ts";
import { mergedReader } from "../../../kv/store/reader.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const { clients } = resources;
const gone = /VoiceApplicationSid must name one of the account's applications/;

Deno.test("a commit is refused when a record that it references goes or changes before it", async () => {
  using kv = await openDenoKv(":memory:");
  const commits = committer(kv, { checks: 100 });
  const sid = "AP" + "1".repeat(32);
  const key = keys.record(1n, sid);
  const after = { sid: "CL", accountSid: "AC", dateCreated: 1, dateUpdated: 1 };
  const place = { read: mergedReader(kv), account: 1n };
  const stage = async (change: { before?: typeof after; after?: typeof after }) => {
    const batch = emptyBatch();
    await stageReferences(batch, place, clients, change);
    return batch;
  };
  const naming = { ...after, voiceApplicationSid: sid };
  await assert.rejects(stage({ after: naming }), gone);

  await kv.set(key, "made");
  const [kept, changed, removed] = await Promise.all(
    [1, 2, 3].map(() => stage({ before: after, after: naming })),
  );
  assert.notEqual(await commits.commit(kept!), null);
  await kv.set(key, "changed");
  assert.equal(await commits.commit(changed!), null);
  assert.equal(await isOvertaken(changed!, place.read), true);
  const again = await stage({ after: naming });
  assert.equal(await isOvertaken(again, place.read), false);
  await kv.delete(key);
  assert.equal(await commits.commit(removed!), null);
  assert.equal(await commits.commit(again), null);
  await assert.rejects(stage({ after: naming }), gone);

  assert.equal((await stage({ before: naming, after: naming })).checks.length, 0);
  assert.equal((await stage({ before: naming })).checks.length, 0);
});

Deno.test("no record keeps the Sid of an application that is removed while it is written", async () => {
  await using endpoint = startKvConnect();
  using here = await startApp({ shared: { location: endpoint.url, instance: 0 } });
  using there = await startApp({ shared: { location: endpoint.url, instance: 1 } });
  const bob = (await here.root.post("Clients.json", { Login: "bob", Password: "secret" })).json();
  const carol = (sid: string) => ({ Login: "carol", Password: "secret", VoiceApplicationSid: sid });
  const writes: ((sid: string) => Promise<Answer>)[] = [
    (sid) => here.root.post("Clients.json", carol(sid)),
    (sid) => here.root.post(`Clients/${bob.sid}.json`, { VoiceApplicationSid: sid }),
    (sid) => here.root.post("Sandbox.json", { ApplicationSid: sid }),
    (sid) => here.root.post("IncomingPhoneNumbers.json", numberWith(sid)),
  ];
  await here.root.get("Sandbox.json");
  for (const write of writes) {
    const form = { FriendlyName: "ivr" };
    const { sid } = (await there.root.post("Applications.json", form)).json();
    const held = endpoint.holdWrite();
    const writing = write(sid);
    await held.taken;
    assert.equal((await there.root.delete(`Applications/${sid}`)).status, 204);
    await there.runJobs();
    held.letGo();
    const answer = await writing;
    assert.equal(answer.status, 400, answer.text);
    assert.match(
      answer.json().message,
      /ApplicationSid must name one of the account's applications/,
    );
    for (const path of ["Clients", "Sandbox", "IncomingPhoneNumbers"]) {
      assert.ok(!(await here.root.get(`${path}.json`)).text.includes(sid), path);
    }
  }
});

const numberWith = (sid: string) => ({ PhoneNumber: "+14155550123", SmsApplicationSid: sid });

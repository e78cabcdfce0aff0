import assert from "node:assert/strict";
import { designerLimits } from "../../core/trials/dry_run_limits.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { flowApplication, flowOf } from "../support/service/flow_lab.ts";

const saying = (text: string) => flowOf({ hi: { type: "say", text } });

const versionsOf = async (app: App, sid: string, more = "") =>
  (await app.root.get(`FlowVersions.json?ApplicationSid=${sid}${more}`)).json().flow_versions;

const save = (app: App, sid: string, form: Record<string, string>) =>
  app.root.post(`Applications/${sid}.json`, form);

Deno.test("each flow that is saved is a version with its author; other changes are none", async () => {
  using app = await startApp();
  const { sid } = await flowApplication(app, saying("one"));
  await save(app, sid, { Flow: JSON.stringify(saying("two")) });
  const renamed = (await save(app, sid, { FriendlyName: "menu" })).json();
  assert.equal(renamed.flow_version, 2);
  const same = (await save(app, sid, { Flow: JSON.stringify(saying("two")) })).json();
  assert.equal(same.flow_version, 2);
  const cleared = (await save(app, sid, { Flow: "" })).json();
  assert.deepEqual([cleared.flow_version, cleared.flow], [3, null]);

  const versions = await versionsOf(app, sid);
  assert.deepEqual(
    versions.map(({ number, flow, saved_by, saved_by_email, kind }: Record<string, unknown>) => [
      number,
      JSON.parse(String(flow)).steps.hi.text,
      saved_by,
      saved_by_email,
      kind,
    ]),
    [
      [2, "two", app.root.sid, "root@example.com", "voice"],
      [1, "one", app.root.sid, "root@example.com", "voice"],
    ],
  );
  const { sid: other } = await flowApplication(app, saying("other"));
  assert.equal((await versionsOf(app, other)).length, 1);
  assert.equal((await app.root.get(`FlowVersions/${versions[0].sid}.json`)).json().number, 2);
});

Deno.test("a version names the parent that saved it, and is of the account of its application", async () => {
  using app = await startApp();
  const sub = await app.subAccount(app.root, "dev");
  const other = await app.subAccount(app.root, "other");
  const { sid } = (await sub.post("Applications.json", {
    FriendlyName: "menu",
    Flow: JSON.stringify(saying("one")),
  })).json();
  await app.root.post(`/2012-04-24/Accounts/${sub.sid}/Applications/${sid}.json`, {
    Flow: JSON.stringify(saying("two")),
  });

  const { flow_versions: versions } = (await sub.get("FlowVersions.json")).json();
  assert.deepEqual(
    versions.map(({ saved_by_email }: { saved_by_email: string }) => saved_by_email),
    ["root@example.com", "dev@example.com"],
  );
  assert.equal((await other.get(`FlowVersions/${versions[0].sid}.json`)).status, 404);
  assert.equal((await app.root.get("FlowVersions.json")).json().total, 0);
});

Deno.test("a change of a version that is not the current one is refused, of two at once too", async () => {
  using app = await startApp();
  const { sid } = await flowApplication(app, saying("one"));
  const both = await Promise.all(
    ["two", "three"].map((text) =>
      save(app, sid, { Flow: JSON.stringify(saying(text)), FlowVersion: "1" })
    ),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
  const refused = both.find(({ status }) => status === 409)!.json();
  assert.equal(refused.code, 20010);
  assert.match(refused.message, /the current version is 2, not 1/);
  assert.equal((await versionsOf(app, sid)).length, 2);
  assert.equal((await save(app, sid, { FriendlyName: "x", FlowVersion: "1" })).status, 409);
  assert.equal((await save(app, sid, { FriendlyName: "x", FlowVersion: "2" })).status, 200);
});

Deno.test("the latest versions of the longest flow stay, and go with its application", async () => {
  using app = await startApp();
  const parts = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [`step${n}`, { type: "say", text: "x".repeat(4_000) }]),
  );
  const long = (n: number) => ({ ...flowOf(parts), variables: { n: String(n) } });
  const { sid } = await flowApplication(app, long(0));
  const most = designerLimits.versions;
  for (let n = 1; n < most + 3; n++) {
    const saved = await save(app, sid, { Flow: JSON.stringify(long(n)) });
    assert.equal(saved.status, 200, saved.text);
  }
  assert.ok(JSON.stringify(long(1)).length > limits.flowBytes * .85);
  const versions = await versionsOf(app, sid, "&PageSize=100");
  assert.deepEqual(
    [versions.length, versions[0].number, versions.at(-1).number],
    [most, most + 3, 4],
  );
  assert.equal((await app.root.delete(`Applications/${sid}.json`)).status, 204);
  assert.equal((await versionsOf(app, sid)).length, 0);
});

Deno.test("a flow from before versions existed becomes the first at its change", async () => {
  using app = await startApp();
  const { sid } = await flowApplication(app, saying("one"));
  await app.ports.records.applications.update(app.root.sid, sid, (record) => ({
    record: { ...record, flowVersion: 0, flowVersions: [] },
  }));
  const saved = await save(app, sid, { Flow: JSON.stringify(saying("two")), FlowVersion: "0" });
  assert.equal(saved.json().flow_version, 2);
  const [second, first] = await versionsOf(app, sid);
  assert.deepEqual([second.number, first.number, first.saved_by], [2, 1, null]);
  assert.equal(JSON.parse(first.flow).steps.hi.text, "one");
});

import assert from "node:assert/strict";
import {
  type ConsoleClient,
  consoleClient,
  startConsole,
} from "../../support/service/console_client.ts";
import type { App } from "../../support/service/app.ts";
import { flowOf } from "../../support/service/flow_lab.ts";
import { flowTemplates } from "../../../core/trials/flow_templates.ts";
import { flowProblems, kindProblem } from "../../../core/model/flows/check_flow.ts";

const script = { Accept: "application/json" };
const flow = flowOf({ hi: { type: "say", text: "Hi" } });

/** A browser that is signed in as the root account, and the path of its pages of the designer. */
async function signedIn(app: App): Promise<{ browser: ConsoleClient; to: string }> {
  const browser = consoleClient(app, "203.0.113.9");
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Flows`;
  await browser.get(`${to}/new`);
  return { browser, to };
}

Deno.test("a flow is made and changed without scripts; a refusal stands in the form", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);

  const refused = await browser.post(to, {
    FriendlyName: "Menu",
    Kind: "voice",
    Flow: JSON.stringify(flowOf({ hi: { type: "say" } })),
  });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /role="alert">[^<]*step &quot;hi&quot;: text: is required/);
  assert.match(refused.text, /value="Menu"/);

  const made = await browser.post(to, {
    FriendlyName: "Menu",
    Kind: "voice",
    Flow: JSON.stringify(flow),
  });
  assert.match(made.path, /Flows\/AP[0-9a-f]{32}\?done=saved$/);
  assert.match(made.text, /Saved\./);
  const path = made.path.slice("/console".length).split("?")[0]!;
  const sid = path.split("/").at(-1)!;
  assert.deepEqual(JSON.parse((await app.root.get(`Applications/${sid}.json`)).json().flow), flow);
  const list = await browser.get(to);
  assert.match(list.text, new RegExp(`Flows/${sid}"[^>]*>Menu<`));
  const [entry] = (await app.root.get("AuditEntries.json?Target=Applications")).json()
    .audit_entries;
  assert.deepEqual([entry.action, entry.from], ["POST", "203.0.113.9"]);
});

Deno.test("the designer checks a flow by the rules of the interface, and names step and field", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const check = async (Flow: string, Kind = "voice") =>
    JSON.parse((await browser.post(`${to}/check`, { Flow, Kind }, script)).text).problems;

  assert.deepEqual(await check(JSON.stringify(flow)), []);
  assert.deepEqual(await check(JSON.stringify(flow), "ussd"), [{
    step: "hi",
    field: "type",
    rule:
      "say is none of those of Kind ussd: ussdMessage, ussdCollect, sms, email, externalService, " +
      "control, redirect, hangup",
  }]);
  const wrong = flowOf({
    a: { type: "gather", branches: [{ digits: "x", next: "b" }], numDigits: 0 },
    b: { type: "say", text: "" },
  });
  assert.deepEqual(await check(JSON.stringify(wrong)), [
    { step: "a", field: "numDigits", rule: "must be at least 1" },
    { step: "a", field: "branches.0.digits", rule: "must be keys of a telephone" },
    { step: "b", field: "text", rule: "must not be empty" },
  ]);
  const lost = flowOf({ a: { type: "say", text: "a", next: "gone" } });
  assert.deepEqual(await check(JSON.stringify(lost)), [
    { step: "a", field: "next", rule: 'there is no step "gone"' },
  ]);
  assert.match((await check("{"))[0].rule, /must be JSON/);
});

Deno.test("the schema of the designer has every type of step, and every input of a dry run", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const { schemas, kinds } = JSON.parse((await browser.get(`${to}/schema`)).text);
  for (const type of Object.values<string[]>(kinds).flat()) {
    const name = `Flow${type.charAt(0).toUpperCase()}${type.slice(1)}`;
    assert.equal(schemas[name].properties.type.const, type);
    for (const [ref] of JSON.stringify(schemas[name]).matchAll(/(?<=schemas\/)\w+/g)) {
      assert.ok(ref in schemas, ref);
    }
  }
  assert.ok(schemas.DryRunInput.oneOf.length > 5);
});

Deno.test("the forms of the designer offer the Clients, numbers and queues of the account", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  await app.root.post(
    `/2010-04-01/Accounts/${app.root.sid}/Queues.json`,
    { FriendlyName: "support" },
  );
  const { known } = JSON.parse((await browser.get(`${to}/schema`)).text);
  assert.deepEqual(known, { client: ["alice"], number: [], queue: ["support"] });
});

Deno.test("the designer performs a dry run and calls a Client, and shows why it cannot", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu",
    Flow: JSON.stringify(flow),
  })).json();

  const ran = await browser.post(`${to}/dry-run`, {
    Flow: JSON.stringify(flow),
    Kind: "voice",
    Inputs: "[]",
    Body: "",
  }, script);
  assert.equal(JSON.parse(ran.text).end.reason, "hangup");
  const refused = await browser.post(`${to}/dry-run`, { Flow: "{" }, script);
  assert.equal(refused.status, 400);
  assert.match(JSON.parse(refused.text).problem, /must be JSON/);

  const page = await browser.get(`${to}/${sid}`);
  assert.match(page.text, /<option value="alice">/);
  const called = await browser.post(`${to}/${sid}/call`, { Login: "alice", From: "" }, script);
  const { to: timeline } = JSON.parse(called.text);
  const [call] = (await app.root.get("Calls.json")).json().calls;
  assert.equal(timeline, `/console/${app.root.sid}/Calls/${call.sid}`);
  assert.deepEqual([call.to, call.from], ["client:alice", "client:alice"]);
  const nobody = await browser.post(`${to}/${sid}/call`, { Login: "a b" }, script);
  assert.equal(nobody.status, 400);
  assert.match(JSON.parse(nobody.text).problem, /To|From/);
});

Deno.test("the designer takes no change without its token, and none of another site", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const form = { FriendlyName: "Menu", Kind: "voice", Flow: JSON.stringify(flow) };
  for (const path of [to, `${to}/check`, `${to}/dry-run`, `${to}/AP${"1".repeat(32)}/call`]) {
    const forged = await browser.post(path, { ...form, csrf: "x" });
    assert.equal(forged.status, 403, path);
    const foreign = await browser.post(path, form, { "Sec-Fetch-Site": "cross-site" });
    assert.equal(foreign.status, 403, path);
  }
  assert.deepEqual((await app.root.get("Applications.json")).json(), []);
});

Deno.test("versions of a flow are listed with their author, compared and restored", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const texts = ["one", "two", "three"];
  const { sid } = (await app.root.post("Applications.json", { FriendlyName: "Menu" })).json();
  for (const text of texts) {
    const Flow = JSON.stringify(flowOf({ hi: { type: "say", text } }));
    await app.root.post(`Applications/${sid}.json`, { Flow });
  }
  const at = `${to}/${sid}/versions`;
  const list = await browser.get(at);
  assert.match(list.text, /Version 3.*Version 2.*Version 1/s);
  assert.match(list.text, /root@example\.com/);
  const [third, second] = [...list.text.matchAll(/versions\/(FV[0-9a-f]{32})/g)].map(([, one]) =>
    one
  );

  assert.doesNotMatch((await browser.get(`${at}/${third}`)).text, />Restore</);
  const page = await browser.get(`${at}/${second}`);
  assert.match(page.text, /<dt>text<\/dt><dd><del>three<\/del> <ins>two<\/ins>/);
  const stale = await browser.post(`${at}/${second}/restore`, { FlowVersion: "1" });
  assert.equal(stale.status, 409);
  assert.match(stale.text, /role="alert">[^<]*another version/);
  const restored = await browser.post(`${at}/${second}/restore`, { FlowVersion: "3" });
  assert.match(restored.path, /done=saved/);
  const { flow, flow_version } = (await app.root.get(`Applications/${sid}.json`)).json();
  assert.deepEqual([JSON.parse(flow).steps.hi.text, flow_version], ["two", 4]);
  const { audit_entries: entries } = (await app.root.get(
    `AuditEntries.json?Target=Applications/${sid}`,
  )).json();
  assert.deepEqual(entries.map(({ status }: { status: number }) => status), [200, 409]);

  const { sid: other } = (await app.root.post("Applications.json", { FriendlyName: "Other" }))
    .json();
  assert.equal((await browser.get(`${to}/${other}/versions/${second}`)).status, 404);
  assert.match((await browser.get(`${to}/${other}/versions`)).text, /No version is kept yet/);
});

Deno.test("the audit log shows no flow, which may hold passwords, and who saved it all the same", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const step = {
    type: "externalService",
    url: "https://crm.test/",
    username: "me",
    password: "hidden-password",
  };
  const Flow = JSON.stringify(flowOf({ ask: step, hi: { type: "say", text: "x".repeat(4_000) } }));
  const made = await browser.post(to, { Flow, Kind: "voice", FriendlyName: "Menu" }, script);
  const { sid } = JSON.parse(made.text);
  const entries = await app.root.get("AuditEntries.json?Target=Applications");
  assert.doesNotMatch(entries.text, /hidden-password/);
  assert.deepEqual(
    new URLSearchParams(entries.json().audit_entries[0].parameters).get("FriendlyName"),
    "Menu",
  );
  const page = await browser.get(`/${app.root.sid}/Applications/${sid}`);
  assert.match(page.text, new RegExp(`Flows/${sid}">Open in the designer`));
});

Deno.test("a flow that another saved meanwhile is not overwritten", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu",
    Flow: JSON.stringify(flow),
  })).json();
  const page = await browser.get(`${to}/${sid}`);
  assert.match(page.text, /name="FlowVersion" value="1"/);
  const changed = JSON.stringify(flowOf({ hi: { type: "hangup" } }));
  await app.root.post(`Applications/${sid}.json`, { Flow: changed });

  const form = {
    FriendlyName: "Menu",
    Kind: "voice",
    Flow: JSON.stringify(flow),
    FlowVersion: "1",
  };
  const refused = await browser.post(`${to}/${sid}`, form, script);
  assert.equal(refused.status, 409);
  assert.match(JSON.parse(refused.text).problem, /another version of its flow was saved meanwhile/);
  const shown = await browser.post(`${to}/${sid}`, form);
  assert.equal(shown.status, 409);
  assert.match(shown.text, /role="alert">[^<]*another version/);
  assert.equal((await app.root.get(`Applications/${sid}.json`)).json().flow, changed);
});

Deno.test("a draft is stored beside the flow, is not performed, and is published or discarded", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu",
    Flow: JSON.stringify(flow),
  })).json();
  const at = `${to}/${sid}`;
  const incomplete = JSON.stringify(flowOf({ hi: { type: "say" } }));
  const form = { FriendlyName: "Menu", Kind: "voice", FlowVersion: "1" };
  const shown = async () => {
    const { flow, flow_draft: draft, flow_version: version, flow_draft_version: of } =
      (await app.root.get(`Applications/${sid}.json`)).json();
    return { flow, draft, version, of };
  };

  const drafted = await browser.post(at, { ...form, do: "draft", Flow: incomplete }, script);
  assert.equal(JSON.parse(drafted.text).isDraft, true);
  const before = { flow: JSON.stringify(flow), version: 1 };
  assert.deepEqual(await shown(), { ...before, draft: incomplete, of: 1 });
  const page = await browser.get(at);
  assert.match(page.text, /id="designer-draft" class="mark">draft, not published/);
  assert.match(page.text, /name="FlowVersion" value="1"/);
  assert.match((await browser.get(to)).text, /published, with a draft/);

  const refused = await browser.post(at, { ...form, do: "publish", Flow: incomplete }, script);
  assert.match(JSON.parse(refused.text).problem, /text: is required/);
  await browser.post(at, { do: "discard" }, script);
  assert.deepEqual(await shown(), { ...before, draft: null, of: null });

  const next = JSON.stringify(flowOf({ hi: { type: "say", text: "Hello" } }));
  await browser.post(at, { ...form, do: "draft", Flow: next }, script);
  await app.root.post(`Applications/${sid}.json`, { FriendlyName: "Another" });
  await browser.post(at, { ...form, do: "publish", Flow: next }, script);
  assert.deepEqual(await shown(), { flow: next, version: 2, draft: null, of: null });
});

Deno.test("a draft is not published over a version that another saved after it was begun", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu",
    Flow: JSON.stringify(flow),
  })).json();
  const draft = JSON.stringify(flowOf({ hi: { type: "say", text: "Draft" } }));
  const form = { FriendlyName: "Menu", Kind: "voice", Flow: draft };
  await browser.post(`${to}/${sid}`, { ...form, do: "draft" }, script);
  const other = JSON.stringify(flowOf({ hi: { type: "hangup" } }));
  await app.root.post(`Applications/${sid}.json`, { Flow: other });
  await browser.post(`${to}/${sid}`, { ...form, do: "draft" }, script);

  const page = await browser.get(`${to}/${sid}`);
  const [, FlowVersion = ""] = /name="FlowVersion" value="(\d+)"/.exec(page.text)!;
  const refused = await browser.post(
    `${to}/${sid}`,
    { ...form, FlowVersion, do: "publish" },
    script,
  );
  assert.equal(refused.status, 409);
  const { flow: kept, flow_draft: left } = (await app.root.get(`Applications/${sid}.json`)).json();
  assert.deepEqual([kept, left], [other, draft]);
});

Deno.test("of two who save a draft, the second learns of the first, and may save over it", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const { browser: other } = await signedIn(app);
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu",
    Flow: JSON.stringify(flow),
  })).json();
  const at = `${to}/${sid}`;
  const draftOf = (text: string) => JSON.stringify(flowOf({ hi: { type: "say", text } }));
  const common = { FriendlyName: "Menu", Kind: "voice", FlowVersion: "1" };
  const revisionIn = (text: string) =>
    /name="FlowDraftRevision" value="(\d+)"/.exec(text)?.[1] ?? "";
  const kept = async () => (await app.root.get(`Applications/${sid}.json`)).json().flow_draft;
  const [mine, theirs] = [
    revisionIn((await browser.get(at)).text),
    revisionIn((await other.get(at)).text),
  ];
  assert.deepEqual([mine, theirs], ["0", "0"]);

  const first = { ...common, do: "draft", Flow: draftOf("first"), FlowDraftRevision: theirs };
  const saved = JSON.parse((await other.post(at, first, script)).text);
  assert.equal(saved.revision, 1);
  const again = { ...first, Flow: draftOf("again"), FlowDraftRevision: "1" };
  assert.equal(JSON.parse((await other.post(at, again, script)).text).revision, 2);

  const second = { ...common, Flow: draftOf("second"), FlowDraftRevision: mine };
  for (const does of ["draft", "publish", "discard"]) {
    const refused = await browser.post(at, { ...second, do: does }, script);
    const { problem, code } = JSON.parse(refused.text);
    assert.deepEqual([refused.status, code], [409, 20011], does);
    assert.match(problem, /another draft of its flow was saved meanwhile.*revision is 2, not 0/);
    assert.equal(await kept(), draftOf("again"));
  }
  const shown = await browser.post(at, { ...second, do: "draft" });
  assert.equal(shown.status, 409);
  assert.match(shown.text, /role="alert">[^<]*another draft/);
  assert.equal(revisionIn(shown.text), "2");
  assert.match(shown.text, /&quot;second&quot;/);

  const over = { ...second, do: "draft", FlowDraftRevision: "2" };
  assert.equal(JSON.parse((await browser.post(at, over, script)).text).revision, 3);
  assert.equal(await kept(), draftOf("second"));
  const published = await browser.post(
    at,
    { ...over, do: "publish", FlowDraftRevision: "3" },
    script,
  );
  const { version, revision, isDraft } = JSON.parse(published.text);
  assert.deepEqual({ version, revision, isDraft }, { version: 2, revision: 4, isDraft: false });
});

Deno.test("a draft keeps the version that its page was opened with, whatever is published meanwhile", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu",
    Flow: JSON.stringify(flow),
  })).json();
  const other = JSON.stringify(flowOf({ hi: { type: "hangup" } }));
  await app.root.post(`Applications/${sid}.json`, { Flow: other });
  const draft = JSON.stringify(flowOf({ hi: { type: "say", text: "Draft" } }));
  const form = { FriendlyName: "Menu", Kind: "voice", FlowVersion: "1", Flow: draft };
  await browser.post(`${to}/${sid}`, { ...form, do: "draft", FlowDraftRevision: "0" }, script);

  const page = await browser.get(`${to}/${sid}`);
  const [, FlowVersion = ""] = /name="FlowVersion" value="(\d+)"/.exec(page.text)!;
  const publish = { ...form, FlowVersion, do: "publish", FlowDraftRevision: "1" };
  assert.equal((await browser.post(`${to}/${sid}`, publish, script)).status, 409);
  const early = { FlowDraft: draft, FlowDraftVersion: "3" };
  const refused = await app.root.post(`Applications/${sid}.json`, early);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /FlowDraftVersion 3 is none yet: FlowVersion is 2/);
});

Deno.test("an application from before drafts were counted begins with the first revision", async () => {
  using app = await startConsole();
  const { sid } = (await app.root.post("Applications.json", { FriendlyName: "Menu" })).json();
  await app.ports.records.applications.update(app.root.sid, sid, (record) => {
    const { flowDraftRevision: _, ...former } = record;
    return { record: former as typeof record };
  });
  const FlowDraft = JSON.stringify({ steps: {} });
  const saved = await app.root.post(`Applications/${sid}.json`, {
    FlowDraft,
    FlowDraftRevision: "0",
  });
  assert.equal(saved.status, 200, saved.text);
  assert.equal(saved.json().flow_draft_revision, 1);
});

Deno.test("a draft is an object with steps, within the limits of a flow", async () => {
  using app = await startConsole();
  const post = async (FlowDraft: string) =>
    (await app.root.post("Applications.json", { FriendlyName: "x", FlowDraft })).status;
  const good = ['{"start":"","steps":{}}', '{"steps":{"a":{"type":"say"}}}'];
  const bad = [
    "{",
    "[]",
    '{"steps":[]}',
    '{"steps":{"a":1}}',
    `{"steps":{"a":{"b":"${"x".repeat(50_000)}"}}}`,
  ];
  assert.deepEqual(await Promise.all(good.map(post)), [200, 200]);
  assert.deepEqual(await Promise.all(bad.map(post)), bad.map(() => 400));
});

Deno.test("a flow and a draft that one record cannot hold together are refused, and nothing changes", async () => {
  using app = await startConsole();
  const flowOfLength = (bytes: number) =>
    JSON.stringify(flowOf({
      ...Object.fromEntries(Array.from(
        { length: Math.ceil(bytes / 2_000) },
        (_, n) => [`say${n}`, { type: "say", text: "x".repeat(1_900) }],
      )),
    }));
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu",
    Flow: flowOfLength(20_000),
  })).json();
  const save = (FlowDraft: string) => app.root.post(`Applications/${sid}.json`, { FlowDraft });
  assert.equal((await save(flowOfLength(20_000))).status, 200);
  const refused = await save(flowOfLength(30_000));
  assert.equal(refused.status, 400);
  assert.match(refused.text, /FlowDraft and Flow have at most 45056 bytes together/);
});

Deno.test("the templates of the designer are complete flows that voice applications take", async () => {
  using app = await startConsole();
  const { browser, to } = await signedIn(app);
  for (const { id, title, flow } of flowTemplates) {
    assert.deepEqual(flowProblems(JSON.stringify(flow)), [], id);
    assert.equal(kindProblem(flow, "voice"), null, id);
    const page = await browser.get(`${to}/new?template=${id}`);
    assert.match(page.text, new RegExp(`name="FriendlyName" value="${title}"`));
    const made = await browser.post(to, {
      FriendlyName: title,
      Kind: "voice",
      do: "publish",
      Flow: JSON.stringify(flow),
    }, script);
    assert.match(JSON.parse(made.text).sid, /^AP/, id);
  }
});

Deno.test("a Developer may design flows, and a suspended account's user may not save one", async () => {
  using app = await startConsole();
  const dev = await app.subAccount(app.root, "dev");
  const own = `/2012-04-24/Accounts/${dev.sid}.json`;
  await app.root.post(own, { Role: "Developer" });
  const browser = consoleClient(app);
  await browser.signIn("dev@example.com", "dev");
  const to = `/${dev.sid}/Flows`;
  await browser.get(`${to}/new`);
  const form = { FriendlyName: "Menu", Kind: "voice", Flow: JSON.stringify(flow) };
  const made = JSON.parse((await browser.post(to, form, script)).text);
  assert.match(made.sid, /^AP/);
  await app.root.post(own, { Status: "suspended" });
  const changed = JSON.stringify(flowOf({ hi: { type: "hangup" } }));
  const refused = await browser.post(`${to}/${made.sid}`, { ...form, Flow: changed }, script);
  assert.match(refused.path, /\/console\/sign-in/);
  const kept = await app.ports.records.applications.get(dev.sid, made.sid);
  assert.deepEqual([kept!.flow, kept!.flowVersion], [form.Flow, 1]);
});

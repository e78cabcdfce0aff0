import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

Deno.test("accounts are shown as a tree, and one is suspended, activated and closed from above", async () => {
  using app = await startConsole();
  const team = await app.subAccount(app.root, "team");
  const unit = await app.subAccount(team, "unit");
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const tree = await browser.get(`/${app.root.sid}/Accounts`);
  assert.match(tree.text, new RegExp(`/${team.sid}" class="cut">team@`));
  assert.match(tree.text, new RegExp(`/${unit.sid}" class="cut branch">unit@`));
  assert.match(tree.text, new RegExp(`/${team.sid}/Accounts">1<`));
  const below = await browser.get(`/${team.sid}/Accounts`);
  assert.match(below.text, /unit@example\.com/);
  assert.doesNotMatch(below.text, /New sub-account/);

  const to = `/${app.root.sid}/Accounts/${team.sid}`;
  const page = await browser.get(to);
  assert.match(page.text, /data-confirm="Suspend team@/);
  assert.match(page.text, /data-confirm="Close team@/);
  for (const Status of ["suspended", "active", "closed"]) {
    const changed = await browser.post(to, { Status });
    assert.match(changed.text, new RegExp(`<span class="status [a-z]*">${Status}`), Status);
    await browser.get(`/${app.root.sid}`);
  }
  const own = await browser.get(`/${app.root.sid}/Accounts/${app.root.sid}`);
  assert.doesNotMatch(own.text, /data-confirm="Close/);
});

Deno.test("the secret of a new API key is shown once, and the key is listed and revoked", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Keys`;
  await browser.get(`${to}/new`);
  const made = await browser.post(to, { FriendlyName: "ci <1>" });
  const secret = /data-copy="(sbk_[^"]*)"/.exec(made.text)![1]!;
  const sid = /data-copy="(SK[0-9a-f]{32})"/.exec(made.text)![1]!;
  const key = app.root.with({ user: sid, token: secret });
  assert.equal((await key.get("Calls.json")).status, 200);
  for (const path of [to, `${to}/${sid}`]) {
    const page = await browser.get(path);
    assert.match(page.text, /ci &lt;1&gt;/);
    assert.doesNotMatch(page.text, new RegExp(secret));
  }
  await browser.post(`${to}/${sid}/delete`);
  assert.equal((await key.get("Calls.json")).status, 401);
  const entries = (await app.root.get("AuditEntries.json")).text;
  assert.doesNotMatch(entries, new RegExp(secret));
});

Deno.test("usage is charted by day and category, a month at a time, and exported", async () => {
  using app = await startConsole();
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "+14155550150" });
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Usage/Records`;
  const page = await browser.get(to);
  assert.match(page.text, /2024-01/);
  assert.match(page.text, /<span class="figure">1\.15<\/span>/);
  assert.match(
    page.text,
    /<th scope="row">2024-01-31<\/th><td>0\.00<\/td><td>0\.00<\/td><td>1\.15/,
  );
  assert.match(page.text, /month=2023-12"/);
  assert.match((await browser.get(`${to}?month=2023-12`)).text, /Nothing was charged/);
  assert.match((await browser.get(`${to}?month=2023-99`)).text, /1\.15/);
  const csv = await browser.get(`${to}/export?format=csv&month=2024-01`);
  assert.match(csv.text, /phonenumbers,2024-01-31/);
});

Deno.test("the root account sees the service: companions, jobs with retry, and its configuration", async () => {
  const retried: string[] = [];
  const jobs = {
    overview: () =>
      Promise.resolve({
        kinds: [{ kind: "call.dial", waiting: 0, due: 2, leased: 1, dead: 1, oldestDue: 0 }],
        dead: [{
          id: "1a2b",
          kind: "call.dial",
          lane: "dial",
          attempts: 3,
          madeAt: 0,
          error: "Error: no <companion> answers",
        }],
        isWhole: true,
      }),
    dead: () => Promise.resolve(null),
    retry: (id: string) => Promise.resolve(retried.push(id) === 1),
    discard: () => Promise.resolve(true),
    dueAt: () => Promise.resolve(null),
    hurry: () => Promise.resolve(false),
  };
  using app = await startConsole({ ports: { jobs } });
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Supervisor`;
  assert.match((await browser.get(to)).text, /No companion is live/);
  const companion = { id: "c1", runId: "1", seenAt: app.clock.now, registered: 7 };
  await app.ports.companions.beat(companion);
  const health = await browser.get(to);
  assert.match(health.text, />c1<[^]*<span class="status good">live/);
  assert.doesNotMatch(health.text, /No companion is live/);
  assert.match((await browser.get(`${to}/configuration`)).text, /SECRET_KEY[^]*\*{8}/);
  const page = await browser.get(`${to}/jobs`);
  assert.match(page.text, /no &lt;companion&gt; answers/);
  assert.match((await browser.post(`${to}/jobs`, { id: "1a2b" })).text, /The job is due again/);
  assert.match((await browser.post(`${to}/jobs`, { id: "1a2b" })).text, /no longer dead/);
  assert.deepEqual(retried, ["1a2b", "1a2b"]);
});

Deno.test("pages of the service are for the root account alone, and stand in no other menu", async () => {
  using app = await startConsole();
  const sub = await app.subAccount(app.root, "sub");
  const browser = consoleClient(app);
  const first = await browser.signIn("sub@example.com", "sub");
  assert.doesNotMatch(first.text, /Supervisor/);
  for (const page of ["", "/jobs", "/configuration"]) {
    const refused = await browser.get(`/${sub.sid}/Supervisor${page}`);
    assert.equal(refused.status, 403, page);
    assert.doesNotMatch(refused.text, /SECRET_KEY/);
  }
});

Deno.test("e-mails and look-ups are listed, and lead to their records", async () => {
  using app = await startConsole();
  const email = { From: "a@app.test", To: "b@app.test", Subject: "Hi <b>", Body: "secret text" };
  await app.root.post("Email/Messages.json", email);
  const lookUp = { DeviceIdentifier: "+59899077937", StatusCallback: "https://app.test/found" };
  await app.root.post("Geolocation/Immediate.json", lookUp);
  await app.runJobs();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  for (const [path, text] of [["Email/Messages", "Hi &lt;b&gt;"], ["Geolocation", "59899077937"]]) {
    const list = await browser.get(`/${app.root.sid}/${path}`);
    assert.ok(list.text.includes(text!), path);
    const record = new RegExp(`href="/console(/AC[^"]*/${path}/[A-Z]{2}[0-9a-f]{32})"`);
    const page = await browser.get(record.exec(list.text)![1]!);
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(text!), path);
    assert.doesNotMatch(page.text, /secret text/);
  }
});

Deno.test("the limits of an account are shown with their use, and set from above alone", async () => {
  using app = await startConsole();
  const team = await app.subAccount(app.root, "team");
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Accounts/${team.sid}`;
  await browser.get(to);
  const set = await browser.post(`${to}/limits`, {
    MaxConcurrentCalls: "2",
    MaxSpendPerDay: "12.50",
    DestinationPrefixes: "+49",
  });
  assert.match(set.text, /Destination prefixes: \+49\./);
  const call = { From: "me", To: "client:bob", Url: "https://app.test/voice" };
  assert.equal((await team.post("Calls.json", call)).status, 200);
  const shown = await browser.get(to);
  const rows = [...shown.text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .map(([, row]) => row!.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ").trim());
  assert.ok(rows.includes("Calls at once 2 2 1"), rows.join("\n"));
  assert.ok(rows.includes("Money a day 12.50 12.50 0.00"), rows.join("\n"));
  await browser.post(`${to}/limits`, { MaxConcurrentCalls: "", MaxSpendPerDay: "12.50" });
  const limits = (await team.get("Limits.json")).json();
  assert.deepEqual([limits.max_concurrent_calls, limits.max_spend_per_day], [null, "12.50"]);
  const wrong = await browser.post(`${to}/limits`, { MaxSpendPerDay: "much" });
  assert.match(wrong.text, /MaxSpendPerDay/);

  const own = consoleClient(app);
  await own.signIn("team@example.com", "team");
  const page = await own.get(`/${team.sid}/Accounts/${team.sid}`);
  assert.match(page.text, /12\.50/);
  assert.doesNotMatch(page.text, /Set limits/);
  await own.post(`/${team.sid}/Accounts/${team.sid}/limits`, { MaxSpendPerDay: "99" });
  assert.equal((await team.get("Limits.json")).json().max_spend_per_day, "12.50");
});

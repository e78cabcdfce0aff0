import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

Deno.test("the overview has the first steps of a new account, and findings later", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  const first = await browser.signIn("root@example.com", "root password");
  assert.match(first.text, /First steps/);
  assert.match(first.text, /Needs attention[^]*Supervisor">No companion is live/);
  await app.ports.companions.beat({ id: "c", runId: "1", seenAt: app.clock.now });
  assert.match(first.text, /Registered<\/span><span class="figure">not known</);
  const next = await browser.get("");
  assert.doesNotMatch(next.text, /Needs attention/);
  assert.match(next.text, /Registered<\/span><span class="figure">0</);
  assert.doesNotMatch(first.text, /As a table/);

  for (const Login of ["alice", "bob"]) {
    await app.root.post("Clients.json", { Login, Password: "secret" });
  }
  const { sid } = (await app.root.post("IncomingPhoneNumbers.json", {
    PhoneNumber: "+12125550100",
  })).json();
  await app.root.post("Management/Gateways.json", {
    UserName: "trunk",
    Password: "secret",
    Proxy: "sip.carrier.test",
  });
  const call = (await app.root.post("Calls.json", {
    From: "+12125550100",
    To: "client:alice",
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/events",
  })).json();
  const record = (await app.ports.records.calls.get(app.root.sid, call.sid))!;
  await app.ports.records.calls.update(app.root.sid, call.sid, () => ({
    record: {
      ...record,
      status: "failed",
      startTime: app.clock.now,
      disconnection: { by: "remote", cause: "refused", sipStatus: 503 },
    },
  }));
  const page = await browser.get(`/${app.root.sid}?span=day`);
  assert.match(page.text, new RegExp(`IncomingPhoneNumbers/${sid}">\\+12125550100 does nothing`));
  assert.match(page.text, /1 Gateway is not registered/);
  assert.match(page.text, /<h2>Failed calls by cause[^]*>1 in total\.[^]*>Refused with 503</);
  assert.match(page.text, /As a table/);
  assert.match(page.text, /<th scope="col">failed<\/th>/);
  assert.match(page.text, /id="state" data-live="15"/);
  assert.doesNotMatch(page.text, /First steps/);
  assert.match((await browser.get(`/${app.root.sid}?span=__proto__`)).text, /<h1>Overview/);
});

Deno.test("the overview has the time since when registrations are unknown", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const { companions } = app.ports;
  await companions.beat({ id: "one", runId: "1", seenAt: app.clock.now });
  app.clock.now += 20_000;
  const tile = async () =>
    /Registered<\/span>.*?<\/a>/.exec((await browser.get(`/${app.root.sid}`)).text)![0]
      .replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  assert.equal(
    await tile(),
    "Registered not known no word from the SIP companion since 2024-01-31 12:00:00 UTC ",
  );
  await companions.beat({ id: "two", runId: "1", seenAt: app.clock.now });
  assert.equal(
    await tile(),
    "Registered 0 of 1 Client; no word from a SIP companion since 2024-01-31 12:00:00 UTC ",
  );
});

import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

Deno.test("a number is searched for, its price is shown, and it is bought with what it does", async () => {
  using app = await startConsole();
  const { sid: application } = (await app.root.post("Applications.json", {
    FriendlyName: "Menu <1>",
    RcmlUrl: "https://app.test/menu",
  })).json();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/IncomingPhoneNumbers`;
  assert.match((await browser.get(to)).text, /href="[^"]*\/buy">Buy a number</);

  const found = await browser.get(`${to}/buy?Country=US&Kind=Local&Contains=2125550`);
  assert.equal(found.status, 200);
  assert.match(found.text, /\+12125550100/);
  assert.match(found.text, /calls, messages/);
  assert.match(found.text, /These numbers are fictional/);
  assert.match(found.text, /buy\?[^"]*Country=US[^"]*"[^>]*rel="next"/);
  const chosen = /href="\/console([^"]*confirm\?[^"]*)"/.exec(found.text)![1]!.replaceAll(
    "&amp;",
    "&",
  );
  const confirm = await browser.get(chosen);
  assert.match(confirm.text, /Price a month/);
  assert.match(confirm.text, />Menu &lt;1&gt;</);

  const PhoneNumber = "+12125550100";
  const refused = await browser.post(`${to}/buy`, { PhoneNumber, VoiceUrl: "nonsense" });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /role="alert">[^<]*VoiceUrl/);
  assert.match(refused.text, /value="nonsense"/);
  const bought = await browser.post(`${to}/buy`, {
    PhoneNumber,
    VoiceApplicationSid: application,
    FriendlyName: "",
  });
  assert.match(bought.path, /IncomingPhoneNumbers\/PN[0-9a-f]{32}\?done=bought$/);
  assert.match(bought.text, /The number is yours/);
  const [number] = (await app.root.get("IncomingPhoneNumbers.json")).json();
  assert.deepEqual([number.phone_number, number.voice_application_sid], [PhoneNumber, application]);
  const again = await browser.post(`${to}/buy`, { PhoneNumber });
  assert.match(again.text, /role="alert">[^<]*belongs to this account already/);
  const [entry] = (await app.root.get("AuditEntries.json?Action=POST")).json().audit_entries;
  assert.deepEqual([entry.target, entry.status], ["IncomingPhoneNumbers", 400]);
});

Deno.test("the search of numbers names wrong filters, and an empty result", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const search = (query: string) =>
    browser.get(`/${app.root.sid}/IncomingPhoneNumbers/buy?${query}`);

  assert.match((await search("Contains=abc")).text, /role="alert">[^<]*Contains/);
  assert.match((await search("Contains=99999999")).text, /No number fits/);
  const unknown = await search("Country=../Calls&Kind=Fixed");
  assert.equal(unknown.status, 200);
  assert.match(unknown.text, /value="US" selected/);
});

Deno.test("a number is bought with a text that its callers hear, as the flow of an application", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/IncomingPhoneNumbers`;
  const sent = { PhoneNumber: "+12125550100", SpokenText: "We open at nine & close at six" };
  await browser.get(`${to}/buy/confirm?PhoneNumber=%2B12125550100`);
  assert.match((await browser.post(`${to}/buy`, sent)).text, /The number is yours/);
  const [number] = (await app.root.get("IncomingPhoneNumbers.json")).json();
  const [application] = (await app.root.get("Applications.json")).json();
  assert.equal(number.voice_application_sid, application.sid);
  const { steps } = JSON.parse(application.flow);
  assert.deepEqual(steps, { say: { type: "say", text: sent.SpokenText } });

  const again = await browser.post(`${to}/buy`, sent);
  assert.match(again.text, /role="alert">[^<]*belongs to this account already/);
  assert.match(again.text, />We open at nine &amp; close at six</);
  assert.equal((await app.root.get("Applications.json")).json().length, 1);
});

import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

Deno.test("a number's URL is tried from its page: the response, its effect and skipped parts", async () => {
  using app = await startConsole();
  app.answers = () =>
    new Response("<Response><Fax/><Say>Hi &lt;b&gt;</Say></Response>", {
      headers: { "Content-Type": "text/xml", "X-Own": "yes" },
    });
  const { sid } = (await app.root.post("IncomingPhoneNumbers.json", {
    PhoneNumber: "+12125550100",
    VoiceUrl: "https://app.test/voice",
    SmsUrl: "https://app.test/sms",
  })).json();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const number = await browser.get(`/${app.root.sid}/IncomingPhoneNumbers/${sid}`);
  assert.match(number.text, />Try calls</);
  assert.match(number.text, />Try messages</);

  const tried = await browser.post(`/${app.root.sid}/Webhooks/Tests`, {
    Url: "https://app.test/voice",
    Kind: "voice",
    To: "+12125550100",
  });
  assert.equal(tried.status, 200);
  assert.match(tried.text, /<li>Answers the call<\/li><li>Says “Hi &lt;b&gt;” \(en-US\)<\/li>/);
  assert.match(tried.text, /Skipped: verb Fax/);
  assert.match(tried.text, /class="advice"/);
  assert.match(tried.text, /x-own: yes/);
  assert.match(tried.text, /To=%2B12125550100/);
  assert.equal(app.fetched.length, 1);
  const [entry] = (await app.root.get("AuditEntries.json?Action=POST")).json().audit_entries;
  assert.equal(entry.target, "Webhooks/Tests");

  const refused = await browser.post(`/${app.root.sid}/Webhooks/Tests`, { Url: "ftp://x" });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /role="alert">[^<]*Url/);
  assert.match(refused.text, /value="ftp:\/\/x"/);
});

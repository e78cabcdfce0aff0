import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import { makeSample } from "../../support/service/samples.ts";

Deno.test("CURRENCY stands beside each price, at the console and in both interfaces", async () => {
  using app = await startConsole();
  app.ports.settings.currency = "EUR";
  const { sid: account } = app.root;
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "+14155550150" });
  const call = await makeSample(app, app.root, { name: "calls" });
  await app.ports.records.calls.update(account, call, (record) => ({
    record: { ...record, status: "completed", price: "0.25" },
  }));
  const transcription = await makeSample(app, app.root, { name: "transcriptions" });
  await app.ports.records.transcriptions.update(account, transcription, (record) => ({
    record: { ...record, price: "0.05" },
  }));
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const textOf = async (path: string) => (await browser.get(`/${account}/${path}`)).text;

  assert.match(await textOf(`Calls/${call}`), /<dt>Price<\/dt><dd>0\.25 EUR</);
  assert.match(await textOf(`Transcriptions/${transcription}`), /0\.05 EUR/);
  const usage = await textOf("Usage/Records");
  assert.match(usage, /<span class="figure">1\.15 EUR</);
  assert.match(usage, />Price \(EUR\)</);
  assert.match(usage, /most: 1\.15 EUR/);
  const number = encodeURIComponent("+12125550100");
  const confirm = await textOf(`IncomingPhoneNumbers/buy/confirm?PhoneNumber=${number}`);
  assert.match(confirm, /Buy for 1\.15 EUR a month/);

  const twilio = async (path: string) =>
    (await app.root.get(`/2010-04-01/Accounts/${account}/${path}`)).json();
  assert.equal((await twilio(`Calls/${call}.json`)).price_unit, "EUR");
  assert.equal((await twilio("Usage/Records.json")).usage_records[0].price_unit, "EUR");

  assert.equal((await twilio("Balance.json")).currency, "EUR");

  app.ports.settings.currency = null;
  assert.equal((await twilio("Balance.json")).currency, "USD");
  assert.equal((await twilio(`Calls/${call}.json`)).price_unit, "USD");
  assert.match(await textOf(`Calls/${call}`), /<dt>Price<\/dt><dd>0\.25</);
  assert.match(await textOf("Usage/Records"), /no currency \(CURRENCY\)/);
});

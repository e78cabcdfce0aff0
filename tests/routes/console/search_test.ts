import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import { made } from "../../support/service/hand_companion.ts";

Deno.test("the search finds numbers without country code and by their last digits, Logins and names by a part", async () => {
  using app = await startConsole();
  Object.assign(app.ports.settings.trunks, { country: "US" });
  await made(app.root, "IncomingPhoneNumbers", {
    PhoneNumber: "+14155559404",
    FriendlyName: "Reception desk",
  });
  await made(app.root, "Clients", { Login: "front-office", Password: "secret" });
  const { sid } = await made(app.root, "Calls", {
    From: "+14155559404",
    To: "client:front-office",
    Url: "https://app.test/voice",
  });
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const found = async (q: string) =>
    (await browser.get(`/${app.root.sid}/search?${new URLSearchParams({ q })}`)).text;

  for (const query of ["4155559404", "415 555 9404", "(415) 555-9404", "+14155559404", "9404"]) {
    const text = await found(query);
    assert.ok(text.includes(`Calls/${sid}"`), query);
    assert.match(text, /Reception desk/, query);
  }
  assert.match(await found("front-o"), /front-office/);
  assert.match(await found("reception"), /\+14155559404/);
  assert.match(await found("04"), /Reception desk/);
  assert.match(await found("9405"), /Nothing found/);
});

Deno.test("the search reads bounded lists, however much an account has", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const asked: number[] = [];
  const { list } = app.ports.records.calls;
  app.ports.records.calls.list = (accountSid, query) => {
    const isBounded = query.where.every(({ op }) => op === "equals" || op === "oneOf");
    assert.ok(isBounded, JSON.stringify(query.where));
    asked.push(query.limit);
    return list(accountSid, query);
  };
  await browser.get(`/${app.root.sid}/search?q=9404`);
  assert.ok(asked.length > 0 && Math.max(...asked) <= 1_001, asked.join());
});

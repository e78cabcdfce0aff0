import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

const hourMs = 3_600_000;

Deno.test("an account shows the hours in which its AuthTokens were used, each by itself", async () => {
  using app = await startConsole();
  const team = await app.subAccount(app.root, "team");
  const shown = async () => {
    const uses = (await app.root.get(`/2012-04-24/Accounts/${team.sid}/AuthTokens.json`)).json();
    const { date_auth_token_last_used: first, date_secondary_auth_token_last_used: second } = uses;
    return [first, second].map((date) => date && Date.parse(date));
  };
  assert.deepEqual(await shown(), [null, null]);
  const hour = app.clock.now - app.clock.now % hourMs;
  await team.get("Calls.json");
  assert.deepEqual(await shown(), [hour, null]);

  const { secondary_auth_token: token } = (await team.post("AuthTokens/Secondary.json")).json();
  app.clock.now += 5 * hourMs;
  const byEmail = team.with({ user: "team@example.com", token });
  assert.equal((await byEmail.get("Calls.json")).status, 200);
  assert.equal((await team.with({ token: "wrong" }).get("Calls.json")).status, 401);
  assert.deepEqual(await shown(), [hour, hour + 5 * hourMs]);

  await byEmail.post("AuthTokens/Promote.json");
  assert.deepEqual(await shown(), [hour + 5 * hourMs, null]);
});

Deno.test("the console shows the last use of an AuthToken, and is none itself", async () => {
  using app = await startConsole();
  const team = await app.subAccount(app.root, "team");
  const browser = consoleClient(app);
  await browser.signIn("team@example.com", "team");
  const page = `/${team.sid}/Accounts/${team.sid}`;
  await browser.get(`/${team.sid}/Calls`);
  assert.match((await browser.get(page)).text, /AuthToken last used<\/dt><dd><span[^>]*>–/);
  await team.get("Calls.json");
  assert.match(
    (await browser.get(page)).text,
    /AuthToken last used<\/dt><dd><time datetime="2024-01-31T12:00/,
  );
});

Deno.test("a store that cannot note the use of an AuthToken refuses no request", async () => {
  using app = await startConsole();
  const team = await app.subAccount(app.root, "team");
  app.ports.accounts.update = () => Promise.reject(new Error("full"));
  assert.equal((await team.get("Calls.json")).status, 200);
  assert.match(app.logged.map(({ line }) => line).join(), /Cannot note the use of an AuthToken/);
});

import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import { startApp } from "../../support/service/app.ts";
import { makeSample } from "../../support/service/samples.ts";

Deno.test("an error code has a page within the console, with where the account met it", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const sid = await makeSample(app, app.root, { name: "notifications" });
  const { error_code: code, call_sid: call } = (await app.root.get(`Notifications/${sid}.json`))
    .json();
  const below = `/console/${app.root.sid}`;

  const page = await browser.get(`/${app.root.sid}/errors/${code}`);
  assert.equal(page.status, 200);
  assert.match(page.text, /<nav class="side"/);
  assert.match(page.text, new RegExp(`<h1>${code} `));
  assert.match(page.text, /class="advice"/);
  assert.ok(page.text.includes(`${below}/Notifications/${sid}"`));
  if (call) assert.ok(page.text.includes(`${below}/Calls/${call}"`));
  const moved = await browser.get(`/errors/${code}`);
  assert.equal(moved.path, `${below}/errors/${code}`);

  for (const from of ["Notifications", `Notifications/${sid}`]) {
    const { text } = await browser.get(`/${app.root.sid}/${from}`);
    assert.ok(text.includes(`href="${below}/errors/${code}"`), from);
    assert.doesNotMatch(text, /http:\/\/api\.test\/errors/, from);
  }
  assert.equal((await browser.get(`/${app.root.sid}/errors/1`)).status, 404);
});

Deno.test("/errors/{code} leads to the console where that is served", async () => {
  using app = await startConsole();
  using bare = await startApp();
  const at = async ({ root }: typeof bare) =>
    (await root.get("/errors/20404", { Authorization: "none" })).text;
  assert.match(await at(app), /href="\.\.\/console\/errors\/20404"/);
  assert.doesNotMatch(await at(bare), /<nav/);
});

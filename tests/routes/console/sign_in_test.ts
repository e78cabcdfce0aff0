import assert from "node:assert/strict";
import { createAccount } from "../../../core/accounts/create_account.ts";
import { codeAt, stepAt } from "../../../core/console/totp.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

Deno.test("the console is signed in to by e-mail and password, and by Sid and AuthToken", async () => {
  using app = await startConsole();
  for (
    const [name, secret] of [
      ["root@example.com", "root password"],
      ["ROOT@example.com", app.root.token],
      [app.root.sid, app.root.token],
      [app.root.sid, "root password"],
    ] as const
  ) {
    const page = await consoleClient(app).signIn(name, secret);
    assert.equal(page.status, 200);
    assert.equal(page.path, `/console/${app.root.sid}`);
    assert.match(page.text, /<h1>Overview<\/h1>/);
  }
});

Deno.test("the cookie of the console is HttpOnly and SameSite=Strict, and on https of this host alone", async () => {
  using app = await startConsole();
  const signIn = (base: string) =>
    app.http.fetch(
      new Request(`${base}/console/sign-in`, {
        method: "POST",
        body: new URLSearchParams({ name: "root@example.com", password: "root password" }),
      }),
    );
  const plain = (await signIn("http://api.test")).headers.get("Set-Cookie")!;
  assert.match(plain, /^switchboard-console=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/);

  app.ports.settings.baseUrl = "https://api.test";
  const secure = (await signIn("https://api.test")).headers.get("Set-Cookie")!;
  assert.match(
    secure,
    /^__Host-switchboard-console=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
});

Deno.test("a page without a session leads to the sign-in, and from there on to the page", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  const page = await browser.get(`/${app.root.sid}/Calls?Status=failed`);
  assert.equal(page.path, `/console/sign-in?next=%2F${app.root.sid}%2FCalls%3FStatus%3Dfailed`);
  const next = `/${app.root.sid}/Calls?Status=failed`;
  const form = { name: "root@example.com", password: "root password", next };
  assert.equal((await browser.post("/sign-in", form)).path, `/console${next}`);
  const away = await browser.post("/sign-in", { ...form, next: "//evil.test/" });
  assert.equal(away.path, `/console/${app.root.sid}`);
});

Deno.test("five failed sign-ins lock the account for a minute at every address, each further one longer", async () => {
  using app = await startConsole();
  const wrong = (n: number) => consoleClient(app, `192.0.2.${n}`).signIn("root@example.com", "no");
  for (let n = 1; n <= 5; n++) assert.equal((await wrong(n)).status, 403, `attempt ${n}`);

  assert.equal((await wrong(6)).status, 429);
  const right = await consoleClient(app, "192.0.2.7").signIn("root@example.com", "root password");
  assert.equal(right.status, 429);
  assert.match(right.text, /Too many failed sign-ins. Try again in a minute/);

  app.clock.now += 60_001;
  assert.equal((await wrong(8)).status, 403);
  assert.match((await wrong(9)).text, /Try again in 2 minutes/);
  app.clock.now += 120_001;
  const later = await consoleClient(app).signIn("root@example.com", "root password");
  assert.equal(later.status, 200);
  assert.equal((await wrong(10)).status, 403); // It counts from the start.
});

Deno.test("an unknown name is refused as a wrong password is, and locked as one", async () => {
  using app = await startConsole();
  const known = await consoleClient(app).signIn("root@example.com", "no");
  const unknown = await consoleClient(app, "192.0.2.2").signIn("nemo@example.com", "no");
  const plain = (text: string) =>
    text.replaceAll(/nemo|root/g, "").replaceAll(/"[0-9a-f]{64}"/g, "");
  assert.equal(unknown.status, known.status);
  assert.equal(plain(unknown.text), plain(known.text));
  for (let n = 0; n < 4; n++) {
    await consoleClient(app, `192.0.2.${n}`).signIn("nemo@example.com", "no");
  }
  assert.equal((await consoleClient(app).signIn("nemo@example.com", "no")).status, 429);
});

Deno.test("an address is refused for a while after 20 failed sign-ins, whatever the names", async () => {
  using app = await startConsole();
  for (let n = 0; n < 20; n++) {
    await consoleClient(app, "198.51.100.1").signIn(`a${n}@example.com`, "no");
  }
  const refused = await consoleClient(app, "198.51.100.1").signIn(
    "root@example.com",
    "root password",
  );
  assert.equal(refused.status, 429);
  const other = await consoleClient(app, "198.51.100.2").signIn(
    "root@example.com",
    "root password",
  );
  assert.equal(other.status, 200);
  app.clock.now += 15 * 60_000;
  const later = await consoleClient(app, "198.51.100.1").signIn(
    "root@example.com",
    "root password",
  );
  assert.equal(later.status, 200);
});

Deno.test("a session ends when it is idle, too old, or its account has another password or is suspended", async () => {
  using app = await startConsole();
  const sub = await app.subAccount(app.root, "dev");
  const enter = async () => {
    const browser = consoleClient(app);
    assert.equal((await browser.signIn("dev@example.com", "dev")).status, 200);
    return browser;
  };
  const isIn = async (browser: ReturnType<typeof consoleClient>) =>
    !(await browser.get("")).path.startsWith("/console/sign-in");

  const idle = await enter();
  for (let n = 0; n < 11; n++) {
    app.clock.now += 59 * 60_000;
    assert.ok(await isIn(idle), `after ${n + 1} times 59 minutes`);
  }
  app.clock.now += 61 * 60_000;
  assert.equal(await isIn(idle), false);

  const old = await enter();
  for (let n = 0; n < 13; n++) {
    app.clock.now += 55 * 60_000;
    await old.get("");
  }
  app.clock.now += 10 * 60_000;
  assert.equal(await isIn(old), false);

  const changed = await enter();
  await app.root.post(`/2012-04-24/Accounts/${sub.sid}.json`, { Password: "another" });
  assert.equal(await isIn(changed), false);

  const suspended = consoleClient(app);
  await suspended.signIn("dev@example.com", "another");
  await app.root.post(`/2012-04-24/Accounts/${sub.sid}.json`, { Status: "suspended" });
  assert.equal(await isIn(suspended), false);
  assert.equal((await consoleClient(app).signIn("dev@example.com", "another")).status, 403);
});

Deno.test("a promoted AuthToken leaves the password as it is, and ends sessions of the former token", async () => {
  using app = await startConsole();
  const isIn = async (browser: ReturnType<typeof consoleClient>) =>
    !(await browser.get("")).path.startsWith("/console/sign-in");
  const enter = async (password: string) => {
    const browser = consoleClient(app);
    await browser.signIn("root@example.com", password);
    return browser;
  };
  const former = app.root.token;
  const { secondary_auth_token: next } = (await app.root.post("AuthTokens/Secondary.json")).json();
  const byPassword = await enter("root password");
  const byFormer = await enter(former);
  const bySecondary = await enter(next);
  assert.deepEqual([await isIn(byPassword), await isIn(byFormer), await isIn(bySecondary)], [
    true,
    true,
    true,
  ]);

  await app.root.post("AuthTokens/Promote.json");

  assert.deepEqual([await isIn(byPassword), await isIn(byFormer), await isIn(bySecondary)], [
    true,
    false,
    true,
  ]);
  assert.ok(await isIn(await enter("root password")));
  assert.ok(await isIn(await enter(next)));
  assert.equal(await isIn(await enter(former)), false);
  const root = app.root.with({ token: next });
  await root.post(`/2012-04-24/Accounts/${root.sid}.json`, { Password: "another" });
  assert.deepEqual([await isIn(byPassword), await isIn(bySecondary)], [false, false]);
  assert.equal(await isIn(await enter("root password")), false);
  assert.ok(await isIn(await enter("another")));
});

Deno.test("a session of a secondary AuthToken ends when that token is deleted", async () => {
  using app = await startConsole();
  const { secondary_auth_token: next } = (await app.root.post("AuthTokens/Secondary.json")).json();
  const browser = consoleClient(app);
  assert.match((await browser.signIn(app.root.sid, next)).text, /<h1>Overview/);

  await app.root.delete("AuthTokens/Secondary.json");

  assert.ok((await browser.get("")).path.startsWith("/console/sign-in"));
});

Deno.test("the root account that was made with ADMIN_AUTH_TOKEN signs in with its password too", async () => {
  using app = await startConsole();
  const parent = await app.ports.accounts.get(app.root.sid);
  const wanted = { emailAddress: "own@example.com", password: "own", authToken: "0".repeat(32) };
  await createAccount(parent, wanted, app.ports);

  for (const secret of ["own", "0".repeat(32)]) {
    assert.match((await consoleClient(app).signIn("own@example.com", secret)).text, /<h1>Overview/);
  }
});

Deno.test("a sign-out ends one session, and all of them when it says so", async () => {
  using app = await startConsole();
  const [one, two, three] = [consoleClient(app), consoleClient(app), consoleClient(app)];
  for (const browser of [one, two, three]) {
    await browser.signIn("root@example.com", "root password");
  }
  const cookie = [...one.cookies];

  assert.match((await one.post("/sign-out")).path, /sign-in/);
  assert.equal(one.cookies.size, 0);
  for (const [name, value] of cookie) one.cookies.set(name, value);
  assert.match((await one.get("")).path, /sign-in/); // A copy of the cookie is of no use either.

  assert.equal((await two.get("/security")).status, 200);
  await two.post("/security/sessions");
  assert.match((await three.get("")).path, /sign-in/);
  assert.equal((await two.get("")).status, 200);
  await three.signIn("root@example.com", "root password");
  await two.get("");
  await two.post("/sign-out", { everywhere: "yes" });
  assert.match((await three.get("")).path, /sign-in/);
});

Deno.test("a change needs the token of the session, and comes from no other site", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Clients`;
  const form = { Login: "alice", Password: "secret" };

  const without = await browser.post(to, { ...form, csrf: "" });
  assert.equal(without.status, 403);
  const foreign = await browser.post(to, form, { "Sec-Fetch-Site": "cross-site" });
  assert.equal(foreign.status, 403);
  const other = consoleClient(app);
  await other.signIn("root@example.com", "root password");
  const token = /name="csrf" value="([^"]*)"/.exec((await other.get("")).text)![1]!;
  assert.equal((await browser.post(to, { ...form, csrf: token })).status, 403);
  assert.deepEqual((await app.root.get("Clients.json")).json(), []);

  await browser.get("");
  assert.equal((await browser.post(to, form)).status, 200);
  assert.equal((await app.root.get("Clients.json")).json().length, 1);
});

Deno.test("a second factor is asked for, takes no code twice, and gives way to a recovery code once", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  await browser.get("/security");
  const offered = await browser.post("/security/factor");
  const secret = /class="key">([^<]+)</.exec(offered.text)![1]!.replaceAll(" ", "");
  const code = () => codeAt(secret, stepAt(app.clock.now));

  assert.equal((await browser.post("/security/factor/confirm", { code: "000000" })).status, 400);
  const on = await browser.post("/security/factor/confirm", { code: await code() });
  const recovery = [...on.text.matchAll(/<code>([a-z2-7]{5}-[a-z2-7]{5})<\/code>/g)].map((
    [, one],
  ) => one!);
  assert.equal(new Set(recovery).size, 10);

  const next = consoleClient(app);
  const asked = await next.signIn("root@example.com", "root password");
  assert.equal(asked.path, "/console/code");
  assert.equal((await next.get(`/${app.root.sid}/Calls`)).path, "/console/code"); // Not before the code.
  const waiting = [...next.cookies];
  assert.equal((await next.post("/code", { code: await code() })).status, 403); // It turned the factor on.
  app.clock.now += 30_000;
  assert.match((await next.post("/code", { code: await code() })).path, /\/console\/AC/);
  assert.notDeepEqual([...next.cookies], waiting);

  const third = consoleClient(app);
  await third.signIn("root@example.com", "root password");
  assert.equal((await third.post("/code", { code: await code() })).status, 403);
  assert.match((await third.post("/code", { code: recovery[0]! })).path, /\/console\/AC/);
  const fourth = consoleClient(app);
  await fourth.signIn("root@example.com", "root password");
  assert.equal((await fourth.post("/code", { code: recovery[0]! })).status, 403);

  app.clock.now += 30_000;
  await third.get("/security");
  const off = await third.post("/security/factor/remove", { code: await code() });
  assert.equal(off.status, 200);
  assert.match((await consoleClient(app).signIn("root@example.com", "root password")).path, /AC/);
});

Deno.test("wrong codes lock the account as wrong passwords do", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  await browser.get("/security");
  const offered = await browser.post("/security/factor");
  const secret = /class="key">([^<]+)</.exec(offered.text)![1]!.replaceAll(" ", "");
  await browser.post("/security/factor/confirm", {
    code: await codeAt(secret, stepAt(app.clock.now)),
  });
  app.clock.now += 30_000;
  const thief = consoleClient(app, "192.0.2.66");
  await thief.signIn("root@example.com", "root password");
  for (let n = 0; n < 5; n++) await thief.post("/code", { code: "123456" });
  const right = { code: await codeAt(secret, stepAt(app.clock.now)) };
  assert.equal((await thief.post("/code", right)).status, 403);
  assert.equal((await consoleClient(app).signIn("root@example.com", "root password")).status, 429);
});

Deno.test("a sign-in that meets a fault of the service says so, and names the request", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  app.ports.accounts.byEmail = () => Promise.reject(new Error("full"));
  const form = { name: "root@example.com", password: "root password" };
  const page = await browser.post("/sign-in", form);
  assert.equal(page.status, 500);
  assert.match(page.text, /met a fault of its own/);
  assert.match(page.text, /To the sign-in/);
});

import assert from "node:assert/strict";
import { createAccount } from "../../../core/accounts/create_account.ts";
import { codeAt, stepAt } from "../../../core/accounts/totp.ts";
import type { App } from "../../support/service/app.ts";
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

/** Failed sign-ins with a name, one after the other: the status and the message of each. */
async function wrongAnswers(app: App, name: string, from: (n: number) => string, count: number) {
  const answers: string[] = [];
  for (let n = 0; n < count; n++) {
    const page = await consoleClient(app, from(n)).signIn(name, "wrong");
    answers.push(`${page.status} ${/role="alert"[^>]*>([^<]*)/.exec(page.text)?.[1] ?? ""}`);
  }
  return answers;
}

Deno.test("five failed sign-ins for a name make its network wait, one more each minute, and no other network", async () => {
  using app = await startConsole();
  const here = () => "192.0.2.1";
  const statuses = async (count: number) =>
    (await wrongAnswers(app, "root@example.com", here, count)).map((one) => one.slice(0, 3));
  assert.deepEqual(await statuses(7), ["403", "403", "403", "403", "403", "429", "429"]);
  const locked = await consoleClient(app, "192.0.2.1").signIn("root@example.com", "root password");
  assert.equal(locked.status, 429);
  assert.match(locked.text, /Too many failed sign-ins from your network. Try again in a minute/);
  // Both names of the account have one count.
  assert.equal((await consoleClient(app, "192.0.2.1").signIn(app.root.sid, "no")).status, 429);

  const elsewhere = await consoleClient(app, "192.0.2.7").signIn(
    "root@example.com",
    "root password",
  );
  assert.equal(elsewhere.status, 200);

  app.clock.now += 60_001;
  assert.deepEqual(await statuses(2), ["403", "429"]);
});

Deno.test("a right AuthToken, and a password that was right lately, are taken in a network that has to wait", async () => {
  using app = await startConsole();
  const signIn = async (password: string) =>
    (await consoleClient(app).signIn("root@example.com", password)).status;
  await app.subAccount(app.root, "dev");
  assert.equal(await signIn("root password"), 200);
  for (let n = 0; n < 25; n++) await consoleClient(app).signIn(`a${n}@example.com`, "no");

  assert.equal(await signIn("root password"), 200);
  assert.equal(await signIn(app.root.token), 200);
  assert.equal((await consoleClient(app).signIn("dev@example.com", "dev")).status, 429);
});

Deno.test("known and unknown names are answered alike, from one network and from several, before and after a lock", async () => {
  using app = await startConsole();
  const waysOf = async (name: string, host: string) => {
    const [one, several] = [() => `${host}.1`, (n: number) => `${host}.${n + 2}`];
    const answers = await wrongAnswers(app, name, one, 7);
    answers.push(...await wrongAnswers(app, name, several, 7));
    app.clock.now += 62_000;
    answers.push(...await wrongAnswers(app, name, one, 3));
    answers.push(...await wrongAnswers(app, name.toUpperCase(), one, 2));
    return answers;
  };
  const known = await waysOf("root@example.com", "192.0.2");
  assert.ok(known.some((one) => one.startsWith("429")));
  assert.deepEqual(await waysOf("nemo@example.com", "198.51.100"), known);
});

Deno.test("a network is refused for a while after 20 failed sign-ins, whatever the names; of IPv6 a /64", async () => {
  using app = await startConsole();
  for (const address of [() => "198.51.100.1", (n: number) => `2001:db8:1:2::${n + 1}`]) {
    for (let n = 0; n < 20; n++) {
      const failed = await consoleClient(app, address(n)).signIn(`a${n}@example.com`, "no");
      assert.equal(failed.status, 403, `attempt ${n}`);
    }
    const from = address(99);
    assert.equal((await consoleClient(app, from).signIn("b@example.com", "no")).status, 429);
    app.clock.now += 15 * 60_000;
    assert.equal((await consoleClient(app, from).signIn("b@example.com", "no")).status, 403);
    app.clock.now += 15 * 60_000;
  }
  const next = await consoleClient(app, "2001:db8:1:3::1").signIn("b@example.com", "no");
  assert.equal(next.status, 403);
});

Deno.test("failed sign-ins of anonymous clients write entries by the logarithm of their number", async () => {
  using app = await startConsole();
  const counts = async () =>
    (await app.root.get("AuditEntries.json?PageSize=1000")).json().audit_entries
      .map(({ parameters }: { parameters: string }) => parameters);
  const before = (await counts()).length;
  await wrongAnswers(app, "root@example.com", (n) => `10.0.${n >> 8}.${n % 256}`, 1_000);

  const written = (await counts()).slice(0, -before || undefined);
  assert.deepEqual(written.filter(Boolean), [1_000, 100, 10].map((n) => `FailedInAnHour=${n}`));
  assert.equal(written.length, 8);

  app.clock.now += 3_600_000;
  await wrongAnswers(app, "root@example.com", () => "203.0.113.9", 1);
  assert.equal((await counts()).length, before + 9);
});

Deno.test("sign-ins beyond the derivations of a network get Retry-After, others wait", async () => {
  using app = await startConsole();
  const derive = app.ports.deriveToken;
  const [gate, derived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  app.ports.deriveToken = async (...given) => {
    if (++begun === 4) derived.resolve();
    await gate.promise;
    return await derive(...given);
  };
  const wrong = Array.from(
    { length: 4 },
    (_, n) => consoleClient(app, "192.0.2.66").signIn(`a${n}@example.com`, "no"),
  );
  await derived.promise;
  const busy = await consoleClient(app, "192.0.2.66").signIn("b@example.com", "no");
  assert.equal(busy.status, 429);
  assert.match(busy.text, /Too many sign-ins at the moment/);
  const byToken = await consoleClient(app, "192.0.2.66").signIn("root@example.com", app.root.token);
  assert.equal(byToken.status, 200);

  const owner = consoleClient(app, "192.0.2.7").signIn("root@example.com", "root password");
  gate.resolve();
  assert.equal((await owner).status, 200);
  for (const one of wrong) assert.equal((await one).status, 403);
});

Deno.test("no address that a form or link names makes a redirect fail, or lead elsewhere", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  const form = { name: "root@example.com", password: "root password" };
  const home = `/console/${app.root.sid}`;
  for (
    const [next, path] of [
      ["/\n/evil.test", home],
      ["/\r\nSet-Cookie: a=b", "/console/Set-Cookie:%20a=b"],
      ["/a\tb\u0000c", "/console/ab%00c"],
      ["/ü?x=é", "/console/%C3%BC?x=%C3%A9"],
      ["/\ud800", "/console/%EF%BF%BD"],
      ["\\\\evil.test", home],
      ["/\\evil.test", home],
      ["https://evil.test/", home],
      ["javascript:alert(1)", home],
    ] as const
  ) {
    const page = await browser.post("/sign-in", { ...form, next });
    assert.ok([200, 404].includes(page.status), `${JSON.stringify(next)} ${page.status}`);
    assert.equal(page.path, path, JSON.stringify(next));
  }
  for (const path of ["/errors%0a/", "/%0d%0aX:y/", "/%ff/", "/a%00/"]) {
    assert.ok((await browser.get(path)).status < 500, path);
  }
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

/** Turns the second factor on; the secret, and its recovery codes. */
async function turnFactorOn(app: App) {
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  await browser.get("/security");
  const offered = await browser.post("/security/factor");
  const secret = /class="key">([^<]+)</.exec(offered.text)![1]!.replaceAll(" ", "");
  const code = () => codeAt(secret, stepAt(app.clock.now));
  const on = await browser.post("/security/factor/confirm", { code: await code() });
  app.clock.now += 30_000;
  const recovery = [...on.text.matchAll(/<code>([a-z2-7]{5}-[a-z2-7]{5})<\/code>/g)];
  return { browser, code, recovery: recovery.map(([, one]) => one!) };
}

/** A browser whose session waits for the second factor. */
async function halfWay(app: App, from: string) {
  const browser = consoleClient(app, from);
  assert.equal((await browser.signIn("root@example.com", "root password")).path, "/console/code");
  return browser;
}

Deno.test("five wrong codes lock their network, also for the right one, and no other network", async () => {
  using app = await startConsole();
  const { code, recovery } = await turnFactorOn(app);
  const thief = await halfWay(app, "192.0.2.66");
  for (let n = 0; n < 5; n++) await thief.post("/code", { code: "123456" });
  assert.equal((await thief.post("/code", { code: await code() })).status, 403);

  const owner = await halfWay(app, "192.0.2.7");
  assert.match((await owner.post("/code", { code: await code() })).path, /\/console\/AC/);
  const beside = await halfWay(app, "192.0.2.66");
  assert.match((await beside.post("/code", { code: recovery[0]! })).path, /\/console\/AC/);
});

Deno.test("of wrong codes that come at once, no more count than of those that come one by one", async () => {
  using app = await startConsole();
  const { code } = await turnFactorOn(app);
  const thief = await halfWay(app, "192.0.2.66");
  const right = await code();
  const codes = Array.from({ length: 50 }, (_, n) => String(n).padStart(6, "0"))
    .filter((one) => one !== right);

  const answers = await Promise.all(codes.map((code) => thief.post("/code", { code })));

  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [403]);
  assert.equal((await thief.post("/code", { code: right })).status, 403);
  const { wrongCodes } = (await app.ports.records.consoleGuards
    .list(app.root.sid, { where: [], skip: 0, limit: 1 })).items[0]!;
  assert.equal(wrongCodes.length, 5);
});

Deno.test("after a hundred wrong codes in a day a code counts only in a network where one was right before", async () => {
  using app = await startConsole();
  const { code, recovery } = await turnFactorOn(app);
  const home = await halfWay(app, "192.0.2.7");
  assert.match((await home.post("/code", { code: await code() })).path, /\/console\/AC/);
  app.clock.now += 30_000;
  for (let n = 0; n < 25; n++) {
    const thief = await halfWay(app, `198.51.100.${n}`);
    for (let m = 0; m < 4; m++) await thief.post("/code", { code: "123456" });
  }
  const far = await halfWay(app, "203.0.113.5");
  assert.equal((await far.post("/code", { code: await code() })).status, 403);
  assert.match((await far.post("/code", { code: recovery[0]! })).path, /\/console\/AC/);
  const back = await halfWay(app, "192.0.2.7");
  assert.match((await back.post("/code", { code: await code() })).path, /\/console\/AC/);

  app.clock.now += 24 * 3_600_000;
  const later = await halfWay(app, "203.0.113.77");
  assert.match((await later.post("/code", { code: await code() })).path, /\/console\/AC/);
});

Deno.test("each offer of a second factor is another secret, and one that is on gives way to none", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  await browser.get("/security");
  const secretOf = ({ text }: { text: string }) =>
    /class="key">([^<]+)</.exec(text)?.[1]?.replaceAll(" ", "");
  const first = secretOf(await browser.post("/security/factor"));
  const second = secretOf(await browser.post("/security/factor"));
  assert.notEqual(first, second);
  const stale = { code: await codeAt(first!, stepAt(app.clock.now)) };
  const wrong = await browser.post("/security/factor/confirm", stale);
  assert.equal(wrong.status, 400);
  assert.equal(secretOf(wrong), second);
  const code = await codeAt(second!, stepAt(app.clock.now));
  assert.equal((await browser.post("/security/factor/confirm", { code })).status, 200);

  assert.equal(secretOf(await browser.post("/security/factor")), undefined);
  assert.equal((await browser.post("/security/factor/confirm", { code })).status, 400);
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

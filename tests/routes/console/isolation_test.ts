import assert from "node:assert/strict";
import { makeSample, sampledNames } from "../../support/service/samples.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

/** The pages and actions of an account, by the routes themselves: none is left out. */
function accountRoutes(routes: { path: string; method: string }[]) {
  const own = routes.filter(({ path, method }) =>
    path.startsWith("/console/:account") && method !== "ALL"
  );
  return [...new Map(own.map((route) => [`${route.method} ${route.path}`, route])).values()];
}

Deno.test("every page and action of the console refuses the user of another account", async () => {
  using app = await startConsole();
  const [mine, other] = [
    await app.subAccount(app.root, "mine"),
    await app.subAccount(app.root, "other"),
  ];
  const browser = consoleClient(app);
  await browser.signIn("mine@example.com", "mine");
  const sids = new Map<string, string>();
  for (const name of sampledNames) {
    sids.set(resources[name].path, await makeSample(app, other, { name }));
  }
  const routes = accountRoutes(app.http.routes);
  assert.ok(routes.length > 40, String(routes.length));

  for (const { path, method } of routes) {
    const [, section = ""] = /^\/console\/:account\{[^}]*\}\/([^:]*)\//.exec(path) ?? [];
    const sid = sids.get(section) ?? `CA${"1".repeat(32)}`;
    const filled = path.slice("/console".length).replace(/:account\{[^}]*\}/, other.sid)
      .replace(/:\w+(\{.+\})?/g, sid);
    await browser.get("");
    const page = method === "GET" ? await browser.get(filled) : await browser.post(filled);
    assert.equal(page.status, 403, `${method} ${filled}`);
    assert.doesNotMatch(page.text, /other@example\.com/, filled);

    // A record of another account below the own one.
    if (!path.includes(":sid")) continue;
    const below = filled.replace(other.sid, mine.sid);
    await browser.get("");
    const own = method === "GET" ? await browser.get(below) : await browser.post(below);
    assert.ok([400, 403, 404].includes(own.status), `${method} ${below}: ${own.status}`);
  }
});

Deno.test("a parent's user sees and changes records of its sub-account, and the change is in the audit log of both", async () => {
  using app = await startConsole();
  const sub = await app.subAccount(app.root, "dev");
  const browser = consoleClient(app, "203.0.113.9");
  await browser.signIn("root@example.com", "root password");

  const made = await browser.post(`/${sub.sid}/Clients`, { Login: "bob", Password: "secret" });
  assert.equal(made.status, 200);
  assert.match(made.text, /<h1>bob<\/h1>/);
  assert.match(made.text, /sub-account/);
  const [entry] = (await sub.get("AuditEntries.json")).json().audit_entries;
  assert.deepEqual(
    [entry.actor_email, entry.action, entry.target, entry.parameters, entry.status, entry.from],
    ["root@example.com", "POST", "Clients", "Login=bob&Password=********", 200, "203.0.113.9"],
  );
  const [signIn] = (await app.root.get("AuditEntries.json")).json().audit_entries;
  assert.deepEqual([signIn.action, signIn.status, signIn.from], ["sign-in", 200, "203.0.113.9"]);
});

Deno.test("a Developer may do at the console what its role may, and no more", async () => {
  using app = await startConsole();
  const dev = await app.subAccount(app.root, "dev");
  await app.root.post(`/2012-04-24/Accounts/${dev.sid}.json`, { Role: "Developer" });
  const browser = consoleClient(app);
  await browser.signIn("dev@example.com", "dev");

  const gateways = await browser.get(`/${dev.sid}/Management/Gateways`);
  assert.equal(gateways.status, 403);
  assert.match(gateways.text, /Role Developer may not manage gateways/);
  await browser.get("");
  const made = await browser.post(`/${dev.sid}/Clients`, { Login: "bob", Password: "secret" });
  assert.equal(made.status, 200);
});

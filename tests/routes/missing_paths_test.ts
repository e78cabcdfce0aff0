import assert from "node:assert/strict";
import { Hono } from "hono";
import { nearPaths } from "../../routes/http/near_path.ts";
import { type App, startApp } from "../support/service/app.ts";

const call = `CA${"1".repeat(32)}`;

/** Paths below an account, or with a slash before them absolute, and what they are near to. */
const slips: [path: string, near: string][] = [
  ["Messages", "SMS/Messages"],
  [`Messages/${call}`, `SMS/Messages/${call}`],
  ["Message", "SMS/Messages"],
  ["SMS", "SMS/Messages"],
  ["Call", "Calls"],
  ["calls", "Calls"],
  ["Cals", "Calls"],
  ["Clients.xml", "Clients"],
  ["Notification", "Notifications"],
  ["Gateways", "Management/Gateways"],
  ["PhoneNumbers", "IncomingPhoneNumbers or AvailablePhoneNumbers"],
  ["Usages/Records", "Usage/Records"],
  [`Calls/${call}/Record`, `Calls/${call}/Recordings`],
  ["Queues", "/2010-04-01/Accounts/{}/Queues"],
  ["/2012-04-25/Accounts/{}/Calls", "/2012-04-24/Accounts/{}/Calls"],
  ["/2010-04-02/Accounts", "/2010-04-01/Accounts"],
  ["/2012-04-24/Account/{}/Clients", "/2012-04-24/Accounts/{}/Clients"],
  ["/restcomm/2012-04-24/Accounts/{}/Calls", "/2012-04-24/Accounts/{}/Calls"],
  ["/2010-04-01/Accounts/{}/Call", "Calls"],
  ["/healht", "/health"],
];

Deno.test("a 404 names the path that was probably meant, in JSON and XML", async () => {
  using app = await startApp();
  const { sid } = app.root;
  for (const [path, meant] of slips) {
    const asked = path.replace("{}", sid);
    const json = await app.root.get(path.includes(".") ? asked : `${asked}.json`);
    const hint = `Did you mean ${meant.replaceAll("{}", sid)}?`;
    assert.equal(json.status, 404, path);
    if (!path.includes(".")) {
      assert.equal(json.json().code, 20404);
      assert.ok(json.json().message.endsWith(hint), json.json().message);
    }
    const xml = await app.root.get(asked);
    assert.ok(xml.text.includes(`${hint}</Message><Code>20404`), xml.text);
  }
});

Deno.test("a path that is near to none gets no hint", async () => {
  using app = await startApp();
  const far = ["Nothing", `Calls/${call}/Nothing`, "Calls/x/y/z", `${"x/".repeat(40)}Calls`];
  for (const path of [...far, `C${"a".repeat(60)}lls`]) {
    const { message } = (await app.root.get(`${path}.json`)).json();
    assert.doesNotMatch(message, /Did you mean/, path);
  }
});

Deno.test("nearPaths() names a route by the fewest slips, with the parameters of the path", () => {
  const near = nearPaths([
    "/v/Accounts/:account/Calls/:sid",
    "/v/Accounts/:account/Clients/:sid",
    "/x/*",
  ]);
  assert.equal(near("/v/Accounts/A1/Cals/C1"), "Did you mean Calls/C1?");
  assert.equal(near("/v/Accounts/A1/Client/C1"), "Did you mean Clients/C1?");
  assert.equal(near("/v/Accounts/A1/Calls/word"), "");
  assert.equal(near("/"), "");
});

/** Asks as the root account. Paths that do not begin with a slash are below it. */
async function ask(app: App, path: string, init: RequestInit & { accept?: string } = {}) {
  const below = path.startsWith("/") ? path : `/2012-04-24/Accounts/${app.root.sid}/${path}`;
  const headers = {
    Authorization: `Basic ${btoa(`${app.root.sid}:${app.root.token}`)}`,
    ...init.accept === undefined ? {} : { Accept: init.accept },
  };
  const answer = await app.http.fetch(new Request(`http://api.test${below}`, { ...init, headers }));
  return {
    status: answer.status,
    type: answer.headers.get("Content-Type") ?? "",
    policy: answer.headers.get("Content-Security-Policy") ?? "",
    text: await answer.text(),
  };
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";
const pages = () => ({ mounts: () => ({ docs: new Hono(), console: new Hono() }) });

Deno.test("a browser at a wrong address gets a page with a way on", async () => {
  using app = await startApp(pages());
  for (const path of ["/nothing", "/softfone", "/errors/1", "Messages", `Calls/${call}`]) {
    const answer = await ask(app, path, { accept: browser });
    assert.equal(answer.status, 404, path);
    assert.match(answer.type, /^text\/html/, path);
    assert.match(answer.text, /<form role="search"[^>]* action="\/docs\/search"/);
    assert.match(answer.text, /href="\/console"/);
    assert.doesNotMatch(answer.text, /href="\/softphone"/); // It is not served here.
    assert.match(answer.policy, /default-src 'none'/);
  }
  const named = await ask(app, "/<script>alert(1)</script>", { accept: browser });
  assert.doesNotMatch(named.text, /<script>/);
});

Deno.test("a program gets no page, whatever it names out of habit", async () => {
  using app = await startApp(pages());
  const java = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";
  const habits = ["*/*", "application/xml", "application/json, text/html", "text/html;q=0", java];
  for (const accept of ["", ...habits]) {
    assert.match(
      (await ask(app, "Nothing", { accept })).type,
      /^application\/(?:xml|json)/,
      accept,
    );
  }
  const suffixed = await ask(app, "Nothing.json", { accept: browser });
  assert.equal(JSON.parse(suffixed.text).code, 20404);
  const posted = await ask(app, "Nothing", { method: "POST", accept: browser });
  assert.match(posted.type, /xml/);
});

Deno.test("the suffix .json has any case, and a slash may stand before the query", async () => {
  using app = await startApp();
  await app.root.post("Applications.json", { FriendlyName: "x" });
  for (const version of ["2012-04-24", "2010-04-01"]) {
    const list = `/${version}/Accounts/${app.root.sid}/Applications`;
    for (const end of [".JSON", ".Json/", ".json/?PageSize=1", ".JSON//?PageSize=1"]) {
      const answer = await ask(app, list + end, { accept: "application/xml" });
      assert.equal(answer.status, 200, list + end);
      assert.match(answer.type, /json/, list + end);
    }
    const paged = await ask(app, `${list}/?PageSize=1&FriendlyName=none`);
    assert.doesNotMatch(paged.text, /<Application>/);
  }
  const named = await ask(app, `/2010-04-01/Accounts/${app.root.sid}/Applications.XML`);
  assert.match(named.type, /xml/);
});

Deno.test("a page with a slash too many at its end is the page without it", async () => {
  using app = await startApp();
  for (const path of ["/health/", "/errors/20404//", "/errors/20404/?x=1"]) {
    const answer = await app.http.fetch(new Request(`http://api.test${path}`));
    const plain = path.replace(/\/+(?=$|\?)/, "");
    assert.deepEqual([answer.status, answer.headers.get("Location")], [308, plain]);
  }
  assert.equal((await ask(app, "/nothing/")).status, 404);
});

Deno.test("no 404 names an interface of the operator's own programs", async () => {
  const mounts = () => ({ docs: new Hono(), bridge: new Hono(), metrics: new Hono() });
  using app = await startApp({ mounts });
  for (const path of ["/bridg", "/metricz", "/bridge/runn"]) {
    assert.doesNotMatch((await ask(app, path)).text, /Did you mean/, path);
  }
  assert.match((await ask(app, "/doc")).text, /Did you mean \/docs\?/);
});

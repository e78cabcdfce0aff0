import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { type App, startApp } from "../support/service/app.ts";
import { made } from "../support/service/hand_companion.ts";

const voice = "https://app.test/voice";
const number = "+14155550150";
const mine = (app: App) => made(app.root, "IncomingPhoneNumbers", { PhoneNumber: number });

Deno.test("POST Calls and UssdPush refuse at once a From that the account may not show at a number", async () => {
  using app = await startApp();
  await mine(app);
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const place = (path: string, From: string) =>
    app.root.post(`${path}.json`, { From, To: "+4930123456", Url: voice });

  for (const path of ["Calls", "UssdPush"]) {
    for (const from of ["+14155550199", "Alice", "client:bob"]) {
      const refused = await place(path, from);
      assert.deepEqual([refused.status, refused.json().code], [400, 21210], `${path} ${from}`);
      assert.match(refused.json().message, new RegExp(from.replace("+", "\\+")));
    }
    for (const from of [number, "client:alice"]) {
      assert.equal((await place(path, from)).status, 200, `${path} ${from}`);
    }
  }
  const toClient = { From: "+14155550199", To: "client:alice", Url: voice };
  assert.equal((await app.root.post("Calls.json", toClient)).status, 200);
});

Deno.test("a phone number whose + came as a space is read with its +", async () => {
  using app = await startApp();
  const raw = async (path: string, body: string) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await app.root.request("POST", `${path}.json`, { body, headers });
    assert.equal(answer.status, 200, answer.text);
    return answer.json();
  };

  const held = await raw("IncomingPhoneNumbers", `PhoneNumber=${number}`);
  const shown = await raw("OutgoingCallerIds", "PhoneNumber=+14155550151");
  const call = await raw("Calls", `From=${number}&To=+4930123456&Url=${voice}`);
  const text = await raw("SMS/Messages", `From=${number}&To=+4930123456&Body=Hi`);
  const device = "DeviceIdentifier=+4930123456&StatusCallback=https://app.test/done";
  const look = await raw("Geolocation/Immediate", device);

  assert.deepEqual([held.phone_number, shown.phone_number], [number, "+14155550151"]);
  assert.deepEqual([call.from, call.to], [number, "+4930123456"]);
  assert.deepEqual([text.from, text.to], [number, "+4930123456"]);
  assert.equal(look.device_identifier, "+4930123456");
  for (const list of [`Calls.json?To=+4930123456`, `SMS/Messages.json?From=${number}`]) {
    assert.equal((await app.root.get(list)).json().total, 1, list);
  }
});

Deno.test("a filter with an empty value is 400 and named", async () => {
  using app = await startApp();
  const { paths } = await (await app.http.request("/openapi.json")).json();
  const paging = ["Page", "PageSize", "AfterSid", "AfterPhoneNumber"];
  let filters = 0;

  for (const [path, { get }] of Object.entries<ReturnType<typeof JSON.parse>>(paths)) {
    if (get === undefined || path.includes("{Sid}")) continue;
    const list = path.replace("{AccountSid}", app.root.sid).replace("{CountryCode}", "US");
    for (const { in: place, name } of get.parameters ?? []) {
      if (place !== "query" || paging.includes(name)) continue;
      const required = get.parameters.filter((other: { required?: boolean; name: string }) =>
        other.required && other.name !== name
      );
      const others = required.map((other: { name: string }) => `&${other.name}=x`).join("");
      const answer = await app.root.get(`${list}?${name}=${others}`);
      assert.equal(answer.status, 400, `${path} ${name}`);
      assert.match(answer.text, new RegExp(`[:;] ${name} must `));
      filters++;
    }
  }
  assert.ok(filters > 50, `${filters} filters`);
});

Deno.test("RcmlUrl of an Application may be a path, stored as sent and resolved against BASE_URL", async () => {
  using app = await startApp();
  const form = { FriendlyName: "menu", RcmlUrl: "/demo/menu?language=en" };
  const application = await made(app.root, "Applications", form);
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const placed = { From: "alice", To: "client:alice", ApplicationSid: application.sid };
  const { sid } = await made(app.root, "Calls", placed);

  assert.equal(application.rcml_url, form.RcmlUrl);
  const call = await app.ports.records.calls.get(app.root.sid, sid);
  assert.equal(call?.url, "http://api.test/demo/menu?language=en");
  for (const RcmlUrl of ["//evil.test/", "/\\evil.test", "/\t/evil.test", "demo", "flow:AP"]) {
    const refused = await app.root.post("Applications.json", { FriendlyName: "x", RcmlUrl });
    assert.equal(refused.status, 400, RcmlUrl);
    assert.match(refused.json().message, /RcmlUrl must be an absolute/);
  }
});

Deno.test("an account below a closed or suspended one shows that status; below a closed one updates are 400", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const grandchild = await app.subAccount(child, "grandchild");
  const address = `/2012-04-24/Accounts/${grandchild.sid}.json`;
  const above = (Status: string) =>
    app.root.post(`/2012-04-24/Accounts/${child.sid}.json`, { Status });
  const status = async () => (await app.root.get(address)).json().status;

  await above("suspended");
  assert.equal(await status(), "suspended");
  const renamed = await app.root.post(address, { FriendlyName: "renamed" });
  assert.deepEqual([renamed.status, renamed.json().status], [200, "suspended"]);
  await above("active");
  assert.equal(await status(), "active");
  await above("closed");
  assert.equal(await status(), "closed");
  const refused = await app.root.post(address, { FriendlyName: "again" });
  assert.deepEqual([refused.status, refused.json().code], [400, 20001]);
});

Deno.test("DELETE of an account is 405 whatever its status, to whoever may see it", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const other = await app.subAccount(app.root, "other");
  const address = `/2012-04-24/Accounts/${child.sid}.json`;

  for (const Status of ["active", "suspended", "closed"]) {
    await app.root.post(address, { Status });
    const answer = await app.root.delete(address);
    assert.deepEqual([answer.status, answer.json().code], [405, 20004], Status);
    assert.equal(answer.headers.get("Allow"), "GET, HEAD, POST, PUT");
  }
  assert.equal((await other.delete(address)).status, 403);
});

Deno.test("Status of a Client is in force at the companion before the request is answered", async () => {
  using app = await startApp();
  const { sid } = await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const storedThen: (string | undefined)[] = [];
  const { invalidate } = app.ports.control;
  app.ports.control.invalidate = async (logins) => {
    storedThen.push((await app.ports.records.clients.get(app.root.sid, sid))?.status);
    await invalidate(logins);
  };

  app.forgotten.length = 0;
  for (const Status of ["0", "1"]) {
    await app.root.post(`Clients/${sid}.json`, { Status });
    assert.equal(storedThen.at(-1), Status);
  }
  assert.deepEqual(app.forgotten, ["alice", "alice"]);
  await app.root.post(`Clients/${sid}.json`, { FriendlyName: "Alice" });
  assert.equal(app.forgotten.length, 2);
});

Deno.test("a companion drops the cached credentials of a login before a creation or removal of its Client is answered", async () => {
  using app = await startApp();
  const all = { where: [], skip: 0, limit: 1 };
  const there: number[] = [];
  const { invalidate } = app.ports.control;
  app.ports.control.invalidate = async (logins) => {
    const { items } = await app.ports.records.clients.list(app.root.sid, all);
    there.push(items.length);
    await invalidate(logins);
  };

  const { sid } = await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  assert.deepEqual([there, app.forgotten], [[1], ["alice"]]);
  assert.equal((await app.root.delete(`Clients/${sid}.json`)).status, 204);
  assert.deepEqual([there, app.forgotten], [[1, 0], ["alice", "alice"]]);
});

Deno.test("a change of a Client is answered though a companion hangs, and the job goes on", async () => {
  using app = await startApp();
  const { sid } = await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  await app.runJobs();
  app.forgotten.length = 0;
  const { invalidate } = app.ports.control;
  app.ports.control.invalidate = () => new Promise(() => {});

  const changed = await app.root.post(`Clients/${sid}.json`, { Status: "0" });
  assert.equal(changed.json().status, "0");
  assert.equal(
    (await made(app.root, "Clients", { Login: "bob", Password: "secret" })).login,
    "bob",
  );

  app.ports.control.invalidate = invalidate;
  await app.runJobs();
  assert.deepEqual(app.forgotten, ["alice"]);
});

Deno.test("a refused POST that was to make something writes one warning a minute for each code and account", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const refused = (account = app.root) =>
    account.post("SMS/Messages.json", { From: number, To: "nobody", Body: "Hi" });
  const told = async (account = app.root) =>
    (await account.get("Notifications.json")).json().notifications;

  app.clock.now += 59_000;
  await Promise.all([refused(), refused(), refused(child)]);
  app.clock.now += 2_000; // Another minute of the clock, and not yet one since.
  await refused();
  const [first, ...more] = await told();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [first.log, first.error_code, first.request_method],
    ["1", "21211", "POST"].map((v, i) => i < 2 ? Number(v) : v),
  );
  assert.match(first.request_url, /\/Accounts\/AC[0-9a-f]{32}\/SMS\/Messages$/);
  assert.match(first.request_variables, /^From=%2B14155550150&To=nobody&Body=Hi/);
  assert.equal((await told(child)).length, 1);
  app.clock.now += 58_000;
  await refused();
  assert.equal((await told()).length, 2);

  await app.root.post("Calls.json", { From: "x", To: "client:x" });
  await app.root.post("Email/Messages.json", { From: "x" });
  await app.root.post("Geolocation/Immediate.json", {});
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "12" });
  await app.root.post("Clients.json", {});
  await app.root.get("Calls.json?To=");
  const codes = (await told()).map((one: { error_code: number }) => one.error_code);
  assert.deepEqual(codes.sort(), [20001, 21205, 21211, 21211, 21421].sort());
});

Deno.test("a JSON body may have unknown keys of any type, which are ignored and named", async () => {
  using app = await startApp();
  const unknown = { Tags: { a: [1, { b: 2 }] }, List: Array(1_000).fill({}), Half: "\ud800" };
  const send = (more: object) =>
    app.root.request("POST", "Clients.json", {
      body: JSON.stringify({ Login: "alice", Password: "secret", ...more }),
      headers: { "Content-Type": "application/json" },
    });

  const answer = await send(unknown);
  assert.equal(answer.status, 200, answer.text);
  for (const name of Object.keys(unknown)) {
    assert.match(answer.headers.get("Warning") ?? "", new RegExp(`Unknown parameter: ${name}"`));
  }
  assert.equal((await send({ FriendlyName: { a: 1 } })).status, 400);
});

Deno.test("a body of another media type or a compressed one is 415", async () => {
  using app = await startApp();
  const send = (headers: HeadersInit, body: BodyInit) =>
    app.root.request("POST", "Clients.json", { body, headers });
  const json = "application/json";
  const image = new Uint8Array([0xff, 0xd8, 0xff]);

  for (
    const answer of [
      await send({ "Content-Type": "text/plain" }, "Login=alice"),
      await send({ "Content-Type": "multipart/form-data; boundary=x" }, "--x--"),
      await send({ "Content-Type": "image/jpeg" }, image),
      await send({ "Content-Type": json, "Content-Encoding": "gzip" }, image),
      await send({ "Content-Type": json, "Content-Encoding": "br" }, "{}"),
    ]
  ) {
    assert.deepEqual([answer.status, answer.json().code], [415, 20415]);
    assert.equal(answer.headers.get("Accept-Encoding"), "identity");
  }
  const identity = { "Content-Type": json, "Content-Encoding": "identity" };
  assert.equal((await send(identity, '{"Login":"alice","Password":"secret"}')).status, 200);
  assert.equal((await send({ "Content-Type": "text/plain" }, "")).json().code, 20001);
});

Deno.test("answers over 1 kB are compressed for clients that take gzip, and for no others", async () => {
  using app = await startApp();
  for (const login of ["a", "b", "c", "d"]) {
    await made(app.root, "Clients", { Login: login, Password: "secret" });
  }
  const get = (path: string, coding: string) =>
    app.http.request(`/2012-04-24/Accounts/${app.root.sid}/${path}`, {
      headers: {
        "Accept-Encoding": coding,
        Authorization: `Basic ${btoa(`${app.root.sid}:${app.root.token}`)}`,
      },
    });
  const plain = await app.root.get("Clients.json");

  for (const path of ["Clients.json", "Clients"]) {
    const answer = await get(path, "br, gzip;q=0.5");
    assert.equal(answer.headers.get("Content-Encoding"), "gzip");
    assert.match(answer.headers.get("Vary") ?? "", /Accept-Encoding/);
    const text = gunzipSync(await answer.bytes()).toString();
    if (path === "Clients.json") assert.equal(text, plain.text);
  }
  for (const coding of ["gzip;q=0", "br", "*;q=0", "identity"]) {
    const answer = await get("Clients.json", coding);
    assert.equal(answer.headers.get("Content-Encoding"), null, coding);
    assert.match(answer.headers.get("Vary") ?? "", /Accept-Encoding/);
    assert.equal(await answer.text(), plain.text);
  }
  const short = await get("Calls.json", "gzip");
  assert.equal(short.headers.get("Content-Encoding"), null);
  const document = await app.http.request("/openapi.json", {
    headers: { "Accept-Encoding": "gzip" },
  });
  assert.equal(document.headers.get("Content-Encoding"), "gzip");
});

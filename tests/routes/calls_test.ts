import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";
import { makeSample, samples } from "../support/service/samples.ts";

const wanted = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };

Deno.test("POST /Calls answers the specific code of an error", async () => {
  using app = await startApp();
  const cases: [Record<string, string>, number][] = [
    [{ To: "" }, 21211],
    [{ From: "" }, 21212],
    [{ Url: "app.test/voice" }, 21205],
    [{ Url: "" }, 21205],
    [{ Timeout: "0" }, 20001],
    [{ Timeout: "soon" }, 20001],
    [{ Method: "DELETE" }, 20001],
    [{ StatusCallbackEvent: "answered gone" }, 20001],
  ];

  for (const [changes, code] of cases) {
    const answer = await app.root.post("Calls.json", { ...wanted, ...changes });
    assert.equal(answer.status, 400);
    assert.equal(answer.json().code, code, answer.text);
    assert.ok(answer.json().message.includes(Object.keys(changes)[0]), answer.text);
  }
  assert.equal((await app.root.get("Calls.json")).json().total, 0);
});

Deno.test("POST /Calls takes statusCallbackEvent by space, by comma and repeated", async () => {
  using app = await startApp();

  for (
    const form of [
      { statusCallbackEvent: "initiated answered" },
      { StatusCallbackEvent: "initiated,answered" },
      { statusCallbackEvent: ["initiated", "answered"] },
    ]
  ) {
    const answer = await app.root.post("Calls.json", { ...wanted, ...form });
    assert.equal(answer.headers.get("Warning"), null);
    const call = await app.ports.records.calls.get(app.root.sid, answer.json().sid);
    assert.deepEqual(call?.statusCallbackEvent, ["initiated", "answered"]);
  }
});

Deno.test("POST and PUT /Calls/{Sid} modify a call, in all spellings of its path", async () => {
  using app = await startApp();
  const paths = [(sid: string) => `Calls.json/${sid}`, (sid: string) => `Calls/${sid}.json`];

  for (const path of paths) {
    for (const method of ["post", "put"] as const) {
      const sid = await makeSample(app, app.root, { name: "calls" });
      const answer = await app.root[method](path(sid), { Status: "canceled" });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json().status, "canceled");
      assert.equal((await app.root[method](path(sid), { Status: "completed" })).json().code, 21220);
    }
  }
});

Deno.test("POST /Calls/{Sid} answers 400 for wrong parameters and 404 for unknown calls", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "calls" });

  const status = await app.root.post(`Calls/${sid}.json`, { Status: "busy" });
  assert.match(status.json().message, /Status must be one of canceled, completed$/);
  const url = await app.root.post(`Calls/${sid}.json`, { Url: "nowhere" });
  assert.equal(url.json().code, 21205);
  const unknown = await app.root.post(`Calls/CA${"0".repeat(32)}`, { Status: "completed" });
  assert.equal(unknown.status, 404);
});

Deno.test("POST /Calls/{Sid} checks Mute and MoveConnectedCallLeg, and refuses impossible changes", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "calls" });
  const cases: [Record<string, string>, number, RegExp][] = [
    [{ Mute: "yes" }, 20001, /Mute must be one of true, false$/],
    [{ MoveConnectedCallLeg: "1" }, 20001, /MoveConnectedCallLeg must be one of true, false$/],
    [{ Mute: "true" }, 21221, /Status is queued/],
    [{ Mute: "false" }, 21221, /Status is queued/],
    [{ MoveConnectedCallLeg: "true" }, 21221, /MoveConnectedCallLeg needs Url/],
  ];

  for (const [form, code, message] of cases) {
    const answer = await app.root.post(`Calls/${sid}.json`, form);
    assert.deepEqual([answer.status, answer.json().code], [400, code]);
    assert.match(answer.json().message, message);
  }
  const kept = await app.root.post(`Calls/${sid}.json`, { MoveConnectedCallLeg: "false" });
  assert.deepEqual([kept.status, kept.headers.get("Warning")], [200, null]);
});

Deno.test("GET /Calls/{Sid}/Notifications lists the Notifications of that call", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const [one, two] = [
    await makeSample(app, app.root, { name: "calls", n: 1 }),
    await makeSample(app, app.root, { name: "calls", n: 2 }),
  ];
  for (const callSid of [one, two, one]) {
    const now = app.ports.now();
    const sid = app.ports.newSid("NO");
    const base = { sid, accountSid: app.root.sid, dateCreated: now, dateUpdated: now };
    const record = { ...base, ...samples.notifications.record!(1), callSid };
    await app.ports.records.notifications.insert({ record: record as never });
  }

  const list = (await app.root.get(`Calls/${one}/Notifications.json?PageSize=1`)).json();

  assert.equal(list.total, 2);
  assert.equal((await app.root.get(list.next_page_uri)).json().notifications[0].call_sid, one);
  const foreign = await makeSample(app, other, { name: "calls" });
  assert.equal((await app.root.get(`Calls/${foreign}/Notifications.json`)).status, 404);
  assert.equal((await app.root.post(`Calls/${one}/Notifications`)).status, 405);
});

import assert from "node:assert/strict";
import type { App } from "../support/service/app.ts";
import { startApp } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";

async function withCalls(count: number): Promise<App> {
  const app = await startApp();
  for (let n = 1; n <= count; n++) await makeSample(app, app.root, { name: "calls", n });
  return app;
}

Deno.test("a paged list carries the envelope, and every address in it answers", async () => {
  using app = await withCalls(5);

  const page = (await app.root.get("Calls.json?Page=1&PageSize=2&Status=queued")).json();

  const { calls, ...envelope } = page;
  const base = `/2012-04-24/Accounts/${app.root.sid}/Calls.json?Status=queued`;
  assert.deepEqual(envelope, {
    page: 1,
    num_pages: 3,
    page_size: 2,
    total: 5,
    start: "2",
    end: "3",
    uri: `${base}&Page=1&PageSize=2`,
    first_page_uri: `${base}&Page=0&PageSize=2`,
    previous_page_uri: `${base}&Page=0&PageSize=2`,
    next_page_uri: `${base}&Page=2&PageSize=2&AfterSid=${calls[1].sid}`,
    last_page_uri: `${base}&Page=2&PageSize=2`,
  });
  for (const [key, value] of Object.entries(envelope)) {
    if (key.endsWith("uri")) assert.equal((await app.root.get(String(value))).status, 200, key);
  }
  assert.deepEqual((await app.root.get(envelope.uri)).json(), page);
});

Deno.test("an XML list carries the envelope as attributes", async () => {
  using app = await withCalls(1);

  const { text } = await app.root.get("Calls?Status=queued");

  const uri = `/2012-04-24/Accounts/${app.root.sid}/Calls?Status=queued&amp;Page=0&amp;PageSize=50`;
  const attributes = `page="0" numpages="1" pagesize="50" total="1" start="0" end="0" ` +
    `uri="${uri}" firstpageuri="${uri}" previouspageuri="null" nextpageuri="null" ` +
    `lastpageuri="${uri}"`;
  assert.ok(text.includes(`<ServiceResponse><Calls ${attributes}><Call><Sid>`), text);
});

Deno.test("an empty list and a page past the end are empty pages", async () => {
  using app = await withCalls(3);

  const empty = (await app.root.get("Notifications.json")).json();
  assert.deepEqual(
    [empty.total, empty.num_pages, empty.start, empty.end, empty.next_page_uri],
    [0, 0, "0", "0", "null"],
  );
  const past = (await app.root.get("Calls.json?Page=7&PageSize=2")).json();
  assert.deepEqual([past.page, past.total, past.calls], [7, 3, []]);
  assert.equal((await app.root.get(past.previous_page_uri)).json().calls.length, 1);
});

Deno.test("rows that arrive or vanish while a list is paged neither repeat nor hide others", async () => {
  using app = await withCalls(6);
  const all = (await app.root.get("Calls.json")).json().calls;
  const sids = all.map(({ sid }: { sid: string }) => sid);
  const first = (await app.root.get("Calls.json?PageSize=3")).json();

  for (let n = 7; n <= 9; n++) await makeSample(app, app.root, { name: "calls", n });
  const grown = (await app.root.get(first.next_page_uri)).json();
  for (const { sid } of first.calls) await app.ports.records.calls.remove(app.root.sid, sid);
  const shrunk = (await app.root.get(first.next_page_uri)).json();

  for (const { calls } of [grown, shrunk]) {
    assert.deepEqual(calls.map(({ sid }: { sid: string }) => sid), sids.slice(3));
  }
});

Deno.test("PageSize is at most 1000, and a Page that is no number answers 400", async () => {
  using app = await withCalls(1);

  assert.equal((await app.root.get("Calls.json?PageSize=5000")).json().page_size, 1_000);
  for (
    const query of [
      "Page=-1",
      "Page=x",
      "Page=1.5",
      "Page=",
      "Page=0&Page=1",
      "PageSize=0",
      "PageSize=-5",
      "PageSize=1e3",
      "AfterSid=x",
      "AfterSid=AC018d5f63ea0000000000000000000001",
    ]
  ) {
    for (const list of ["Calls", "Clients"]) {
      const answer = await app.root.get(`${list}.json?${query}`);
      assert.equal(answer.status, 400, query);
      assert.ok(answer.json().message.includes(query.split("=")[0]), answer.text);
    }
  }
});

Deno.test("a plain list is paged by Link", async () => {
  using app = await startApp();
  for (let n = 1; n <= 3; n++) await makeSample(app, app.root, { name: "clients", n });

  const { headers } = await app.root.get("Clients.json?PageSize=1&Page=1&Login=alice9");
  const base = `</2012-04-24/Accounts/${app.root.sid}/Clients.json?Login=alice9`;
  assert.equal(
    headers.get("Link"),
    ["first", "prev", "last"].map((rel) => `${base}&Page=0&PageSize=1>; rel="${rel}"`).join(", "),
  );
});

Deno.test("date filters narrow Calls by their StartTime, in every spelling", async () => {
  using app = await startApp();
  const days = ["2024-01-30", "2024-01-31", "2024-02-01"];
  const sids: string[] = [];
  for (const [n, day] of days.entries()) {
    const sid = await makeSample(app, app.root, { name: "calls", n });
    await app.ports.records.calls.update(app.root.sid, sid, (call) => ({
      record: { ...call, startTime: Date.parse(`${day}T10:00:00Z`) },
    }));
    sids.push(sid);
  }
  const cases: [query: string, passed: number[]][] = [
    ["StartTime=2024-01-31", [1]],
    ["StartTime>=2024-01-31", [1, 2]],
    ["StartTime>2024-01-31", [1, 2]],
    ["StartTime%3E=2024-01-31", [1, 2]],
    ["StartTime%3E%3D2024-01-31", [1, 2]],
    ["StartTime=%3E%3D2024-01-31", [1, 2]],
    ["StartTime=>2024-01-31", [1, 2]],
    ["StartTime<=2024-01-31", [0]],
    ["StartTime<2024-02-01", [0, 1]],
    ["StartTime>=2024-01-31&StartTime<=2024-02-01", [1]],
    ["StartTime=2024-01-30&EndTime=2024-01-31", [0, 1]],
    ["StartTime>=2024-01-31T10:00:00Z", [1, 2]],
    ["StartTime=2024-01-31T10:00:00.000Z", [1]],
    ["StartTime=2024-01-31T11:00:00+01:00", [1]],
    ["StartTime<=2024-01-31T09:59:59.999Z", [0]],
    ["EndTime=2024-01-31", []],
  ];

  for (const [query, passed] of cases) {
    const page = (await app.root.get(`Calls.json?${query}`)).json();
    const found = page.calls.map(({ sid }: { sid: string }) => sids.indexOf(sid)).toReversed();
    assert.deepEqual(found, passed, query);
    assert.deepEqual((await app.root.get(page.uri)).json().calls, page.calls, page.uri);
  }
});

Deno.test("a filter that means nothing answers 400, and one that is unknown is named", async () => {
  using app = await startApp();

  for (const query of ["StartTime=yesterday", "StartTime=2024-02-30", "EndTime>=", "StartTime="]) {
    const answer = await app.root.get(`Calls.json?${query}`);
    assert.match(answer.json().message, /(Start|End)Time must be a date/, query);
  }
  const status = await app.root.get("Calls.json?Status=dead&PageSize=x");
  assert.match(status.json().message, /Status must be one of queued, .*; PageSize must be/);
  for (const query of ["Calls.json?From=%ff", "AvailablePhoneNumbers/US/Local.json?From=%ff"]) {
    const encoded = await app.root.get(query);
    assert.match(encoded.json().message, /From must be percent-encoded UTF-8$/, query);
  }
  const unknown = await app.root.get("Calls.json?status=queued");
  const hint = '299 - "Unknown parameter: status. Did you mean Status?"';
  assert.equal(unknown.headers.get("Warning"), hint);
  assert.match((await app.root.get("Clients.json?StartTime=x")).headers.get("Warning")!, /StartT/);
  for (const path of ["AvailablePhoneNumbers/US/Local", "AvailablePhoneNumbers", "Usage/Records"]) {
    const without = await app.root.get(`${path}.json?AfterSid=x`); // What they list has no Sids.
    assert.equal(without.headers.get("Warning"), '299 - "Unknown parameter: AfterSid"', path);
  }
});

Deno.test("a misspelt filter is ignored, and the Warning names the filter that was meant", async () => {
  using app = await startApp();
  const Url = "http://app.test/voice";
  await app.root.post("Calls.json", { From: "me", To: "client:bob", Url });
  const misspelt = {
    Stauts: "Status",
    Form: "From",
    PageSise: "PageSize",
    StarTime: "StartTime",
    Aftersid: "AfterSid",
    ParentCalSid: "ParentCallSid",
  };

  for (const [name, meant] of Object.entries(misspelt)) {
    const answer = await app.root.get(`Calls.json?${name}=completed`);
    assert.deepEqual([answer.status, answer.json().total], [200, 1], name);
    const warning = `299 - "Unknown parameter: ${name}. Did you mean ${meant}?"`;
    assert.equal(answer.headers.get("Warning"), warning);
  }
  const foo = await app.root.get("Calls.json?Foo=1");
  assert.equal(foo.headers.get("Warning"), '299 - "Unknown parameter: Foo"');
});

Deno.test("From and To find a Client by its Login with and without client:", async () => {
  using app = await startApp();
  await app.root.post("Clients.json", { Login: "alice", Password: "secret" });
  const Url = "http://app.test/voice";
  const sent = [
    ["SMS/Messages.json", { From: "alice", To: "client:bob", Body: "one" }],
    ["SMS/Messages.json", { From: "+15550000001", To: "client:alice", Body: "two" }],
    ["Calls.json", { From: "alice", To: "client:bob", Url }],
    ["Calls.json", { From: "client:alice", To: "client:bob", Url }],
  ] as const;
  for (const [path, form] of sent) {
    const answer = await app.root.post(path, { ...form });
    assert.equal(answer.status, 200, answer.text);
    app.clock.now += 1_000;
  }
  const total = async (path: string) => (await app.root.get(path)).json().total;

  for (const login of ["alice", "client:alice"]) {
    assert.equal(await total(`SMS/Messages.json?From=${login}`), 1, login);
    assert.equal(await total(`SMS/Messages.json?To=${login}`), 1, login);
    assert.equal(await total(`Calls.json?From=${login}`), 2, login);
    assert.equal(await total(`Calls.json?From=${login}&To=bob&Status=queued`), 2, login);
  }
  assert.equal((await app.root.get("Calls.json?From=alice&PageSize=1&Page=1")).json().start, "1");
  assert.equal(await total("SMS/Messages.json?From=alic"), 0);
  assert.equal(await total("SMS/Messages.json?To=%2B15550000001"), 0);
});

import assert from "node:assert/strict";
import type { Call } from "../../../core/model/resources/calls.ts";
import { makeSample } from "../../support/service/samples.ts";
import type { Requester } from "../../../core/model/resources/internal/call_end.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

Deno.test("every link of the navigation leads to a page of fewer than 30 kB, with a text for an empty list", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  const first = await browser.signIn("root@example.com", "root password");
  assert.ok(first.text.length < 60_000);
  const links = [...first.text.matchAll(/href="\/console(\/AC[^"]*)"/g)].map(([, path]) => path!);
  assert.ok(new Set(links).size > 14);
  for (const path of new Set(links)) {
    const page = await browser.get(path);
    assert.equal(page.status, 200, path);
    assert.match(page.text, /<h1>/, path);
    assert.ok(page.text.length < 30_000, `${path} has ${page.text.length} characters`);
    const policy = page.headers.get("Content-Security-Policy")!;
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(page.text, /\son\w+=|\sstyle=|<script>|<style/, path);
  }
});

Deno.test("the search leads a Sid to its record, and a number and a Login to their records", async () => {
  using app = await startConsole();
  const sub = await app.subAccount(app.root, "dev");
  const { sid } = (await sub.post("Clients.json", { Login: "alice", Password: "secret" })).json();
  const call = (await app.root.post("Calls.json", {
    From: "+15550001",
    To: "client:zoe",
    Url: "https://app.test/voice",
  })).json();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const find = (q: string) => browser.get(`/${app.root.sid}/search?${new URLSearchParams({ q })}`);

  assert.equal((await find(call.sid)).path, `/console/${app.root.sid}/Calls/${call.sid}`);
  assert.equal((await find(sid.toUpperCase())).path, `/console/${sub.sid}/Clients/${sid}`);
  assert.equal((await find(sub.sid)).path, `/console/${sub.sid}`);
  for (const text of ["+1 (555) 0001", "15550001", "zoe", "client:zoe"]) {
    assert.match((await find(text)).text, new RegExp(`Calls/${call.sid}`), text);
  }
  const more = /href="\/console([^"]*)">All from \+15550001</.exec((await find("1 555 0001")).text);
  assert.match((await browser.get(more![1]!)).text, new RegExp(`Calls/${call.sid}`));
  assert.match((await find("zoe")).text, />All to client:zoe</);
  for (const text of ["CA" + "0".repeat(32), "nobody", "+15559999", "<b>&", ""]) {
    const page = await find(text);
    assert.equal(page.status, 200);
    assert.match(page.text, /class="empty"/, text);
    assert.doesNotMatch(page.text, /<b>&/);
  }
});

Deno.test("a Client is made, changed and removed by forms; a refusal stands in the form", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Clients`;
  await browser.get(`${to}/new`);

  const refused = await browser.post(to, {
    Login: "a b",
    Password: "secret",
    VoiceUrl: "https://app.test/v",
  });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /role="alert">[^<]*Login must be/);
  assert.match(refused.text, /value="https:\/\/app\.test\/v"/);
  assert.doesNotMatch(refused.text, /value="secret"/);

  const made = await browser.post(to, {
    Login: "bob",
    Password: "secret",
    VoiceUrl: "https://app.test/v",
  });
  assert.match(made.path, /Clients\/CL[0-9a-f]{32}\?done=created$/);
  assert.doesNotMatch(made.text, /secret/);
  const path = made.path.slice("/console".length).split("?")[0]!;
  const saved = await browser.post(path, { FriendlyName: "Bob", VoiceUrl: "", Password: "" });
  assert.equal(saved.status, 200);
  const [client] = (await app.root.get("Clients.json")).json();
  assert.deepEqual([client.friendly_name, client.voice_url, client.password], [
    "Bob",
    null,
    "secret",
  ]);
  await browser.post(`${path}/delete`);
  assert.deepEqual((await app.root.get("Clients.json")).json(), []);
});

Deno.test("lists are exported as CSV and JSON, a formula as text", async () => {
  using app = await startConsole();
  for (const name of ["=1+1", 'a "b", c', "Zoë"]) {
    await app.root.post("Applications.json", { FriendlyName: name });
  }
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const at = `/${app.root.sid}/Applications/export`;
  const csv = await browser.get(`${at}?format=csv`);
  const lines = csv.text.trim().split("\r\n");
  assert.equal(csv.headers.get("Content-Type"), "text/csv; charset=utf-8");
  assert.match(lines[0]!, /^sid,date_created,date_updated,account_sid,friendly_name,/);
  assert.equal(lines.length, 4);
  assert.match(csv.text, /,'=1\+1,/);
  assert.match(csv.text, /,"a ""b"", c",/);
  const json = JSON.parse((await browser.get(`${at}?format=json`)).text);
  assert.deepEqual(json.map((one: { friendly_name: string }) => one.friendly_name), [
    "Zoë",
    'a "b", c',
    "=1+1",
  ]);
  const none = await browser.get(`${at}?format=json&FriendlyName=none`);
  assert.deepEqual(JSON.parse(none.text), []);
});

Deno.test("the timeline of a call has its markup with skipped parts, input, callbacks and Notifications", async () => {
  using app = await startConsole();
  app.answers = ({ url }) =>
    url.endsWith("/voice")
      ? new Response("<Response><Fax/><Say>Hello &amp; bye</Say></Response>", {
        headers: { "Content-Type": "text/xml" },
      })
      : new Response("broken", { status: 500 });
  const call = (await app.root.post("Calls.json", {
    From: "+15550001",
    To: "client:alice",
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/events",
  })).json();
  await app.ports.records.notifications.insert({
    record: {
      sid: app.ports.newSid("NO"),
      accountSid: app.root.sid,
      dateCreated: app.clock.now,
      dateUpdated: app.clock.now,
      callSid: call.sid,
      apiVersion: "2012-04-24",
      log: 0,
      errorCode: 11200,
      moreInfo: "http://api.test/errors/11200",
      messageText: "Cannot fetch the document: <timeout>",
      messageDate: app.clock.now,
      requestUrl: "https://app.test/voice",
      requestMethod: "POST",
      requestVariables: "Digits=1",
      responseHeaders: null,
      responseBody: null,
      requestId: null,
    },
  });
  const record = (await app.ports.records.calls.get(app.root.sid, call.sid))!;
  const { firstScript } = await import("../../../core/documents/next_script.ts");
  const signal = new AbortController().signal;
  await firstScript({ call: record, ports: app.ports, signal, params: { Digits: "12#" } });
  await app.settle();

  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const page = await browser.get(`/${app.root.sid}/Calls/${call.sid}`);
  assert.equal(page.status, 200);
  for (
    const text of [
      "Pressed: <b>12#</b>",
      "Fax, Say",
      "Skipped: verb Fax",
      "HTTP 200",
      "&lt;Say&gt;Hello &amp;amp; bye&lt;/Say&gt;",
      "Cannot fetch the document: &lt;timeout&gt;",
      'data-live="2"',
      ">Hang up<",
    ]
  ) assert.ok(page.text.includes(text), text);
  const [document] =
    (await app.root.get(`Webhooks/Documents.json?CallSid=${call.sid}`)).json().documents;
  assert.deepEqual(
    [document.status, document.verbs, document.skipped, document.error],
    [200, "Fax, Say", "verb Fax", null],
  );

  const ended = await browser.post(`/${app.root.sid}/Calls/${call.sid}/end`);
  assert.match(ended.path, /done=ended$/);
  const [entry] = (await app.root.get("AuditEntries.json?Action=POST")).json().audit_entries;
  assert.deepEqual([entry.target, entry.parameters], [`Calls/${call.sid}`, "Status=completed"]);
  assert.match(ended.text, /root@example\.com: <code>Status=completed<\/code>/);
});

Deno.test("the page of a Delivery has its attempts, and sends it again", async () => {
  using app = await startConsole();
  const sid = await makeSample(app, app.root, { name: "deliveries" });
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const path = `/${app.root.sid}/Webhooks/Deliveries/${sid}`;
  const page = await browser.get(path);
  assert.match(page.text, /no complete response within 15 s/);
  assert.match(page.text, /HTTP 200/);
  const replayed = await browser.post(`${path}/replay`);
  assert.equal(replayed.path, `/console${path}?done=replayed`);
  assert.equal((await app.root.get(`Webhooks/Deliveries/${sid}.json`)).json().status, "queued");
});

Deno.test("an ended call has the cause of its end in one line, as far as it was reported", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const verdictOf = async (body: string, isByHand = false) => {
    app.answers = () => new Response(body, { headers: { "Content-Type": "text/xml" } });
    const form = { From: "+15550001", To: "client:zoe", Url: "https://app.test/voice" };
    const { sid } = (await app.root.post("Calls.json", form)).json();
    const call = (await app.ports.records.calls.get(app.root.sid, sid))!;
    const { firstScript } = await import("../../../core/documents/next_script.ts");
    await firstScript({ call, ports: app.ports, signal: new AbortController().signal });
    if (isByHand) await browser.post(`/${app.root.sid}/Calls/${sid}/end`);
    await app.ports.records.calls.update(app.root.sid, sid, (record) => ({
      record: { ...record, status: "completed", endTime: app.clock.now + 9_000, duration: 9 },
    }));
    const page = await browser.get(`/${app.root.sid}/Calls/${sid}`);
    return /class="verdict"[^>]*>.*?<\/span>([^<]*)/.exec(page.text)![1]!.trim();
  };

  const lasted = "It was answered and lasted 9 s. ";
  assert.equal(
    await verdictOf("<Response><Say>Bye</Say><Hangup/></Response>"),
    `${lasted}Its last markup ends with Hangup.`,
  );
  assert.equal(
    await verdictOf("<Response><Say>Bye</Say></Response>"),
    `${lasted}Its last markup (Say) was read 9 s before the end; a call is hung up after its last ` +
      "verb, or by a party.",
  );
  assert.equal(
    await verdictOf("<Response><Say>Bye</Say></Response>", true),
    `${lasted}At the console, root@example.com hung it up.`,
  );
});

Deno.test("an ended call says which side hung up, by its own report and those of its legs", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { calls } = app.ports.records;
  type Ended = Pick<Call, "disconnection"> & Partial<Call>;
  const made = async (ended: Ended) => {
    const form = { From: "+15550001", To: "client:zoe", Url: "https://app.test/voice" };
    const { sid } = (await app.root.post("Calls.json", form)).json();
    const { now } = app.clock;
    const times = { ringingAt: now, answeredAt: now + 3_000, endTime: now + 15_000, duration: 12 };
    await calls.update(app.root.sid, sid, (record) => ({
      record: { ...record, status: "completed", ...times, ...ended },
    }));
    return sid as string;
  };
  const verdictOf = async (sid: string) => {
    const page = await browser.get(`/${app.root.sid}/Calls/${sid}`);
    return /class="verdict"[^>]*>.*?<\/span>([^<]*)/.exec(page.text)![1]!.trim()
      .replaceAll("&quot;", '"').replaceAll("&#39;", "'");
  };
  const verdict = async (ended: Ended) => verdictOf(await made(ended));

  const bye = { by: "remote", cause: "bye" } as const;
  assert.equal(await verdict({ disconnection: bye }), "The callee hung up after 12 s.");
  assert.equal(
    await verdict({ disconnection: { ...bye, text: "Q.850;cause=16" }, direction: "inbound" }),
    "The caller hung up (Q.850;cause=16) after 12 s.",
  );
  assert.equal(
    await verdict({ disconnection: { by: "service", cause: "time-limit" } }),
    "It was answered and lasted 12 s. Its time limit was reached.",
  );
  assert.equal(
    await verdict({
      status: "busy",
      answeredAt: null,
      disconnection: { by: "remote", cause: "refused", sipStatus: 486, text: "Busy Here" },
    }),
    "The callee refused it with 486 Busy Here.",
  );
  assert.equal(
    await verdict({
      status: "canceled",
      answeredAt: null,
      direction: "inbound",
      disconnection: { by: "remote", cause: "cancel", sipStatus: 487 },
    }),
    "The caller hung up before the answer, after 15 s.",
  );

  const byRequest = (requester: Requester) =>
    verdict({ disconnection: { by: "service", cause: "request", requester } });
  const key = { sid: `SK${"1".repeat(32)}`, name: "deploy" };
  assert.equal(
    await byRequest({ ...key, path: "interface" }),
    'It was answered and lasted 12 s. By a request to the interface, the API key "deploy" hung it up.',
  );
  const account = { sid: app.root.sid, name: "root@example.com" };
  assert.equal(
    await byRequest({ ...account, path: "twilio-interface" }),
    "It was answered and lasted 12 s. By a request to the interface of Twilio's libraries, " +
      "root@example.com hung it up.",
  );
  assert.equal(
    await byRequest({ ...account, path: "console" }),
    "It was answered and lasted 12 s. At the console, root@example.com hung it up.",
  );
  assert.equal(
    await byRequest({ sid: `AC${"1".repeat(32)}`, name: null, path: "console" }),
    "It was answered and lasted 12 s. At the console, an account above this one hung it up.",
  );

  const left = { by: "service", cause: "script-end" } as const;
  const parent = await made({ disconnection: left, direction: "inbound" });
  const leg = { parentCallSid: parent, direction: "outbound-dial" } as const;
  const child = await made({ ...leg, disconnection: bye });
  assert.equal(
    await verdictOf(parent),
    "It was answered and lasted 12 s. " +
      "The callee hung up after 12 s (client:zoe).",
  );
  assert.equal(await verdictOf(child), "The callee hung up after 12 s.");
  const page = await browser.get(`/${app.root.sid}/Calls/${parent}`);
  assert.match(page.text, /Answered after 3\.0 s of ringing\. The callee hung up after 12 s\./);
  assert.match((await browser.get(`/${app.root.sid}/Calls/${child}`)).text, /The callee rings\./);

  const caller = await made({ disconnection: bye, direction: "inbound" });
  const otherLeg = { by: "service", cause: "other-leg" } as const;
  const other = await made({ ...leg, parentCallSid: caller, disconnection: otherLeg });
  assert.equal(
    await verdictOf(other),
    "It was answered and lasted 12 s. " +
      "The caller hung up after 12 s.",
  );
});

Deno.test("the page of a Delivery has the texts that its signatures are over, and the signatures that were sent", async () => {
  using app = await startConsole();
  for (const method of ["POST", "GET"]) {
    app.fetched.length = 0;
    const call = await app.root.post("Calls.json", {
      From: "+15550001",
      To: "client:zoe",
      Url: "https://app.test/voice",
      StatusCallback: "https://app.test/events?a=1",
      StatusCallbackMethod: method,
    });
    await app.root.post(`Calls/${call.json().sid}.json`, { Status: "canceled" });
    await app.runJobs();
    const sent = app.fetched.find(({ url }) => url.startsWith("https://app.test/events"))!;
    const [{ sid }] = (await app.root.get("Webhooks/Deliveries.json")).json().deliveries;
    const browser = consoleClient(app);
    await browser.signIn("root@example.com", "root password");
    const page = await browser.get(`/${app.root.sid}/Webhooks/Deliveries/${sid}`);
    const shown = page.text.replaceAll("&amp;", "&");
    for (const name of ["X-Switchboard-Signature", "X-Twilio-Signature"]) {
      assert.ok(shown.includes(`${name}: ${sent.headers.get(name)}`), `${method} ${name}`);
    }
    const body = method === "POST" ? await sent.clone().text() : "";
    assert.ok(shown.includes(`.${method}.${sent.url}.${body}`), method);
    assert.ok(!page.text.includes(app.root.token));
  }
});

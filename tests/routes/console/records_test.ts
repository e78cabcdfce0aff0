import assert from "node:assert/strict";
import { faults } from "../../../core/base/faults.ts";
import { browserName } from "../../../routes/console/pages/browser_name.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import type { Notification } from "../../../core/model/resources/notifications.ts";
import { makeSample, sampleBinding } from "../../support/service/samples.ts";

/** The option of a select that a form is sent with. */
const chosen = (page: string, name: string): string | undefined => {
  const [, options = ""] = new RegExp(`<select[^>]*name="${name}"[^>]*>(.*?)</select>`).exec(page)!;
  return (/<option value="([^"]*)" selected/.exec(options) ?? /value="([^"]*)"/.exec(options))?.[1];
};

Deno.test("a form for a new Client chooses nothing by itself, so that the Client may register", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const to = `/${app.root.sid}/Clients`;
  const form = await browser.get(`${to}/new`);
  assert.equal(chosen(form.text, "Status"), "");

  const Status = chosen(form.text, "Status")!;
  await browser.post(to, { Login: "bob", Password: "secret", Status });
  const [client] = (await app.root.get("Clients.json")).json();
  assert.equal(client.status, "1");
  const page = await browser.get(`${to}/${client.sid}`);
  assert.equal(chosen(page.text, "Status"), "1");
});

Deno.test("the list of Clients shows registrations and their addresses", async () => {
  using app = await startConsole();
  for (const Login of ["alice", "bob"]) {
    await app.root.post("Clients.json", { Login, Password: "secret" });
  }
  app.registered.set("alice", [sampleBinding(app), sampleBinding(app)]);
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { text } = await browser.get(`/${app.root.sid}/Clients`);
  assert.match(
    text,
    />alice<(?:(?!<tr).)*>registered<(?:(?!<tr).)*203\.0\.113\.7:50412 and 1 more/,
  );
  assert.doesNotMatch(text, />bob<(?:(?!<tr).)*>registered</);
});

Deno.test("the form of a Gateway has the lifetime of its registration", async () => {
  using app = await startConsole();
  const sid = await makeSample(app, app.root, { name: "gateways" });
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { text } = await browser.get(`/${app.root.sid}/Management/Gateways/${sid}`);
  assert.match(text, /name="TTL"[^>]*value="3600"/);
});

Deno.test("a recording has a player at its own page", async () => {
  using app = await startConsole();
  const sid = await makeSample(app, app.root, { name: "recordings" });
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { text } = await browser.get(`/${app.root.sid}/Recordings/${sid}`);
  assert.match(text, new RegExp(`<audio[^>]*src="[^"]*/Recordings/${sid}/audio"`));
  assert.match(text, /<h1>Recording of 4 s</);
});

Deno.test("the first line of a call has the place of its last error, and advice", async () => {
  using app = await startConsole();
  const { sid } = (await app.root.post("Calls.json", {
    From: "+15550001",
    To: "client:alice",
    Url: "https://app.test/voice",
  })).json();
  const { code, message } = faults.documentUnreachable;
  const notification = await makeSample(app, app.root, { name: "notifications" });
  await app.ports.records.notifications.update(app.root.sid, notification, (record) => ({
    record: {
      ...record,
      callSid: sid,
      errorCode: code,
      messageText: `${message}: the server answered 502`,
      requestUrl: "https://app.test/voice",
    },
  }));
  await app.ports.records.calls.update(app.root.sid, sid, (record) => ({
    record: { ...record, status: "completed", endTime: Date.UTC(2024, 0, 31, 11, 59, 59) },
  }));
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { text } = await browser.get(`/${app.root.sid}/Calls/${sid}`);
  const [verdict] = /class="verdict".*?<\/div>/.exec(text)!;
  assert.match(verdict, /Hung up by an error: Cannot fetch [^<]* answered 502\./);
  assert.match(verdict, /POST https:\/\/app\.test\/voice/);
  assert.match(verdict, /Look into the log of the application server/);
  assert.doesNotMatch(verdict, /15 seconds/);

  const mark = new RegExp(`completed</span> <a class="status bad"[^>]*>error ${code}</a>`);
  const lists = ["", "/Calls", "/search?q=zoe", "/search?q=alice"];
  const marked = async (path: string) =>
    mark.test((await browser.get(`/${app.root.sid}${path}`)).text);
  assert.deepEqual(await Promise.all(lists.map(marked)), [true, true, false, true]);
  await Promise.all(Array.from({ length: 110 }, async () => {
    const other = await makeSample(app, app.root, { name: "notifications" });
    const warning = (record: Notification) => ({ record: { ...record, callSid: null } });
    await app.ports.records.notifications.update(app.root.sid, other, warning);
  }));
  assert.deepEqual(await Promise.all(lists.map(marked)), [true, true, false, true]);
  await app.ports.records.notifications.update(app.root.sid, notification, (record) => ({
    record: { ...record, log: 1 },
  }));
  assert.deepEqual(await Promise.all(lists.map(marked)), [false, false, false, false]);
});

Deno.test("browserName() names browser and system, or shows an unknown header as it is", () => {
  const names = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":
      "Firefox 140 on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0":
      "Edge 142 on Windows",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1":
      "Safari 18 on iOS",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36":
      "Chrome 142 on Android",
    "curl/8.5.0": "curl/8.5.0",
    "": "unknown",
  };
  for (const [header, name] of Object.entries(names)) assert.equal(browserName(header), name);
});

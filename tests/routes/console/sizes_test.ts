import assert from "node:assert/strict";
import { newBase, withDefaults } from "../../../core/model/resource.ts";
import { type Call, calls } from "../../../core/model/resources/calls.ts";
import { notifications } from "../../../core/model/resources/notifications.ts";
import type { Records } from "../../../core/model/ports/ports.ts";
import type { App } from "../../support/service/app.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";

const minuteMs = 60_000;

/** A busy account: more of everything than a page has, with long texts. */
async function fill(app: App): Promise<void> {
  const { root: { sid: accountSid }, ports, clock } = app;
  const long = `https://app.test/${"path/".repeat(40)}`;
  const statuses = ["completed", "busy", "failed", "no-answer", "canceled"] as const;
  for (let at = 0; at < 700; at++) {
    const startTime = clock.now - (at % 58) * minuteMs;
    const ends = { from: `+1415555${1_000 + at}`, to: `client:${"long-login-".repeat(5)}${at}` };
    const sent = { ...ends, status: statuses[at % 5], startTime, answeredAt: startTime + 900 };
    const call = { ...newBase(calls, accountSid, ports), ...withDefaults(calls, sent) } as Call;
    await ports.records.calls.insert({ record: call });
    if (at > 200) continue;
    await ports.records.notifications.insert({
      record: {
        ...newBase(notifications, accountSid, ports),
        callSid: call.sid,
        apiVersion: "2012-04-24",
        log: 0,
        errorCode: 11210,
        moreInfo: "http://api.test/errors/11210",
        messageText: `Cannot fetch the markup document: ${"because ".repeat(30)}`,
        messageDate: startTime,
        requestUrl: `${long}${at % 40}`,
        requestMethod: "POST",
        requestVariables: null,
        responseHeaders: null,
        responseBody: null,
        requestId: null,
      },
    });
  }
  for (let at = 0; at < 40; at++) {
    await app.root.post("Clients.json", {
      Login: `client-of-the-team-${at}`,
      Password: "secret",
      VoiceUrl: long,
    });
    await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: `+14155550${100 + at}` });
    await app.root.post("Applications.json", { FriendlyName: `menu ${at}`, RcmlUrl: long });
    await app.subAccount(app.root, `team${at}`);
  }
}

/** Notes how many records each list of the store has read since it was asked last. */
function countReads(app: App): () => number {
  let read = 0;
  for (const name of Object.keys(app.ports.records) as (keyof Records)[]) {
    const collection = app.ports.records[name] as Records["calls"]; // Alike in what matters here.
    const { list } = collection;
    collection.list = async (accountSid, query) => {
      const slice = await list(accountSid, query);
      read += slice.items.length;
      return slice;
    };
  }
  return () => {
    const before = read;
    read = 0;
    return before;
  };
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

async function zipped(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

Deno.test("pages of a busy account stay within 30 kB, the first one with its files within 60 kB, and read few records", async () => {
  using app = await startConsole();
  await fill(app);
  const browser = consoleClient(app);
  const first = await browser.signIn("root@example.com", "root password");
  const files = [...first.text.matchAll(/(?:href|src)="\/console(\/assets\/[^"]*)"/g)]
    .map(([, path]) => path!);
  const all = await Promise.all(files.map((path) => browser.get(path)));
  const sent = await Promise.all([first, ...all].map(({ text }) => zipped(text)));
  const total = sent.reduce((sum, one) => sum + one, 0);
  assert.ok(files.length > 5);
  assert.ok(total < 60_000, `the first page and its files have ${total} bytes`);

  const taken = countReads(app);
  const links = [...first.text.matchAll(/href="\/console(\/AC[^"?]*)"/g)].map(([, path]) => path!);
  const { sid } = (await app.root.get("Calls.json?PageSize=1")).json().calls[0];
  const pages = [...new Set(links), `/${app.root.sid}/Calls?AfterSid=${sid}`];
  assert.ok(pages.length > 20);
  taken();
  for (const path of pages) {
    const { text, status } = await browser.get(path);
    assert.equal(status, 200, path);
    assert.ok(bytesOf(text) < 30_000, `${path} has ${bytesOf(text)} bytes`);
    const read = taken();
    assert.ok(read <= 1_500, `${path} read ${read} records`);
    const isList = /\/(Calls|Clients|SMS|Applications|IncomingPhoneNumbers)/.test(path);
    if (isList) assert.ok(read <= 30, `${path} read ${read} records`);
  }
});

Deno.test("the modules that the page's module imports are fetched with it", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  const { text } = await browser.get("/sign-in");
  const preloaded = [...text.matchAll(/rel="modulepreload" href="[^"]*\/([^"/]*)"/g)];
  const { text: main } = await browser.get("/assets/main.js");
  const imported = [...main.matchAll(/from "\.\/([^"]*)"/g)];
  const names = (found: RegExpExecArray[]) => found.map(([, name]) => name).toSorted();
  assert.ok(imported.length > 3);
  assert.deepEqual(names(preloaded), names(imported));
});

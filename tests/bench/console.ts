import { consoleClient, startConsole } from "../support/service/console_client.ts";
import type { App } from "../support/service/app.ts";
import { newBase, withDefaults } from "../../core/model/resource.ts";
import { type Call, calls } from "../../core/model/resources/calls.ts";
import { notifications } from "../../core/model/resources/notifications.ts";
import { dice } from "../support/service/store_lab.ts";

/**
 * `deno task bench:console`: pages of the console over SIZE calls (default a million, over 30 days)
 * and a tenth as many Notifications of one account, without sockets. It prints the time from
 * request to last byte, and the bytes plain and zipped. STORE names a file for the store, for
 * several runs: each fills it up to SIZE, and FILL=1 does nothing else.
 */

const size = Number(Deno.env.get("SIZE") ?? 1_000_000);
const isFilling = Deno.env.get("FILL") === "1";
const directory = Deno.env.get("STORE") ?? await Deno.makeTempDir({ prefix: "bench-console-" });
const dayMs = 86_400_000;
const begin = Date.UTC(2026, 0, 1);
const roll = dice(7);
const outcomes = [...Array(7).fill("completed"), "busy", "failed", "no-answer"] as Call["status"][];

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

function callOf(app: App): Call {
  const status = outcomes[roll(10)]!;
  const startTime = app.clock.now;
  const answeredAt = status === "completed" ? startTime + 500 + roll(4_000) : null;
  const sent = {
    from: roll(10) < 3 ? "+15550000001" : `+1444${String(roll(1_000)).padStart(7, "0")}`,
    to: `+1555${String(roll(200_000)).padStart(7, "0")}`,
    ...{ status, startTime, answeredAt },
    endTime: startTime + 60_000,
    duration: answeredAt === null ? null : 59,
    direction: "inbound",
  };
  const base = newBase(calls, app.root.sid, app.ports);
  return { ...base, ...withDefaults(calls, sent) } as Call;
}

const noticeOf = (app: App) => ({
  ...newBase(notifications, app.root.sid, app.ports),
  callSid: null,
  apiVersion: "2012-04-24",
  log: 0,
  errorCode: [11210, 12200, 13224, 13228][roll(4)]!,
  moreInfo: "http://api.test/errors/11210",
  messageText: "Cannot fetch the markup document: the server answered 502",
  messageDate: app.clock.now,
  requestUrl: `https://app.example.org/voice/${roll(20)}`,
  requestMethod: "POST",
  requestVariables: null,
  responseHeaders: null,
  responseBody: null,
  requestId: null,
});

/** Fills the store up to so many calls; many at once, so that commits are merged. */
async function fill(app: App): Promise<void> {
  const none = { where: [], skip: 0, limit: 1 };
  const { total } = await app.ports.records.calls.list(app.root.sid, none);
  for (let at = total; at < size; at += 500) {
    const writes: Promise<unknown>[] = [];
    for (let one = at; one < Math.min(at + 500, size); one++) {
      app.clock.now = begin + Math.floor(one * 30 * dayMs / 1_000_000);
      writes.push(app.ports.records.calls.insert({ record: callOf(app) }));
      if (one % 10 > 0) continue;
      writes.push(app.ports.records.notifications.insert({ record: noticeOf(app) }));
    }
    await Promise.all(writes);
    if (at % 50_000 === 0) log(`${at} calls`);
  }
  app.clock.now = begin + Math.floor(size * 30 * dayMs / 1_000_000);
}

const part = (found: number[], share: number) => found[Math.floor((found.length - 1) * share)]!;
const kb = (bytes: number) => (bytes / 1_000).toFixed(1);

const location = `${directory}/store.db`;
using app = await startConsole({ shared: { location, instance: 0 }, madeUpWebhooks: true });
await fill(app);
if (!isFilling) {
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const below = `/${app.root.sid}`;
  const middle = (await app.root.get(`Calls.json?Page=${Math.floor(size / 50)}&PageSize=25`))
    .json();
  const { sid } = middle.calls[0];
  const pages: [name: string, path: string][] = [
    ["Overview, 1 hour", below],
    ["Overview, 24 hours", `${below}?span=day`],
    ["Overview, 7 days", `${below}?span=week`],
    ["Calls, first page", `${below}/Calls`],
    ["Calls, after one in the middle", `${below}/Calls?AfterSid=${sid}`],
    ["Calls, failed", `${below}/Calls?Status=failed`],
    ["Calls, of one day", `${below}/Calls?StartTime=2026-01-10&EndTime=2026-01-10`],
    ["Call, its timeline", `${below}/Calls/${sid}`],
    ["Find a number", `${below}/search?q=%2B15550000777`],
    ["Error log, 7 days", `${below}/Notifications`],
    ["Error log, one by one", `${below}/Notifications?PageSize=25`],
  ];
  log(
    "page".padEnd(34) +
      ["first ms", "median ms", "p95 ms", "kB", "zipped"].map((one) => one.padStart(12)).join(""),
  );
  for (const [name, path] of pages) {
    const times: number[] = [];
    let first = 0; // With nothing of the page in memory yet.
    let bytes = { plain: 0, zipped: 0 };
    for (let turn = 0; turn < 12; turn++) {
      app.clock.now += 20_000;
      const startedAt = performance.now();
      const page = await browser.get(path);
      const took = performance.now() - startedAt;
      if (turn === 0) first = took;
      if (turn > 1) times.push(took);
      const zipped = new Blob([page.text]).stream().pipeThrough(new CompressionStream("gzip"));
      bytes = {
        plain: new TextEncoder().encode(page.text).length,
        zipped: (await new Response(zipped).arrayBuffer()).byteLength,
      };
      if (page.status !== 200) throw new Error(`${path} answered ${page.status}`);
    }
    times.sort((a, b) => a - b);
    const cells = [
      first.toFixed(1),
      part(times, 0.5).toFixed(1),
      part(times, 0.95).toFixed(1),
      kb(bytes.plain),
      kb(bytes.zipped),
    ];
    log(name.padEnd(34) + cells.map((cell) => cell.padStart(12)).join(""));
  }
}

import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { made, reportWholeCall, xml } from "../support/service/hand_companion.ts";
import { type KvConnect, startKvConnect } from "../support/service/kv_connect.ts";

const page = new URL("../../docs/explanation/capacity.md", import.meta.url);

interface Cost {
  reads: number;
  commits: number;
  bytes: number;
}

/** The table of costs in the documentation, by operation. */
async function documented(): Promise<Record<string, Cost>> {
  const [, table = ""] = (await Deno.readTextFile(page)).split("<!-- costs -->");
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const numbers = rows.filter((cells) => /^[\d.]+$/.test(cells[2] ?? ""));
  return Object.fromEntries(numbers.map(([, name, reads, commits, kilobytes]) => [
    name,
    { reads: Number(reads), commits: Number(commits), bytes: Number(kilobytes) * 1_000 },
  ]));
}

async function costOf(endpoint: KvConnect, task: () => Promise<unknown>): Promise<Cost> {
  const before = { ...endpoint.traffic };
  await task();
  const { reads, commits, bytes } = endpoint.traffic;
  return {
    reads: reads - before.reads,
    commits: commits - before.commits,
    bytes: bytes - before.bytes,
  };
}

const form = {
  From: "+15550001",
  To: "client:alice",
  Url: "https://app.test/voice",
  StatusCallback: "https://app.test/events",
  StatusCallbackEvent: "initiated ringing answered completed",
};

/** A call that is answered, hears a pause and ends, with all four callbacks. */
async function wholeCall(app: App): Promise<void> {
  const { sid } = await made(app.root, "Calls", form);
  await reportWholeCall(app, sid);
}

/** Each operation of the table, on a service that is in use. */
function operations(app: App, sid: string): Record<string, () => Promise<unknown>> {
  const { root } = app;
  const read = (path: string) => async () => {
    const { status, text } = await root.get(path);
    assert.equal(status, 200, text);
  };
  return {
    "GET of a call": read(`Calls/${sid}.json`),
    "list of 50, unchanged": read("Calls.json"),
    "create of an application": () => made(root, "Applications", { FriendlyName: "one" }),
    "create of a call, with its job": () => made(root, "Calls", form),
    "list of 50, changed": read("Calls.json"),
    "list of 50, changed, one filter": read("Calls.json?From=%2B15550001"),
    "list of 50, changed, two filters": read("Calls.json?From=%2B15550001&Status=queued"),
  };
}

Deno.test("docs/explanation/capacity.md has the costs of operations on a shared store", async () => {
  await using endpoint = startKvConnect();
  using app = await startApp({ shared: { location: endpoint.url, instance: 0 } });
  app.answers = ({ url }) =>
    url === "https://app.test/voice" ? xml("<Pause length='1'/>") : new Response();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  for (let n = 0; n < 60; n++) await made(app.root, "Calls", form);
  await wholeCall(app); // Drains the jobs of the others too.
  const { sid } = await made(app.root, "Calls", form);
  await app.root.get("Calls.json");

  const measured: Record<string, Cost> = {};
  for (const [name, operation] of Object.entries(operations(app, sid))) {
    measured[name] = await costOf(endpoint, operation);
  }
  await app.runJobs();
  measured["a whole call, with four callbacks"] = await costOf(endpoint, () => wholeCall(app));

  const table = await documented();
  assert.deepEqual(Object.keys(table).sort(), Object.keys(measured).sort());
  for (const [name, cost] of Object.entries(measured)) {
    for (const unit of ["reads", "commits", "bytes"] as const) {
      const [is, says] = [cost[unit], table[name]![unit]];
      // Reads of one turn share a request or not; Sids and times differ in length.
      const isNear = Math.abs(is - says) <= Math.max(unit === "bytes" ? 500 : 1, says * 0.1);
      assert.ok(isNear, `${name}: ${says} ${unit} in the documentation, ${is} measured`);
    }
  }
});

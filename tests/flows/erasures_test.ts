import assert from "node:assert/strict";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, xml } from "../support/service/hand_companion.ts";
import { samples } from "../support/service/samples.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { openDenoKv } from "../../kv/engines/deno_kv.ts";

const erasedNumber = "+4930123456";
const otherNumber = "+4930123457";
const minuteMs = 60_000;

/** An answered call from a number to a Client, with callbacks; still live. */
async function answeredCall(app: App, account: ApiClient, from: string, to = "client:alice") {
  const { sid } = await made(account, "Calls", {
    From: from,
    To: to,
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/events",
    StatusCallbackEvent: "initiated answered completed",
  });
  await app.runJobs();
  const leg = companionOf(app, sid, account.sid);
  await leg.report({ type: "inviting", from, to, sipCallId: sid });
  await leg.report({ type: "answered" });
  return { sid, end: () => leg.report({ type: "ended", outcome: "completed" }) };
}

/** A call that has ended, with a recording, its text and its callbacks; and a message. */
async function keepMuch(app: App, account: ApiClient, number: string): Promise<void> {
  const { sid: callSid, end } = await answeredCall(app, account, number);
  await end();
  const { now, newSid, records } = app.ports;
  const base = (prefix: string) => ({
    sid: newSid(prefix),
    accountSid: account.sid,
    dateCreated: now(),
    dateUpdated: now(),
  });
  const recording = { ...samples.recordings.record!(1), ...base("RE"), callSid };
  await records.recordings.insert({ record: recording as never });
  const transcriptionText = `call ${number} back, ${"please ".repeat(5_000)}`; // Two fill a pack.
  for (let n = 0; n < 3; n++) {
    const text = { recordingSid: recording.sid, duration: 1, transcriptionText, price: "0.00" };
    await records.transcriptions.insert({
      record: { ...base("TR"), status: "completed", ...text },
    });
  }
  await made(account, "SMS/Messages", { From: "+4930999999", To: number, Body: `for ${number}` });
  await app.runJobs();
}

const lists = ["Calls", "SMS/Messages", "Recordings", "Transcriptions", "Webhooks/Deliveries"];

const totals = async (account: ApiClient): Promise<number[]> =>
  await Promise.all(
    lists.map(async (path) => (await account.get(`${path}.json?PageSize=1`)).json().total),
  );

const erasureOf = async (account: ApiClient, sid: string) =>
  (await account.get(`Erasures/${sid}.json`)).json();

/** The keys of a store whose key or value holds one of some texts. */
async function holding(url: string, texts: string[]): Promise<string[]> {
  using kv = await openDenoKv(url);
  const found: string[] = [];
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const bytes = value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : "";
    const whole = Deno.inspect([key, value], { depth: 20, strAbbreviateSize: 1e6 }) + bytes;
    if (texts.some((text) => whole.includes(text))) found.push(Deno.inspect(key));
  }
  return found;
}

/** A service on a store whose bytes can be looked at. */
async function startWith(url: string): Promise<App> {
  const app = await startApp({ shared: { location: url, instance: 0 } });
  app.answers = ({ url }) =>
    url === "https://app.test/voice" ? xml("<Pause length='1'/>") : new Response();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  return app;
}

Deno.test("an Erasure removes all of a number, and no byte of the store names it afterwards", async () => {
  await using endpoint = startKvConnect();
  using app = await startWith(endpoint.url);
  await keepMuch(app, app.root, erasedNumber);
  app.clock.now += 20 * minuteMs; // Texts of then are packed for searches.
  for (const name of ["messages", "transcriptions", "notifications"] as const) {
    await app.ports.records[name].packTexts(app.root.sid, new AbortController().signal);
  }
  await keepMuch(app, app.root, otherNumber);
  const digits = erasedNumber.slice(1);
  const before = await holding(endpoint.url, [digits]);
  for (const part of ['"CA"', '"SM"', '"WD"', '"TR"']) {
    assert.ok(before.some((key) => key.includes(part)), `${part} is in none of ${before}`);
  }
  assert.ok(before.some((key) => key.includes('"transcriptionText"')), "it is in a pack");

  const { sid, status } = await made(app.root, "Erasures", { Subject: erasedNumber });
  assert.equal(status, "queued");
  await app.runJobs();

  const erasure = await erasureOf(app.root, sid);
  const { calls, messages, recordings, transcriptions, deliveries } = erasure;
  assert.deepEqual([erasure.status, erasure.subject], ["completed", "+49…56"]);
  assert.deepEqual([calls, messages, recordings, transcriptions], [1, 1, 1, 3]);
  assert.ok(deliveries >= 3, `${deliveries} deliveries`);
  assert.deepEqual(await holding(endpoint.url, [digits]), []);
  assert.deepEqual((await totals(app.root)).slice(0, 4), [1, 1, 1, 3], "those of the other number");
  for (const filter of [`From=${encodeURIComponent(erasedNumber)}`, "Status=completed"]) {
    const { calls, total } = (await app.root.get(`Calls.json?${filter}`)).json();
    assert.equal(calls.length, total, filter);
  }
});

Deno.test("an Erasure of a Client removes its calls in both directions", async () => {
  await using endpoint = startKvConnect();
  using app = await startWith(endpoint.url);
  await made(app.root, "Clients", { Login: "alice2", Password: "secret" });
  for (const to of ["client:alice", "client:alice2"]) {
    await (await answeredCall(app, app.root, otherNumber, to)).end();
  }
  await app.runJobs();
  const { sid } = await made(app.root, "Erasures", { Subject: "client:alice" });
  await app.runJobs();
  const { status, subject, calls } = await erasureOf(app.root, sid);
  assert.deepEqual([status, subject, calls], ["completed", "client:a…", 1]);
  const left = (await app.root.get("Calls.json")).json();
  assert.deepEqual(left.calls.map((call: { to: string }) => call.to), ["client:alice2"]);
});

Deno.test("an Erasure leaves the records of sub-accounts and of others", async () => {
  await using endpoint = startKvConnect();
  using app = await startWith(endpoint.url);
  const tenant = await app.subAccount(app.root, "tenant");
  await made(tenant, "OutgoingCallerIds", { PhoneNumber: erasedNumber });
  await keepMuch(app, tenant, erasedNumber);
  const before = await totals(tenant);
  const { sid } = await made(app.root, "Erasures", { Subject: erasedNumber });
  await app.runJobs();
  assert.equal((await erasureOf(app.root, sid)).status, "completed");
  assert.deepEqual(await totals(tenant), before);
  assert.equal((await tenant.get(`Erasures/${sid}.json`)).status, 404);
});

Deno.test("an Erasure waits for a live call, and erases it once it has ended", async () => {
  await using endpoint = startKvConnect();
  using app = await startWith(endpoint.url);
  const live = await answeredCall(app, app.root, erasedNumber);
  const { sid } = await made(app.root, "Erasures", { Subject: erasedNumber });
  await app.runJobs();
  const waiting = await erasureOf(app.root, sid);
  assert.deepEqual([waiting.status, waiting.calls], ["in-progress", 0]);
  assert.equal((await app.root.get(`Calls/${live.sid}.json`)).status, 200);

  await live.end();
  await app.runJobs();
  app.clock.now += 2 * minuteMs;
  await app.runJobs();
  const { status, calls } = await erasureOf(app.root, sid);
  assert.deepEqual([status, calls], ["completed", 1]);
  assert.equal((await app.root.get(`Calls/${live.sid}.json`)).status, 404);
});

Deno.test("an Erasure that is interrupted goes on, with the records of the calls", async () => {
  await using endpoint = startKvConnect();
  using app = await startWith(endpoint.url);
  await keepMuch(app, app.root, erasedNumber);
  const { recordings } = app.ports.records;
  const { erase } = recordings;
  recordings.erase = () => Promise.reject(new Error("the process ended"));
  const { sid } = await made(app.root, "Erasures", { Subject: erasedNumber });
  await app.runJobs();
  assert.equal((await erasureOf(app.root, sid)).status, "in-progress");

  recordings.erase = erase;
  app.clock.now += 2 * minuteMs;
  await app.runJobs();
  const { status, calls, transcriptions } = await erasureOf(app.root, sid);
  assert.deepEqual([status, calls, transcriptions], ["completed", 1, 3]);
  assert.deepEqual(await totals(app.root), [0, 0, 0, 0, 0]);
});

Deno.test("a Subject that is neither a number nor a Client is refused", async () => {
  using app = await startApp();
  for (const Subject of ["", "alice", "client:", "client:a b", "12"]) {
    const { status, text } = await app.root.post("Erasures.json", { Subject });
    assert.equal(status, 400, Subject);
    assert.match(text, /Subject/);
  }
});

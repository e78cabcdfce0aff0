import assert from "node:assert/strict";
import { verbs } from "../../core/markup/verbs/mod.ts";
import { messages } from "../../core/model/resources/messages.ts";
import { limits } from "../../core/base/limits.ts";
import { answeredBy } from "../../core/protocol/events.ts";
import { startApp } from "../support/service/app.ts";
import { companionOf } from "../support/service/hand_companion.ts";
import { pageText } from "../support/service/page_commands.ts";

/** The cells of the row of a table that begins with a text. */
async function row(page: string, begins: string): Promise<string[]> {
  const lines = (await pageText(`docs/how-to/${page}`)).split("\n");
  const line = lines.find((line) => line.startsWith(`| ${begins} `));
  assert.ok(line, begins);
  return line.split("|").slice(1, -1).map((cell) => cell.trim());
}

/** The names in code of a cell. */
const named = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

const twilio = "migrate-from-twilio.md";
const call = { From: "me", To: "client:alice", Url: "https://app.test/voice" };

Deno.test("the page of Twilio's resources names those that answer 404 and 405", async () => {
  using app = await startApp();
  const { sid } = (await app.root.post("Calls.json", call)).json();
  const missing = named((await row(twilio, "Only at `/2010-04-01`"))[1]!);

  assert.ok(missing.length >= 4);
  for (const path of missing) assert.equal((await app.root.get(`${path}.json`)).status, 404, path);
  for (const path of [`Calls/${sid}`, "SMS/Messages"]) {
    assert.equal((await app.root.delete(`${path}.json`)).status, 405, path);
  }
  const refused = [`Calls/${sid}/Recordings`, `Conferences/CF${sid.slice(2)}/Participants`];
  for (const path of refused) {
    assert.equal((await app.root.post(`${path}.json`)).status, 405, path);
  }
});

Deno.test("the page of Twilio's requests describes creations, lists and errors", async () => {
  using app = await startApp();
  const names = named((await row(twilio, "Other call parameters"))[1]!);
  const ignored = Object.fromEntries(names.map((name) => [name, "1"]));

  const made = await app.root.post("Calls.json", { ...call, ...ignored });
  const calls = (await app.root.get("Calls.json")).json();
  const clients = await app.root.get("Clients.json");
  const twiml = await app.root.post("Calls.json", { From: "me", To: "client:a", Twiml: "<a/>" });
  const long = { From: "+14155550101", To: "+14155550102", Body: "x".repeat(161) };
  const tooLong = (await app.root.post("SMS/Messages.json", long)).json();

  assert.equal(made.status, 200);
  for (const name of names) assert.match(made.headers.get("warning")!, new RegExp(name));
  assert.equal(calls.next_page_uri, "null");
  assert.equal(calls.total, 1);
  assert.ok(Array.isArray(clients.json()));
  assert.ok(clients.headers.has("link"));
  assert.equal(twiml.status, 400);
  assert.deepEqual(Object.keys(tooLong), ["code", "message", "more_info", "status"]);
  assert.match((await app.root.get("Calls")).text, /<ServiceResponse>/);
});

Deno.test("the page of Twilio's resources says which fields they have", async () => {
  using app = await startApp();
  const capabilities = named((await row(twilio, "Capabilities"))[2]!)[0]!;
  const number = { PhoneNumber: "+14155550101" };

  const bought = (await app.root.post("IncomingPhoneNumbers.json", number)).json();
  const own = { PhoneNumber: "+14155550199" };
  const callerId = await app.root.post("OutgoingCallerIds.json", own);

  assert.equal(`{${Object.keys(bought.capabilities).join(", ")}}`, capabilities);
  assert.equal(callerId.status, 200);
});

Deno.test("the page of Twilio's markup names skipped and added parts", async () => {
  const [, , skipped] = await row(twilio, "Verbs that are skipped");
  const [, , added] = await row(twilio, "Verbs that are added");
  for (const name of named(skipped!).filter((name) => name !== "Sms")) {
    assert.ok(!verbs.has(name), name);
  }
  for (const name of named(added!)) assert.ok(verbs.has(name), name);
});

Deno.test("the page of Restcomm names resources that answer in both forms", async () => {
  using app = await startApp();
  const text = await pageText("docs/how-to/migrate-from-restcomm.md");
  const kept = /Sid}`: ([^]*?)\. Gateways also/.exec(text)![1]!.split(/,\s+| and\s+/);
  const lists = kept.filter((name) =>
    !["Email/Messages", "Geolocation", "UssdPush", "Supervisor"].includes(name)
  );

  assert.equal(kept.length, 14);
  for (const path of lists) {
    assert.equal((await app.root.get(`${path}.json`)).status, 200, path);
    assert.equal((await app.root.get(path)).status, 200, path);
  }
  for (const path of ["Email/Messages", "Geolocation/Immediate", "UssdPush"]) {
    assert.equal((await app.root.post(`${path}.json`)).status, 400, path);
  }
  assert.equal((await app.root.get("Supervisor.json/metrics")).status, 200);
  const { sid } = (await app.root.post("Calls.json", call)).json();
  assert.equal((await app.root.get(`Calls.json/${sid}`)).json().sid, sid);
  assert.equal((await app.root.get("/restcomm/2012-04-24/Accounts")).status, 404);
});

Deno.test("the page of Twilio names the statuses and bounds that there are", async () => {
  const cell = async (begins: string) => (await row(twilio, begins))[2]!;

  assert.deepEqual(named(await cell("Status of a message")), messages.fields.status.options);
  const [here = "", below = ""] = (await cell("Machine detection")).split(";");
  assert.deepEqual(named(here), answeredBy.options);
  assert.deepEqual(named(below), ["/2010-04-01", "fax"]);
  assert.match(await cell("Messages"), new RegExp(`${limits.messageLength} characters, no media`));
  assert.match(await cell("Messages"), /received ones up to 1,600/);
  assert.equal(limits.arrivingLength, 1_600);
  assert.match(await cell("Sub-accounts"), /^three levels/);
  assert.equal(limits.accountLevels, 3);
  const bounds = new RegExp(`${limits.conferenceMembers} .* ${limits.conferenceMembersMax}$`);
  assert.match(await cell("`Conference`"), bounds);
});

Deno.test("a Say says the text of the elements of SSML inside, too", async () => {
  using app = await startApp();
  const say = "<Say>one <emphasis>two</emphasis> three</Say>";
  app.answers = () =>
    new Response(`<Response>${say}</Response>`, {
      headers: { "content-type": "text/xml" },
    });
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const { sid } = (await app.root.post("Calls.json", call)).json();
  await app.runJobs();
  const script = await companionOf(app, sid).report({ type: "answered" });

  assert.deepEqual(script[0]?.type === "say" && script[0].text, "one two three");
});

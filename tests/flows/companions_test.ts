import assert from "node:assert/strict";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { type CompanionsLab, startCompanions } from "../support/service/companions_lab.ts";
import { companion, companionOf, made } from "../support/service/hand_companion.ts";
import { holdCommits } from "../support/service/hold_commits.ts";
import type { Companion } from "../../sip/companion.ts";
import { sipTest } from "../support/sip/sip_lab.ts";

/** A service with two companions. */
async function startTwo(): Promise<CompanionsLab & { one: Companion; two: Companion }> {
  const lab = await startCompanions(["one", "two"]);
  const [one, two] = lab.companions as [Companion, Companion];
  return { ...lab, one, two };
}

async function postCall({ app }: CompanionsLab, to: string): Promise<string> {
  const form = { From: "+15550001", To: to, Url: "https://app.test/voice" };
  const { sid } = (await app.root.post("Calls.json", form)).json();
  await app.runJobs();
  return sid;
}

const callOf = async ({ app }: CompanionsLab, sid: string) =>
  (await app.ports.records.calls.get(app.root.sid, sid))!;

const bindings = ({ app }: CompanionsLab, clientSid: string) =>
  app.root.get(`Clients/${clientSid}/Bindings.json`);

for (const at of ["one", "two"] as const) {
  sipTest(`POST /Calls reaches a Client at companion ${at}, and ends there`, async () => {
    await using lab = await startTwo();
    lab.app.answers = () => new Response("<Response><Pause length='60'/></Response>");
    await lab.client("alice");
    const phone = await lab.phone("alice", lab[at]);

    const sid = await postCall(lab, "client:alice");
    const dialog = await (await phone.nextCall()).answer();
    await lab.until(async () => (await callOf(lab, sid)).status === "in-progress");
    await lab.app.root.post(`Calls/${sid}.json`, { Status: "completed" });
    await lab.app.runJobs();
    await dialog.ended;
    await lab.until(async () => (await callOf(lab, sid)).status === "completed");

    assert.equal((await callOf(lab, sid)).companion?.id, at);
  });
}

sipTest("POST /Calls follows a Client from one companion to the other", async () => {
  await using lab = await startTwo();
  const known = lab.app.ports.companions;
  await lab.client("alice");
  const before = await lab.phone("alice", lab.one);
  await before.close();
  await lab.until(async () => (await known.holding("alice", await known.list())).length === 0);
  const after = await lab.phone("alice", lab.two);

  const sid = await postCall(lab, "client:alice");
  (await after.nextCall()).decline(486);
  await lab.until(async () => (await callOf(lab, sid)).status === "busy");

  assert.equal((await callOf(lab, sid)).companion?.id, "two");
});

sipTest("POST /Calls fails for a Client that is registered nowhere", async () => {
  await using lab = await startTwo();
  await lab.client("alice");

  const sid = await postCall(lab, "client:alice");
  await lab.until(async () => (await callOf(lab, sid)).status === "failed");

  const { notifications } = (await lab.app.root.get("Notifications.json")).json();
  assert.match(notifications[0].message_text, /client:alice/);
});

sipTest("GET Bindings lists devices at all companions, and 503 when one is silent", async () => {
  await using lab = await startTwo();
  const sid = await lab.client("alice");
  const atOne = await lab.phone("alice", lab.one);
  const atTwo = await lab.phone("alice", lab.two);

  const both = (await bindings(lab, sid)).json();
  const page = await lab.app.root.get(`Clients/${sid}/Bindings.json?PageSize=1`);
  const { RegisteredUsers } = (await lab.app.root.get("Supervisor.json/metrics")).json().Metrics;
  const { companions } = lab.app.ports;
  const [left, gone] = [(await companions.get("one"))!, (await companions.get("two"))!];
  await lab.two.stop();
  await companions.beat(gone); // As if it had died without a word.
  const silent = await bindings(lab, sid);
  lab.app.clock.now += limits.companionLostMs + 1;
  await companions.beat({ ...left, seenAt: lab.app.clock.now });
  await closeLostCompanions(lab.app.ports);
  const later = (await bindings(lab, sid)).json();

  const contacts = (found: { contact: string }[]) => found.map(({ contact }) => contact);
  assert.deepEqual(contacts(both), [atTwo.contact, atOne.contact]);
  assert.deepEqual(contacts(page.json()), [atTwo.contact]);
  assert.match(page.headers.get("Link")!, /Page=1&PageSize=1>; rel="next"/);
  assert.equal(RegisteredUsers, 1); // At two companions.
  assert.deepEqual([silent.status, silent.json().code], [503, 20503]);
  assert.doesNotMatch(silent.text, /127\.0\.0\.1/);
  assert.deepEqual(contacts(later), [atOne.contact]);
  assert.deepEqual(await companions.holding("alice", [left, gone]), [left]);
});

sipTest("a companion that stops is removed at once, with its registrations", async () => {
  await using lab = await startTwo();
  const { companions } = lab.app.ports;
  await lab.client("alice");
  await lab.phone("alice", lab.one);
  const gone = (await companions.get("one"))!;

  await lab.one.stop();
  const phone = await lab.phone("alice", lab.two);
  const sid = await postCall(lab, "client:alice");
  (await phone.nextCall()).decline(486);
  await lab.until(async () => (await callOf(lab, sid)).status === "busy");

  assert.deepEqual((await companions.list()).map(({ id }) => id), ["two"]);
  assert.equal(await companions.hasPresence(gone), false);
});

sipTest("suspending an account removes its Clients' bindings at every companion", async () => {
  await using lab = await startTwo();
  const parent = await lab.app.subAccount(lab.app.root, "parent");
  const child = await lab.app.subAccount(parent, "child");
  const sids = [await lab.client("alice", parent), await lab.client("bob", child)];
  const phones = [await lab.phone("alice", lab.one), await lab.phone("bob", lab.two)];
  await lab.client("carol");
  await lab.phone("carol", lab.two);
  const address = `/2012-04-24/Accounts/${parent.sid}.json`;

  await lab.app.root.post(address, { Status: "suspended" });
  await lab.app.runJobs();

  const paths = [`${parent.sid}/Clients/${sids[0]}`, `${child.sid}/Clients/${sids[1]}`];
  for (const path of paths) {
    const found = await lab.app.root.get(`/2012-04-24/Accounts/${path}/Bindings.json`);
    assert.deepEqual(found.json(), []);
  }
  const again = await Promise.all(phones.map((phone) => phone.register()));
  assert.deepEqual(again.map(({ status }) => status), [403, 403]);
  const { companions } = lab.app.ports;
  assert.equal((await companions.holding("carol", await companions.list())).length, 1);
});

for (
  const [what, change] of [
    ["disabled", (lab, sid) => lab.app.root.post(`Clients/${sid}`, { Status: "0" })],
    ["deleted", (lab, sid) => lab.app.root.delete(`Clients/${sid}`)],
    [
      "given a new password",
      (lab, sid) => lab.app.root.post(`Clients/${sid}`, { Password: "new-secret" }),
    ],
  ] as [string, (lab: CompanionsLab, sid: string) => Promise<unknown>][]
) {
  sipTest(`a Client that is ${what} loses its bindings at once`, async () => {
    await using lab = await startTwo();
    const sid = await lab.client("alice");
    const phone = await lab.phone("alice", lab.two);

    await change(lab, sid);
    await lab.app.runJobs();

    assert.deepEqual(await lab.app.ports.control.bindings("alice"), []);
    assert.notEqual((await phone.register()).status, 200);
  });
}

sipTest("a Client goes on being registered when something else about it changes", async () => {
  await using lab = await startTwo();
  const sid = await lab.client("alice");
  await lab.phone("alice", lab.two);

  await lab.app.root.post(`Clients/${sid}`, { VoiceUrl: "https://app.test/voice" });
  await lab.app.runJobs();

  assert.equal((await lab.app.ports.control.bindings("alice")).length, 1);
});

const inviting = {
  type: "inviting",
  from: "+15550001",
  to: "client:alice",
  sipCallId: "1",
} as const;

/** A new call to Alice, a new Client, and its leg. */
async function callToAlice(app: App) {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  return await placeCall(app);
}

/** A new call to Alice, and its leg. */
async function placeCall(app: App) {
  const form = { From: inviting.from, To: inviting.to, Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  return { sid, leg: companionOf(app, sid) };
}

Deno.test("a heartbeat ends no call that its companion has just reported", async () => {
  using app = await startApp();
  const { sid, leg } = await callToAlice(app);
  using held = holdCommits(app);
  const reported = leg.report(inviting);
  await held.made;
  // The store names the companion of the call, and what reads of the call may not do so yet.
  const legs = [{ leg: sid, accountSid: app.root.sid }];
  const beaten = takeHeartbeat({ companion, legs, registered: 1 }, app.ports);
  await held.release();
  await Promise.all([reported, beaten]);

  const call = (await app.ports.records.calls.get(app.root.sid, sid))!;
  assert.deepEqual(call.companion, companion);
  assert.equal(call.status, "queued");
});

Deno.test("a heartbeat ends no call that is reported on while it is taken", async () => {
  using app = await startApp();
  const { sid, leg } = await callToAlice(app);
  await leg.report(inviting);
  app.clock.now += limits.legForgottenMs + 1;
  const { calls } = app.ports.records;
  const { group } = calls;
  calls.group = async (...asked) => {
    const members = await group(...asked);
    await leg.report({ type: "ringing" });
    return members;
  };

  await takeHeartbeat({ companion, legs: [], registered: 1 }, app.ports);

  assert.equal((await calls.get(app.root.sid, sid))?.status, "ringing");
});

Deno.test("the calls of a companion that is heard again while they are closed go on", async () => {
  using app = await startApp();
  const beat = (legs: string[]) =>
    takeHeartbeat({
      companion,
      legs: legs.map((leg) => ({ leg, accountSid: app.root.sid })),
      registered: 1,
    }, app.ports);
  await beat([]);
  const first = await callToAlice(app);
  const second = await placeCall(app);
  for (const { leg } of [first, second]) await leg.report(inviting);
  app.clock.now += limits.companionLostMs + 1;
  const { calls } = app.ports.records;
  const { update } = calls;
  let closing: string | undefined;
  calls.update = async (account, sid, change) => {
    const updated = await update(account, sid, change);
    if (closing === undefined) {
      closing = sid;
      await beat([first.sid, second.sid]);
    }
    return updated;
  };

  await closeLostCompanions(app.ports);

  const other = closing === first.sid ? second : first;
  assert.equal((await calls.get(app.root.sid, closing!))?.status, "failed");
  assert.equal((await calls.get(app.root.sid, other.sid))?.status, "queued");
  assert.deepEqual((await app.ports.companions.list()).map(({ id }) => id), [companion.id]);
});

Deno.test("the calls of a companion that answers go on, though its reports do not arrive", async () => {
  using app = await startApp();
  await takeHeartbeat({ companion, legs: [], registered: 1 }, app.ports);
  const { sid, leg } = await callToAlice(app);
  await leg.report(inviting);
  const statusAfter = async (looks: App["companionLooks"]) => {
    app.companionLooks = looks;
    app.clock.now += limits.companionLostMs + 1;
    await closeLostCompanions(app.ports);
    return (await app.ports.records.calls.get(app.root.sid, sid))?.status;
  };

  assert.equal(await statusAfter("there"), "queued");
  assert.equal(await statusAfter("gone"), "failed");
});

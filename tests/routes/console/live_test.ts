import assert from "node:assert/strict";
import { eventLimits } from "../../../core/webhooks/event_limits.ts";
import { mock } from "node:test";
import type { App } from "../../support/service/app.ts";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import { readerOf } from "../../support/service/event_reader.ts";
import { makeParticipant, makeSample } from "../../support/service/samples.ts";

const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };

/** The events of an account as a page of a browser reads them. */
const pageEvents = (app: App, browser: ReturnType<typeof consoleClient>, path: string) =>
  app.http.request(`/console${path}`, {
    headers: { Cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; ") },
  });

/** A call in progress in a conference, and one that waits in a queue. */
async function meeting(app: App) {
  const room = await makeSample(app, app.root, { name: "conferences" });
  const call = await makeSample(app, app.root, { name: "calls" });
  const companion = { id: "companion", runId: "run" };
  await app.ports.companions.beat({ ...companion, seenAt: app.clock.now, registered: 1 });
  await app.ports.records.calls.update(app.root.sid, call, (before) => ({
    record: { ...before, status: "in-progress", companion, sipCallId: "abc@host" },
  }));
  await makeParticipant(app, room, call);
  const member = { muted: false, hold: false, startOnEnter: true, endOnExit: false };
  await app.ports.records.conferences.update(app.root.sid, room, (before) => ({
    record: {
      ...before,
      status: "in-progress",
      companion,
      members: [{ callSid: call, at: app.clock.now, hasJoined: true, ...member }],
    },
  }));
  await app.ports.records.queues.insert({
    record: {
      sid: app.ports.newSid("QU"),
      accountSid: app.root.sid,
      dateCreated: app.clock.now,
      dateUpdated: app.clock.now,
      friendlyName: "support",
      ownName: `${app.root.sid} support`,
      members: [{ callSid: call, at: app.clock.now, companion, taken: null }],
    },
  });
  return { room, call };
}

Deno.test("the page Live shows calls, conferences with participants, and queues with members", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const empty = await browser.get(`/${app.root.sid}/live`);
  for (const text of ["No call is in progress", "No conference is held", "Nobody waits"]) {
    assert.ok(empty.text.includes(text), text);
  }

  const { room, call } = await meeting(app);
  const page = await browser.get(`/${app.root.sid}/live`);
  assert.match(page.text, /1 call, 1 conference, 1 caller waiting\./);
  assert.match(page.text, new RegExp(`Calls/${call}">\\+15550001 → client:alice`));
  assert.match(page.text, new RegExp(`Conferences/${room}/Participants/${call}/mute"`));
  assert.match(page.text, /<h2>Queue support: 1 waiting<\/h2>/);
  assert.match(page.text, /data-events="\/console\/AC\w+\/Events\?Type=call,conference,/);
});

Deno.test("the page Live has a meter for each party, and passes its levels on", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { call } = await meeting(app);
  const page = await browser.get(`/${app.root.sid}/live`);
  assert.match(page.text, new RegExp(`data-levels="/console/${app.root.sid}/levels"`));
  const meters = [...page.text.matchAll(new RegExp(`role="meter" data-level="${call}"`, "g"))];
  assert.equal(meters.length, 2, "among the calls, and in the conference");
  assert.match(page.text, /aria-label="Volume of \+15550001 → client:alice"/);

  app.levels.set(call, -22);
  const levels = readerOf(
    await pageEvents(app, browser, `/${app.root.sid}/levels?CallSid=${call}`),
  );
  assert.deepEqual(JSON.parse((await levels.next()).data), {
    levels: [{ call_sid: call, level: -22 }],
  });
  await levels.close();
  const sibling = await app.subAccount(app.root, "sibling");
  const foreign = await pageEvents(app, browser, `/${sibling.sid}/levels?CallSid=${call}`);
  assert.equal(foreign.status, 404);
  await foreign.body?.cancel();
});

Deno.test("Listen asks which Client is to ring; the timeline and the audit log have it", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { room, call } = await meeting(app);
  const live = `/${app.root.sid}/live`;
  const none = await browser.get(`${live}/Calls/${call}/listen`);
  assert.match(none.text, /has no Client that could be rung/);
  for (const Login of ["bob", "carol"]) {
    await app.root.post("Clients.json", { Login, Password: "secret" });
  }
  const away = await browser.get(`${live}/Calls/${call}/listen`);
  assert.match(away.text, /No Client is registered: log in at a softphone/);
  const [at] = await app.ports.companions.list();
  const { id, runId } = at!;
  const news = { seq: 1, whole: true, registered: 1, came: ["carol"], went: [] };
  await app.ports.companions.takePresence({ companion: { id, runId }, ...news });

  const page = await browser.get(live);
  for (const path of [`Calls/${call}`, `Conferences/${room}`]) {
    assert.ok(page.text.includes(`${live}/${path}/listen"`), path);
    const form = await browser.get(`${live}/${path}/listen`);
    assert.match(form.text, /<option value="client:carol">carol \(registered\)</);
    assert.match(form.text, /<option value="client:bob" disabled="">bob \(not registered\)</);
    assert.match(form.text, /The parties are not told/);
    const done = await browser.post(`${live}/${path}/listen`, { To: "client:carol" });
    assert.match(done.path, /\/Calls\/CA[0-9a-f]{32}$/);
    assert.match(done.text, /It waits to be placed\./);
    const { monitors } = (await app.root.get(`${path}/Monitors.json`)).json();
    assert.deepEqual(monitors.map(({ to }: { to: string }) => to), ["client:carol"]);
  }
  const timeline = await browser.get(`/${app.root.sid}/Calls/${call}`);
  assert.match(timeline.text, /client:carol is being rung to listen/);
  await app.runJobs();
  const failed = await browser.get(`/${app.root.sid}/Calls/${call}`);
  assert.match(failed.text, /client:carol (is being rung|was asked to listen, and did not)/);
  const { audit_entries } = (await app.root.get("AuditEntries.json?Action=POST")).json();
  assert.deepEqual(
    audit_entries.map(({ target }: { target: string }) => target).toSorted(),
    [`Calls/${call}/Monitors`, `Conferences/${room}/Monitors`],
  );

  Object.assign(app.ports.settings, { monitorsCalls: false });
  const refused = await browser.post(`${live}/Calls/${call}/listen`, { To: "client:carol" });
  assert.match(refused.text, /CALL_MONITORING is off/);
});

Deno.test("participants are muted, held and removed at the page Live, and the audit log has it", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { room, call } = await meeting(app);
  const live = `/${app.root.sid}/live`;
  const at = `${live}/Conferences/${room}/Participants/${call}`;
  await browser.get(live);
  const shown = async () =>
    (await app.root.get(`Conferences/${room}/Participants/${call}.json`)).json();

  const muted = await browser.post(`${at}/mute`);
  assert.match(muted.text, /role="status">Muted\./);
  assert.match(muted.text, /Unmute<span class="hidden">/);
  assert.equal((await shown()).muted, true);
  await browser.post(`${at}/unmute`);
  await browser.post(`${at}/hold`);
  assert.deepEqual([(await shown()).muted, (await shown()).hold], [false, true]);
  await browser.post(`${at}/remove`);
  assert.equal(app.conferenceOrders.length, 4);
  const entries = (await app.root.get("AuditEntries.json?Action=DELETE")).json().audit_entries;
  assert.equal(entries[0].target, `Conferences/${room}/Participants/${call}`);
  // It has ended with its last participant.
  assert.equal((await browser.post(`${live}/Conferences/${room}/end`)).status, 400);
  await browser.get(live);
  await browser.post(`${live}/Calls/${call}/end`);
  assert.equal((await app.root.get(`Conferences/${room}.json`)).json().status, "completed");
});

Deno.test("a page has the events of its account as lines, by its session, and no other page's user has them", async () => {
  using app = await startConsole();
  const sub = await app.subAccount(app.root, "dev");
  const [browser, other] = [consoleClient(app), consoleClient(app)];
  await browser.signIn("root@example.com", "root password");
  await other.signIn("dev@example.com", "dev");
  const path = `/${app.root.sid}/Events?Type=call`;
  assert.equal((await pageEvents(app, other, path)).status, 403);
  assert.equal((await pageEvents(app, consoleClient(app), path)).status, 303);

  const events = readerOf(await pageEvents(app, browser, path));
  assert.equal((await events.next()).name, "open");
  const own = readerOf(await pageEvents(app, other, `/${sub.sid}/Events`));
  assert.equal((await own.next()).name, "open");
  const { sid } = (await app.root.post("Calls.json", form)).json();
  const { id, data } = await events.next();
  const line = JSON.parse(data);
  assert.deepEqual([line.type, line.sid, line.path], ["call", sid, `Calls/${sid}`]);
  assert.match(line.text, /^queued {7}\+15550001 → client:alice/);
  assert.equal(line.record, undefined);
  assert.match(id, /^[0-9a-f]{20}\.CA/);
  await events.close();
  const subs = (await sub.post("Calls.json", form)).json().sid;
  assert.equal(JSON.parse((await own.next()).data).sid, subs); // The first one that it was told.
  await own.close();
});

Deno.test("the events of a page end with its session, and keep it from being idle no longer than its user does", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { timers } = mock;
  timers.enable({ apis: ["setInterval"] });
  try {
    const events = readerOf(await pageEvents(app, browser, `/${app.root.sid}/Events`));
    assert.equal((await events.next()).name, "open");
    app.clock.now += 50 * 60_000;
    await browser.get(`/${app.root.sid}/live`, { "X-Console-Live": "1" });
    app.clock.now += 11 * 60_000; // An hour since the user's last page.
    timers.tick(eventLimits.beatMs);
    assert.ok(await events.isOver());
  } finally {
    timers.reset();
  }
  assert.match((await browser.get(`/${app.root.sid}/live`)).path, /sign-in/);
});

Deno.test("the page Tail asks for the events that its form says", async () => {
  using app = await startConsole();
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const sid = `CA${"1".repeat(32)}`;
  const page = await browser.get(`/${app.root.sid}/tail?Type=call&Type=none&Sid=${sid}`);
  assert.match(page.text, new RegExp(`data-events="[^"]*/Events\\?Type=call&amp;Sid=${sid}"`));
  assert.match(page.text, /value="call" checked/);
  const wrong = await browser.get(`/${app.root.sid}/tail?Sid=%3Cb%3E`);
  assert.match(wrong.text, /role="alert">A Sid has two letters/);
  assert.match(wrong.text, /data-events="[^"]*\/Events\?"/);
});

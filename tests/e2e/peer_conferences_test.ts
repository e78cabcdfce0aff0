import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { startCompanion } from "../support/service/second_companion.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { closeAll, gone, talkAt, type Talker, there } from "../support/media/talker.ts";

/** Alice says 500 Hz at the first companion, Bob 750 and Carol 1,000 at the second. */
const cast = [["alice", 500], ["bob", 750], ["carol", 1_000]] as const;
const pitches = cast.map(([, hz]) => hz);
const env = { RTP_PORTS: "0" };

const lobby = (app: AppServer, attributes = "") =>
  `<Response><Dial action="/after"><Conference statusCallback="${app.url}/events"
    statusCallbackEvent="start end join leave mute" beep="false" ${attributes}>lobby</Conference>
    </Dial></Response>`;

/** Clients whose calls get the markup at their page. */
async function withClients(system: System, app: AppServer, markup: string): Promise<void> {
  for (const [login] of cast) {
    app.pages.set(`/${login}`, markup);
    const client = { Login: login, Password: `${login}-secret`, VoiceUrl: `${app.url}/${login}` };
    await system.post("Clients.json", client);
  }
}

/** The one conference, with its calls by the phones that placed them. */
async function conferenceOf(system: System) {
  const { conferences: [conference] } = await system.get("Conferences.json");
  if (conference === undefined) return { sid: "", status: "", calls: new Map<string, string>() };
  const { participants } = await system.get(`Conferences/${conference.sid}/Participants.json`);
  const calls = new Map<string, string>();
  for (const { call_sid } of participants) {
    calls.set((await system.get(`Calls/${call_sid}.json`)).from.replace("client:", ""), call_sid);
  }
  return { sid: conference.sid, status: conference.status, calls };
}

const whenIn = (system: System, logins: string) =>
  eventually(
    `${logins} are in`,
    async () => [...(await conferenceOf(system)).calls.keys()].toSorted().join(" ") === logins,
    30_000,
  );

/** All three in the conference. */
async function meet(
  system: System,
  second: Awaited<ReturnType<typeof startCompanion>>,
): Promise<[Talker, Talker, Talker]> {
  const talkers: Talker[] = [];
  for (const [at, [login, hz]] of cast.entries()) {
    const phone = await (at === 0 ? system : second).phone(login);
    talkers.push(await talkAt(phone, "sip:lobby@localhost", hz));
    await whenIn(system, cast.slice(0, at + 1).map(([login]) => login).join(" "));
  }
  return talkers as [Talker, Talker, Talker];
}

Deno.test("calls at two companions hear each other in a conference; mute, record and end as one", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, env);
  await withClients(system, app, lobby(app));
  app.pages.set("/bob", lobby(app, `endConferenceOnExit="true" record="true"`));
  app.pages.set("/after", "<Response><Hangup/></Response>");
  const [alice, bob, carol] = await meet(system, second);
  await alice.untilHears(pitches, ([a, b, c]) => gone(a!) && there(b!) && there(c!));
  await bob.untilHears(pitches, ([a, b, c]) => there(a!) && gone(b!) && there(c!));
  await carol.untilHears(pitches, ([a, b, c]) => there(a!) && there(b!) && gone(c!));

  const { sid, status, calls } = await conferenceOf(system);
  assert.equal(status, "in-progress");
  const path = `Conferences/${sid}/Participants/${calls.get("carol")}.json`;
  assert.equal((await system.post(path, { Mute: "true" })).muted, true);
  await bob.untilHears(pitches, ([a, , c]) => there(a!) && gone(c!));
  await alice.untilHears(pitches, ([, b, c]) => there(b!) && gone(c!));
  await system.post(path, { Mute: "false" });
  await alice.untilHears(pitches, ([, b, c]) => there(b!) && there(c!));

  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL"); // The talking participants do not notice.
  await alice.untilHears(pitches, ([, b, c]) => there(b!) && there(c!));
  await system.ready();
  await bob.dialog.bye();
  await Promise.all([alice.dialog.ended, carol.dialog.ended]);
  for (const call of calls.values()) {
    const after = await app.asked("/after", ({ CallSid }) => CallSid === call);
    assert.deepEqual([after.DialCallStatus, after.ConferenceSid], ["completed", sid]);
    assert.equal(after.RecordingSid !== undefined, call === calls.get("bob"));
  }
  const { recordings: [recording] } = await system.get("Recordings.json");
  assert.deepEqual([recording.call_sid, recording.status], [calls.get("bob"), "completed"]);
  assert.ok(Number(recording.duration) >= 1);
  await eventually("it is over", async () => (await conferenceOf(system)).status === "completed");
  const end = await app.asked("/events", (told) => told.StatusCallbackEvent === "conference-end");
  assert.equal(end.ReasonConferenceEnded, "participant-with-end-conference-on-exit-left");
  await closeAll([alice, bob, carol]);
});

Deno.test("calls go on with the next verb when the companion of their conference is killed", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, env);
  await withClients(system, app, lobby(app));
  app.pages.set(
    "/after",
    `<Response><Dial><Conference beep="false">refuge</Conference></Dial></Response>`,
  );
  const [alice, bob, carol] = await meet(system, second);
  await carol.untilHears(pitches, ([a, b]) => there(a!) && there(b!));
  const { sid, calls } = await conferenceOf(system);

  const [pid] = system.pids("sip/main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  for (const login of ["bob", "carol"]) {
    const after = await app.asked("/after", ({ CallSid }) => CallSid === calls.get(login));
    assert.equal(after.DialCallStatus, "completed");
  }
  await carol.untilHears(pitches, ([a, b]) => gone(a!) && there(b!));
  await eventually(
    "the conference is over",
    async () => (await system.get(`Conferences/${sid}.json`)).status === "completed",
  );
  await Promise.all([bob.dialog.bye(), carol.dialog.bye()]);
  await closeAll([alice, bob, carol]);
});

Deno.test("a call leaves the conference when its companion is killed", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, env);
  await withClients(system, app, lobby(app));
  const [alice, bob, carol] = await meet(system, second);
  await alice.untilHears(pitches, ([, b, c]) => there(b!) && there(c!));

  Deno.kill(second.pid(), "SIGKILL");
  await whenIn(system, "alice");
  const strings = [261.63, 392, 523.25];
  await alice.untilHears(strings, (levels) => levels.some((level) => level > 200)); // It waits.
  await alice.dialog.bye();
  await eventually("it is over", async () => (await conferenceOf(system)).status === "completed");
  await app.asked("/events", (told) => told.StatusCallbackEvent === "conference-end");
  const left = () =>
    app.sent("/events").filter((told) => told.StatusCallbackEvent === "participant-leave");
  await eventually("three are told to have left", () => left().length >= 3);
  assert.equal(new Set(left().map(({ CallSid }) => CallSid)).size, 3);
  await closeAll([alice, bob, carol]);
});

Deno.test("a call in a queue at one companion is bridged with a taker at another", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, env);
  await withClients(system, app, `<Response><Enqueue action="/left">help</Enqueue></Response>`);
  app.pages.set(
    "/alice",
    `<Response><Dial action="/after" record="true"><Queue>help</Queue></Dial></Response>`,
  );
  const bob = await talkAt(await second.phone("bob"), "sip:help@localhost", 750);
  const strings = [261.63, 392, 523.25];
  await bob.untilHears(strings, (levels) => levels.some((level) => level > 200));

  const alice = await talkAt(await system.phone("alice"), "sip:take@localhost", 500);
  await alice.untilHears(pitches, ([a, b]) => gone(a!) && there(b!));
  await bob.untilHears(pitches, ([a, b]) => there(a!) && gone(b!));
  await bob.dialog.bye();
  await alice.dialog.ended;

  const after = await app.asked("/after");
  const left = await app.asked("/left");
  assert.deepEqual([after.DialCallStatus, after.DialCallSid], ["completed", left.CallSid]);
  assert.ok(after.RecordingSid);
  assert.equal(left.QueueResult, "bridged");
  await closeAll([alice, bob]);
});

Deno.test("a call into a conference whose companion was just killed gets into a new conference at once", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, env);
  await withClients(system, app, lobby(app));
  const atFirst = await talkAt(await system.phone("alice"), "sip:lobby@localhost", 500);
  const bob = await talkAt(await second.phone("bob"), "sip:lobby@localhost", 750);
  await bob.untilHears(pitches, ([a]) => there(a!));
  const { sid } = await conferenceOf(system);
  app.pages.set("/after", lobby(app)); // Participants that were cut off enter again.

  const [pid] = system.pids("sip/main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  const killedAt = Date.now();
  const carol = await talkAt(await second.phone("carol"), "sip:lobby@localhost", 1_000);
  await carol.untilHears(pitches, ([a, b]) => gone(a!) && there(b!));
  await bob.untilHears(pitches, ([, , c]) => there(c!));
  const tookMs = Date.now() - killedAt;
  assert.ok(tookMs < 12_000, `it took ${tookMs} ms`); // 15 s is when its heartbeats are too old.

  const { conferences } = await system.get("Conferences.json");
  const named = conferences.map(({ sid, status }: Record<string, string>) => [sid, status]);
  assert.deepEqual(named, [[conferences[0].sid, "in-progress"], [sid, "completed"]]);
  await Promise.all([bob.dialog.bye(), carol.dialog.bye()]);
  await closeAll([atFirst, bob, carol]);
});

Deno.test("calls go on with the next verb when the companion of their conference hangs", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await using second = await startCompanion(system, env);
  await withClients(system, app, lobby(app));
  const refuge = `<Response><Dial><Conference beep="false">refuge</Conference></Dial></Response>`;
  app.pages.set("/after", refuge);
  const [alice, bob, carol] = await meet(system, second);
  await carol.untilHears(pitches, ([a, b]) => there(a!) && there(b!));
  const { calls } = await conferenceOf(system);

  const [pid] = system.pids("sip/main.ts") as [number];
  Deno.kill(pid, "SIGSTOP");
  const hungAt = Date.now();
  try {
    for (const login of ["bob", "carol"]) {
      const after = await app.asked("/after", ({ CallSid }) => CallSid === calls.get(login));
      assert.equal(after.DialCallStatus, "completed");
    }
    await carol.untilHears(pitches, ([a, b]) => gone(a!) && there(b!));
    const tookMs = Date.now() - hungAt;
    assert.ok(tookMs < 25_000, `it took ${tookMs} ms`); // By their media they notice after 30 s.
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  await Promise.all([bob.dialog.bye(), carol.dialog.bye()]);
  await closeAll([alice, bob, carol]);
});

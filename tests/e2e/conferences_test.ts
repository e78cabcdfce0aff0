import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { closeAll, gone, talkAt, there } from "../support/media/talker.ts";

/** Alice says 500 Hz, Bob 750 and Carol 1,000. */
const cast = [["alice", 500], ["bob", 750], ["carol", 1_000]] as const;
const pitches = cast.map(([, hz]) => hz);
const events = "start end join leave mute";

/** Clients whose calls get the markup at a page. */
async function withClients(system: System, app: AppServer): Promise<void> {
  for (const [login] of cast) {
    const client = { Login: login, Password: `${login}-secret`, VoiceUrl: `${app.url}/voice` };
    await system.post("Clients.json", client);
  }
}

/** The calls in the one conference, oldest first. */
async function participantsOf(system: System): Promise<{ sid: string; calls: string[] }> {
  const { conferences: [conference] } = await system.get("Conferences.json");
  if (conference === undefined) return { sid: "", calls: [] };
  const { sid } = conference;
  const { participants } = await system.get(`Conferences/${sid}/Participants.json`);
  return {
    sid,
    calls: participants.map(({ call_sid }: { call_sid: string }) => call_sid).toSorted(),
  };
}

const conference = (app: AppServer) =>
  `<Response><Dial action="/after"><Conference statusCallback="${app.url}/events"
    statusCallbackEvent="${events}" beep="false">lobby</Conference></Dial></Response>`;

Deno.test("three Clients meet in a conference, are muted by REST, and leave it", async () => {
  await using app = startAppServer();
  app.pages.set("/voice", conference(app));
  app.pages.set("/after", "<Response><Hangup/></Response>");
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  await withClients(system, app);
  const talkers = [];
  for (const [login, hz] of cast) {
    talkers.push(await talkAt(await system.phone(login), "sip:lobby@localhost", hz));
    await eventually(
      "it is in",
      async () => (await participantsOf(system)).calls.length === talkers.length,
    );
  }
  const [alice, bob, carol] = talkers as [typeof talkers[0], typeof talkers[0], typeof talkers[0]];
  await alice!.untilHears(pitches, ([a, b, c]) => gone(a!) && there(b!) && there(c!));
  await carol!.untilHears(pitches, ([a, b, c]) => there(a!) && there(b!) && gone(c!));

  const { sid, calls } = await participantsOf(system);
  const muted = await system.post(`Conferences/${sid}/Participants/${calls[0]}.json`, {
    Mute: "true",
  });
  assert.equal(muted.muted, true);
  await bob!.untilHears(pitches, ([a, , c]) => gone(a!) && there(c!));
  assert.equal((await system.get(`Conferences/${sid}.json`)).status, "in-progress");

  await bob!.dialog.bye();
  await system.post(`Conferences/${sid}.json`, { Status: "completed" });
  await Promise.all([alice!.dialog.ended, carol!.dialog.ended]);
  const after = await app.asked("/after", ({ CallSid }) => CallSid === calls[0]);
  assert.deepEqual([after.DialCallStatus, after.ConferenceSid], ["completed", sid]);
  await eventually("nobody is in", async () => (await participantsOf(system)).calls.length === 0);
  await eventually("all is told", () => app.sent("/events").length === 9);
  const told = app.sent("/events").toSorted((a, b) =>
    Number(a.SequenceNumber) - Number(b.SequenceNumber)
  );
  assert.deepEqual(told.map(({ SequenceNumber }) => Number(SequenceNumber)), [...told.keys()]);
  assert.deepEqual(told.slice(0, 5).map(({ StatusCallbackEvent }) => StatusCallbackEvent), [
    "participant-join",
    "participant-join",
    "conference-start",
    "participant-join",
    "participant-mute",
  ]);
  await closeAll(talkers);
});

for (const script of ["main.ts", "sip/main.ts"] as const) {
  Deno.test(`a conference is over, once, when ${script} was killed and all have left`, async () => {
    await using app = startAppServer();
    app.pages.set("/voice", conference(app));
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    await withClients(system, app);
    const talkers = [];
    for (const [login, hz] of cast.slice(0, 2)) {
      talkers.push(await talkAt(await system.phone(login), "sip:lobby@localhost", hz));
    }
    await eventually("both are in", async () => (await participantsOf(system)).calls.length === 2);

    const [pid] = system.pids(script) as [number];
    Deno.kill(pid, "SIGKILL");
    if (script === "main.ts") {
      for (const { dialog } of talkers) await dialog.bye(); // While the service is down.
    }
    await system.ready();

    await app.asked(
      "/events",
      ({ StatusCallbackEvent }) => StatusCallbackEvent === "conference-end",
    );
    const { sid, calls } = await participantsOf(system);
    assert.deepEqual(calls, []);
    assert.equal((await system.get(`Conferences/${sid}.json`)).status, "completed");
    // A webhook that was under way when the service was killed comes again, with its number.
    const told = app.sent("/events");
    const events = told.map(({ StatusCallbackEvent, CallSid }) =>
      `${StatusCallbackEvent} ${CallSid}`
    );
    const numbers = told.map(({ SequenceNumber }) => SequenceNumber);
    assert.equal(new Set(numbers).size, new Set(events).size);
    await closeAll(talkers);
  });
}

Deno.test("a Client waits in a queue and is taken by another", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  app.pages.set("/voice", `<Response><Enqueue action="/after">help</Enqueue></Response>`);
  app.pages.set("/after", "<Response><Hangup/></Response>");
  await withClients(system, app);
  const alice = await talkAt(await system.phone("alice"), "sip:help@localhost", 500);
  app.pages.set("/voice", "<Response><Dial><Queue>help</Queue></Dial></Response>");
  const bob = await talkAt(await system.phone("bob"), "sip:help@localhost", 750);

  await alice.untilHears(pitches, ([a, b]) => gone(a!) && there(b!));
  await bob.untilHears(pitches, ([a, b]) => there(a!) && gone(b!));
  await bob.dialog.bye();
  await alice.dialog.ended;

  const { QueueResult, QueueSid } = await app.asked("/after");
  assert.equal(QueueResult, "bridged");
  assert.match(QueueSid!, /^QU[0-9a-f]{32}$/);
  await closeAll([alice, bob]);
});

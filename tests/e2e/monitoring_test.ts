import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { answerAt, closeAll, gone, talkAt, there } from "../support/media/talker.ts";

/** Alice says 500 Hz, Bob 750 and Carol, who listens, 1,000. */
const pitches = [500, 750, 1_000];
type Levels = number[];
const isHeard = (...wanted: boolean[]) => (levels: Levels) =>
  wanted.every((is, at) => (is ? there : gone)(levels[at]!));
const [byAlice, byBob, byCarol] = [
  isHeard(false, true, false),
  isHeard(true, false, false),
  isHeard(true, true, false),
];

/** A service with three Clients, and the phones of Bob and Carol. */
async function startMonitoring(app: AppServer) {
  const system = await startSystem({ env: { RTP_PORTS: "0" } });
  for (const login of ["alice", "bob", "carol"]) {
    await system.post("Clients.json", {
      Login: login,
      Password: `${login}-secret`,
      ...login === "alice" && app.pages.has("/voice") && { VoiceUrl: `${app.url}/voice` },
    });
  }
  return {
    system,
    alice: await system.phone("alice"),
    bob: await system.phone("bob"),
    carol: await system.phone("carol"),
  };
}

/** A request with the credentials of the account. */
const ask = (system: System, path: string, form?: Record<string, string>) =>
  fetch(`${system.baseUrl}/2012-04-24/Accounts/${system.accountSid}/${path}`, {
    headers: { Authorization: `Basic ${btoa(`${system.accountSid}:${system.authToken}`)}` },
    ...form && { method: "POST", body: new URLSearchParams(form) },
  });

const callsOf = async (system: System, query: string) =>
  (await system.get(`Calls.json?${query}`)).calls as { sid: string; direction: string }[];

/** The call in progress that came in. */
async function incomingCall(system: System): Promise<string> {
  let found: { sid: string } | undefined;
  await eventually("the call is in progress", async () => {
    const calls = await callsOf(system, "Status=in-progress");
    found = calls.find(({ direction }) => direction === "inbound");
    return found !== undefined;
  });
  return found!.sid;
}

const progressOf = async (system: System, sid: string) =>
  await system.get(`Calls/${sid}/Progress.json`);

for (const way of ["dialled by markup", "whose audio went from phone to phone"] as const) {
  Deno.test(`a Client listens to a call ${way}: it hears both sides, and neither hears it`, async () => {
    await using app = startAppServer();
    if (way === "dialled by markup") {
      app.pages.set("/voice", "<Response><Dial><Client>bob</Client></Dial></Response>");
    }
    const { system, alice, bob, carol } = await startMonitoring(app);
    await using _ = system;
    const bobAnswers = answerAt(bob, 750);
    const one = await talkAt(alice, "bob", 500);
    const other = await bobAnswers;
    const talkers = [one, other];
    await one.untilHears(pitches, byAlice);
    const sid = await incomingCall(system);

    const listens = await system.post(`Calls/${sid}/Monitors.json`, { To: "client:carol" });
    assert.deepEqual([listens.to, listens.direction], ["client:carol", "outbound-api"]);
    const first = await answerAt(carol, 1_000);
    await first.untilHears(pitches, byCarol);
    await one.untilHears(pitches, byAlice);
    await other.untilHears(pitches, byBob);

    // The call goes on without the one that listened.
    await first.dialog.bye();
    await eventually(
      "the listener's call is over",
      async () => (await system.get(`Calls/${listens.sid}.json`)).status === "completed",
    );
    await one.untilHears(pitches, byAlice);
    await other.untilHears(pitches, byBob);
    assert.equal((await progressOf(system, listens.sid)).disconnected_by, "callee");

    // One that listens is hung up when the call ends.
    await system.post(`Calls/${sid}/Monitors.json`, { To: "client:carol" });
    const second = await answerAt(carol, 1_000);
    await second.untilHears(pitches, byCarol);
    await one.dialog.bye();
    await second.dialog.ended;
    await other.dialog.ended;
    await eventually(
      "the call is over",
      async () => (await progressOf(system, sid)).disconnected_by === "caller",
    );
    const { monitors } = await system.get(`Calls/${sid}/Monitors.json`);
    assert.deepEqual(monitors.map(({ to }: { to: string }) => to), [
      "client:carol",
      "client:carol",
    ]);
    assert.equal(monitors[0].call_sid, listens.sid);
    const late = await ask(system, `Calls/${sid}/Monitors.json`, { To: "client:carol" });
    assert.equal(late.status, 400);
    await late.body?.cancel();
    await closeAll([...talkers, first, second]);
  });
}

Deno.test("a Client listens to a conference without being in it, and its levels are measured", async () => {
  await using app = startAppServer();
  const room = '<Conference beep="true" endConferenceOnExit="false">lobby</Conference>';
  app.pages.set("/voice", `<Response><Dial>${room}</Dial></Response>`);
  const { system, alice, bob, carol } = await startMonitoring(app);
  await using _ = system;
  const [client] = await system.get("Clients.json?Login=bob");
  await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}/voice` });
  const one = await talkAt(alice, "lobby", 500);
  const other = await talkAt(bob, "lobby", 750);
  await one.untilHears(pitches, byAlice);
  const { conferences: [{ sid }] } = await system.get("Conferences.json");

  const listens = await system.post(`Conferences/${sid}/Monitors.json`, { To: "client:carol" });
  const listener = await answerAt(carol, 1_000);
  await listener.untilHears(pitches, byCarol);
  await one.untilHears(pitches, byAlice);
  await other.untilHears(pitches, byBob);
  const { participants } = await system.get(`Conferences/${sid}/Participants.json`);
  assert.equal(participants.length, 2);

  const calls = participants.map(({ call_sid }: { call_sid: string }) => call_sid);
  const levels = await ask(system, `Levels?CallSid=${[...calls, listens.sid]}`);
  const reader = levels.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/"level":-[1-3]?\d}.*"level":-[1-3]?\d}/.test(text.split("\n\n").at(-2) ?? "")) {
    text += (await reader.read()).value ?? assert.fail(`no levels: ${text}`);
  }
  await reader.cancel();

  // It does not keep the conference: that is over once its participants have left.
  await one.dialog.bye();
  await other.dialog.bye();
  await listener.dialog.ended;
  await eventually(
    "the conference is over",
    async () => (await system.get(`Conferences/${sid}.json`)).status === "completed",
  );
  await closeAll([one, other, listener]);
});

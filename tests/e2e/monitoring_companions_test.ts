import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { startCompanion } from "../support/service/second_companion.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { answerAt, closeAll, gone, talkAt, there } from "../support/media/talker.ts";

/** Alice says 500 Hz at the first companion, Bob 750 at the second, and Carol, who listens, 1,000. */
const pitches = [500, 750, 1_000];
const env = { RTP_PORTS: "0" };
const isHeard = (...wanted: boolean[]) => (levels: number[]) =>
  wanted.every((is, at) => (is ? there : gone)(levels[at]!));
const [byAlice, byBob, byCarol] = [
  isHeard(false, true, false),
  isHeard(true, false, false),
  isHeard(true, true, false),
];

/** The conference, and the call of each in it by Login. */
async function conferenceOf(system: System) {
  const { conferences: [{ sid }] } = await system.get("Conferences.json");
  const { calls } = await system.get("Calls.json?Status=in-progress");
  const callOf = (login: string): string =>
    calls.find(({ from }: { from: string }) => from === `client:${login}`)?.sid ??
      assert.fail(`no call of ${login}`);
  return { sid: sid as string, alice: callOf("alice"), bob: callOf("bob") };
}

/** Resolves when the levels of all these calls arrive at once, each of a speaking side. */
async function untilLevels(system: System, calls: string[]): Promise<void> {
  const { baseUrl, accountSid, authToken } = system;
  const response = await fetch(
    `${baseUrl}/2012-04-24/Accounts/${accountSid}/Levels?CallSid=${calls}`,
    { headers: { Authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` } },
  );
  assert.equal(response.status, 200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const isTold = (event: string) =>
    calls.every((sid) => new RegExp(`"${sid}"[^}]*"level":-[1-3]?\\d\\b`).test(event));
  let text = "";
  while (!text.split("\n\n").slice(0, -1).some(isTold)) {
    text += (await reader.read()).value ?? assert.fail(`no levels: ${text}`);
  }
  await reader.cancel();
}

Deno.test(
  "a Client at one companion listens to a conference and to calls of two, and levels are of both",
  { timeout: 120_000 },
  async () => {
    await using app = startAppServer();
    await using system = await startSystem({ env });
    await using second = await startCompanion(system, env);
    const room = '<Conference beep="false">lobby</Conference>';
    app.pages.set("/voice", `<Response><Dial>${room}</Dial></Response>`);
    for (const login of ["alice", "bob", "carol"]) {
      const client = { Login: login, Password: `${login}-secret`, VoiceUrl: `${app.url}/voice` };
      await system.post("Clients.json", client);
    }
    const carol = await second.phone("carol");
    const one = await talkAt(await system.phone("alice"), "sip:lobby@localhost", 500);
    const other = await talkAt(await second.phone("bob"), "sip:lobby@localhost", 750);
    await one.untilHears(pitches, byAlice);
    await other.untilHears(pitches, byBob);
    const { sid, ...calls } = await conferenceOf(system);

    await untilLevels(system, [calls.alice, calls.bob]);
    const listened = [`Conferences/${sid}`, `Calls/${calls.alice}`, `Calls/${calls.bob}`];
    for (const path of listened) {
      const { sid: listens } = await system.post(`${path}/Monitors.json`, { To: "client:carol" });
      const listener = await answerAt(carol, 1_000);
      await listener.untilHears(pitches, byCarol);
      await one.untilHears(pitches, byAlice);
      await other.untilHears(pitches, byBob);
      await listener.dialog.bye();
      await eventually(
        `the listener of ${path} is gone`,
        async () => (await system.get(`Calls/${listens}.json`)).status === "completed",
      );
      await listener.close();
    }
    await one.untilHears(pitches, byAlice);

    await one.dialog.bye();
    await other.dialog.bye();
    await closeAll([one, other]);
  },
);

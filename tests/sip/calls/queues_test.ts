import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { conferenceTest, enter, startConferenceLab } from "../../support/sip/conference_lab.ts";
import { closeAll, gone, there } from "../../support/media/talker.ts";
import { tone } from "../../support/media/tone.ts";

const queueSid = `QU${"9".repeat(32)}`;
const action = { url: "http://app.test/after", method: "POST", hops: 1 } as const;
const done = { ...action, url: "http://app.test/done" };
const serviceContext = { kind: "dequeue", name: "help" };
const pitches = [500, 750];

const record = { sid: `RE${"1".repeat(32)}`, accountSid: `AC${"0".repeat(32)}` };

const pickup = (leg: string): Script[number] => ({
  type: "pickup",
  leg,
  record,
  serviceContext,
  timeLimitS: 60,
  action: done,
});

conferenceTest("who waits hears music, is taken, talks, and goes on after that", async () => {
  await using lab = await startConferenceLab();
  const waiting: Script = [{ type: "queue", queueSid, action }];
  const alice = await enter(lab, { login: "alice", hz: 500, script: waiting });
  const queued = await lab.service.event("queued", alice.leg);
  assert.deepEqual(queued.event, { type: "queued", queueSid });
  await alice.untilHears([261.63, 392, 523.25], (levels) => levels.some((level) => level > 200));

  const bob = await enter(lab, { login: "bob", hz: 750, script: [pickup(alice.leg)] });
  await alice.untilHears(pitches, ([a, b]) => gone(a!) && there(b!));
  await bob.untilHears(pitches, ([a, b]) => there(a!) && gone(b!));
  const { event } = await lab.service.event("dequeued", alice.leg);
  assert.deepEqual([event.result, event.action], ["bridged", undefined]);

  lab.service.answer = ({ event }) =>
    event.type === "dequeued" ? [{ type: "silence", seconds: 0.1 }] : [];
  await bob.dialog.bye();
  const told = await lab.service.reported(({ event, leg }) =>
    event.type === "dequeued" && event.action !== undefined && leg === alice.leg
  );
  assert.ok(told.wantsScript && told.event.type === "dequeued");
  assert.equal(told.event.result, "bridged");
  const dialled = await lab.service.event("dialled", bob.leg);
  assert.deepEqual(
    [dialled.event.outcome, dialled.event.leg, dialled.event.action?.url, dialled.wantsScript],
    ["completed", alice.leg, done.url, false],
  );
  assert.equal(dialled.event.recording?.sid, record.sid);
  assert.equal(lab.service.parts[0]?.channels, 2);
  await alice.dialog.ended;
  await closeAll([alice, bob]);
});

conferenceTest(
  "a pickup of a call that has left the queue requests another one from the service",
  async () => {
    await using lab = await startConferenceLab();
    const nobody = `CA${"e".repeat(32)}`;
    lab.service.answer = ({ event }) =>
      event.type === "consulting" ? [{ type: "silence", seconds: 0.1 }] : [];
    const bob = await enter(lab, { login: "bob", hz: 750, script: [pickup(nobody)] });

    const { event } = await lab.service.event("consulting", bob.leg);
    assert.deepEqual(event, {
      type: "consulting",
      serviceContext: { ...serviceContext, gone: nobody },
      action: done,
    });
    await bob.dialog.ended;
    await closeAll([bob]);
  },
);

conferenceTest("a wait document gets the queue, may lead to others, and may leave", async () => {
  const played: string[] = [];
  await using lab = await startConferenceLab({
    loadAudio: (url) => {
      played.push(url);
      return Promise.resolve(tone(500, 0.1));
    },
  });
  const wait = { ...action, url: "http://app.test/wait" };
  const other = { ...action, url: "http://app.test/other" };
  const play = (url: string): Script[number] => ({ type: "play", url, loop: 1 });
  lab.service.answer = ({ event }) => {
    if (event.type !== "waiting") return [];
    if (event.action.url === wait.url) return [play("http://a/1"), { type: "next", action: other }];
    return [play("http://a/2"), { type: "leave" }, play("http://a/3")];
  };
  const script: Script = [{ type: "queue", queueSid, wait }, { type: "silence", seconds: 0.1 }];
  const alice = await enter(lab, { login: "alice", hz: 500, script });

  const { event } = await lab.service.event("dequeued", alice.leg);
  assert.deepEqual([event.result, event.waitedS < 5], ["leave", true]);
  await alice.dialog.ended;
  assert.deepEqual(played, ["http://a/1", "http://a/2"]);
  const asked = lab.service.reports.flatMap(({ event }) => event.type === "waiting" ? [event] : []);
  assert.deepEqual(asked.map(({ queueSid, action }) => [queueSid, action.url]), [
    [queueSid, wait.url],
    [queueSid, other.url],
  ]);
  await closeAll([alice]);
});

conferenceTest(
  "a gather in a wait document stops its prompt, and its action leads on",
  async () => {
    await using lab = await startConferenceLab({
      loadAudio: () => Promise.resolve(tone(500, 0.1)),
    });
    const wait = { ...action, url: "http://app.test/wait" };
    const typed = { ...action, url: "http://app.test/typed" };
    const prompts = [{ type: "play" as const, url: "http://a/1", loop: 0 }];
    const keys = { start: "0123456789", finish: "#", most: 1 };
    const gather: Script[number] = { type: "gather", prompts, timeoutS: 60, keys };
    lab.service.answer = ({ event }) => {
      if (event.type !== "waiting") return [];
      if (event.action.url === typed.url) return [{ type: "leave" }];
      return [gather, { ...gather, action: typed }];
    };
    const script: Script = [{ type: "queue", queueSid, wait }, { type: "silence", seconds: 0.1 }];
    const alice = await enter(lab, { login: "alice", hz: 750, script });
    const press = async (key: string) => {
      await alice.untilHears([500], ([prompt]) => there(prompt!));
      const content = `Signal=${key}\r\nDuration=160\r\n`;
      await alice.dialog.request("INFO", { body: { type: "application/dtmf-relay", content } });
    };
    await press("4");
    await press("2");

    const { event } = await lab.service.event("dequeued", alice.leg);
    assert.equal(event.result, "leave");
    await alice.dialog.ended;
    const asked = lab.service.reports.flatMap(({ event }) =>
      event.type === "waiting" ? [event] : []
    );
    assert.deepEqual(
      asked.map(({ action, gathered }) => [action.url, action.digits, gathered?.digits]),
      [[wait.url, undefined, undefined], [typed.url, "4", "2"]],
    );
    await closeAll([alice]);
  },
);

const departures = [
  ["the caller hangs up", "hangup"],
  ["the service ends the call", "hangup"],
  ["another script takes over", "redirected"],
] as const;
for (const [how, result] of departures) {
  conferenceTest(`leaving a queue when ${how} is reported as ${result}`, async () => {
    await using lab = await startConferenceLab();
    const script: Script = [{ type: "queue", queueSid, wait: null, action }];
    const alice = await enter(lab, { login: "alice", hz: 500, script });
    await lab.service.event("queued", alice.leg);

    if (how === "the caller hangs up") await alice.dialog.bye();
    else if (result === "hangup") await lab.run(alice.leg, [{ type: "hangup" }]);
    else await lab.run(alice.leg, [{ type: "silence", seconds: 60 }]);
    const { event, wantsScript } = await lab.service.event("dequeued", alice.leg);

    assert.deepEqual([event.result, event.action, wantsScript], [result, action, false]);
    await closeAll([alice]);
  });
}

conferenceTest("documents that let no time pass give way to the music", async () => {
  await using lab = await startConferenceLab();
  const wait = { ...action, url: "http://app.test/wait" };
  lab.service.answer = ({ event }) =>
    event.type === "waiting" ? [{ type: "next", action: wait }] : [];
  const script: Script = [{ type: "queue", queueSid, wait }];
  const alice = await enter(lab, { login: "alice", hz: 500, script });

  await alice.untilHears([261.63, 392, 523.25], (levels) => levels.some((level) => level > 200));
  assert.equal(lab.service.reports.filter(({ event }) => event.type === "waiting").length, 3);
  await closeAll([alice]);
});

import assert from "node:assert/strict";
import { companionRequests } from "../../../core/protocol/requests.ts";
import type { Script } from "../../../core/protocol/script.ts";
import {
  conferenceSid,
  conferenceStep,
  conferenceTest,
  enter,
  order,
  startConferenceLab,
} from "../../support/sip/conference_lab.ts";
import { samplesOf } from "../../support/service/recorded.ts";
import { closeAll, gone, there } from "../../support/media/talker.ts";
import { amplitudeOf, tone } from "../../support/media/tone.ts";

const action = { url: "http://app.test/after", method: "POST", hops: 1 } as const;
const pitches = [500, 750, 1_000];
/** Alice says 500 Hz, Bob 750 and Carol 1,000. */
const cast = [["alice", 500], ["bob", 750], ["carol", 1_000]] as const;

type In = Awaited<ReturnType<typeof enter>>;

conferenceTest(
  "three in a conference hear each other; mute, hold and removal take what they do",
  async () => {
    await using lab = await startConferenceLab();
    const talkers = [];
    for (const [login, hz] of cast) {
      talkers.push(await enter(lab, { login, hz, script: [conferenceStep()] }));
    }
    const [alice, bob, carol] = talkers as [In, In, In];

    await alice.untilHears(pitches, ([a, b, c]) => gone(a!) && there(b!) && there(c!));
    await bob.untilHears(pitches, ([a, b, c]) => there(a!) && gone(b!) && there(c!));
    await carol.untilHears(pitches, ([a, b, c]) => there(a!) && there(b!) && gone(c!));

    assert.equal(await order(lab, { type: "change", leg: alice.leg, muted: true }), true);
    await bob.untilHears(pitches, ([a, , c]) => gone(a!) && there(c!));
    await alice.untilHears(pitches, ([, b, c]) => there(b!) && there(c!)); // Who is muted hears.
    await order(lab, { type: "change", leg: alice.leg, muted: false, held: true });
    await alice.untilHears(pitches, (levels) => levels.every(gone));
    await bob.untilHears(pitches, ([a, , c]) => gone(a!) && there(c!));
    await order(lab, { type: "change", leg: alice.leg, held: false });
    await bob.untilHears(pitches, ([a, , c]) => there(a!) && there(c!));

    assert.equal(await order(lab, { type: "remove", leg: carol.leg }), true);
    await carol.dialog.ended;
    const { event } = await lab.service.event("left", carol.leg);
    assert.deepEqual({ ...event, durationS: 0 }, {
      type: "left",
      conferenceSid,
      outcome: "completed",
      durationS: 0,
    });
    await bob.untilHears(pitches, ([a, , c]) => there(a!) && gone(c!));
    assert.equal(await order(lab, { type: "remove", leg: carol.leg }), false);
    await closeAll(talkers);
  },
);

conferenceTest(
  "a leg that was muted by itself comes into a conference muted, until that is taken back",
  async () => {
    await using lab = await startConferenceLab();
    const away: Script = [{ type: "answer" }, { type: "silence", seconds: 60 }];
    const alice = await enter(lab, { login: "alice", hz: 500, script: away });
    const mute = { leg: alice.leg, muted: true };
    await lab.service.order(lab.companion.bridgeUrl, companionRequests.mute.path, mute);
    await lab.run(alice.leg, [conferenceStep()]);
    const bob = await enter(lab, { login: "bob", hz: 750, script: [conferenceStep()] });

    const { event } = await lab.service.event("joined", alice.leg);
    assert.equal(event.type === "joined" && event.muted, true);
    await bob.untilHears(pitches, ([a]) => gone(a!));
    await order(lab, { type: "change", leg: alice.leg, muted: false });
    await bob.untilHears(pitches, ([a]) => there(a!));
    await closeAll([alice, bob]);
  },
);

conferenceTest(
  "who is alone, or without one who starts the conference, waits with music",
  async () => {
    await using lab = await startConferenceLab();
    const music = conferenceStep({ startOnEnter: false, wait: undefined });
    const alice = await enter(lab, { login: "alice", hz: 500, script: [music] });
    const joined = await lab.service.event("joined", alice.leg);
    assert.deepEqual(joined.event, {
      type: "joined",
      conferenceSid,
      muted: false,
      startOnEnter: false,
      endOnExit: false,
    });
    const quiet = (levels: number[]) => levels.some((level) => level > 200 && level < 3_000);
    const strings = [261.63, 329.63, 392, 440, 523.25];
    await alice.untilHears(strings, quiet);
    const bob = await enter(lab, { login: "bob", hz: 750, script: [music] });
    await bob.untilHears(strings, quiet);
    assert.ok((await alice.hears(750)).every(gone));

    const starting = conferenceStep({ wait: undefined });
    const carol = await enter(lab, { login: "carol", hz: 1_000, script: [starting] });
    await alice.untilHears(pitches, ([, b, c]) => there(b!) && there(c!));
    await carol.dialog.bye();
    await lab.service.event("left", carol.leg);
    await alice.untilHears(pitches, ([, b, c]) => there(b!) && gone(c!));
    await bob.dialog.bye();
    await alice.untilHears(strings, quiet);
    await closeAll([alice, bob, carol]);
  },
);

conferenceTest(
  "a wait document's sounds are heard over and over until somebody comes",
  async () => {
    await using lab = await startConferenceLab({
      loadAudio: () => Promise.resolve(tone(1_500, 0.4)),
    });
    lab.service.answer = ({ event }) =>
      event.type === "waiting"
        ? [{ type: "play", url: event.action.url, loop: 1 }, { type: "silence", seconds: 0.1 }]
        : [];
    const wait = { ...action, url: "http://app.test/wait" };
    const alice = await enter(lab, { login: "alice", hz: 500, script: [conferenceStep({ wait })] });

    await alice.untilHears([1_500], (levels) => levels.every((level) => level > 1_000));
    await lab.service.reported(({ event, seq }) => event.type === "waiting" && seq > 4);
    const bob = await enter(lab, { login: "bob", hz: 750, script: [conferenceStep({ wait })] });
    await alice.untilHears([750, 1_500], ([b, waiting]) => there(b!) && gone(waiting!));
    await closeAll([alice, bob]);
  },
);

conferenceTest("a wait document without sounds gives way to the music", async () => {
  await using lab = await startConferenceLab();
  const alice = await enter(lab, {
    login: "alice",
    hz: 500,
    script: [conferenceStep({ wait: action })],
  });

  await alice.untilHears([261.63, 392, 523.25], (levels) => levels.some((level) => level > 200));
  await closeAll([alice]);
});

conferenceTest("beeps are heard when a participant comes and goes", async () => {
  await using lab = await startConferenceLab();
  const beeping = conferenceStep({ beepOnEnter: true, beepOnExit: true, muted: true });
  const alice = await enter(lab, {
    login: "alice",
    hz: 500,
    script: [conferenceStep({ muted: true })],
  });
  const bob = await enter(lab, { login: "bob", hz: 750, script: [beeping] });
  const carol = await enter(lab, {
    login: "carol",
    hz: 1_000,
    script: [conferenceStep({ muted: true })],
  });

  const beeps = (levels: number[]) => levels.every((level) => level > 200);
  const silent = (levels: number[]) => levels.every((level) => level < 50);
  await alice.untilHears(pitches, silent);
  const heard = alice.untilHears([523.25, 783.99], beeps);
  await bob.dialog.bye();
  await heard;
  const again = carol.untilHears([523.25, 783.99], beeps);
  const dave = await enter(lab, { login: "bob", hz: 750, script: [beeping] });
  await again;
  await closeAll([alice, bob, carol, dave]);
});

conferenceTest(
  "a conference ends with who ends it on leaving, and its action brings what comes next",
  async () => {
    await using lab = await startConferenceLab();
    const alice = await enter(lab, {
      login: "alice",
      hz: 500,
      script: [conferenceStep({ endOnExit: true }), { type: "silence", seconds: 60 }],
    });
    const bob = await enter(lab, { login: "bob", hz: 750, script: [conferenceStep({ action })] });
    await lab.service.event("joined", bob.leg);
    lab.service.answer = ({ event }) => event.type === "left" ? [{ type: "hangup" }] : [];

    await alice.dialog.bye();
    await bob.dialog.ended;

    const left = await lab.service.event("left", bob.leg);
    assert.equal(left.wantsScript, true);
    assert.deepEqual(left.event.action, action);
    assert.equal((await lab.service.event("left", alice.leg)).wantsScript, false);
    assert.equal(await order(lab, { type: "end" }), false);
    await closeAll([alice, bob]);
  },
);

conferenceTest(
  "a conference that is ended by the service, full, or timed out lets its legs go on",
  async () => {
    await using lab = await startConferenceLab();
    const script = [conferenceStep({ most: 1 })];
    const alice = await enter(lab, { login: "alice", hz: 500, script });
    await lab.service.event("joined", alice.leg);
    const bob = await enter(lab, { login: "bob", hz: 750, script });
    const refused = await lab.service.event("left", bob.leg);
    assert.deepEqual([refused.event.outcome, refused.event.durationS], ["busy", 0]);
    await bob.dialog.ended;
    assert.equal(
      lab.service.reports.some(({ event, leg }) => event.type === "joined" && leg === bob.leg),
      false,
    );

    assert.equal(await order(lab, { type: "end" }), true);
    await alice.dialog.ended;
    const short = await enter(lab, {
      login: "carol",
      hz: 1_000,
      script: [conferenceStep({ timeLimitS: 0.1 })],
    });
    await short.dialog.ended;
    await closeAll([alice, bob, short]);
  },
);

conferenceTest(
  "a conference is recorded while one is there who wants that, then for the next one",
  async () => {
    await using lab = await startConferenceLab();
    const order = (digit: string) => ({
      sid: `RE${digit.repeat(32)}`,
      accountSid: `AC${"0".repeat(32)}`,
    });
    const recorded = (digit: string) => [conferenceStep({ record: order(digit), action })];
    const alice = await enter(lab, { login: "alice", hz: 500, script: recorded("1") });
    const bob = await enter(lab, { login: "bob", hz: 750, script: recorded("2") });
    const carol = await enter(lab, {
      login: "carol",
      hz: 1_000,
      script: [conferenceStep({ muted: true })],
    });
    await carol.untilHears(pitches, ([a, b]) => there(a!) && there(b!));
    await carol.hears();
    await alice.dialog.bye();
    const first = await lab.service.event("left", alice.leg);
    await carol.untilHears(pitches, ([a, b]) => gone(a!) && there(b!));
    await carol.hears();
    await bob.dialog.bye();
    const second = await lab.service.event("left", bob.leg);

    const sids = [first, second].map(({ event }) => event.recording?.sid);
    assert.deepEqual(sids, [order("1").sid, order("2").sid]);
    const soundOf = (digit: string) => samplesOf(lab.service.parts, order(digit).sid);
    // Phones whose process gets no time say nothing for a while.
    const heard = (digit: string) => {
      const sound = soundOf(digit);
      const starts = Array.from({ length: Math.floor(sound.length / 800) }, (_, n) => n * 800);
      return starts.map((at) =>
        pitches.map((hz) => amplitudeOf(hz, sound.slice(at, at + 1_600)) > 2_000).join()
      );
    };
    assert.ok(heard("1").includes("true,true,false"), "both who talked");
    assert.ok(heard("2").includes("false,true,false"), "who talked on");
    assert.ok(![...heard("1"), ...heard("2")].some((one) => one.endsWith("true")), "who was muted");
    await closeAll([alice, bob, carol]);
  },
);

conferenceTest("the star leaves a conference that says so; what comes after goes on", async () => {
  await using lab = await startConferenceLab();
  const script = [conferenceStep({ hangupOnStar: true }), conferenceStep({ hangupOnStar: false })];
  const alice = await enter(lab, { login: "alice", hz: 500, script });
  await lab.service.event("joined", alice.leg);
  const press = () =>
    alice.dialog.request("INFO", {
      body: { type: "application/dtmf-relay", content: "Signal=*\r\nDuration=160\r\n" },
    });

  await press();
  await lab.service.event("left", alice.leg);
  await lab.service.reported(({ event, seq, leg }) =>
    leg === alice.leg && event.type === "joined" && seq > 1
  );
  await press();
  await alice.dialog.bye();
  await lab.service.event("ended", alice.leg);
  const events = lab.service.reports.filter(({ leg }) => leg === alice.leg)
    .map(({ event }) => event.type);
  const expected = ["incoming", "answered", "joined", "left", "joined", "left", "ended"];
  assert.deepEqual(events, expected);
  await closeAll([alice]);
});

conferenceTest(
  "consult() asks the service for the steps in its place, before those that are left",
  async () => {
    await using lab = await startConferenceLab();
    const serviceContext = { kind: "conference", name: "lobby" };
    lab.service.answer = ({ event }) =>
      event.type === "consulting" ? [conferenceStep({ timeLimitS: 0.1 })] : [];
    const alice = await enter(lab, {
      login: "alice",
      hz: 500,
      script: [{ type: "consult", serviceContext, action }, { type: "next", action }],
    });

    await alice.dialog.ended;
    const asked = await lab.service.event("consulting", alice.leg);
    assert.deepEqual(asked.event, { type: "consulting", serviceContext, action });
    await lab.service.event("left", alice.leg);
    await lab.service.event("next", alice.leg);
    await closeAll([alice]);
  },
);

conferenceTest(
  "an announcement is heard by all, or by one, also on hold, and the conference afterwards",
  async () => {
    await using lab = await startConferenceLab({
      loadAudio: (url) => Promise.resolve(tone(url.endsWith("low") ? 1_500 : 2_000, 0.4)),
    });
    const talkers = [];
    for (const [login, hz] of cast) {
      talkers.push(await enter(lab, { login, hz, script: [conferenceStep()] }));
    }
    const [alice, bob, carol] = talkers as [In, In, In];
    const announced = [500, 750, 1_000, 1_500, 2_000];
    const endless = (url: string): Script => [{ type: "play", url, loop: 0 }];
    const once = (url: string): Script => [{ type: "play", url, loop: 1 }];

    await order(lab, { type: "announce", script: endless("http://app.test/low") });
    for (const talker of talkers) {
      await talker.untilHears(
        announced,
        ([a, b, c, low]) => there(low!) && gone(a!) && gone(b!) && gone(c!),
      );
    }
    await order(lab, { type: "announce", script: once("http://app.test/high") });
    await alice.untilHears(announced, ([, b, c, low]) => there(b!) && there(c!) && gone(low!));
    await carol.untilHears(announced, ([a, b, , low]) => there(a!) && there(b!) && gone(low!));

    await order(lab, { type: "change", leg: bob.leg, held: true });
    await bob.untilHears(announced, (levels) => levels.every((level) => !there(level)));
    const toBob = endless("http://app.test/high");
    assert.equal(await order(lab, { type: "announce", leg: bob.leg, script: toBob }), true);
    await bob.untilHears(announced, ([a, , c, , high]) => there(high!) && gone(a!) && gone(c!));
    await alice.untilHears(announced, ([, b, c, , high]) => gone(b!) && there(c!) && gone(high!));
    // It comes back from hold while it still hears that.
    await order(lab, { type: "change", leg: bob.leg, held: false });
    await order(lab, { type: "announce", leg: bob.leg, script: once("http://app.test/low") });
    await bob.untilHears(announced, ([a, , c, , high]) => there(a!) && there(c!) && gone(high!));
    const stranger = `CA${"9".repeat(32)}`;
    assert.equal(await order(lab, { type: "announce", leg: stranger, script: [] }), false);
    await closeAll(talkers);
  },
);

conferenceTest(
  "a participant on hold hears the document of the hold, and a coach is heard by one until it is none",
  async () => {
    await using lab = await startConferenceLab({
      loadAudio: (url) => Promise.resolve(tone(url.endsWith("low") ? 1_500 : 2_000, 0.4)),
    });
    const talkers = [];
    for (const [login, hz] of cast) {
      talkers.push(await enter(lab, { login, hz, script: [conferenceStep()] }));
    }
    const [alice, bob, carol] = talkers as [In, In, In];
    const before = lab.service.answer;
    lab.service.answer = (report) =>
      report.event.type === "waiting"
        ? [{ type: "play", url: report.event.action.url, loop: 1 }]
        : before(report);
    const heard = [500, 750, 1_000, 1_500, 2_000];
    const document = (url: string) => ({ url, method: "POST", hops: 0 }) as const;

    const holdWith = document("http://app.test/low");
    await order(lab, { type: "change", leg: alice.leg, held: true, holdWith });
    await alice.untilHears(heard, ([, b, c, low]) => there(low!) && gone(b!) && gone(c!));
    await order(lab, {
      type: "change",
      leg: alice.leg,
      holdWith: document("http://app.test/high"),
    });
    await alice.untilHears(heard, ([, , , low, high]) => gone(low!) && there(high!));
    await order(lab, { type: "change", leg: alice.leg, held: false });
    await alice.untilHears(heard, ([, b, c, , high]) => there(b!) && there(c!) && gone(high!));

    await order(lab, { type: "change", leg: alice.leg, coach: bob.leg });
    await carol.untilHears(heard, ([a, b]) => gone(a!) && there(b!));
    await bob.untilHears(heard, ([a, , c]) => there(a!) && there(c!));
    await order(lab, { type: "change", leg: alice.leg, coach: null });
    await carol.untilHears(heard, ([a, b]) => there(a!) && there(b!));

    await order(lab, { type: "change", leg: carol.leg, endOnExit: true });
    await carol.dialog.bye();
    await Promise.all([alice.dialog.ended, bob.dialog.ended]);
    await closeAll(talkers);
  },
);

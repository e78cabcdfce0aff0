import assert from "node:assert/strict";
import { announce, modifyParticipant } from "../../core/conferences/modify.ts";
import type { CompanionsLabOptions } from "../support/service/companions_lab.ts";
import { type FakeMedia, fakeMedia } from "../support/media/fake_media.ts";
import { notifications } from "../support/service/hand_companion.ts";
import {
  lobby,
  type PeerRoomsLab,
  startPeerConferences,
} from "../support/sip/peer_conferences_lab.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import type { PhoneDialog } from "../support/sip/softphone_dialog.ts";
import { eventually } from "../support/process/eventually.ts";

interface Lab extends PeerRoomsLab {
  /** The media of each companion. */
  media: { one: FakeMedia; two: FakeMedia };
  /** A Client calls at a companion and gets markup; resolves when it is answered. */
  call(login: string, at: "one" | "two", markup: string): Promise<PhoneDialog>;
}

const logins = ["alice", "bob", "carol"];

async function start(only: Record<string, CompanionsLabOptions> = {}): Promise<Lab> {
  const media = { one: fakeMedia({ slow: true }), two: fakeMedia({ slow: true }) };
  const lab = await startPeerConferences(logins, {
    one: { media: media.one, ...only.one },
    two: { media: media.two, ...only.two },
  });
  return {
    ...lab,
    media,
    async call(login, at, markup) {
      lab.pages.set(`/${login}`, markup);
      const phone = await lab.phone(login, lab[at]);
      return await phone.call("conference").answered;
    },
  };
}

/** Alice in the conference at `one`, Bob at `two`: both are in, and its media legs. */
async function both(lab: Lab, { alice = lobby(), bob = lobby() } = {}) {
  const first = await lab.call("alice", "one", alice);
  await lab.until(async () => (await lab.conference()).logins.length === 1);
  const second = await lab.call("bob", "two", bob);
  await lab.until(async () => (await lab.conference()).logins.length === 2);
  const [ofAlice, guest] = lab.media.one.legs;
  const [ofBob, out] = lab.media.two.legs;
  assert.ok(ofAlice && guest && ofBob && out);
  return { alice: first, bob: second, ofAlice, guest, ofBob, out };
}

const newsOf = async (lab: Lab) =>
  (await lab.told()).map(({ StatusCallbackEvent }) => StatusCallbackEvent);

/** Resolves when a condition of the media holds: media change without a report to the service. */
const mediaAre = (isSo: () => boolean) => eventually(`the media are so: ${isSo}`, isSo);

sipTest("calls at two companions meet in one conference, with their own Sids", async () => {
  await using lab = await start();
  const { alice, bob, guest, ofAlice, ofBob, out } = await both(lab);

  assert.deepEqual((await lab.conference()).logins, ["alice", "bob"]);
  await mediaAre(() => ofBob.joined === out);
  await mediaAre(() => guest.source !== undefined && ofAlice.source !== undefined);
  const calls = [await lab.callOf("alice"), await lab.callOf("bob")];
  assert.deepEqual(calls.map(({ companion }) => companion?.id), ["one", "two"]);

  await bob.bye();
  await lab.until(async () => (await lab.conference()).logins.length === 1);
  await alice.bye();
  await lab.until(async () => (await lab.conference()).status === "completed");
  const told = await lab.told();
  assert.deepEqual(
    told.map(({ StatusCallbackEvent, CallSid = "" }) => [
      StatusCallbackEvent,
      calls.findIndex(({ sid }) => sid === CallSid),
    ]),
    [
      ["participant-join", 0],
      ["participant-join", 1],
      ["conference-start", -1],
      ["participant-leave", 1],
      ["participant-leave", 0],
      ["conference-end", -1],
    ],
  );
  const after = await lab.asked("/after");
  assert.deepEqual(
    after.map(({ CallSid, DialCallStatus }) => [CallSid, DialCallStatus]).toSorted(),
    calls.map(({ sid }) => [sid, "completed"]).toSorted(),
  );
  await mediaAre(() => guest.closed && out.closed);
});

sipTest(
  "a waiting call hears its own companion, and the conference when another enters or hold ends",
  async () => {
    await using lab = await start();
    lab.pages.set("/wait", "<Play>https://app.test/song.wav</Play>");
    const waiting = lobby(`waitUrl="/wait" startConferenceOnEnter="false"`);
    const { ofBob, out, bob } = await both(lab, { alice: waiting, bob: waiting });
    await mediaAre(() => ofBob.playing);
    assert.equal(ofBob.joined, undefined);
    assert.equal(ofBob.played[0]?.samples, 160);
    const bobs = (await lab.callOf("bob")).sid;
    assert.ok((await lab.asked("/wait")).some(({ CallSid }) => CallSid === bobs));

    const carol = await lab.call("carol", "one", lobby());
    await mediaAre(() => ofBob.joined === out);
    assert.equal(ofBob.playing, false);
    assert.equal((await lab.participant("bob", { Hold: "true" })).hold, true);
    await mediaAre(() => ofBob.joined === undefined && ofBob.playing);
    assert.ok(ofBob.played.at(-1)!.samples > 160, "who is held hears music of ours");
    await lab.participant("bob", { Hold: "false" });
    await mediaAre(() => ofBob.joined === out);
    await Promise.all([bob.bye(), carol.bye()]);
  },
);

sipTest(
  "a participant at another companion hears announcements and the document of its hold there",
  async () => {
    await using lab = await start();
    lab.pages.set("/hold", "<Play>https://app.test/song.wav</Play>");
    lab.pages.set("/news", "<Play loop='2'>https://app.test/news.wav</Play>");
    const { ofBob, out, bob, alice } = await both(lab);
    await mediaAre(() => ofBob.joined === out);
    const { app } = lab;
    const { sid } = await lab.conference();
    const bobs = (await lab.callOf("bob")).sid;
    const named = { accountSid: app.root.sid, conferenceSid: sid, callSid: bobs };

    await announce(named, { url: "https://app.test/news", method: "POST" }, app.ports);
    await app.runJobs();
    await mediaAre(() => ofBob.playing && ofBob.played.at(-1)?.loop === 2);
    const holdWith = { url: "https://app.test/hold", method: "POST", hops: 0 } as const;
    await modifyParticipant(named, { hold: true, holdWith }, app.ports);
    assert.equal(ofBob.playing, true);
    ofBob.finishPlaying();
    await mediaAre(() => ofBob.joined === undefined && ofBob.played.at(-1)?.loop === 1);
    assert.equal(ofBob.played.at(-1)?.samples, 160);
    assert.equal((await lab.asked("/hold"))[0]?.CallSid, bobs);
    await modifyParticipant(named, { hold: false }, app.ports);
    await mediaAre(() => ofBob.joined === out);
    await Promise.all([bob.bye(), alice.bye()]);
  },
);

sipTest(
  "Mute of a Participant at another companion silences it, and Mute=false of either ends it",
  async () => {
    await using lab = await start();
    const { alice, bob, guest, ofAlice, ofBob } = await both(lab);
    await mediaAre(() => guest.source !== undefined && ofAlice.source !== undefined);
    const said = new Int16Array(160).fill(1_000);
    const heard = () => {
      ofAlice.hear(new Int16Array(160));
      guest.hear(said);
      return ofAlice.source!()![0];
    };
    assert.equal(heard(), 1_000);

    assert.equal((await lab.participant("bob", { Mute: "true" })).muted, true);
    assert.equal(heard(), 0);
    const path = `Calls/${(await lab.callOf("bob")).sid}.json`;
    await lab.app.root.post(path, { Mute: "true" });
    assert.equal(ofBob.isMuted, true);
    await lab.participant("bob", { Mute: "false" });
    assert.deepEqual([heard(), ofBob.isMuted], [1_000, false]);
    await Promise.all([alice.bye(), bob.bye()]);
    await lab.until(async () => (await lab.conference()).status === "completed");
    assert.deepEqual((await newsOf(lab)).slice(3, 5), ["participant-mute", "participant-unmute"]);
  },
);

sipTest(
  "a Participant elsewhere is removed, and its call goes on; the end of the conference ends all",
  async () => {
    await using lab = await start();
    lab.pages.set("/after", "<Play>https://app.test/song.wav</Play><Hangup/>");
    const { bob, ofBob, alice } = await both(lab);
    const { sid } = await lab.conference();
    const path = `Conferences/${sid}/Participants/${(await lab.callOf("bob")).sid}.json`;
    assert.equal((await lab.app.root.delete(path)).status, 204);
    await mediaAre(() => ofBob.played.length > 0 && ofBob.played.at(-1)!.samples === 160);
    ofBob.finishPlaying();
    await bob.ended;
    assert.deepEqual((await lab.conference()).logins, ["alice"]);

    const carol = await lab.call("carol", "two", lobby());
    await lab.until(async () => (await lab.conference()).logins.length === 2);
    await lab.app.root.post(`Conferences/${sid}.json`, { Status: "completed" });
    await lab.app.runJobs();
    const ended = () => lab.media.two.legs.at(-2)!.played.some(({ samples }) => samples === 160);
    await mediaAre(ended);
    lab.media.two.legs.at(-2)!.finishPlaying();
    await mediaAre(() => lab.media.one.legs[0]!.played.some(({ samples }) => samples === 160));
    lab.media.one.legs[0]!.finishPlaying();
    await Promise.all([carol.ended, alice.ended]);
  },
);

sipTest(
  "one that ends the conference as it leaves ends it from another companion too",
  async () => {
    await using lab = await start();
    const { alice, bob } = await both(lab, { bob: lobby(`endConferenceOnExit="true"`) });

    await bob.bye();
    await alice.ended;
    await lab.until(async () => (await lab.conference()).status === "completed");
    const end = (await lab.told()).find(({ StatusCallbackEvent }) =>
      StatusCallbackEvent === "conference-end"
    );
    assert.equal(end?.ReasonConferenceEnded, "participant-with-end-conference-on-exit-left");
  },
);

sipTest("the star, and REST, take a call out of a conference elsewhere", async () => {
  await using lab = await start();
  const star = lobby("", `action="/after" hangupOnStar="true"`);
  const { bob, ofBob, alice } = await both(lab, { bob: star });
  ofBob.press("*");
  await bob.ended;
  await lab.until(async () => (await lab.conference()).logins.length === 1);

  const carol = await lab.call("carol", "two", lobby());
  await lab.until(async () => (await lab.conference()).logins.length === 2);
  await lab.app.root.post(`Calls/${(await lab.callOf("carol")).sid}.json`, {
    Url: "https://app.test/elsewhere",
  });
  await lab.app.runJobs();
  await carol.ended;
  await lab.until(async () => (await lab.conference()).logins.length === 1);
  await alice.bye();
});

sipTest(
  "a companion that stops, with the conference or with a participant, leaves no call hanging",
  async () => {
    for (const stops of ["one", "two"] as const) {
      await using lab = await start();
      const { alice, bob, ofAlice, ofBob } = await both(lab);
      const [gone, left] = stops === "one" ? [alice, bob] : [bob, alice];

      await lab[stops].stop();
      await gone.ended;
      if (stops === "one") {
        await left.ended;
      } else {
        await lab.until(async () => (await lab.conference()).logins.join() === "alice");
        await mediaAre(() => ofAlice.playing); // It waits, alone.
        await left.bye();
      }
      await lab.until(async () => (await lab.conference()).status === "completed");
      const news = await newsOf(lab);
      assert.equal(news.filter((one) => one === "participant-leave").length, 2);
      assert.equal(news.filter((one) => one === "conference-end").length, 1);
      assert.ok(ofBob.closed);
    }
  },
);

sipTest(
  "a conference whose companion died without a word fails Dial, and the call goes on",
  async () => {
    await using lab = await start();
    const { companions } = lab.app.ports;
    const alice = await lab.call("alice", "one", lobby());
    await lab.until(async () => (await lab.conference()).logins.length === 1);
    const one = (await companions.get("one"))!;
    await companions.beat({ ...one, sipUri: "sip:127.0.0.1:9;transport=ws" }); // An unused address.
    const bob = await lab.call("bob", "two", lobby());
    await bob.ended;

    const [after] = await lab.asked("/after");
    assert.deepEqual([after?.DialCallStatus, after?.DialCallDuration], ["failed", "0"]);
    const { sid } = await lab.conference();
    assert.deepEqual(await notifications(lab.app), [
      `Cannot join the conference: the companion of ${sid} is unreachable`,
    ]);
    assert.deepEqual((await lab.conference()).logins, ["alice"]);
    await alice.bye();
  },
);

sipTest(
  "a conference is joined from elsewhere while the service is away, and reported when it is back",
  async () => {
    await using lab = await start();
    const { alice, bob, ofBob, out } = await both(lab);
    await lab.stopService();
    await bob.bye();
    await mediaAre(() => ofBob.closed && out.closed);
    lab.startService();
    await lab.until(async () => (await lab.conference()).logins.join() === "alice");
    await alice.bye();
    await lab.until(async () => (await lab.conference()).status === "completed");
    assert.equal((await newsOf(lab)).length, 6);
  },
);

const help = {
  wait: `<Enqueue action="/left" waitUrl="/wait">help</Enqueue>`,
  take: `<Dial action="/after" timeout="3"><Queue>help</Queue></Dial>`,
};

sipTest("a call that waits at one companion is taken by a call at another", async () => {
  await using lab = await start();
  lab.pages.set("/wait", "<Play>https://app.test/song.wav</Play>");
  const bob = await lab.call("bob", "two", help.wait);
  await lab.until(async () => (await lab.callOf("bob")).queueSid !== null);
  const [ofBob] = lab.media.two.legs;
  await mediaAre(() => ofBob!.playing);

  const alice = await lab.call("alice", "one", help.take);
  await lab.until(async () => (await lab.callOf("bob")).queueSid === null);
  const [ofAlice, out] = lab.media.one.legs;
  const guest = lab.media.two.legs[1];
  await mediaAre(() => ofAlice!.joined === out && ofBob!.joined === guest);
  assert.equal(ofBob!.playing, false);

  await alice.bye();
  await bob.ended;
  await lab.until(async () => (await lab.callOf("bob")).status === "completed");
  await lab.app.runJobs();
  const [left] = await lab.asked("/left");
  assert.deepEqual([left?.QueueResult, left?.CallSid], ["bridged", (await lab.callOf("bob")).sid]);
  const [after] = await lab.asked("/after");
  const { sid, sipCallId } = await lab.callOf("bob");
  assert.deepEqual(
    [after?.DialCallStatus, after?.DialCallSid, after?.DialSipCallId],
    ["completed", sid, sipCallId],
  );
  const [waited] = await lab.asked("/wait");
  assert.deepEqual([waited?.QueuePosition, waited?.CurrentQueueSize], ["1", "1"]);
});

sipTest(
  "a call that waits at an unreachable companion keeps its place, and is taken when that is back",
  async () => {
    await using lab = await start();
    lab.pages.set("/wait", "<Play>https://app.test/song.wav</Play>");
    const bob = await lab.call("bob", "two", help.wait);
    await lab.until(async () => (await lab.callOf("bob")).queueSid !== null);
    const { companions } = lab.app.ports;
    const two = (await companions.get("two"))!;
    await companions.beat({ ...two, sipUri: "sip:127.0.0.1:9;transport=ws" });
    const alice = await lab.call("alice", "one", help.take);
    await lab.until(async () => (await notifications(lab.app)).length > 0);
    lab.app.clock.now += 3_000;
    await alice.ended;

    assert.equal((await lab.asked("/after"))[0]?.DialCallStatus, "no-answer");
    assert.match(
      (await notifications(lab.app)).join(),
      /waits in "help" at a companion that is unreachable/,
    );
    assert.notEqual((await lab.callOf("bob")).queueSid, null);
    await companions.beat(two);
    const carol = await lab.call("carol", "one", help.take);
    await mediaAre(() => lab.media.two.legs[0]?.joined !== undefined);
    await bob.bye(); // The waiting side ends it for the other one.
    await carol.ended;
  },
);

for (const moved of ["alice", "bob"]) {
  sipTest(
    `MoveConnectedCallLeg of ${moved} moves both sides of a call taken elsewhere`,
    async () => {
      await using lab = await start();
      lab.pages.set("/wait", "<Play>https://app.test/song.wav</Play>");
      lab.pages.set("/moved", lobby());
      const bob = await lab.call("bob", "two", help.wait);
      await lab.until(async () => (await lab.callOf("bob")).queueSid !== null);
      const alice = await lab.call("alice", "one", help.take);
      await mediaAre(() => lab.media.two.legs[0]?.joined !== undefined);
      await mediaAre(() => lab.media.one.legs[0]?.joined !== undefined);

      await lab.app.root.post(`Calls/${(await lab.callOf(moved)).sid}.json`, {
        Url: "https://app.test/moved",
        MoveConnectedCallLeg: "true",
      });
      await lab.app.runJobs();
      await lab.until(async () => (await lab.conference()).logins.join() === "alice,bob");
      await Promise.all([alice.bye(), bob.bye()]);
    },
  );
}

sipTest("calls that enter a conference at once, at two companions, meet in one", async () => {
  await using lab = await start();
  const dialogs = await Promise.all([
    lab.call("alice", "one", lobby()),
    lab.call("bob", "two", lobby()),
    lab.call("carol", "two", lobby()),
  ]);
  await lab.until(async () => (await lab.conference()).logins.length === 3);
  assert.equal((await lab.app.root.get("Conferences.json")).json().total, 1);
  await Promise.all(dialogs.map((dialog) => dialog.bye()));
  await lab.until(async () => (await lab.conference()).status === "completed");
  const news = await newsOf(lab);
  assert.equal(news.filter((one) => one === "conference-start").length, 1);
  assert.equal(news.at(-1), "conference-end");
});

sipTest(
  "a caller that hangs up on its way into a conference elsewhere leaves nothing there",
  async () => {
    await using lab = await start();
    const alice = await lab.call("alice", "one", lobby());
    await lab.until(async () => (await lab.conference()).logins.length === 1);
    const bob = await lab.call("bob", "two", lobby());
    await bob.bye();
    await lab.until(async () => (await lab.callOf("bob")).status === "completed");
    const [ofAlice, guest] = lab.media.one.legs;
    await mediaAre(() => lab.media.two.legs.every(({ closed }) => closed));
    await mediaAre(() => guest === undefined || guest.closed);
    await mediaAre(() => ofAlice!.playing); // Alone.
    await alice.bye();
    await lab.until(async () => (await lab.conference()).status === "completed");
    assert.equal(lab.media.one.legs.every(({ closed }) => closed), true);
  },
);

sipTest("a conference elsewhere that is full after all makes Dial busy", async () => {
  await using lab = await start();
  const alice = await lab.call("alice", "one", lobby());
  await lab.until(async () => (await lab.conference()).logins.length === 1);
  const { sid } = await lab.conference();
  const { conferences } = lab.app.ports.records;
  await conferences.update(lab.app.root.sid, sid, (record) => ({
    record: { ...record, members: [] },
  }));
  const bob = await lab.call("bob", "two", lobby(`maxParticipants="1"`));
  await bob.ended;

  const [after] = await lab.asked("/after");
  assert.equal(after?.DialCallStatus, "busy");
  await alice.bye();
});

sipTest(
  "one that waits no longer at another companion is taken out, and the next is taken",
  async () => {
    await using lab = await start();
    lab.pages.set("/wait", "<Play>https://app.test/song.wav</Play>");
    const bob = await lab.call("bob", "two", help.wait);
    await lab.until(async () => (await lab.callOf("bob")).queueSid !== null);
    const carol = await lab.call("carol", "two", lobby());
    await lab.until(async () => (await lab.conference()).logins.length === 1);
    const stale = (await lab.callOf("carol")).sid;
    const { queueSid } = await lab.callOf("bob");
    const { queues } = lab.app.ports.records;
    await queues.update(lab.app.root.sid, queueSid!, (queue) => ({
      record: { ...queue, members: [{ ...queue.members[0]!, callSid: stale }, ...queue.members] },
    }));

    const alice = await lab.call("alice", "one", help.take);
    await mediaAre(() => lab.media.two.legs[0]?.joined !== undefined);
    const queue = await queues.get(lab.app.root.sid, queueSid!);
    assert.deepEqual(queue?.members.filter(({ callSid }) => callSid === stale), []);
    await Promise.all([alice.bye(), carol.bye()]);
    await bob.ended;
  },
);

sipTest(
  "a conference is recorded for a call at another companion, whose action gets the recording",
  async () => {
    await using lab = await start();
    const { alice, bob, guest, ofAlice } = await both(lab, { bob: lobby(`record="true"`) });
    await mediaAre(() => guest.source !== undefined && ofAlice.source !== undefined);
    for (let tick = 0; tick < 60; tick++) {
      for (const one of [ofAlice, guest]) one.hear(new Int16Array(160).fill(1_000));
      for (const one of [ofAlice, guest]) one.source!();
    }

    const { sid } = await lab.conference();
    const own = (await lab.callOf("bob")).sid;
    await lab.app.root.delete(`Conferences/${sid}/Participants/${own}.json`);
    await bob.ended;
    const [after] = await lab.asked("/after");
    const { recordings: [recording] } = (await lab.app.root.get("Recordings.json")).json();
    assert.deepEqual([after?.RecordingSid, after?.RecordingDuration], [recording.sid, "1"]);
    assert.deepEqual([recording.call_sid, recording.status], [own, "completed"]);
    await alice.bye();
  },
);

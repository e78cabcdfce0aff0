import assert from "node:assert/strict";
import { invite, inviteScript, newLeg, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { brokenSdp, foreignSdp } from "../../support/media/fake_media.ts";
import { valueOf } from "../../support/sip/sip_text.ts";

sipTest(
  "runScript() rings a softphone, reports the answer and performs what it brings",
  async () => {
    const loaded: string[] = [];
    await using lab = await startSipLab({
      loadAudio: (url) => {
        loaded.push(url);
        return Promise.resolve(new Int16Array(80));
      },
    });
    const phone = await lab.phone("alice");
    const invitation = {
      ...invite("alice"),
      headers: { "X-Order": "7", "Via": "x", "X-B": "a\r\nb" },
    };
    lab.service.answer = ({ event }) =>
      event.type === "answered" ? [{ type: "play", url: "http://a.test/a.wav", loop: 2 }] : [];

    const response = await lab.run(invitation.leg, inviteScript(invitation));
    const call = await phone.nextCall();
    call.ring();
    const dialog = await call.answer();
    await dialog.ended;
    const { event } = await lab.service.event("ended", invitation.leg);

    assert.equal(response.status, 200);
    assert.match(valueOf(call.invite, "from"), /^<sip:(\+|%2B)15550001@sip\.test>;tag=/);
    assert.equal(valueOf(call.invite, "x-order"), "7");
    assert.equal(valueOf(call.invite, "x-b"), "");
    assert.deepEqual(loaded, ["http://a.test/a.wav"]);
    assert.deepEqual(lab.media.legs[0]?.played, [{ samples: 80, loop: 2 }]);
    assert.equal(lab.media.legs[0]?.closed, true);
    assert.deepEqual(event, { type: "ended", outcome: "completed" });
    const reports = lab.service.reports.filter(({ leg }) => leg === invitation.leg);
    assert.deepEqual(reports.map(({ event, seq, wantsScript }) => [event.type, seq, wantsScript]), [
      ["inviting", 0, false],
      ["ringing", 1, false],
      ["answered", 2, true],
      ["ended", 3, false],
    ]);
  },
);

for (
  const [status, outcome] of [
    [486, "busy"],
    [600, "busy"],
    [603, "busy"],
    [404, "failed"],
    [487, "failed"], // By itself: it was sent no CANCEL.
    [500, "failed"],
    [302, "failed"],
  ] as const
) {
  sipTest(`runScript() reports ${outcome} when the softphone declines with ${status}`, async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    (await phone.nextCall()).decline(status);
    const { event } = await lab.service.event("ended", invitation.leg);

    const { detail, ...ended } = event;
    assert.deepEqual(ended, { type: "ended", outcome, sipStatus: status });
    assert.equal(detail !== undefined, outcome === "failed", detail);
  });
}

sipTest(
  "runScript() reports 480 and invites nobody when the Client is not registered",
  async () => {
    await using lab = await startSipLab();
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    const report = await lab.service.event("ended", invitation.leg);

    assert.deepEqual(report.event, {
      type: "ended",
      outcome: "failed",
      sipStatus: 480,
      reason: "not-registered",
    });
    assert.equal(report.seq, 0);
  },
);

sipTest("runScript() cancels the INVITE and reports no-answer when the time is up", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation, 0.2));
  const call = await phone.nextCall();
  call.ring();
  await call.cancelled;
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.deepEqual(event, { type: "ended", outcome: "no-answer", sipStatus: 408 });
  assert.equal(lab.media.legs[0]?.closed, true);
});

sipTest("runScript() cancels a ringing leg when a hang-up replaces its script", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation));
  const call = await phone.nextCall();
  call.ring();
  await lab.service.event("ringing", invitation.leg);
  await lab.run(invitation.leg, [{ type: "hangup" }]);
  await call.cancelled;
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.deepEqual(event, { type: "ended", outcome: "canceled", sipStatus: 487 });
});

sipTest("runScript() sends BYE to a softphone whose answer crossed the CANCEL", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation));
  const call = await phone.nextCall();
  call.ignoreCancel = true;
  call.ring();
  await lab.service.event("ringing", invitation.leg);
  await lab.run(invitation.leg, [{ type: "hangup" }]);
  await call.cancelled;
  const dialog = await call.answer();
  await dialog.ended;

  const ends = lab.service.reports.filter(({ event }) => event.type === "ended");
  assert.deepEqual(ends.map(({ event }) => event), [
    { type: "ended", outcome: "canceled", sipStatus: 487 },
  ]);
});

for (
  const [why, sdp, ending] of [
    ["488 when the answer has no codec of ours", foreignSdp, {
      sipStatus: 488,
      reason: "no-codec",
      detail: "Cannot accept",
    }],
    ["488 when the media fail", brokenSdp, { sipStatus: 488, reason: "media-lost" }],
  ] as const
) {
  sipTest(`runScript() ends the leg with ${why}`, async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    const dialog = await (await phone.nextCall()).answer(sdp);
    const bye = await dialog.ended;
    const { event } = await lab.service.event("ended", invitation.leg);

    assert.match(valueOf(bye, "reason"), /^SIP;cause=488;/);
    assert.deepEqual(event, { type: "ended", outcome: "failed", ...ending });
  });
}

sipTest("runScript() gives the call to the first device that answers", async () => {
  await using lab = await startSipLab();
  const phones = [
    await lab.phone("alice", { instance: "00000000-0000-4000-8000-000000000001" }),
    await lab.phone("alice", { instance: "00000000-0000-4000-8000-000000000002" }),
  ] as const;
  const invitation = invite("alice");
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];

  await lab.run(invitation.leg, inviteScript(invitation));
  const [loser, winner] = await Promise.all([phones[0].nextCall(), phones[1].nextCall()]);
  loser.ring();
  winner.ring();
  const dialog = await winner.answer();
  const cancel = await loser.cancelled;
  await lab.service.event("answered", invitation.leg);
  await dialog.bye();
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.equal(valueOf(cancel, "reason"), 'SIP;cause=200;text="Call completed elsewhere"');
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
  const ringing = lab.service.reports.filter(({ event }) => event.type === "ringing");
  assert.equal(ringing.length, 1);
});

sipTest("runScript() reports the best refusal when every device refuses", async () => {
  await using lab = await startSipLab();
  const phones = [await lab.phone("alice"), await lab.phone("alice")] as const;
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation));
  (await phones[0].nextCall()).decline(486);
  (await phones[1].nextCall()).decline(404);
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
});

sipTest("runScript() lets no other device ring on once one has declined for all", async () => {
  await using lab = await startSipLab();
  const phones = [await lab.phone("alice"), await lab.phone("alice")] as const;
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation));
  const [one, other] = await Promise.all([phones[0].nextCall(), phones[1].nextCall()]);
  other.ring();
  await lab.service.event("ringing", invitation.leg);
  one.decline(603);
  const cancel = await other.cancelled;
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.equal(valueOf(cancel, "reason"), 'SIP;cause=603;text="Call declined elsewhere"');
  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 603 });
});

sipTest("runScript() leaves out a device that media cannot be had for", async () => {
  await using lab = await startSipLab();
  const phones = [await lab.phone("alice"), await lab.phone("alice")] as const;
  const invitation = invite("alice");
  const { offer } = lab.media;
  let offers = 0;
  lab.media.offer = () => offers++ === 0 ? Promise.reject(new Error("no socket")) : offer();

  await lab.run(invitation.leg, inviteScript(invitation));
  (await phones[1].nextCall()).decline(486);
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
  assert.equal(lab.media.legs[0]?.closed, true);
  assert.match(lab.logged.join(), /Cannot offer media to every device .*no socket/);
});

sipTest("runScript() reports 500 when media can be had for no device", async () => {
  await using lab = await startSipLab();
  await lab.phone("alice");
  const invitation = invite("alice");
  lab.media.offer = () => Promise.reject(new Error("no socket"));

  await lab.run(invitation.leg, inviteScript(invitation));
  const { event } = await lab.service.event("ended", invitation.leg);

  const detail = "see the log of the companion";
  assert.deepEqual(event, { type: "ended", outcome: "failed", sipStatus: 500, detail });
});

sipTest("runScript() ignores an invite that is run again", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation));
  const call = await phone.nextCall();
  const again = await lab.run(invitation.leg, inviteScript(invitation));
  call.decline(486);
  await lab.service.event("ended", invitation.leg);
  const late = await lab.run(invitation.leg, inviteScript(invitation));

  assert.deepEqual([again.status, late.status], [200, 200]);
  const invites = lab.service.reports.filter(({ event }) => event.type === "inviting");
  assert.equal(invites.length, 1);
});

sipTest("runScript() refuses an unknown leg", async () => {
  await using lab = await startSipLab();

  const response = await lab.run(newLeg(), [{ type: "hangup" }]);

  assert.deepEqual(await response.json(), { companion: null });
});

sipTest("runScript() replaces what the leg was doing", async () => {
  await using lab = await startSipLab({ slowMedia: true });
  const phone = await lab.phone("alice");
  const invitation = invite("alice");
  const playing = Promise.withResolvers<void>();
  lab.service.answer =
    () => (playing.resolve(), [{ type: "play", url: "http://a.test/1", loop: 0 }]);

  await lab.run(invitation.leg, inviteScript(invitation));
  const dialog = await (await phone.nextCall()).answer();
  await playing.promise;
  await lab.run(invitation.leg, [{ type: "hangup" }]);
  await dialog.ended;
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.deepEqual(event, { type: "ended", outcome: "completed" });
});

sipTest("play() reports a problem and goes on when the audio cannot be had", async () => {
  await using lab = await startSipLab({
    loadAudio: () => Promise.reject(new Error("Cannot load")),
  });
  const phone = await lab.phone("alice");
  const invitation = invite("alice");
  lab.service.answer = ({ event }) =>
    event.type === "answered"
      ? [
        { type: "play", url: "http://a.test/x.wav", loop: 1 },
        { type: "next", action: { url: "http://a.test/next", method: "POST", hops: 1 } },
      ]
      : [];

  await lab.run(invitation.leg, inviteScript(invitation));
  await (await phone.nextCall()).answer();
  const problem = await lab.service.event("problem", invitation.leg);
  await lab.service.event("next", invitation.leg);

  assert.deepEqual(problem.event, {
    type: "problem",
    url: "http://a.test/x.wav",
    message: "Cannot load",
  });
});

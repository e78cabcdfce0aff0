import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { foreignSdp } from "../../support/media/fake_media.ts";
import { invite, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf } from "../../support/sip/sip_text.ts";
import { eventually } from "../../support/process/eventually.ts";

const action = { url: "http://app.test/done", method: "POST", hops: 0 } as const;

/** A script that rings Clients for a caller. */
const dialScript = (
  logins: string[],
  media: "anchored" | "proxied",
  more: { timeoutS?: number; timeLimitS?: number; withAction?: boolean } = {},
): Script => [{
  type: "dial",
  legs: logins.map((login) => invite(login)),
  media,
  timeoutS: more.timeoutS ?? 30,
  timeLimitS: more.timeLimitS ?? 60,
  ...more.withAction && { action },
}];

sipTest(
  "onInvite() reports who calls whom, and ends the call with 487 when there is nothing to do",
  async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");

    const call = phone.call("sip:+15559@sip.test?X-A=1", {
      headers: ["X-Shop: 12", "User-to-User: 56a;encoding=hex", "Subject: no"],
    });
    const final = await call.final;
    const incoming = await lab.service.event("incoming");
    const ended = await lab.service.event("ended");

    assert.equal(final.status, 487);
    // A 100 comes where the service takes longer than 200 ms.
    assert.deepEqual(call.statuses.filter((status) => status !== 100), [407, 487]);
    assert.match(incoming.leg, /^CA[0-9a-f]{32}$/);
    assert.equal(incoming.accountSid, `AC${"0".repeat(32)}`);
    assert.equal(incoming.wantsScript, true);
    assert.deepEqual(incoming.event, {
      type: "incoming",
      login: "alice",
      clientSid: `CL${"0".repeat(32)}`,
      uri: "sip:+15559@sip.test",
      sipCallId: call.callId,
      headers: { "X-Shop": "12", "User-To-User": "56a;encoding=hex" },
    });
    assert.deepEqual(ended.event, { type: "ended", outcome: "canceled", sipStatus: 487 });
  },
);

sipTest("onInvite() tells a caller that waits for the service by a 100", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const answered = Promise.withResolvers<Script>();
  lab.service.answer = () => answered.promise;

  const call = phone.call("carol");
  await eventually("a 100 comes", () => call.statuses.includes(100));
  answered.resolve([]);
  await call.final;

  assert.deepEqual(call.statuses, [407, 100, 487]);
});

sipTest("onInvite() refuses a caller who is not registered, or lends another name", async () => {
  await using lab = await startSipLab();
  const stranger = await lab.phone("alice", { register: false });
  const liar = await lab.phone("bob");

  const unregistered = await stranger.call("carol").final;
  const borrowed = await liar.call("carol", {
    replace: { from: "<sip:alice@sip.test>;tag=borrowed" },
  }).final;

  assert.equal(unregistered.status, 403);
  assert.equal(borrowed.status, 403);
  assert.equal(lab.service.reports.length, 0);
});

sipTest("onInvite() ends the leg once as canceled when the caller gives up", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  await lab.phone("bob").then((bob) => bob.onCall = (call) => call.ring());
  lab.service.answer = () => dialScript(["bob"], "anchored", { withAction: true });

  const call = phone.call("bob");
  await call.ringing;
  const cancel = await call.cancel();
  const final = await call.final;
  const { leg } = await lab.service.event("incoming");
  await lab.service.event("ended", leg);

  assert.deepEqual([cancel.status, final.status], [200, 487]);
  const reports = lab.service.reports.filter((report) => report.leg === leg);
  assert.deepEqual(reports.map(({ event, wantsScript }) => [event.type, wantsScript]), [
    ["incoming", true],
    ["dialled", false],
    ["ended", false],
  ]);
  assert.deepEqual(reports.at(-1)?.event, { type: "ended", outcome: "canceled", sipStatus: 487 });
  const child = await lab.service.reported(({ leg: other, event }) =>
    other !== leg && event.type === "ended"
  );
  assert.deepEqual(child.event, { type: "ended", outcome: "canceled", sipStatus: 487 });
});

sipTest("perform() answers with media of ours, and BYE of the caller ends the leg", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];

  const dialog = await phone.call("anything").answered;
  const bye = await dialog.bye();
  const { event } = await lab.service.event("ended");

  assert.equal(dialog.remoteSdp, lab.media.legs[0]?.localSdp);
  assert.equal(bye.status, 200);
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
  assert.equal(lab.media.legs[0]?.closed, true);
});

sipTest(
  "perform() offers when the INVITE does not, and takes the answer from the ACK",
  async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");
    lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];

    const call = phone.call("anything", { sdp: "" });
    const dialog = await call.answered;

    assert.equal(dialog.remoteSdp, lab.media.legs[0]?.localSdp);
    assert.equal((await dialog.bye()).status, 200);
  },
);

sipTest("perform() refuses with 488 when the caller has no codec of ours", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }];

  const final = await phone.call("anything", { sdp: foreignSdp }).final;
  const { event } = await lab.service.event("ended");

  assert.equal(final.status, 488);
  assert.equal(valueOf(final, "warning"), '305 sip.test "Cannot answer: no common codec"');
  const [reason, detail] = ["no-codec", "Cannot answer: no common codec"];
  assert.deepEqual(event, { type: "ended", outcome: "failed", sipStatus: 488, reason, detail });
});

sipTest("perform() refuses a caller with the status of a reject", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  lab.service.answer = () => [{ type: "reject", status: 486 }];

  assert.equal((await phone.call("anything").final).status, 486);
});

sipTest(
  "dial() joins the media of both legs and reports the dial when the callee hangs up",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    const bob = await lab.phone("bob");
    lab.service.answer = ({ event }) =>
      event.type === "incoming"
        ? dialScript(["bob"], "anchored", { withAction: true })
        : [{ type: "silence", seconds: 60 }];

    const call = alice.call("bob");
    const ringing = await bob.nextCall();
    ringing.ring();
    assert.equal((await call.ringing).status, 180);
    const callee = await ringing.answer();
    const caller = await call.answered;
    const [offered, answered] = lab.media.legs;
    assert.equal(offered?.joined, answered);
    await callee.bye();
    const dialled = await lab.service.event("dialled");
    const { leg: parent } = await lab.service.event("incoming");
    const inviting = await lab.service.event("inviting");

    assert.equal(dialled.leg, parent);
    assert.equal(dialled.wantsScript, true);
    assert.deepEqual(dialled.event, {
      type: "dialled",
      outcome: "completed",
      leg: inviting.leg,
      durationS: 0,
      ringS: 0,
      sipCallId: inviting.event.sipCallId,
      action,
    });
    assert.equal(inviting.event.parent, parent);
    assert.equal(offered?.joined, undefined);
    assert.equal(valueOf(ringing.invite, "max-forwards"), "69");
    assert.equal((await caller.bye()).status, 200);
  },
);

sipTest(
  "dial() goes on with the script after a dial without action, and refuses with its status",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    const bob = await lab.phone("bob");
    lab.service.answer = () => dialScript(["bob"], "anchored");

    const call = alice.call("bob");
    (await bob.nextCall()).decline(486);
    const final = await call.final;

    assert.equal(final.status, 486);
    assert.equal(lab.service.reports.some(({ event }) => event.type === "dialled"), false);
  },
);

sipTest("dial() reports a callee who is not registered as a leg of its own", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  lab.service.answer = () => dialScript(["bob"], "anchored");

  const final = await alice.call("bob").final;
  const { leg: parent } = await lab.service.event("incoming");
  const { event, leg } = await lab.service.event("inviting");
  const ended = await lab.service.event("ended", leg);

  assert.equal(final.status, 480);
  assert.deepEqual([event.parent, event.to], [parent, "client:bob"]);
  assert.deepEqual(ended.event, {
    type: "ended",
    outcome: "failed",
    sipStatus: 480,
    reason: "not-registered",
  });
});

sipTest("dial() reports no-answer when no callee answers in time", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? dialScript(["bob"], "anchored", { withAction: true, timeoutS: 1 })
      : [];

  const call = alice.call("bob");
  const ringing = await bob.nextCall();
  ringing.ring();
  await ringing.cancelled;
  const { event } = await lab.service.event("dialled");

  assert.deepEqual([event.outcome, event.sipStatus], ["no-answer", 408]);
  assert.equal((await call.final).status, 408);
});

sipTest(
  "dial() gives the caller the first of several to answer and cancels the others",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    const bob = await lab.phone("bob");
    const carol = await lab.phone("carol");
    lab.service.answer = ({ event }) =>
      event.type === "incoming"
        ? dialScript(["bob", "carol"], "anchored", { withAction: true })
        : [];

    const call = alice.call("team");
    const [atBob, atCarol] = await Promise.all([bob.nextCall(), carol.nextCall()]);
    atBob.ring();
    const callee = await atCarol.answer();
    const cancel = await atBob.cancelled;
    await call.answered;
    await callee.bye();
    const { event } = await lab.service.event("dialled");

    assert.equal(valueOf(cancel, "reason"), 'SIP;cause=200;text="Call completed elsewhere"');
    assert.equal(event.outcome, "completed");
  },
);

sipTest("dial() ends the callee's leg when the time limit is over", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = () => dialScript(["bob"], "anchored", { timeLimitS: 0.2 });

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  const caller = await call.answered;

  assert.equal((await callee.ended).method, "BYE");
  assert.equal((await caller.ended).method, "BYE");
});

sipTest(
  "dial() passes SDP through when proxied, and the callee's BYE reaches the caller",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    const bob = await lab.phone("bob");
    lab.service.answer = () => dialScript(["bob"], "proxied");

    const call = alice.call("bob", { sdp: "v=0\r\ns=from alice\r\n" });
    const ringing = await bob.nextCall();
    ringing.ring({ status: 183, sdp: "v=0\r\ns=early\r\n" });
    const early = await call.ringing;
    const callee = await ringing.answer("v=0\r\ns=from bob\r\n");
    const caller = await call.answered;
    caller.onReinvite = (sdp) => sdp.replace("held", "held too");
    const held = await callee.request("INVITE", { sdp: "v=0\r\ns=held\r\n" });
    await callee.bye();
    await caller.ended;

    assert.deepEqual([early.status, early.body], [183, "v=0\r\ns=early\r\n"]);
    assert.equal(callee.remoteSdp, "v=0\r\ns=from alice\r\n");
    assert.equal(caller.remoteSdp, "v=0\r\ns=from bob\r\n");
    assert.equal(held.body, "v=0\r\ns=held too\r\n");
    assert.equal(lab.media.legs.length, 0);
  },
);

sipTest("dial() ends the proxied callee when the caller hangs up", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = () => dialScript(["bob"], "proxied", { withAction: true });

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  const caller = await call.answered;
  await caller.bye();
  await callee.ended;
  const dialled = await lab.service.event("dialled");

  assert.deepEqual([dialled.event.outcome, dialled.wantsScript], ["completed", false]);
  await lab.service.event("ended", dialled.leg);
  assert.deepEqual(lab.service.reports.filter(({ leg }) => leg === dialled.leg).at(-1)?.event, {
    type: "ended",
    outcome: "completed",
  });
});

sipTest("dial() ends when another script takes the caller over", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = () => dialScript(["bob"], "anchored");

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  const caller = await call.answered;
  const { leg } = await lab.service.event("incoming");
  await lab.run(leg, [{ type: "play", url: "http://a.test/bye.wav", loop: 1 }, { type: "hangup" }]);

  assert.equal((await callee.ended).method, "BYE");
  assert.equal((await caller.ended).method, "BYE");
  assert.equal(lab.media.legs[1]?.played.length, 1);
});

sipTest("dial() ends when the caller presses the star", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{
        type: "dial",
        legs: [invite("bob")],
        media: "anchored",
        timeoutS: 30,
        timeLimitS: 60,
        hangupOnStar: true,
        action,
      }]
      : [{ type: "silence", seconds: 60 }];

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  const caller = await call.answered;
  const ours = lab.media.legs[1];
  ours?.press("5");
  assert.ok(ours?.joined);
  ours?.press("*");
  await callee.ended;
  const { event } = await lab.service.event("dialled");

  assert.equal(event.outcome, "completed");
  assert.equal((await caller.bye()).status, 200);
});

sipTest("dial() lets go of a callee that another script takes over", async () => {
  await using lab = await startSipLab({ slowMedia: true });
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? dialScript(["bob"], "anchored", { withAction: true }) : [];

  const call = alice.call("bob");
  const callee = await (await bob.nextCall()).answer();
  const caller = await call.answered;
  const child = await lab.service.event("inviting");
  await lab.service.event("answered", child.leg);
  const response = await lab.run(child.leg, [{ type: "play", url: "http://a.test/1", loop: 0 }]);
  await response.body?.cancel();
  const dialled = await lab.service.event("dialled");
  await caller.ended;

  assert.equal(dialled.event.outcome, "completed");
  assert.equal((await callee.bye()).status, 200);
  const { event } = await lab.service.event("ended", child.leg);
  assert.deepEqual(event, { type: "ended", outcome: "completed" });
  assert.equal(lab.media.legs[0]?.played.length, 1);
});

sipTest("dial() refuses the caller with 480 when the only callee was cancelled", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = () => dialScript(["bob"], "anchored");

  const call = alice.call("bob");
  const ringing = await bob.nextCall();
  ringing.ring();
  const { leg } = await lab.service.event("ringing");
  const response = await lab.run(leg, [{ type: "hangup" }]);
  await response.body?.cancel();
  await ringing.cancelled;

  assert.equal((await call.final).status, 480);
});

sipTest(
  "a caller whose call the service ends before the answer is told 487: canceled",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    const bob = await lab.phone("bob");
    lab.service.answer = () => dialScript(["bob"], "anchored");

    const call = alice.call("bob");
    const ringing = await bob.nextCall();
    ringing.ring();
    const { leg } = await lab.service.event("incoming");
    await (await lab.run(leg, [{ type: "hangup" }])).body?.cancel();
    await ringing.cancelled;
    const { event } = await lab.service.event("ended", leg);

    assert.equal((await call.final).status, 487);
    assert.equal(event.outcome, "canceled");
  },
);

sipTest(
  "dial() refuses the caller with 480 when the callee redirects: nobody follows",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    const bob = await lab.phone("bob");
    lab.service.answer = () => dialScript(["bob"], "proxied");

    const call = alice.call("bob");
    (await bob.nextCall()).decline(302, ["Contact: <sip:+15550199@elsewhere.test>"]);

    assert.equal((await call.final).status, 480);
  },
);

sipTest("dial() reports the callee's own headers, and none of the signalling", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? dialScript(["bob"], "anchored", { withAction: true }) : [];

  const call = alice.call("bob", { headers: ["X-Caller: 1"] });
  const ringing = await bob.nextCall();
  const long = "x".repeat(1_025);
  ringing.decline(486, [
    "X-Reason: lunch",
    "User-to-User: 56",
    "Warning: 399 x y",
    `X-Long: ${long}`,
  ]);
  const { event } = await lab.service.event("dialled");
  await call.final;

  assert.equal(valueOf(ringing.invite, "x-caller"), "", "markup says which headers go on");
  assert.deepEqual(event.headers, { "X-Reason": "lunch", "User-To-User": "56" });
});

sipTest("dial() gives every leg one hop less, so that a loop ends", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const bob = await lab.phone("bob");
  lab.service.answer = () => dialScript(["bob"], "proxied");

  const call = alice.call("bob", { replace: { "max-forwards": "1" } });
  const ringing = await bob.nextCall();
  const again = await bob.call("bob", {
    replace: { "max-forwards": valueOf(ringing.invite, "max-forwards") },
  }).final;
  ringing.decline(486);

  assert.equal(valueOf(ringing.invite, "max-forwards"), "0");
  assert.equal(again.status, 483);
  assert.equal((await call.final).status, 486);
});

for (const which of ["caller", "callee"] as const) {
  sipTest(`runScript() moves both sides of a call when the ${which} is moved`, async () => {
    await using lab = await startSipLab({ slowMedia: true });
    const alice = await lab.phone("alice");
    const bob = await lab.phone("bob");
    lab.service.answer = ({ event }) =>
      event.type === "incoming" ? dialScript(["bob"], "anchored", { withAction: true }) : [];

    const call = alice.call("bob");
    const callee = await (await bob.nextCall()).answer();
    const caller = await call.answered;
    const parent = await lab.service.event("incoming");
    const child = await lab.service.event("inviting");
    const moved = which === "caller" ? parent.leg : child.leg;
    const other = which === "caller" ? child.leg : parent.leg;
    lab.service.answer = ({ event }) =>
      event.type === "next" ? [{ type: "play", url: "http://a.test/other", loop: 0 }] : [];
    const response = await lab.run(moved, [{ type: "play", url: "http://a.test/one", loop: 0 }], [
      { type: "next", action },
    ]);
    await response.body?.cancel();
    const next = await lab.service.event("next");
    await callee.request("INFO");
    await caller.request("INFO");

    assert.equal(next.leg, other);
    assert.deepEqual(lab.media.legs.map(({ joined }) => joined), [undefined, undefined]);
    const ends = [await callee.bye(), await caller.bye()];
    assert.deepEqual(ends.map(({ status }) => status), [200, 200]);
  });
}

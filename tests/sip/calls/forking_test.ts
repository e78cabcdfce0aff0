import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { brokenSdp } from "../../support/media/fake_media.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { respond } from "../../support/sip/softphone_dialog.ts";
import { type SipText, tagOf, valueOf } from "../../support/sip/sip_text.ts";
import {
  callScript,
  openTrunk,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
} from "../../support/sip/trunk_peer.ts";
import { eventually } from "../../support/process/eventually.ts";

/** The SDP of one of those whom a proxy of the other side rings at once. */
const sdpOf = (name: string) => `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=${name}\r\nt=0 0\r\n`;

/** What one of them says to the INVITE; its tag is its name. */
function says(trunk: TrunkPeer, to: SipText, name: string, status: number, more: {
  sdp?: string;
  headers?: string[];
} = {}): void {
  const contact = `Contact: <sip:${name}@127.0.0.1:${trunk.port}>`;
  const { sdp = status === 180 ? "" : sdpOf(name), headers = [] } = more;
  trunk.respond(to, status, { tag: name, headers: [contact, ...headers], sdp });
}

/** A call that a proxy behind the trunk forks. */
async function forked(lab: SipLab, trunk: TrunkPeer) {
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = trunkInvitation([trunk.route]);
  await (await lab.run(invitation.leg, callScript(invitation))).body?.cancel();
  return { leg: invitation.leg, came: await trunk.request("INVITE") };
}

const calledBy = (request: SipText) => tagOf(valueOf(request, "to"));

sipTest("createFork() goes on with who answers of several that a proxy rings", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, came } = await forked(lab, trunk);

  says(trunk, came, "one", 183);
  says(trunk, came, "two", 180);
  says(trunk, came, "three", 183);
  await lab.service.event("ringing", leg);
  says(trunk, came, "three", 200);
  const ack = await trunk.request("ACK");
  await lab.service.event("answered", leg);
  const [media] = lab.media.legs;
  const heard = media?.remoteSdp;
  await lab.run(leg, [{ type: "hangup" }]);
  const bye = await trunk.request("BYE");
  trunk.respond(bye, 200);
  await lab.service.event("ended", leg);

  assert.deepEqual([ack, bye].map(calledBy), ["three", "three"]);
  assert.match(bye.start, /^BYE sip:three@/);
  assert.equal(heard, sdpOf("three"));
  assert.equal(trunk.heard.filter(({ method }) => method === "BYE").length, 1);
});

sipTest("refuseAnswer() ends whoever answers second, and the call goes on", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, came } = await forked(lab, trunk);

  says(trunk, came, "one", 200);
  says(trunk, came, "two", 200);
  await lab.service.event("answered", leg);
  const acks = [await trunk.request("ACK"), await trunk.request("ACK")];
  const second = await trunk.request("BYE");
  // It repeats its 200 until it has seen the ACK.
  says(trunk, came, "two", 200);
  const again = await trunk.request("ACK");
  trunk.respond(second, 200);
  const [media] = lab.media.legs;
  const isHeard = media?.closed === false && media.remoteSdp === sdpOf("one");
  await lab.run(leg, [{ type: "hangup" }]);
  const first = await trunk.request("BYE");
  trunk.respond(first, 200);
  const ended = await lab.service.event("ended", leg);

  assert.deepEqual(acks.map(calledBy).sort(), ["one", "two"]);
  assert.deepEqual([second, again, first].map(calledBy), ["two", "two", "one"]);
  assert.ok(isHeard, "the media of the call go on");
  assert.deepEqual(ended.event, { type: "ended", outcome: "completed" });
});

sipTest("createFork() acknowledges reliable responses of each that a proxy rings", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, came } = await forked(lab, trunk);
  const reliable = (rseq: number) => ({ headers: ["Require: 100rel", `RSeq: ${rseq}`] });

  says(trunk, came, "one", 183, reliable(7));
  const first = await trunk.request("PRACK");
  trunk.respond(first, 200);
  says(trunk, came, "two", 183, reliable(40));
  const second = await trunk.request("PRACK");
  trunk.respond(second, 200);
  says(trunk, came, "one", 180, reliable(8));
  const third = await trunk.request("PRACK");
  trunk.respond(third, 200);
  trunk.respond(came, 486);
  const { event } = await lab.service.event("ended", leg);

  assert.deepEqual([first, second, third].map(calledBy), ["one", "two", "one"]);
  assert.deepEqual(
    [first, second, third].map((prack) => valueOf(prack, "rack")),
    [7, 40, 8].map((rseq) => `${rseq} ${valueOf(came, "cseq")}`),
  );
  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
});

sipTest("createFork() takes a 200 without SDP of who said it in a 183", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, came } = await forked(lab, trunk);
  const headers = ["Require: 100rel", "RSeq: 7"];

  says(trunk, came, "one", 183, { headers });
  trunk.respond(await trunk.request("PRACK"), 200);
  says(trunk, came, "two", 183);
  says(trunk, came, "one", 200, { sdp: "" });
  await trunk.request("ACK");
  await lab.service.event("answered", leg);
  const heard = lab.media.legs[0]?.remoteSdp;
  await lab.run(leg, [{ type: "hangup" }]);
  trunk.respond(await trunk.request("BYE"), 200);

  assert.equal(heard, sdpOf("one"));
});

sipTest("takeProvisional() keeps the early SDP of a few, however many are rung", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, came } = await forked(lab, trunk);
  const last = `n${sipLimits.earlyAnswers}`;

  for (let at = 0; at <= sipLimits.earlyAnswers; at++) says(trunk, came, `n${at}`, 183);
  says(trunk, came, last, 200, { sdp: "" });
  await trunk.request("ACK");
  await lab.service.event("answered", leg);
  const heard = lab.media.legs[0]?.remoteSdp;
  await lab.run(leg, [{ type: "hangup" }]);
  trunk.respond(await trunk.request("BYE"), 200);

  assert.notEqual(heard, sdpOf(last));
});

sipTest(
  "runScript() cancels a call that several ring, and ends who answers meanwhile",
  async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    const { leg, came } = await forked(lab, trunk);

    says(trunk, came, "one", 183);
    says(trunk, came, "two", 183);
    await lab.service.event("ringing", leg);
    await lab.run(leg, [{ type: "hangup" }]);
    const cancel = await trunk.request("CANCEL");
    says(trunk, came, "two", 200);
    trunk.respond(cancel, 200);
    const bye = await trunk.request("BYE");
    trunk.respond(bye, 200);
    const { event } = await lab.service.event("ended", leg);

    assert.equal(calledBy(bye), "two");
    assert.equal(event.outcome, "canceled");
    await eventually("nothing of it is left", () => lab.media.legs.every(({ closed }) => closed));
  },
);

/** Alice, who calls Bob, and a proxy in front of his devices, which responds in the name of any. */
async function behindProxy(lab: SipLab, media: "anchored" | "proxied" = "proxied") {
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "dial", legs: [invite("bob")], media, timeoutS: 30, timeLimitS: 60 }]
      : [];
  const line = { phone: bob, send: bob.send };
  const responds = (to: SipText, name: string, status: number, sdp = sdpOf(name)) =>
    respond(line as never, to, { status, tag: name, sdp });
  return { alice, bob, responds };
}

sipTest("accept() answers a caller in a dialog of its own where another one rang", async () => {
  await using lab = await startSipLab();
  const { alice, bob, responds } = await behindProxy(lab);

  const calling = alice.call("bob");
  const { invite: came } = await bob.nextCall();
  responds(came, "one", 183);
  const heard = await calling.nextProvisional();
  responds(came, "two", 183);
  const rings = await calling.nextProvisional();
  responds(came, "two", 200);
  const dialog = await calling.answered;
  const final = await calling.final;
  const bye = dialog.bye();
  const ended = await lab.service.event("ended");
  const status = (await bye).status;

  assert.deepEqual([heard.body, rings.body, final.body], [sdpOf("one"), "", sdpOf("two")]);
  assert.equal(tagOf(valueOf(rings, "to")), tagOf(valueOf(heard, "to")));
  assert.notEqual(tagOf(valueOf(final, "to")), tagOf(valueOf(heard, "to")));
  assert.equal(status, 200);
  assert.equal(ended.event.outcome, "completed");
});

sipTest("accept() leaves a dialog where a PRACK is awaited only after it came", async () => {
  await using lab = await startSipLab();
  const { alice, bob, responds } = await behindProxy(lab);

  const calling = alice.call("bob", { headers: ["Require: 100rel"] });
  const { invite: came } = await bob.nextCall();
  responds(came, "one", 183);
  const heard = await calling.nextProvisional();
  responds(came, "two", 200);
  const again = await calling.nextProvisional();
  const prack = await calling.early("PRACK", heard, [
    `RAck: ${valueOf(heard, "rseq")} ${valueOf(heard, "cseq")}`,
  ]);
  const dialog = await calling.answered;
  const final = await calling.final;
  const bye = await dialog.bye();

  assert.equal(prack.status, 200);
  assert.equal(tagOf(valueOf(again, "to")), tagOf(valueOf(heard, "to")));
  assert.deepEqual([again.body, final.body], [sdpOf("one"), sdpOf("two")]);
  assert.notEqual(tagOf(valueOf(final, "to")), tagOf(valueOf(heard, "to")));
  assert.equal(bye.status, 200);
});

sipTest("accept() answers by our media in another dialog than who was heard early", async () => {
  await using lab = await startSipLab();
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [
        { type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 30, timeLimitS: 60 },
        { type: "answer" },
        { type: "silence", seconds: 60 },
      ]
      : [];

  const calling = alice.call("bob");
  const ringing = await bob.nextCall();
  ringing.ring({ status: 183, sdp: sdpOf("bob") });
  const heard = await calling.nextProvisional();
  ringing.decline(486);
  const dialog = await calling.answered;
  const final = await calling.final;
  const bye = await dialog.bye();

  assert.equal(heard.body, sdpOf("bob"));
  assert.equal(final.body, lab.media.legs.at(-1)?.localSdp);
  assert.notEqual(tagOf(valueOf(final, "to")), tagOf(valueOf(heard, "to")));
  assert.equal(bye.status, 200);
});

sipTest(
  "onAnswer() ends both legs in order where the media follow nobody but who was heard early",
  async () => {
    await using lab = await startSipLab();
    const { alice, bob, responds } = await behindProxy(lab, "anchored");

    const calling = alice.call("bob");
    const { invite: came } = await bob.nextCall();
    responds(came, "one", 183);
    await calling.nextProvisional();
    responds(came, "two", 200, brokenSdp);
    const bye = await bob.nextMessage(); // The ACK, the phone takes for itself.
    respond({ phone: bob, send: bob.send } as never, bye, { status: 200 });
    const final = await calling.final;
    const { event: inviting, leg } = await lab.service.event("inviting");
    const { event } = await lab.service.event("ended", leg);

    assert.deepEqual([bye.method, calledBy(bye)], ["BYE", "two"]);
    assert.match(valueOf(bye, "reason"), /^SIP;cause=488;/);
    assert.equal(final.status, 488);
    assert.equal(inviting.to, "client:bob");
    const reason = "media-lost";
    assert.deepEqual(event, { type: "ended", outcome: "failed", sipStatus: 488, reason });
  },
);

sipTest("ring() ends with the refusal after several rang", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, came } = await forked(lab, trunk);

  says(trunk, came, "one", 183);
  says(trunk, came, "two", 180);
  trunk.respond(came, 603, { tag: "three" });
  await trunk.request("ACK");
  const { event } = await lab.service.event("ended", leg);

  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 603 });
});

import assert from "node:assert/strict";
import { peerRequest, peerResponse } from "../../support/sip/sip_peer.ts";
import { invite as callee, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import type { PhoneDialog } from "../../support/sip/softphone_dialog.ts";
import { type SipText, valueOf } from "../../support/sip/sip_text.ts";
import {
  callScript,
  inDialog,
  openTrunk,
  peerSdp,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
  udpOf,
} from "../../support/sip/trunk_peer.ts";
import { eventually } from "../../support/process/eventually.ts";

/** SDP among other things that a carrier says, in a message of ours. */
const among = (text: string, isup = "signal") =>
  text.replace("application/sdp", 'multipart/mixed;boundary="cut here"')
    .replace(/\r\nContent-Length: \d+\r\n\r\n([^]*)$/, (_, sdp) => {
      const body = [
        "--cut here",
        "Content-Type: application/isup;version=itu-t92+",
        `Content-Disposition: ${isup}`,
        "",
        "01 00 49",
        "--cut here",
        "Content-Type: application/sdp",
        "",
        `${sdp}--cut here--`,
        "",
      ].join("\r\n");
      return `\r\nContent-Length: ${new TextEncoder().encode(body).length}\r\n\r\n${body}`;
    });

/** Calls by the trunk. */
async function call(lab: SipLab, trunk: TrunkPeer) {
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = trunkInvitation([trunk.route]);
  await lab.run(invitation.leg, callScript(invitation));
  return { leg: invitation.leg, invite: await trunk.request("INVITE") };
}

const withContact = (request: SipText, port: number, status: number) =>
  peerResponse(request, status, {
    headers: [`Contact: <sip:carrier@127.0.0.1:${port}>`],
    sdp: peerSdp,
  });

sipTest("receive() finds the SDP of an answer among what else a carrier says", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);

  trunk.send(among(withContact(invite, trunk.port, 200)));
  await trunk.request("ACK");
  await lab.service.event("answered", leg);

  assert.equal(lab.media.legs[0]!.remoteSdp, `${peerSdp.trimEnd()}`);
  await lab.run(leg, [{ type: "hangup" }]);
  trunk.respond(await trunk.request("BYE"), 200);
});

sipTest("receive() takes no body for an answer that is no SDP", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);

  const early = withContact(invite, trunk.port, 183);
  trunk.send(early.replace("application/sdp", "application/isup"));
  await lab.service.event("ringing", leg);
  assert.equal(lab.media.legs[0]!.remoteSdp, "");
  trunk.send(withContact(invite, trunk.port, 200));
  await trunk.request("ACK");
  await lab.service.event("answered", leg);

  assert.equal(lab.media.legs[0]!.remoteSdp, peerSdp);
  await lab.run(leg, [{ type: "hangup" }]);
  trunk.respond(await trunk.request("BYE"), 200);
});

sipTest(
  "an INVITE whose other parts need not be understood is taken, else refused with 415",
  async () => {
    await using lab = await startTrunkLab();
    await using peer = await openTrunk(udpOf(lab));
    const invite = () => peerRequest("INVITE", "UDP", peer.port, { sdp: peerSdp });

    peer.send(among(invite()));
    const taken = await peer.next();
    peer.send(among(invite(), "signal;handling=required"));
    const refused = await peer.next();

    assert.deepEqual([taken.status, refused.status], [407, 415]); // Only a Client may call.
    assert.equal(valueOf(refused, "accept"), "application/sdp");
  },
);

for (const leaves of ["Contact", "the tag of To", "both"]) {
  sipTest(`a carrier that leaves out ${leaves} rings, is heard early and answers`, async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    const alice = await lab.phone("alice");
    const child = trunkInvitation([trunk.route]);
    lab.service.answer = () => [
      { type: "dial", legs: [child], media: "anchored", timeoutS: 20, timeLimitS: 60 },
    ];
    const calling = alice.call(child.to);
    const invite = await trunk.request("INVITE");
    const without = (text: string) => {
      const tagless = leaves === "Contact" ? text : text.replace(";tag=callee", "");
      return leaves === "the tag of To" ? tagless : tagless.replace(/Contact: .*\r\n/, "");
    };

    trunk.send(without(withContact(invite, trunk.port, 183)));
    await lab.service.event("ringing", child.leg);
    while ((await calling.nextProvisional()).body === "");
    const answer = withContact(invite, trunk.port, 200);
    trunk.send(leaves === "the tag of To" ? answer : answer.replace(/Contact: .*\r\n/, ""));
    const ack = await trunk.request("ACK");
    const dialog = await calling.answered;

    const target = leaves === "the tag of To" ? "sip:carrier@" : `sip:${child.to}@`;
    assert.ok(ack.start.startsWith(`ACK ${target}127.0.0.1:${trunk.port}`), ack.start);
    const parted = dialog.bye();
    const bye = await trunk.request("BYE");
    trunk.respond(bye, 200);
    assert.match(valueOf(bye, "to"), /;tag=callee$/);
    await parted;
  });
}

sipTest("an UPDATE of who is called does not end the call that rings", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);

  trunk.answer(invite, { status: 183 });
  await lab.service.event("ringing", leg);
  trunk.send(inDialog("UPDATE", invite, trunk.port));
  const empty = await trunk.next();
  const update = inDialog("UPDATE", invite, trunk.port, 2);
  const offering = update.replace(
    /Content-Length: 0\r\n\r\n$/,
    `Content-Type: application/sdp\r\nContent-Length: ${peerSdp.length}\r\n\r\n${peerSdp}`,
  );
  trunk.send(offering);
  const offered = await trunk.next();
  trunk.send(inDialog("UPDATE", invite, trunk.port, 3).replaceAll("tag=callee", "tag=nobody"));
  const unknown = await trunk.next();
  trunk.answer(invite);
  await trunk.request("ACK");
  await lab.service.event("answered", leg);

  assert.deepEqual([empty, offered, unknown].map(({ status }) => status), [200, 491, 481]);
  trunk.send(inDialog("BYE", invite, trunk.port, 4));
  assert.equal((await trunk.next()).status, 200);
});

sipTest(
  "an UPDATE moves the target of a dialog, and so does the answer to a re-INVITE",
  async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    const { leg, invite } = await call(lab, trunk);
    trunk.answer(invite);
    await trunk.request("ACK");
    await lab.service.event("answered", leg);
    const moved = "Contact: <sip:moved@127.0.0.1:9>\r\nMax-Forwards: 70";
    trunk.send(inDialog("UPDATE", invite, trunk.port).replace("Max-Forwards: 70", moved));
    assert.equal((await trunk.next()).status, 200);
    await lab.run(leg, [{ type: "hangup" }]);
    const bye = await trunk.request("BYE");
    trunk.respond(bye, 200);
    assert.equal(bye.start, "BYE sip:moved@127.0.0.1:9 SIP/2.0"); // Sent where the call went.

    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    const child = callee("bob");
    lab.service.answer = ({ event }) =>
      event.type !== "incoming"
        ? []
        : [{ type: "dial", legs: [child], media: "proxied", timeoutS: 20, timeLimitS: 60 }];
    const calling = alice.call("bob", { sdp: peerSdp });
    const called = await (await bob.nextCall()).answer(peerSdp);
    const caller = await calling.answered;
    called.onRequest = ({ method }) =>
      method === "INVITE"
        ? { status: 200, headers: ["Contact: <sip:moved@phone.invalid>"], sdp: peerSdp }
        : undefined;
    assert.equal((await caller.request("INVITE", { sdp: peerSdp })).status, 200);
    const parted = caller.bye();
    assert.match((await called.ended).start, /^BYE sip:moved@phone\.invalid /);
    await parted;
  },
);

/** A Client in a call by the trunk, whose media are ours. */
async function calling(lab: SipLab, trunk: TrunkPeer, login: string) {
  const child = trunkInvitation([trunk.route]);
  lab.service.answer = () => [
    { type: "dial", legs: [child], media: "anchored", timeoutS: 20, timeLimitS: 60 },
  ];
  const phone = await lab.phone(login);
  const placing = phone.call(child.to);
  const invite = await trunk.request("INVITE");
  trunk.answer(invite);
  await trunk.request("ACK");
  return { invite, dialog: await placing.answered };
}

/** A REFER of the trunk in one call, to who is in another. */
function referring(first: SipText, second: SipText, port: number): string {
  const tag = /;tag=([^;]+)/.exec(valueOf(second, "from"))?.[1] ?? "";
  const replaces = `${valueOf(second, "call-id")};to-tag=${tag};from-tag=callee`;
  const to = `Refer-To: <sip:x@127.0.0.1?Replaces=${encodeURIComponent(replaces)}>`;
  const contact = `Contact: <sip:carrier@127.0.0.1:${port}>`;
  return inDialog("REFER", first, port)
    .replace("Max-Forwards: 70", `Max-Forwards: 70\r\n${to}\r\n${contact}`);
}

/** The final sipfrag; every NOTIFY and BYE is answered. */
async function toldFinally(trunk: TrunkPeer): Promise<string> {
  for (;;) {
    const message = await trunk.next();
    if (message.method === undefined) continue;
    trunk.respond(message, 200);
    if (/^terminated/.test(valueOf(message, "subscription-state"))) return message.body.trim();
  }
}

const isAlive = async (dialog: PhoneDialog) => (await dialog.request("INFO")).status === 200;

sipTest("a trunk joins the other sides of two calls of its own, as a PBX does", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const alice = await calling(lab, trunk, "alice");
  const bob = await calling(lab, trunk, "bob");

  trunk.send(referring(alice.invite, bob.invite, trunk.port));
  assert.equal(await toldFinally(trunk), "SIP/2.0 200 OK");

  assert.ok(await isAlive(alice.dialog) && await isAlive(bob.dialog));
  const [ofAlice, ofBob] = lab.media.legs.filter(({ kind }) => kind === undefined);
  await eventually("they hear each other", () => ofAlice!.joined === ofBob);
  for (const invite of [alice.invite, bob.invite]) {
    trunk.send(inDialog("BYE", invite, trunk.port, 9));
  }
  await bob.dialog.bye();
  await alice.dialog.ended;
});

sipTest("a trunk at another address has no part in the calls that it names", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  await using stranger = await openTrunk(undefined, "127.0.0.2");
  const alice = await calling(lab, trunk, "alice");
  const bob = await calling(lab, stranger, "bob");

  trunk.send(referring(alice.invite, bob.invite, trunk.port));
  assert.equal(await toldFinally(trunk), "SIP/2.0 481 Call/Transaction Does Not Exist");

  assert.ok(await isAlive(alice.dialog) && await isAlive(bob.dialog));
  await Promise.all([alice.dialog.bye(), bob.dialog.bye()]);
});

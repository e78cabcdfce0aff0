import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { foreignSdp } from "../../support/media/fake_media.ts";
import { queue } from "../../support/service/queue.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";
import { invite as inviting, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import {
  call as phoneCall,
  domain,
  registered,
  request,
  sdp,
} from "../../support/sip/phone_text.ts";
import { peerResponse } from "../../support/sip/sip_peer.ts";
import { readSip, type SipText, uriIn, valueOf, writeSip } from "../../support/sip/sip_text.ts";
import {
  callScript,
  inDialog,
  openTrunk,
  peerSdp,
  startTrunkLab,
  trunkInvitation,
  type TrunkPeer,
} from "../../support/sip/trunk_peer.ts";

/** Calls by the trunk. */
async function call(lab: SipLab, trunk: TrunkPeer) {
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = trunkInvitation([trunk.route]);
  await lab.run(invitation.leg, callScript(invitation));
  return { leg: invitation.leg, invite: await trunk.request("INVITE") };
}

/** A response with a Contact of its own. */
const at = (invite: SipText, status: number, contact: string, more: {
  sdp?: string;
  headers?: string[];
} = {}) => {
  const headers = [`Contact: <${contact}>`, ...more.headers ?? []];
  return peerResponse(invite, status, { ...more, headers });
};

const contactOf = (trunk: TrunkPeer) => `sip:carrier@127.0.0.1:${trunk.port}`;

/** A reliable response, and its PRACK, which is answered. */
async function ringReliably(trunk: TrunkPeer, invite: SipText, sdp?: string): Promise<SipText> {
  const headers = ["Require: 100rel", "RSeq: 7"];
  trunk.send(at(invite, 183, contactOf(trunk), { headers, ...sdp === undefined ? {} : { sdp } }));
  const prack = await trunk.request("PRACK");
  trunk.respond(prack, 200);
  return prack;
}

/** A request of the callee in its dialog, with its Contact. */
const inDialogOf = (trunk: TrunkPeer, invite: SipText, method: string, cseq: number) =>
  inDialog(method, invite, trunk.port, cseq)
    .replace("Max-Forwards: 70", `Max-Forwards: 70\r\nContact: <${contactOf(trunk)}>`);

const withSdp = (text: string, sdp: string) =>
  text.replace(
    /Content-Length: 0\r\n\r\n$/,
    `Content-Type: application/sdp\r\nContent-Length: ${sdp.length}\r\n\r\n${sdp}`,
  );

/** The final response to a request of the callee in its dialog. */
async function ask(
  trunk: TrunkPeer,
  invite: SipText,
  { method, cseq, sdp }: { method: string; cseq: number; sdp?: string },
): Promise<SipText> {
  const text = inDialogOf(trunk, invite, method, cseq);
  trunk.send(sdp === undefined ? text : withSdp(text, sdp));
  return await finalTo(trunk, method, cseq);
}

async function finalTo(trunk: TrunkPeer, method: string, cseq: number): Promise<SipText> {
  for (;;) {
    const response = await trunk.next();
    const isFinal = (response.status ?? 0) >= 200;
    if (isFinal && valueOf(response, "cseq") === `${cseq} ${method}`) return response;
  }
}

async function hangUp(lab: SipLab, trunk: TrunkPeer, leg: string): Promise<SipText> {
  await lab.run(leg, [{ type: "hangup" }]);
  const bye = await trunk.request("BYE");
  trunk.respond(bye, 200);
  await lab.service.event("ended", leg);
  return bye;
}

for (const repeats of [false, true]) {
  const then = repeats ? "and repeats its old SDP in its 200" : "and answers without SDP";
  sipTest(`a callee moves its audio by UPDATE while it rings, ${then}`, async () => {
    await using lab = await startTrunkLab({ sessionBounds: { expiresS: 3, minSeS: 1 } });
    await using trunk = await openTrunk();
    const { leg, invite } = await call(lab, trunk);

    await ringReliably(trunk, invite, peerSdp);
    const moved = peerSdp.replace("o=- 1 1", "o=- 1 2");
    const updated = await ask(trunk, invite, { method: "UPDATE", cseq: 1, sdp: moved });
    const again = await ask(trunk, invite, { method: "UPDATE", cseq: 2, sdp: moved });
    const refused = await ask(trunk, invite, { method: "UPDATE", cseq: 3, sdp: foreignSdp });
    const [media] = lab.media.legs;
    const accepted = media!.remoteSdp;
    const headers = ["Session-Expires: 3;refresher=uac"];
    const old = repeats ? { sdp: peerSdp.replace("o=- 1 1", "o=- 1 0") } : {};
    trunk.send(at(invite, 200, contactOf(trunk), { headers, ...old }));
    await trunk.request("ACK");
    await lab.service.event("answered", leg);
    const refresh = await trunk.request("INVITE");
    trunk.answer(refresh);
    await trunk.request("ACK");
    await hangUp(lab, trunk, leg);

    assert.deepEqual([updated, again, refused].map(({ status }) => status), [200, 200, 488]);
    assert.equal(updated.body, media!.localSdp);
    assert.equal(accepted, peerSdp);
    assert.equal(media!.remoteSdp, peerSdp, "the SDP of the 200 is no answer");
    assert.equal(refresh.body, updated.body);
  });
}

/** The media of a call; what they are asked to follow waits until the test lets it happen. */
function slowly(lab: SipLab) {
  const media = lab.media.legs[0]!;
  const { accept, reanswer } = media;
  const log: string[] = [];
  const asked = queue<() => void>();
  const held = async (what: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    asked.put(resolve);
    await promise;
    log.push(what);
  };
  media.accept = async (sdp) => {
    await held(`answer ${versionOf(sdp)}`);
    await accept(sdp);
  };
  media.reanswer = async (sdp) => {
    await held(`offer ${versionOf(sdp)}`);
    return await reanswer(sdp);
  };
  return { log, next: asked.take };
}

const versionOf = (sdp: string) => /^o=\S+ \S+ (\S+)/m.exec(sdp)?.[1];
const version = (number: number) => peerSdp.replace("o=- 1 1", `o=- 1 ${number}`);

for (
  const [what, offer, status, followed] of [
    ["followed", version(2), 200, ["answer 1", "offer 2"]],
    ["refused", `${foreignSdp}`, 488, ["answer 1", "offer undefined", "answer 1"]],
  ] as const
) {
  sipTest(
    `an offer of a callee that its 200 crosses is ${what}, and then it has answered`,
    async () => {
      await using lab = await startTrunkLab();
      await using trunk = await openTrunk();
      const { leg, invite } = await call(lab, trunk);
      await ringReliably(trunk, invite, peerSdp);
      const { log, next } = slowly(lab);

      trunk.send(withSdp(inDialogOf(trunk, invite, "UPDATE", 1), offer));
      (await next())(); // The answer of the 183.
      const follow = await next();
      trunk.send(at(invite, 200, contactOf(trunk), { sdp: peerSdp }));
      await trunk.request("ACK");
      follow();
      const { status: answer, body } = await finalTo(trunk, "UPDATE", 1);
      if (what === "refused") (await next())();
      await lab.service.event("answered", leg);
      await hangUp(lab, trunk, leg);

      assert.equal(answer, status);
      assert.deepEqual(log, followed);
      if (what === "followed") assert.equal(body, lab.media.legs[0]!.localSdp);
    },
  );
}

sipTest("an offer of a callee that comes right behind its 200 is followed after it", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);
  await ringReliably(trunk, invite, peerSdp);
  const { log, next } = slowly(lab);

  trunk.send(at(invite, 200, contactOf(trunk), { sdp: peerSdp }));
  const updated = ask(trunk, invite, { method: "UPDATE", cseq: 1, sdp: version(2) });
  (await next())();
  (await next())();
  assert.equal((await updated).status, 200);
  await lab.service.event("answered", leg);
  await hangUp(lab, trunk, leg);

  assert.deepEqual(log, ["answer 1", "offer 2"]);
});

sipTest("a callee waits for the answer to its UPDATE before its next one", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);
  await ringReliably(trunk, invite, peerSdp);
  const { next } = slowly(lab);

  trunk.send(withSdp(inDialogOf(trunk, invite, "UPDATE", 1), version(2)));
  (await next())();
  const follow = await next();
  const offering = await ask(trunk, invite, { method: "UPDATE", cseq: 2, sdp: version(3) });
  const refreshing = await ask(trunk, invite, { method: "UPDATE", cseq: 3 });
  trunk.send(at(invite, 200, contactOf(trunk), { sdp: peerSdp }));
  await trunk.request("ACK");
  const reinviting = await ask(trunk, invite, { method: "INVITE", cseq: 4, sdp: version(4) });
  follow();
  await lab.service.event("answered", leg);
  const after = ask(trunk, invite, { method: "UPDATE", cseq: 5, sdp: version(5) });
  (await next())();
  assert.equal((await after).status, 200);
  await hangUp(lab, trunk, leg);

  for (const refused of [offering, refreshing, reinviting]) {
    assert.equal(refused.status, 500);
    assert.match(valueOf(refused, "retry-after"), /^(\d|10)$/);
  }
});

sipTest("a callee may offer nothing before its answer came reliably", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);

  await ringReliably(trunk, invite);
  const unanswered = await ask(trunk, invite, { method: "UPDATE", cseq: 1, sdp: peerSdp });
  trunk.answer(invite, { status: 183 });
  const unreliable = await ask(trunk, invite, { method: "UPDATE", cseq: 2, sdp: peerSdp });
  trunk.answer(invite);
  await trunk.request("ACK");
  await lab.service.event("answered", leg);
  const answered = await ask(trunk, invite, { method: "UPDATE", cseq: 3, sdp: peerSdp });

  assert.deepEqual(
    [unanswered, unreliable, answered].map(({ status }) => status),
    [491, 491, 200],
  );
  await hangUp(lab, trunk, leg);
});

sipTest("a callee that rings is answered as one that has answered", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);

  trunk.send(at(invite, 180, contactOf(trunk)));
  await lab.service.event("ringing", leg);
  const statuses: Record<string, number | undefined> = {};
  for (const [i, method] of ["INFO", "OPTIONS", "UPDATE", "REFER", "INVITE", "BYE"].entries()) {
    const sdp = method === "INVITE" ? { sdp: peerSdp } : {};
    statuses[method] = (await ask(trunk, invite, { method, cseq: i + 1, ...sdp })).status;
  }
  trunk.answer(invite);
  await trunk.request("ACK");
  await lab.service.event("answered", leg);

  // Nobody is there to be referred, our INVITE is open, and a callee says no BYE before its answer.
  assert.deepEqual(statuses, {
    INFO: 200,
    OPTIONS: 200,
    UPDATE: 200,
    REFER: 403,
    INVITE: 491,
    BYE: 481,
  });
  assert.equal((await ask(trunk, invite, { method: "INFO", cseq: 9 })).status, 200);
  await hangUp(lab, trunk, leg);
});

sipTest("several callees that a proxy rings each have a dialog, until one answers", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);
  const ofOther = (text: string) => text.replaceAll("tag=callee", "tag=other");

  trunk.send(at(invite, 180, contactOf(trunk)));
  trunk.send(ofOther(at(invite, 180, contactOf(trunk))));
  await lab.service.event("ringing", leg);
  const statuses = [];
  for (const cseq of [1, 2]) {
    trunk.send(ofOther(inDialog("INFO", invite, trunk.port, cseq)));
    statuses.push((await trunk.next()).status);
    if (cseq === 2) break;
    trunk.answer(invite);
    await trunk.request("ACK");
    await lab.service.event("answered", leg);
  }

  assert.deepEqual(statuses, [200, 481]);
  await hangUp(lab, trunk, leg);
});

sipTest("an early dialog is no part of who speaks from elsewhere", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);
  trunk.send(at(invite, 180, contactOf(trunk)));
  await lab.service.event("ringing", leg);
  await using stranger = await openTrunk(lab.companion.sipAddresses.get("UDP"), "127.0.0.2");

  stranger.send(inDialog("INFO", invite, stranger.port, 1));

  assert.equal((await stranger.next()).status, 481);
  trunk.answer(invite);
  await trunk.request("ACK");
  await hangUp(lab, trunk, leg);
});

for (
  const [what, contact] of [
    ["the Contact of its 200", "sip:answers@192.0.2.2:5070"],
    ["that of its 180 where the 200 has none", undefined],
  ] as const
) {
  sipTest(`ACK and BYE to a callee name ${what}`, async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    const { leg, invite } = await call(lab, trunk);
    const route = `<sip:127.0.0.1:${trunk.port};lr>`;
    const headers = [`Record-Route: ${route}`];

    trunk.send(at(invite, 180, "sip:rings@192.0.2.1", { headers }));
    await lab.service.event("ringing", leg);
    const answer = at(invite, 200, contact ?? "sip:none", { headers, sdp: peerSdp });
    trunk.send(contact === undefined ? answer.replace(/Contact: .*\r\n/, "") : answer);
    const ack = await trunk.request("ACK");
    await lab.service.event("answered", leg);
    const bye = await hangUp(lab, trunk, leg);

    const target = contact ?? "sip:rings@192.0.2.1";
    assert.equal(ack.start, `ACK ${target} SIP/2.0`);
    assert.equal(bye.start, `BYE ${target} SIP/2.0`);
    assert.equal(valueOf(bye, "route"), route);
  });
}

sipTest("PRACK names the Contact of the response that it acknowledges", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const { leg, invite } = await call(lab, trunk);

  trunk.send(at(invite, 180, "sip:rings@192.0.2.1"));
  const headers = ["Require: 100rel", "RSeq: 7"];
  trunk.send(at(invite, 183, "sip:plays@192.0.2.3", { headers, sdp: peerSdp }));
  const prack = await trunk.request("PRACK");
  trunk.respond(prack, 200);
  trunk.answer(invite);
  await trunk.request("ACK");
  await hangUp(lab, trunk, leg);

  assert.equal(prack.start, "PRACK sip:plays@192.0.2.3 SIP/2.0");
});

for (const ends of ["we", "the callee"] as const) {
  sipTest(`a callee without a tag in To rings, answers and talks; ${ends} hang up`, async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    const { leg, invite } = await call(lab, trunk);
    const tagless = (text: string) => text.replaceAll(";tag=callee", "");
    const say = async (method: string, cseq: number) => {
      trunk.send(tagless(inDialog(method, invite, trunk.port, cseq)));
      return await trunk.next();
    };

    trunk.send(tagless(at(invite, 180, contactOf(trunk))));
    await lab.service.event("ringing", leg);
    const early = await say("INFO", 1);
    trunk.send(tagless(at(invite, 200, contactOf(trunk), { sdp: peerSdp })));
    const ack = await trunk.request("ACK");
    await lab.service.event("answered", leg);
    const info = await say("INFO", 2);
    trunk.send(tagless(inDialog("INFO", invite, trunk.port, 3)).replace(/tag=[^\r]+/, "tag=wrong"));
    const wrong = await trunk.next();
    const last = ends === "we" ? await hangUp(lab, trunk, leg) : await say("BYE", 4);
    await lab.service.event("ended", leg);

    assert.deepEqual([early, info, wrong].map(({ status }) => status), [200, 200, 400]);
    assert.equal(valueOf(ack, "to"), valueOf(invite, "to"));
    assert.equal(valueOf(info, "from"), valueOf(invite, "to"));
    if (ends === "we") assert.equal(valueOf(last, "to"), valueOf(invite, "to"));
    else assert.equal(last.status, 200);
  });
}

/** A response of bob's phone. */
const ofBob = (invitation: SipText, status: string, sdp?: string) =>
  writeSip(`SIP/2.0 ${status}`, [
    ...["Via", "From", "Call-ID", "CSeq"].map((name) =>
      `${name}: ${valueOf(invitation, name.toLowerCase())}`
    ),
    `To: ${valueOf(invitation, "to").replace(/;tag=bob$/, "")};tag=bob`,
    "Contact: <sip:bob@phone.invalid;transport=ws>",
  ], sdp);

for (const status of ["200 OK", "486 Busy Here"]) {
  Deno.test(`early dialogs are forgotten once the call got ${status}`, async () => {
    using lab = openReceiveLab(domain);
    const dial: Script = [
      { type: "dial", legs: [inviting("bob")], media: "proxied", timeoutS: 60, timeLimitS: 600 },
    ];
    lab.answer = ({ event }) => event.type === "incoming" ? dial : [];
    const [alice, bob] = [await registered(lab), await registered(lab, "bob")];
    alice.receive(phoneCall(lab));
    await lab.time.settle();
    const invitation = readSip(bob.sent.at(-1) ?? "");

    bob.receive(ofBob(invitation, "180 Ringing"));
    bob.receive(ofBob(invitation, "180 Ringing").replace("tag=bob", "tag=other"));
    await lab.time.settle();
    const ringing = lab.kept().early;
    bob.receive(ofBob(invitation, status, status === "200 OK" ? sdp : undefined));
    await lab.time.settle();

    assert.deepEqual([ringing, lab.kept().early], [2, 0]);
  });
}

Deno.test("a re-INVITE whose answer takes the other side long gets 100 within 200 ms", async () => {
  using lab = openReceiveLab(domain);
  const dial: Script = [
    { type: "dial", legs: [inviting("bob")], media: "proxied", timeoutS: 60, timeLimitS: 600 },
  ];
  lab.answer = ({ event }) => event.type === "incoming" ? dial : [];
  const [alice, bob] = [await registered(lab), await registered(lab, "bob")];
  const answer = (invitation: SipText) => ofBob(invitation, "200 OK", sdp);
  alice.receive(phoneCall(lab, { callId: "slow" }));
  await lab.time.settle();
  bob.receive(answer(readSip(bob.sent.at(-1) ?? "")));
  await lab.time.settle();
  const answered = readSip(alice.sent.at(-1) ?? "");
  const [from, to] = [valueOf(answered, "from"), valueOf(answered, "to")];
  const inside = { callId: "slow", from, to };
  const target = uriIn(valueOf(answered, "contact"));
  alice.receive(request("ACK", target, { ...inside, cseq: 1 }));
  await lab.time.settle();

  alice.receive(request("INVITE", target, { ...inside, cseq: 2, body: sdp }));
  await lab.time.settle();
  const before = alice.statuses().length;
  lab.time.advance(200);
  await lab.time.settle();
  const slow = alice.statuses().slice(before);
  bob.receive(answer(readSip(bob.sent.at(-1) ?? "")));
  await lab.time.settle();

  assert.equal(answered.status, 200);
  assert.deepEqual(slow, [100]);
  assert.equal(alice.statuses().at(-1), 200);
});

import assert from "node:assert/strict";
import {
  openUdpPeer,
  type PeerRequest,
  peerRequest,
  peerResponse,
} from "../../support/sip/sip_peer.ts";
import {
  invite,
  inviteScript,
  type SipLab,
  sipTest,
  startSipLab,
} from "../../support/sip/sip_lab.ts";
import { authorization } from "../../support/sip/softphone_line.ts";
import { type SipText, tagOf, uriIn, valueOf } from "../../support/sip/sip_text.ts";

const onUdp = { transports: { ports: { UDP: 0 }, publicHost: "127.0.0.1" } };

const udpAddress = ({ companion }: SipLab) => companion.sipAddresses.get("UDP")!;

/** A peer on UDP that asks and is answered. */
async function peerOf(lab: SipLab) {
  const peer = await openUdpPeer(udpAddress(lab));
  const request = async (method: string, wanted: PeerRequest = {}) => {
    peer.send(peerRequest(method, "UDP", peer.port, wanted));
    return await peer.next();
  };
  return { peer, request };
}

/** The same, registered as alice. */
async function registeredPeer(lab: SipLab) {
  const { peer, request } = await peerOf(lab);
  const wanted = { callId: "registration", to: "<sip:alice@sip.test>" };
  const challenged = await request("REGISTER", wanted);
  const headers = [answer(challenged, "REGISTER", "sip:sip.test")];
  const { status } = await request("REGISTER", { ...wanted, cseq: 2, headers });
  assert.equal(status, 200);
  return { peer, request };
}

const answer = (challenged: SipText, method: string, uri: string): string =>
  authorization({ login: "alice", password: "alice-secret" }, { challenged, method, uri });

sipTest("openUdp() answers to where a request came from, with rport", async () => {
  await using lab = await startSipLab(onUdp);
  const { peer, request } = await peerOf(lab);

  const response = await request("OPTIONS", {
    via: "SIP/2.0/UDP phone.invalid:9;branch=z9hG4bKrport;rport",
  });
  await peer.close();

  assert.equal(response.status, 200);
  const via = `SIP/2.0/UDP phone.invalid:9;branch=z9hG4bKrport;rport=${peer.port}`;
  assert.equal(valueOf(response, "via"), `${via};received=127.0.0.1`);
  const { port } = udpAddress(lab);
  assert.equal(uriIn(valueOf(response, "contact")), `sip:switchboard@127.0.0.1:${port}`);
});

sipTest("openUdp() answers to the port in Via where that asks for no rport", async () => {
  await using lab = await startSipLab(onUdp);
  const [sender, listener] = [await openUdpPeer(udpAddress(lab)), await openUdpPeer()];

  const via = `SIP/2.0/UDP 127.0.0.1:${listener.port};branch=z9hG4bKplain`;
  sender.send(peerRequest("OPTIONS", "UDP", sender.port, { via }));
  const response = await listener.next();
  await Promise.all([sender.close(), listener.close()]);

  assert.equal(response.status, 200);
  assert.equal(valueOf(response, "via"), via);
});

sipTest("openUdp() drops without a word what is not SIP", async () => {
  await using lab = await startSipLab(onUdp);
  const { peer, request } = await peerOf(lab);

  for (const noise of ["\r\n\r\n", "", "GET / HTTP/1.1\r\n\r\n", "\0\x01\0\0", "SIP/2.0 x"]) {
    peer.send(noise);
  }
  const response = await request("OPTIONS");
  await peer.close();

  assert.deepEqual(peer.heard, [response]);
});

sipTest(
  "openUdp() serves requests behind line ends, and those of a version in small letters",
  async () => {
    await using lab = await startSipLab(onUdp);
    const { peer } = await peerOf(lab);
    const plain = peerRequest("OPTIONS", "UDP", peer.port);
    const small = (text: string) => text.replaceAll("SIP/2.0", "sip/2.0");
    const forms = [(text: string) => `\r\n${text}`, (text: string) => `\r\n\r\n${text}`, small];

    for (const [at, form] of forms.entries()) {
      peer.send(form(plain.replaceAll(/branch=\w+/g, `branch=z9hG4bKform${at}`)));
      const response = await peer.next();
      assert.equal(response.status, 200, form(""));
    }
    await peer.close();
  },
);

sipTest("openUdp() gives a repeated request the same response, once per copy", async () => {
  await using lab = await startSipLab(onUdp);
  const { peer } = await peerOf(lab);
  const text = peerRequest("OPTIONS", "UDP", peer.port);

  peer.send(text);
  const first = await peer.next();
  peer.send(text);
  const second = await peer.next();
  await peer.close();

  assert.equal(first.status, 200);
  assert.deepEqual(second, first);
  assert.equal(peer.heard.length, 2);
});

sipTest("openUdp() keeps transactions of two peers with the same branch apart", async () => {
  await using lab = await startSipLab(onUdp);
  const [one, other] = [await openUdpPeer(udpAddress(lab)), await openUdpPeer(udpAddress(lab))];
  const via = "SIP/2.0/UDP phone.invalid;branch=z9hG4bKsame;rport";

  for (const peer of [one, other]) {
    peer.send(peerRequest("OPTIONS", "UDP", peer.port, { via, callId: "same" }));
  }
  const ports = await Promise.all([one, other].map(async (peer) => {
    const response = await peer.next();
    return [/rport=(\d+)/.exec(valueOf(response, "via"))?.[1], String(peer.port)];
  }));
  await Promise.all([one.close(), other.close()]);

  for (const [told, own] of ports) assert.equal(told, own);
});

sipTest("openUdp() brings a call through the loss of every first datagram", async () => {
  await using lab = await startSipLab(onUdp);
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const { peer, request } = await registeredPeer(lab);
  const ids = { callId: "lossy", target: "sip:anything@sip.test", sdp: "v=0\r\n" };
  const firstOf = new Set<string>();
  peer.loses = (message) => {
    const isSpared = message.status === 100 || valueOf(message, "cseq").endsWith("OPTIONS");
    return !isSpared && firstOf.size < firstOf.add(message.start).size;
  };

  const challenged = peerRequest("INVITE", "UDP", peer.port, { ...ids, branch: "z9hG4bKfirst" });
  peer.send(challenged);
  // The challenge is lost; it comes again when it is asked for, and not by itself.
  while (!peer.heard.some(({ status }) => status === 407)) await request("OPTIONS");
  peer.send(challenged);
  const challenge = await peer.next();
  peer.send(peerRequest("ACK", "UDP", peer.port, {
    ...ids,
    branch: "z9hG4bKfirst",
    to: valueOf(challenge, "to"),
    sdp: "",
  }));
  const authorization = answer(challenge, "INVITE", ids.target);
  peer.send(peerRequest("INVITE", "UDP", peer.port, {
    ...ids,
    cseq: 2,
    headers: [authorization],
  }));
  const accepted = await peer.next();
  const within = { ...ids, to: valueOf(accepted, "to"), sdp: "" };
  const target = uriIn(valueOf(accepted, "contact"));
  peer.send(peerRequest("ACK", "UDP", peer.port, { ...within, target, cseq: 2 }));
  const { leg } = await lab.service.event("incoming");
  await lab.run(leg, [{ type: "hangup" }]);
  const bye = await peer.next();
  peer.send(peerResponse(bye, 200));
  await lab.service.event("ended", leg);
  await request("OPTIONS");
  await peer.close();

  assert.equal(challenge.status, 407);
  assert.equal(accepted.status, 200);
  assert.equal(bye.method, "BYE");
  const { port } = udpAddress(lab);
  assert.match(
    valueOf(bye, "via"),
    new RegExp(`^SIP/2.0/UDP 127\\.0\\.0\\.1:${port};branch=z9hG4bK`),
  );
  assert.equal(peer.heard.filter(({ status }) => status === 407).length, 2);
});

sipTest("contactHeader() names us by the flow in every response of a dialog", async () => {
  await using lab = await startSipLab(onUdp);
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const { peer, request } = await registeredPeer(lab);
  const ids = { callId: "named", target: "sip:anything@sip.test", sdp: "v=0\r\n" };

  const challenge = await request("INVITE", ids);
  const headers = [answer(challenge, "INVITE", ids.target)];
  const accepted = await request("INVITE", { ...ids, cseq: 2, headers });
  const target = uriIn(valueOf(accepted, "contact"));
  const within = { ...ids, target, to: valueOf(accepted, "to") };
  peer.send(peerRequest("ACK", "UDP", peer.port, { ...within, cseq: 2, sdp: "" }));
  const reinvited = await request("INVITE", { ...within, cseq: 3 });
  peer.send(peerRequest("ACK", "UDP", peer.port, { ...within, cseq: 3, sdp: "" }));
  const updated = await request("UPDATE", { ...within, cseq: 4 });
  const bye = await request("BYE", { ...within, cseq: 5, sdp: "" });
  await peer.close();

  assert.equal(target, `sip:switchboard@127.0.0.1:${udpAddress(lab).port}`);
  assert.deepEqual([reinvited.status, updated.status, bye.status], [200, 200, 200]);
  assert.equal(uriIn(valueOf(reinvited, "contact")), target);
  assert.equal(uriIn(valueOf(updated, "contact")), target);
});

sipTest("openUdp() repeats a refusal of an INVITE until its ACK", async () => {
  await using lab = await startSipLab(onUdp);
  const { peer, request } = await registeredPeer(lab);
  lab.service.answer = () => [{ type: "reject", status: 486 }];
  const ids = { callId: "refused", target: "sip:anything@sip.test", sdp: "v=0\r\n" };

  peer.send(peerRequest("INVITE", "UDP", peer.port, ids));
  const challenge = await peer.next();
  const authorization = answer(challenge, "INVITE", ids.target);
  const again = { ...ids, cseq: 2, branch: "z9hG4bKagain" };
  peer.send(peerRequest("INVITE", "UDP", peer.port, { ...again, headers: [authorization] }));
  const [first, second] = [await peer.next(), await peer.next()];
  const to = valueOf(second, "to");
  peer.send(peerRequest("ACK", "UDP", peer.port, { ...again, to, sdp: "" }));
  await request("OPTIONS");
  const heardAfter = peer.heard.length;
  await request("OPTIONS");
  await peer.close();

  assert.equal(first.status, 486);
  assert.deepEqual(second, first);
  assert.equal(peer.heard.length, heardAfter + 1);
});

sipTest(
  "openUdp() rings a peer that loses, and acknowledges every copy of its answer",
  async () => {
    await using lab = await startSipLab(onUdp);
    lab.service.answer = () => [{ type: "silence", seconds: 60 }];
    const { peer, request } = await registeredPeer(lab);
    const invitation = invite("alice");
    let invites = 0;
    peer.loses = ({ method }) => method === "INVITE" && ++invites === 1;

    await lab.run(invitation.leg, inviteScript(invitation));
    const invited = await peer.next();
    const sdp = "v=0\r\n";
    const headers = [`Contact: <sip:alice@127.0.0.1:${peer.port}>`];
    const accepted = peerResponse(invited, 200, { headers, sdp });
    peer.send(accepted);
    const ack = await peer.next();
    peer.send(accepted);
    const ackAgain = await peer.next();
    await lab.service.event("answered", invitation.leg);
    await lab.run(invitation.leg, [{ type: "hangup" }]);
    peer.send(peerResponse(await peer.next(), 200));
    await request("OPTIONS");
    const { port } = udpAddress(lab);
    await peer.close();

    assert.equal(invited.method, "INVITE");
    assert.equal(invites, 2);
    assert.equal(uriIn(valueOf(invited, "contact")), `sip:switchboard@127.0.0.1:${port}`);
    assert.equal(ack.method, "ACK");
    assert.equal(tagOf(valueOf(ack, "to")), "callee");
    assert.deepEqual(ackAgain, ack);
  },
);

sipTest("openUdp() acknowledges every copy of a refusal", async () => {
  await using lab = await startSipLab(onUdp);
  const { peer } = await registeredPeer(lab);
  const invitation = invite("alice");

  await lab.run(invitation.leg, inviteScript(invitation));
  const refusal = peerResponse(await peer.next(), 486);
  peer.send(refusal);
  const ack = await peer.next();
  await lab.service.event("ended", invitation.leg);
  peer.send(refusal);
  const ackAgain = await peer.next();
  await peer.close();

  assert.equal(ack.method, "ACK");
  assert.deepEqual(ackAgain, ack);
});

sipTest(
  "dial() bridges a call between a browser and a desk phone that it was to pass",
  async () => {
    await using lab = await startSipLab(onUdp);
    const { peer } = await registeredPeer(lab);
    const bob = await lab.phone("bob");
    lab.service.answer = () => [
      { type: "dial", legs: [invite("alice")], media: "proxied", timeoutS: 30, timeLimitS: 60 },
    ];

    const calling = bob.call("sip:alice@sip.test");
    const ringing = await peer.next();
    const contact = `Contact: <sip:alice@127.0.0.1:${peer.port}>`;
    peer.send(peerResponse(ringing, 200, { headers: [contact], sdp: "v=0\r\n" }));
    const dialog = await calling.answered;
    const ack = await peer.next();
    await dialog.bye();
    peer.send(peerResponse(await peer.next(), 200));
    const { body } = await calling.final;
    await lab.service.reported(({ event, leg }) =>
      event.type === "ended" && leg !== lab.service.reports[0]?.leg
    );
    await peer.close();

    assert.equal(ack.method, "ACK");
    assert.deepEqual(lab.media.legs.map(({ kind }) => kind), ["rtp", undefined]);
    assert.deepEqual(lab.media.legs.map(({ localSdp }) => localSdp), [ringing.body, body]);
  },
);

/** A peer that is on our own network, or is not: it is told our address there, or the public one. */
for (
  const [where, near] of [["on our own network", "127.0.0.1"], ["outside", undefined]] as const
) {
  sipTest(`a peer ${where} gets the address of ours that it reaches`, async () => {
    const asked: string[] = [];
    const nearHost = (remote: string) => {
      asked.push(remote);
      return near;
    };
    await using lab = await startSipLab({
      transports: { ports: { UDP: 0 }, publicHost: "203.0.113.10", nearHost, nearMedia: nearHost },
    });
    lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
    const { peer, request } = await registeredPeer(lab);
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    const invited = await peer.next();
    const wanted = { callId: "in", target: "sip:anything@sip.test", sdp: "v=0\r\n" };
    const challenge = await request("INVITE", { ...wanted, branch: "z9hG4bKfirst" });
    const ack = { ...wanted, branch: "z9hG4bKfirst", to: valueOf(challenge, "to"), sdp: "" };
    peer.send(peerRequest("ACK", "UDP", peer.port, ack));
    const headers = [answer(challenge, "INVITE", wanted.target)];
    const accepted = await request("INVITE", { ...wanted, cseq: 2, headers });
    await peer.close();

    const { port } = udpAddress(lab);
    const told = `${near ?? "203.0.113.10"}:${port}`;
    assert.ok(valueOf(invited, "via").startsWith(`SIP/2.0/UDP ${told};`));
    for (const message of [invited, accepted]) {
      assert.ok(valueOf(message, "contact").includes(`@${told}`), valueOf(message, "contact"));
    }
    assert.deepEqual(lab.media.legs.map(({ host }) => host), [near, near]);
    assert.deepEqual([...new Set(asked)], ["127.0.0.1"]);
  });
}

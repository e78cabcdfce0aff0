import assert from "node:assert/strict";
import { connect } from "node:tls";
import type { Script } from "../../../core/protocol/script.ts";
import { invite, newLeg, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { peerRequest, type SipPeer, streamPeer } from "../../support/sip/sip_peer.ts";
import { type SipText, uriIn, valueOf } from "../../support/sip/sip_text.ts";
import { openSoftphone, type Softphone } from "../../support/sip/softphone.ts";
import { testAuthority, testCertificates } from "../../support/process/test_certificates.ts";
import { authorization } from "../../support/sip/softphone_line.ts";
import { openTrunk, peerSdp, trunkInvitation, udpOf } from "../../support/sip/trunk_peer.ts";

/** A companion that speaks each transport, with a certificate. */
async function startSecureLab() {
  const directory = await Deno.makeTempDir();
  const [certFile, keyFile] = [`${directory}/cert.pem`, `${directory}/key.pem`];
  await Deno.writeTextFile(certFile, testCertificates.first.cert);
  await Deno.writeTextFile(keyFile, testCertificates.first.key);
  const lab = await startSipLab({
    transports: {
      ports: { UDP: 0, TCP: 0, TLS: 0, WSS: 0 },
      certificate: { certFile, keyFile },
      caCerts: [testAuthority],
    },
    trustedSources: ["127.0.0.2/32"],
  });
  const opened: { close(): Promise<void> }[] = [];
  return {
    ...lab,
    /** A softphone that is registered over secure WebSocket. */
    async secured(login: string, instance: string = crypto.randomUUID()): Promise<Softphone> {
      const { port } = lab.companion.sipAddresses.get("WSS")!;
      const url = `wss://localhost:${port}`;
      const password = `${login}-secret`;
      const authority = testAuthority;
      const domain = "sip.test";
      const phone = await openSoftphone({ url, login, password, domain, authority, instance });
      opened.push(phone);
      assert.equal((await phone.register()).status, 200);
      return phone;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((phone) => phone.close()));
      await lab[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** A peer connected by TLS. */
async function connectTls({ companion }: SipLab): Promise<SipPeer> {
  const { host, port } = companion.sipAddresses.get("TLS")!;
  const socket = connect({ host, port, servername: "sip.test", ca: testAuthority });
  const connected = Promise.withResolvers<void>();
  socket.once("secureConnect", connected.resolve);
  socket.once("error", connected.reject);
  await connected.promise;
  return streamPeer(socket);
}

const dial = (to: string, media: "anchored" | "proxied"): Script => [
  { type: "dial", legs: [invite(to)], media, timeoutS: 30, timeLimitS: 60 },
];

/** REGISTER of alice with a Contact; the final status. */
async function registerAt(
  peer: SipPeer,
  protocol: string,
  contact: string,
  callId = `register-${protocol}`,
  first = 1,
): Promise<SipText> {
  const uri = "sips:sip.test";
  const target = protocol === "TLS" ? uri : "sip:sip.test";
  const wanted = (cseq: number, headers: string[] = []) =>
    peerRequest("REGISTER", protocol, peer.port, {
      target,
      from: "<sip:alice@sip.test>;tag=alice",
      to: "<sip:alice@sip.test>",
      callId,
      cseq,
      headers,
    }).replace(/^Contact: .*$/m, `Contact: ${contact}`);
  peer.send(wanted(first));
  const challenged = await peer.next();
  if (challenged.status !== 401) return challenged;
  const login = { login: "alice", password: "alice-secret" };
  peer.send(
    wanted(first + 1, [authorization(login, { challenged, method: "REGISTER", uri: target })]),
  );
  return await peer.next();
}

sipTest("receive() takes a sips: request by TLS alone", async () => {
  await using lab = await startSecureLab();
  const [alice, secured] = [await lab.phone("alice"), await lab.secured("bob")];
  await using trunk = await openTrunk(udpOf(lab), "127.0.0.2");
  const target = "sips:carol@sip.test";

  const plain = await alice.call(target).final;
  const text = await secured.message(target, "Hello");
  trunk.send(peerRequest("INVITE", "UDP", trunk.port, { target, sdp: peerSdp }));
  const datagram = await trunk.next();
  const options = await secured.request("OPTIONS", { target: "sips:sip.test" });
  const taken = await secured.call(target).final;
  const { event } = await lab.service.event("incoming");

  assert.deepEqual([plain.status, datagram.status], [480, 480]);
  assert.match(valueOf(plain, "warning"), /^380 .*"SIPS Not Allowed"$/);
  assert.equal(text.status, 416);
  assert.equal(options.status, 200);
  assert.match(valueOf(options, "contact"), /^<sips:switchboard@localhost:\d+;transport=ws>$/);
  assert.equal(taken.status, 487);
  assert.equal(event.uri, target);
  assert.equal(lab.service.reports.filter((report) => report.event.type === "incoming").length, 1);
});

for (const media of ["anchored", "proxied"] as const) {
  sipTest(`ring() reaches by TLS alone whom a sips: call is for, ${media}`, async () => {
    await using lab = await startSecureLab();
    const [bob, carol] = [await lab.secured("bob"), await lab.secured("carol")];
    const plain = await lab.phone("carol");
    plain.onCall = () => assert.fail("carol's other phone rings");
    lab.service.answer = ({ event }) => event.type === "incoming" ? dial("carol", media) : [];

    const calling = bob.call("sips:carol@sip.test");
    const ringing = await carol.nextCall();
    const answered = ringing.answer();
    const dialog = await calling.answered;
    const final = await calling.final;
    await answered;
    await dialog.bye();
    await lab.service.event("ended");

    assert.match(valueOf(final, "contact"), /^<sips:switchboard@localhost:\d+;transport=ws>$/);
    assert.match(valueOf(ringing.invite, "contact"), /^<sip:switchboard@/);
  });
}

sipTest("ring() refuses a sips: call with 480 where no device is reached by TLS", async () => {
  await using lab = await startSecureLab();
  const bob = await lab.secured("bob");
  const plain = await lab.phone("carol");
  plain.onCall = () => assert.fail("carol's phone rings");
  lab.service.answer = ({ event }) => event.type === "incoming" ? dial("carol", "anchored") : [];

  const final = await bob.call("sips:carol@sip.test").final;

  assert.equal(final.status, 480);
});

sipTest("ringTrunk() gives a sips: call to no trunk without TLS", async () => {
  await using lab = await startSecureLab();
  await using trunk = await openTrunk();
  const bob = await lab.secured("bob");
  const leg = { ...trunkInvitation([trunk.route]), leg: newLeg() };
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "dial", legs: [leg], media: "anchored", timeoutS: 30, timeLimitS: 60 }]
      : [];

  const final = await bob.call("sips:+15559@sip.test").final;
  const { event } = await lab.service.event("ended", leg.leg);

  assert.equal(final.status, 480);
  assert.deepEqual([event.sipStatus, event.reason], [480, "no-trunk"]);
  assert.deepEqual(trunk.heard, []);
});

/** A sips: call of bob's to carol, and bob's phone again without TLS. */
async function securedCall(lab: Awaited<ReturnType<typeof startSecureLab>>, instance: string) {
  const [bob, carol] = [await lab.secured("bob", instance), await lab.secured("carol")];
  lab.service.answer = ({ event }) => event.type === "incoming" ? dial("carol", "proxied") : [];
  const calling = bob.call("sips:carol@sip.test");
  const callee = await (await carol.nextCall()).answer();
  return { bob, carol, caller: await calling.answered, final: await calling.final, callee };
}

sipTest(
  "adoptDialog() moves a sips: call to a new connection of the phone by TLS alone",
  async () => {
    await using lab = await startSecureLab();
    const instance = crypto.randomUUID();
    const { bob, callee } = await securedCall(lab, instance);

    const again = await lab.secured("bob", instance);
    await bob.close();
    void callee.request("INFO");
    const followed = await again.nextMessage();
    const plain = await lab.phone("bob", { instance });
    const heard: string[] = [];
    void (async () => {
      for (;;) heard.push((await plain.nextMessage()).start);
    })();
    await again.close();
    const bye = await callee.ended;
    const { event } = await lab.service.event("ended");

    assert.equal(followed.method, "INFO");
    assert.equal(bye.method, "BYE");
    assert.equal(event.outcome, "completed");
    assert.deepEqual(heard, []);
  },
);

sipTest("receive() takes nothing but BYE without TLS in a sips: call", async () => {
  await using lab = await startSecureLab();
  const { final, callee } = await securedCall(lab, crypto.randomUUID());
  const plain = await lab.phone("bob");
  callee.onRequest = ({ method }) => method === "INFO" ? assert.fail("carol gets it") : undefined;
  const say = (method: string, cseq: number) =>
    plain.request(method, {
      target: uriIn(valueOf(final, "contact")),
      replace: {
        from: valueOf(final, "from"),
        to: valueOf(final, "to"),
        "call-id": valueOf(final, "call-id"),
        cseq: `${cseq} ${method}`,
      },
    });

  const info = await say("INFO", 100);
  const bye = await say("BYE", 101);
  const ended = await callee.ended;

  assert.equal(info.status, 403);
  assert.match(valueOf(info, "warning"), /"SIPS Not Allowed"$/);
  assert.equal(bye.status, 200);
  assert.equal(ended.method, "BYE");
});

sipTest("ringLeg() gives a sips: call to a companion by TLS alone", async () => {
  await using lab = await startSecureLab();
  await using other = await openTrunk();
  const bob = await lab.secured("bob");
  const taken = { leg: newLeg(), accountSid: `AC${"0".repeat(32)}` };
  const finalAt = async (sipUri: string) => {
    const target = { kind: "leg", ...taken, peer: { sipUri } } as const;
    const legs = [{ ...invite("carol"), target }];
    lab.service.answer = ({ event }) =>
      event.type === "incoming"
        ? [{ type: "dial", legs, media: "anchored", timeoutS: 30, timeLimitS: 60 }]
        : [];
    return (await bob.call("sips:+15559@sip.test").final).status;
  };
  const { port } = lab.companion.sipAddresses.get("TLS")!;

  const plain = await finalAt(`sip:127.0.0.1:${other.port};transport=udp`);
  const secured = await finalAt(`sip:localhost:${port};transport=tls`);

  assert.equal(plain, 480);
  assert.deepEqual(other.heard, []);
  assert.equal(secured, 481, "it came to the companion, which has no such leg");
});

sipTest("register() takes a sips: Contact by TLS alone, and calls there as sips:", async () => {
  await using lab = await startSecureLab();
  await using udp = await openTrunk(udpOf(lab));
  const tls = await connectTls(lab);
  const contactAt = (port: number) => `<sips:alice@127.0.0.1:${port}>`;

  const refused = await registerAt(udp, "UDP", contactAt(udp.port));
  const plainContact = `<sip:alice@127.0.0.1:${tls.port};transport=tls>`;
  const plain = await registerAt(tls, "TLS", plainContact, "plain");
  const removed = await registerAt(tls, "TLS", `${plainContact};expires=0`, "plain", 3);
  const taken = await registerAt(tls, "TLS", contactAt(tls.port));
  const invitation = invite("alice");
  await lab.run(invitation.leg, [{ type: "invite", invitation, timeoutS: 30 }]);
  const came = await tls.next();
  await tls.close();

  assert.match(refused.start, / 400 SIPS Contact Needs TLS$/);
  assert.deepEqual([removed.status, taken.status], [200, 200]);
  assert.equal(valueOf(plain, "contact").split(";expires")[0], plainContact);
  assert.match(came.start, /^INVITE sips:alice@127\.0\.0\.1:\d+ SIP/);
  assert.match(uriIn(valueOf(came, "contact")), /^sips:switchboard@127\.0\.0\.1:\d+$/);
});

import assert from "node:assert/strict";
import { foreignSdp } from "../../support/media/fake_media.ts";
import { type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import type { Softphone } from "../../support/sip/softphone.ts";
import { type SipText, valueOf, writeSip } from "../../support/sip/sip_text.ts";
import {
  callScript,
  credentials,
  inDialog,
  isProven,
  openTrunk,
  peerSdp,
  startTrunkLab,
  trunkInvitation,
  udpOf,
} from "../../support/sip/trunk_peer.ts";

/** Calls by some routes; what becomes of the leg is told by the service. */
async function call(lab: SipLab, routes: Parameters<typeof trunkInvitation>[0], dialled?: string) {
  const invitation = trunkInvitation(routes, dialled === undefined ? {} : { dialled });
  await lab.run(invitation.leg, callScript(invitation));
  const event = <T extends "answered" | "ended" | "inviting" | "ringing">(type: T) =>
    lab.service.event(type, invitation.leg).then((report) => report.event);
  return { leg: invitation.leg, event };
}

/** The next provisional response that carries SDP. */
async function nextEarly(calling: ReturnType<Softphone["call"]>): Promise<SipText> {
  for (;;) {
    const response = await calling.nextProvisional();
    if (response.body !== "") return response;
  }
}

const startOf = ({ start }: SipText) => start;

sipTest(
  "ringTrunk() calls the number at the proxy as one of our domain, with plain RTP",
  async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    lab.service.answer = () => [{ type: "silence", seconds: 60 }];

    const placed = await call(lab, [trunk.route]);
    const invite = await trunk.request("INVITE");
    trunk.answer(invite, { status: 183 });
    await placed.event("ringing");
    trunk.answer(invite);
    const ack = await trunk.request("ACK");
    await placed.event("answered");
    await lab.run(placed.leg, [{ type: "hangup" }]);
    const bye = await trunk.request("BYE");
    trunk.respond(bye, 200);
    const ended = await placed.event("ended");

    assert.equal(startOf(invite), `INVITE sip:+442079460000@127.0.0.1:${trunk.port} SIP/2.0`);
    assert.match(valueOf(invite, "from"), /^<sip:\+15550001@sip\.test>;tag=/);
    assert.match(valueOf(invite, "to"), /^<sip:\+442079460000@127\.0\.0\.1/);
    assert.equal(startOf(ack), `ACK sip:carrier@127.0.0.1:${trunk.port} SIP/2.0`);
    assert.deepEqual(lab.media.legs.map(({ kind }) => kind), ["rtp"]);
    assert.equal(lab.media.legs[0]!.remoteSdp, peerSdp);
    assert.deepEqual(ended, { type: "ended", outcome: "completed" });
  },
);

for (const refuses of [true, false]) {
  const why = refuses ? "refuses our codecs with 488" : "answers with a codec that we have not";
  sipTest(`ringTrunk() says that no codec fits when the trunk ${why}`, async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();

    const placed = await call(lab, [trunk.route]);
    const invite = await trunk.request("INVITE");
    const headers = ['Warning: 305 carrier.test "Only G.729 here"'];
    if (refuses) trunk.respond(invite, 488, { headers });
    else trunk.answer(invite, { sdp: foreignSdp });
    const ended = await placed.event("ended");

    const reason = "no-codec";
    const detail = refuses
      ? 'it refused the offer (no audio) with 488, and says: 305 carrier.test "Only G.729 here"'
      : "Cannot accept";
    assert.deepEqual(ended, { type: "ended", outcome: "failed", sipStatus: 488, reason, detail });
    if (!refuses) trunk.respond(await trunk.request("BYE"), 200);
  });
}

sipTest("ringTrunk() dials a SIP address as it is", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const route = { ...trunk.route, proxy: `sip:${trunk.route.proxy};transport=udp` };

  const placed = await call(lab, [route], "sip:desk@far.test;x=1");
  const invite = await trunk.request("INVITE");
  trunk.respond(invite, 486);
  const ended = await placed.event("ended");

  assert.equal(startOf(invite), "INVITE sip:desk@far.test;x=1 SIP/2.0");
  assert.match(valueOf(invite, "to"), /^<sip:desk@far\.test>$/);
  assert.deepEqual(ended, { type: "ended", outcome: "busy", sipStatus: 486 });
});

for (const algorithm of ["MD5", "SHA-256"] as const) {
  for (const status of [401, 407] as const) {
    sipTest(`ringTrunk() answers a ${status} of ${algorithm}, and one in the dialog`, async () => {
      await using lab = await startTrunkLab();
      await using trunk = await openTrunk();
      lab.service.answer = () => [{ type: "silence", seconds: 60 }];

      const placed = await call(lab, [{ ...trunk.route, credentials }]);
      const first = await trunk.request("INVITE");
      trunk.challenge(first, [algorithm], status);
      const second = await trunk.request("INVITE");
      trunk.answer(second);
      const ack = await trunk.request("ACK");
      await placed.event("answered");
      await lab.run(placed.leg, [{ type: "hangup" }]);
      const bye = await trunk.request("BYE");
      trunk.challenge(bye, [algorithm], status);
      const proven = await trunk.request("BYE");
      trunk.respond(proven, 200);
      await placed.event("ended");

      const header = status === 401 ? "authorization" : "proxy-authorization";
      assert.equal(valueOf(first, header), "");
      assert.equal(isProven(second, algorithm), true);
      assert.equal(valueOf(ack, header), valueOf(second, header));
      assert.deepEqual(
        [first, second].map((one) => valueOf(one, "cseq")),
        ["1 INVITE", "2 INVITE"],
      );
      assert.equal(isProven(bye, algorithm), false);
      assert.equal(isProven(proven, algorithm), true);
    });
  }
}

/** What the ending tells of a refusal: the reason phrase that the test's trunk writes. */
const detail = "Told So";

sipTest(
  "ringTrunk() prefers the topmost challenge, and ends when its answer is refused",
  async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();

    const placed = await call(lab, [{ ...trunk.route, credentials }, trunk.route]);
    trunk.challenge(await trunk.request("INVITE"), ["SHA-256", "MD5"]);
    const proven = await trunk.request("INVITE");
    trunk.challenge(proven, ["SHA-256", "MD5"]);
    const ended = await placed.event("ended");

    assert.equal(isProven(proven, "SHA-256"), true);
    assert.deepEqual(ended, { type: "ended", outcome: "failed", sipStatus: 407, detail });
  },
);

sipTest(
  "ringTrunk() takes the next route after a 5xx, and ends with any other refusal",
  async () => {
    await using lab = await startTrunkLab();
    await using broken = await openTrunk();
    await using good = await openTrunk();
    await using unused = await openTrunk();

    const placed = await call(lab, [broken.route, good.route, unused.route]);
    broken.respond(await broken.request("INVITE"), 500);
    good.respond(await good.request("INVITE"), 404);
    const ended = await placed.event("ended");

    assert.deepEqual(ended, { type: "ended", outcome: "failed", sipStatus: 404, detail });
    assert.equal(unused.heard.length, 0);
    assert.deepEqual(lab.media.legs.map(({ closed }) => closed), [true, true]);
  },
);

sipTest("ringTrunk() leaves a route alone for as long as its 503 says", async () => {
  await using lab = await startTrunkLab();
  await using full = await openTrunk();
  await using good = await openTrunk();

  const first = await call(lab, [full.route, good.route]);
  full.respond(await full.request("INVITE"), 503, { headers: ["Retry-After: 60 (full)"] });
  good.respond(await good.request("INVITE"), 486);
  await first.event("ended");
  const second = await call(lab, [full.route, good.route]);
  good.respond(await good.request("INVITE"), 486);
  await second.event("ended");
  const third = await call(lab, [full.route]);
  const ended = await third.event("ended");

  assert.equal(full.heard.filter(({ method }) => method === "INVITE").length, 1);
  const expected = { outcome: "failed", sipStatus: 503, reason: "no-trunk" };
  assert.deepEqual(ended, { type: "ended", ...expected });
});

sipTest("ringTrunk() takes the next route when one is silent, and BYEs a late answer", async () => {
  await using lab = await startTrunkLab();
  await using silent = await openTrunk();
  await using good = await openTrunk();

  const placed = await call(lab, [silent.route, good.route]);
  const unheard = await silent.request("INVITE");
  const invite = await good.request("INVITE");
  good.respond(invite, 100);
  silent.answer(unheard);
  const bye = await silent.request("BYE");
  silent.respond(bye, 200);
  good.respond(invite, 486);
  const ended = await placed.event("ended");

  assert.deepEqual(ended, { type: "ended", outcome: "busy", sipStatus: 486 });
});

const optionsFrom = (port: number): string =>
  writeSip("OPTIONS sip:sip.test SIP/2.0", [
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKlook;rport`,
    "From: <sip:carrier@127.0.0.1>;tag=look",
    "To: <sip:sip.test>",
    "Call-ID: look",
    "CSeq: 1 OPTIONS",
    "Max-Forwards: 70",
  ]);

sipTest("a trunk that was silent is passed over, until it answers OPTIONS", async () => {
  await using lab = await startTrunkLab();
  await using first = await openTrunk();
  await using other = await openTrunk();
  const routes = [first.route, other.route];
  const placed = await call(lab, routes);
  await first.request("INVITE");
  other.respond(await other.request("INVITE"), 486);
  await placed.event("ended");
  const invites = first.heard.filter(({ method }) => method === "INVITE").length;
  const second = await call(lab, routes);
  other.respond(await other.request("INVITE"), 486);
  await second.event("ended");
  const options = await first.request("OPTIONS");
  const asked = first.heard.filter(({ method }) => method === "INVITE").length;
  first.respond(options, 404);
  // What comes by one socket is taken in order: once this is answered, that was taken.
  first.send(optionsFrom(first.port));
  while (!(await first.next()).start.startsWith("SIP/2.0 ")); // Skips copies of requests.
  await call(lab, routes);
  first.respond(await first.request("INVITE"), 486);

  assert.equal(asked, invites, "the second call did not wait for the silent one");
});

sipTest("a silent trunk is called all the same where there is no other", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const closed = { ...trunk.route, proxy: "sip:127.0.0.1:9;transport=tcp" };

  const before = await call(lab, [closed]);
  assert.equal((await before.event("ended")).type, "ended");
  const placed = await call(lab, [closed, trunk.route]);
  trunk.respond(await trunk.request("INVITE"), 502);
  const ended = await placed.event("ended");

  const expected = { outcome: "failed", sipStatus: 503, reason: "no-trunk" };
  assert.deepEqual(ended, { type: "ended", ...expected });
});

sipTest("the end of a call names the Gateway that its last INVITE left by", async () => {
  await using lab = await startTrunkLab();
  await using full = await openTrunk();
  await using good = await openTrunk();
  const of = (digit: string, name?: string) => ({
    gatewaySid: `GW${digit.repeat(32)}`,
    ...name !== undefined && { gatewayName: name },
  });

  const routes = [{ ...full.route, ...of("1", "full") }, { ...good.route, ...of("2") }];
  const placed = await call(lab, routes);
  full.respond(await full.request("INVITE"), 503);
  good.respond(await good.request("INVITE"), 404);
  const ended = await placed.event("ended");
  const named = await call(lab, [{ ...full.route, ...of("3", "carrier") }]);
  full.respond(await full.request("INVITE"), 486);

  assert.deepEqual(ended.gateway, { sid: of("2").gatewaySid });
  const { gateway } = await named.event("ended");
  assert.deepEqual(gateway, { sid: of("3").gatewaySid, name: "carrier" });
});

sipTest("ringTrunk() ends as no-trunk when no route is of use, with the last status", async () => {
  await using lab = await startTrunkLab();
  await using broken = await openTrunk();
  const closed = { ...broken.route, proxy: "sip:127.0.0.1:9;transport=tcp" };
  const unreadable = { ...broken.route, proxy: "sip:not a host" };

  const placed = await call(lab, [closed, unreadable, broken.route]);
  broken.respond(await broken.request("INVITE"), 502);
  const ended = await placed.event("ended");

  const expected = { outcome: "failed", sipStatus: 502, reason: "no-trunk" };
  assert.deepEqual(ended, { type: "ended", ...expected });
});

sipTest(
  "ringTrunk() connects customers to public addresses only, after it resolved them",
  async () => {
    const asked: string[] = [];
    const isPublicAddress = (address: string) => {
      asked.push(address);
      return address === "127.0.0.2";
    };
    const resolver = {
      naptr: () => Promise.resolve([]),
      srv: () => Promise.resolve([]),
      addresses: () => Promise.resolve(["127.0.0.1", "127.0.0.2"]),
    };
    const transports = { ports: { UDP: 0 }, resolver };
    await using lab = await startTrunkLab({ isPublicAddress, transports });
    await using hidden = await openTrunk();
    await using open = await openTrunk(undefined, "127.0.0.2");
    const named = { ...open.route, proxy: `proxy.test:${open.port}`, publicOnly: true };

    const refused = await call(lab, [{ ...hidden.route, publicOnly: true }]);
    const ended = await refused.event("ended");
    const placed = await call(lab, [named]);
    open.respond(await open.request("INVITE"), 486);
    await placed.event("ended");

    const expected = { outcome: "failed", sipStatus: 503, reason: "no-trunk" };
    assert.deepEqual(ended, { type: "ended", ...expected });
    assert.deepEqual(asked, ["127.0.0.1", "127.0.0.1", "127.0.0.2"]);
    assert.equal(hidden.heard.length, 0);
  },
);

sipTest("ringTrunk() ends with 404 when there is no route", async () => {
  await using lab = await startTrunkLab();
  const alice = await lab.phone("alice");
  const child = trunkInvitation([]);
  lab.service.answer = () => [
    { type: "dial", legs: [child], media: "anchored", timeoutS: 30, timeLimitS: 60 },
  ];

  const placed = await call(lab, []);
  const own = await placed.event("ended");
  const final = await alice.call("sip:+442079460000@sip.test").final;
  const inviting = await lab.service.event("inviting", child.leg);
  const ended = await lab.service.event("ended", child.leg);

  const reason = "no-route";
  const expected = { type: "ended", outcome: "failed", sipStatus: 404, reason };
  assert.deepEqual([own, ended.event], [expected, expected]);
  assert.equal(inviting.event.to, "+442079460000");
  assert.equal(final.status, 404);
  assert.deepEqual(lab.service.reports.filter(({ leg }) => leg === placed.leg).length, 1);
});

sipTest(
  "refuseDialog() lets a trunk speak from another port, and nobody from elsewhere",
  async () => {
    await using lab = await startTrunkLab();
    await using trunk = await openTrunk();
    await using other = await openTrunk(udpOf(lab));
    await using stranger = await openTrunk(udpOf(lab), "127.0.0.2");
    lab.service.answer = () => [{ type: "silence", seconds: 60 }];

    const placed = await call(lab, [trunk.route]);
    const invite = await trunk.request("INVITE");
    trunk.answer(invite);
    await trunk.request("ACK");
    await placed.event("answered");
    stranger.send(inDialog("BYE", invite, stranger.port));
    const refused = await stranger.next();
    other.send(inDialog("BYE", invite, other.port, 2));
    const taken = await other.next();
    const ended = await placed.event("ended");

    assert.deepEqual([refused.status, taken.status], [481, 200]);
    assert.deepEqual(ended, { type: "ended", outcome: "completed" });
  },
);

sipTest(
  "a caller hears that it rings while trunks are tried, which is no time of ringing",
  async () => {
    await using lab = await startTrunkLab();
    await using silent = await openTrunk();
    await using good = await openTrunk();
    const alice = await lab.phone("alice");
    const child = trunkInvitation([silent.route, good.route]);
    const action = { method: "POST", url: "http://app.test/", hops: 0 } as const;
    lab.service.answer = () => [
      { type: "dial", legs: [child], media: "anchored", timeoutS: 1, timeLimitS: 60, action },
    ];

    const calling = alice.call("sip:+442079460000@sip.test");
    const ringing = await calling.nextProvisional();
    const isTried = good.heard.length > 0;
    const invite = await good.request("INVITE");
    good.respond(invite, 180);
    await good.request("CANCEL");
    good.respond(invite, 487);
    const { event } = await lab.service.event("dialled");

    assert.match(ringing.start, /^SIP\/2\.0 180 /);
    assert.equal(isTried, false, "it rang before the second trunk was tried");
    assert.deepEqual([event.outcome, event.ringS], ["no-answer", 1]);
  },
);

sipTest("dial() lets the caller hear the announcement of a trunk before it answers", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  const alice = await lab.phone("alice");
  const child = trunkInvitation([trunk.route]);
  lab.service.answer = () => [
    { type: "dial", legs: [child], media: "anchored", timeoutS: 30, timeLimitS: 60 },
  ];

  const calling = alice.call("sip:+442079460000@sip.test");
  const invite = await trunk.request("INVITE");
  trunk.answer(invite, { status: 183 });
  const early = await nextEarly(calling);
  trunk.answer(invite);
  await trunk.request("ACK");
  const final = await calling.final;
  const [ours, theirs] = [lab.media.legs[1], lab.media.legs[0]];
  trunk.send(inDialog("BYE", invite, trunk.port));
  await lab.service.event("ended", child.leg);

  assert.equal(early.body, ours!.localSdp);
  assert.equal(final.status, 200);
  assert.equal(theirs!.kind, "rtp");
});

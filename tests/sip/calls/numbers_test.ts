import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { addressList } from "../../../core/base/networks.ts";
import { newLeg, type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { peerRequest } from "../../support/sip/sip_peer.ts";
import { type SipText, valueOf } from "../../support/sip/sip_text.ts";
import {
  openTrunk,
  peerSdp,
  startTrunkLab,
  type TrunkPeer,
  udpOf,
} from "../../support/sip/trunk_peer.ts";

const accountSid = `AC${"2".repeat(32)}`;
const numberSid = `PN${"2".repeat(32)}`;
const dialled = "+14155550101";

/** Has a caller's script dial a number of this service. */
const dialNumber = (leg: string): Script => [{
  type: "dial",
  legs: [{
    leg,
    accountSid: `AC${"0".repeat(32)}`,
    from: "client:alice",
    to: dialled,
    target: { kind: "number", accountSid, numberSid, dialled, hops: 1 },
    headers: { "X-Plan": "gold" },
  }],
  media: "anchored",
  timeoutS: 30,
  timeLimitS: 60,
}];

/** Alice dials the number, whose own script is given. */
function routeNumber(lab: SipLab, leg: string, script: Script): void {
  lab.service.answer = ({ event }) => event.type === "incoming" ? dialNumber(leg) : script;
}

async function finalOf(peer: TrunkPeer): Promise<SipText> {
  for (;;) {
    const message = await peer.next();
    if ((message.status ?? 0) >= 200) return message;
  }
}

sipTest("ringNumber() brings the call in again, in the account of the number", async () => {
  await using lab = await startTrunkLab();
  const alice = await lab.phone("alice");
  const leg = newLeg();
  routeNumber(lab, leg, [{ type: "answer" }, { type: "silence", seconds: 60 }]);

  const calling = alice.call(`sip:${dialled}@sip.test`);
  const arrived = await lab.service.event("incomingNumber");
  const dialog = await calling.answered;
  const inviting = await lab.service.event("inviting", leg);
  await dialog.bye();
  await lab.service.event("ended", leg);
  const ended = await lab.service.event("ended", arrived.leg);

  assert.equal(arrived.accountSid, accountSid);
  assert.equal(arrived.wantsScript, true);
  assert.deepEqual(arrived.event, {
    type: "incomingNumber",
    numberSid,
    dialled,
    from: { user: "alice", host: "sip.test" },
    hops: 1,
    sipCallId: inviting.event.sipCallId,
    headers: { "X-Plan": "gold" },
  });
  assert.deepEqual(ended.event, { type: "ended", outcome: "completed" });
  assert.deepEqual(lab.media.legs.map(({ kind }) => kind), ["rtp", undefined, undefined]);
  assert.deepEqual(lab.media.legs.map(({ closed }) => closed), [true, true, true]);
});

sipTest("ringNumber() tells the caller how the number refused", async () => {
  await using lab = await startTrunkLab();
  const alice = await lab.phone("alice");
  routeNumber(lab, newLeg(), [{ type: "reject", status: 486 }]);

  const final = await alice.call(`sip:${dialled}@sip.test`).final;

  assert.equal(final.status, 486);
});

sipTest("ringNumber() lets the caller give up while the number rings", async () => {
  await using lab = await startTrunkLab();
  const alice = await lab.phone("alice");
  const phone = await lab.phone("bob");
  const bob = newLeg();
  routeNumber(lab, newLeg(), [{
    type: "dial",
    legs: [{ ...dialOf(bob), target: { kind: "client", login: "bob" } }],
    media: "anchored",
    timeoutS: 30,
    timeLimitS: 60,
  }]);

  const calling = alice.call(`sip:${dialled}@sip.test`);
  (await phone.nextCall()).ring();
  await calling.ringing;
  await calling.cancel();
  const ended = await lab.service.event("ended", bob);
  const arrived = await lab.service.event("incomingNumber");
  const number = await lab.service.event("ended", arrived.leg);

  assert.equal(ended.event.outcome, "canceled");
  assert.deepEqual(number.event, { type: "ended", outcome: "canceled", sipStatus: 487 });
});

const dialOf = (leg: string) => ({ leg, accountSid, from: "client:alice", to: "client:bob" });

sipTest(
  "admitNumber() takes calls of an allowed source, and answers for those it may not",
  async () => {
    await using lab = await startTrunkLab({ trustedSources: ["127.0.0.2/32"] });
    await using carrier = await openTrunk(udpOf(lab), "127.0.0.2");
    await using stranger = await openTrunk(udpOf(lab));
    const { trunks } = lab.service;
    lab.service.answer = () => [{ type: "reject", status: 486 }];
    const call = async (peer: TrunkPeer) => {
      const inviting = { target: `sip:${dialled}@sip.test`, sdp: peerSdp };
      const headers = ["P-Called-Party-ID: <tel:+14155550102>"];
      peer.send(peerRequest("INVITE", "UDP", peer.port, { ...inviting, headers }));
      return await finalOf(peer);
    };

    const challenged = await call(stranger);
    const unknown = await call(carrier);
    trunks.number = () => ({ accountSid, numberSid, dialled, allowed: false });
    const suspended = await call(carrier);
    trunks.number = () => ({ accountSid, numberSid, dialled, allowed: true });
    const taken = await call(carrier);
    lab.service.outage = 503;
    const out = await call(carrier);
    lab.service.outage = undefined;

    assert.deepEqual(
      [challenged, unknown, suspended, taken, out].map(({ status }) => status),
      [407, 404, 403, 486, 503],
    );
    assert.deepEqual(trunks.queries[0], { dialled: [dialled, "+14155550102"], gateway: null });
    assert.equal(valueOf(out, "retry-after"), "10");
    assert.deepEqual(lab.service.reports.filter(({ event }) => event.type === "incoming"), []);
  },
);

Deno.test("addressList() takes addresses and networks of both families", () => {
  const isTrusted = addressList(["192.0.2.0/24", "198.51.100.7", "2001:db8::/32"]);

  const hosts = ["192.0.2.9", "192.0.3.9", "198.51.100.7", "198.51.100.8", "2001:db8::1", "inside"];
  assert.deepEqual(hosts.map(isTrusted), [true, false, true, false, true, false]);
});

sipTest("admitNumber() accepts no allowed source on a WebSocket", async () => {
  await using lab = await startTrunkLab({ trustedSources: ["127.0.0.0/8", "::1"] });
  const alice = await lab.phone("alice");

  const calling = alice.call(`sip:${dialled}@sip.test`);
  await calling.final;
  const { event } = await lab.service.event("incoming");

  assert.equal(event.login, "alice");
  assert.deepEqual(calling.statuses.filter((status) => status !== 100), [407, 487]);
  assert.deepEqual(lab.service.trunks.queries, []);
});

sipTest("admitNumber() answers 481 to a trunk that would take the place of a call", async () => {
  await using lab = await startTrunkLab({ trustedSources: ["127.0.0.2/32"] });
  await using carrier = await openTrunk(udpOf(lab), "127.0.0.2");
  lab.service.trunks.number = () => ({ accountSid, numberSid, dialled, allowed: true });

  carrier.send(peerRequest("INVITE", "UDP", carrier.port, {
    target: `sip:${dialled}@sip.test`,
    sdp: peerSdp,
    headers: ["Require: replaces", "Replaces: call;to-tag=a;from-tag=b"],
  }));

  assert.equal((await finalOf(carrier)).status, 481);
  assert.equal(lab.service.reports.length, 0);
});

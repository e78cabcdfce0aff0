import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import type { GatewayReport, Registration } from "../../../core/protocol/trunks.ts";
import { type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { queue } from "../../support/service/queue.ts";
import { peerRequest, peerResponse, type SipPeer, streamPeer } from "../../support/sip/sip_peer.ts";
import { type SipText, uriIn, valueOf } from "../../support/sip/sip_text.ts";
import {
  credentials,
  isProven,
  openTrunk,
  peerSdp,
  startTrunkLab,
  type TrunkPeer,
  udpOf,
} from "../../support/sip/trunk_peer.ts";

const accountSid = `AC${"1".repeat(32)}`;
const gatewaySid = `GW${"1".repeat(32)}`;
const numberSid = `PN${"1".repeat(32)}`;

const gatewayAt = ({ route }: TrunkPeer, wanted: Partial<Registration> = {}): Registration => ({
  gatewaySid,
  accountSid,
  version: "1",
  ...credentials,
  proxy: route.proxy,
  publicOnly: false,
  ttlS: 600,
  ...wanted,
});

/** Has the companion ask for its Gateways now. */
async function tell(lab: SipLab, ...gateways: Registration[]): Promise<void> {
  lab.service.trunks.gateways = gateways;
  const { status } = await lab.service.order(lab.companion.bridgeUrl, "/gateways", {});
  assert.equal(status, 200);
}

const granted = (request: SipText, seconds: number) => {
  const uri = uriIn(valueOf(request, "contact"));
  return { headers: [`Contact: <sip:other@far.test>;expires=5, <${uri}>;expires=${seconds}`] };
};

const told = (lab: SipLab, status: GatewayReport["status"], version = "1") =>
  lab.service.gatewayTold((one) => one.status === status && one.version === version);

/** Registers a Gateway at a peer; the REGISTER that was granted. */
async function register(lab: SipLab, trunk: TrunkPeer): Promise<SipText> {
  await tell(lab, gatewayAt(trunk));
  const request = await trunk.request("REGISTER");
  trunk.respond(request, 200, granted(request, 600));
  await told(lab, "registered");
  return request;
}

/** Grants whatever is asked from now on, as when the companion says goodbye. */
async function grantAll(trunk: TrunkPeer): Promise<void> {
  for (;;) {
    const request = await trunk.request("REGISTER");
    trunk.respond(request, 200);
  }
}

sipTest("createGateways() registers with digest, tells, and unregisters what is gone", async () => {
  await using trunk = await openTrunk();
  await using lab = await startTrunkLab();

  await tell(lab, gatewayAt(trunk));
  const first = await trunk.request("REGISTER");
  trunk.challenge(first, ["MD5", "SHA-256"], 401);
  const second = await trunk.request("REGISTER");
  trunk.respond(second, 200, granted(second, 600));
  const registered = await told(lab, "registered");
  await tell(lab);
  const last = await trunk.request("REGISTER");
  trunk.respond(last, 200);
  await told(lab, "unregistered");

  assert.equal(first.start, `REGISTER sip:127.0.0.1:${trunk.port} SIP/2.0`);
  assert.equal(valueOf(first, "to"), `<sip:trunk@127.0.0.1:${trunk.port}>`);
  assert.match(valueOf(first, "contact"), /^<sip:gw[0-9a-f]{32}@127\.0\.0\.1:\d+>;expires=600$/);
  const { port } = lab.companion.sipAddresses.get("UDP")!;
  for (const sent of [first, second]) {
    assert.ok(
      valueOf(sent, "via").startsWith(`SIP/2.0/UDP 127.0.0.1:${port};`),
      valueOf(sent, "via"),
    );
  }
  assert.equal(isProven(second, "MD5"), true);
  assert.deepEqual(registered, {
    companionId: "lab",
    gatewaySid,
    accountSid,
    version: "1",
    status: "registered",
  });
  const all = [first, second, last];
  assert.deepEqual(all.map((one) => valueOf(one, "expires")), ["600", "600", "0"]);
  assert.deepEqual(all.map((one) => parseInt(valueOf(one, "cseq"))), [1, 2, 3]);
  assert.equal(new Set(all.map((one) => valueOf(one, "call-id"))).size, 1);
  assert.equal(lab.service.trunks.reports.length, 2);
});

sipTest(
  "createGateways() registers anew under another version, once the old one is gone",
  async () => {
    await using before = await openTrunk();
    await using after = await openTrunk();
    await using lab = await startTrunkLab();
    const first = await register(lab, before);

    await tell(lab, gatewayAt(after, { version: "2", ttlS: 90 }));
    const goodbye = await before.request("REGISTER");
    before.respond(goodbye, 200);
    const second = await after.request("REGISTER");
    after.respond(second, 200);
    await told(lab, "registered", "2");
    void grantAll(after);

    assert.equal(valueOf(goodbye, "expires"), "0");
    assert.equal(valueOf(second, "expires"), "90");
    assert.notEqual(uriIn(valueOf(second, "contact")), uriIn(valueOf(first, "contact")));
    assert.deepEqual(lab.service.trunks.reports.map(({ status, version }) => [status, version]), [
      ["registered", "1"],
      ["unregistered", "1"],
      ["registered", "2"],
    ]);
  },
);

sipTest("createGateways() tells why it fails, and tries again", async () => {
  await using trunk = await openTrunk();
  await using lab = await startTrunkLab();

  await tell(lab, gatewayAt(trunk));
  trunk.respond(await trunk.request("REGISTER"), 403);
  const failed = await told(lab, "failed");
  const again = await trunk.request("REGISTER");
  trunk.respond(again, 200);
  await told(lab, "registered");
  void grantAll(trunk);

  assert.equal(failed.reason, "Cannot register: the proxy answered 403 Told So");
});

sipTest("createGateways() asks for as long as a 423 demands, and refreshes in time", async () => {
  await using trunk = await openTrunk();
  await using lab = await startTrunkLab();

  await tell(lab, gatewayAt(trunk));
  trunk.respond(await trunk.request("REGISTER"), 423, { headers: ["Min-Expires: 1200"] });
  const second = await trunk.request("REGISTER");
  const grantedAt = Date.now();
  trunk.respond(second, 200, granted(second, 5));
  const refresh = await trunk.request("REGISTER");
  const waitedMs = Date.now() - grantedAt;
  trunk.respond(refresh, 200, granted(refresh, 600));
  await told(lab, "registered");
  void grantAll(trunk);

  assert.equal(valueOf(second, "expires"), "1200");
  assert.equal(valueOf(refresh, "call-id"), valueOf(second, "call-id"));
  assert.ok(waitedMs > 2_500 && waitedMs < 5_000, `${waitedMs} ms`);
  assert.equal(lab.service.trunks.reports.length, 1);
});

sipTest("createGateways() tells in order, each until the service has it", async () => {
  await using trunk = await openTrunk();
  await using lab = await startTrunkLab();

  await tell(lab, gatewayAt(trunk));
  const first = await trunk.request("REGISTER");
  lab.service.outage = 503;
  trunk.respond(first, 403);
  await lab.service.outageFelt();
  trunk.respond(await trunk.request("REGISTER"), 200);
  lab.service.outage = undefined;
  await told(lab, "registered");
  void grantAll(trunk);

  assert.deepEqual(
    lab.service.trunks.reports.map(({ status }) => status),
    ["failed", "registered"],
  );
});

sipTest("createGateways() registers anew when its connection is lost", async () => {
  const connections = queue<SipPeer>();
  const server = createServer((socket) => connections.put(streamPeer(socket)));
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const proxy = `127.0.0.1:${(server.address() as AddressInfo).port};transport=tcp`;
  await using trunk = await openTrunk();
  const lab = await startTrunkLab();

  await tell(lab, gatewayAt(trunk, { proxy }));
  const first = await connections.take();
  const request = await first.next();
  first.send(peerResponse(request, 200, granted(request, 600)));
  await told(lab, "registered");
  await first.close();
  const second = await connections.take();
  const again = await second.next();
  second.send(peerResponse(again, 200, granted(again, 600)));
  const stopping = lab[Symbol.asyncDispose]();
  second.send(peerResponse(await second.next(), 200));
  await stopping;
  server.close();

  assert.match(valueOf(request, "contact"), /;transport=tcp>;expires=600$/);
  assert.equal(valueOf(again, "call-id"), valueOf(request, "call-id"));
  assert.deepEqual(
    lab.service.trunks.reports.map(({ status }) => status),
    ["registered", "unregistered"],
  );
});

sipTest("Companion.stop() unregisters its Gateways, and tells", async () => {
  await using trunk = await openTrunk();
  await using lab = await startTrunkLab();
  await register(lab, trunk);

  const stopped = lab.companion.stop();
  const last = await trunk.request("REGISTER");
  trunk.respond(last, 200);
  await stopped;

  assert.equal(valueOf(last, "expires"), "0");
  assert.equal(lab.service.trunks.reports.at(-1)?.status, "unregistered");
});

sipTest(
  "admitNumber() takes the call of a Gateway that is registered, from its proxy alone",
  async () => {
    await using trunk = await openTrunk();
    await using lab = await startTrunkLab();
    await using other = await openTrunk(udpOf(lab), "127.0.0.2");
    const { trunks } = lab.service;
    trunks.number = ({ dialled }) =>
      dialled.includes("+14155550101")
        ? { accountSid, numberSid, dialled: "+14155550101", allowed: true }
        : null;
    lab.service.answer = () => [{ type: "reject", status: 486 }];
    const contact = uriIn(valueOf(await register(lab, trunk), "contact"));
    const inviting = {
      target: contact,
      from: '"Ann \\"A\\"" <sip:+442079460000@carrier.test>;tag=peer',
      to: "<sip:+14155550101@carrier.test>",
      sdp: peerSdp,
      headers: ["Diversion: <sip:+15557777@carrier.test>;reason=no-answer", "X-Plan: gold"],
    };

    other.send(peerRequest("INVITE", "UDP", other.port, inviting));
    const stranger = await finalOf(other);
    trunk.send(peerRequest("INVITE", "UDP", trunk.port, { ...inviting, target: "sip:x@sip.test" }));
    const guessed = await finalOf(trunk);
    trunk.send(peerRequest("INVITE", "UDP", trunk.port, inviting));
    const taken = await finalOf(trunk);
    const report = await lab.service.event("incomingNumber");
    void grantAll(trunk);

    assert.deepEqual([stranger.status, guessed.status, taken.status], [407, 407, 486]);
    assert.deepEqual(trunks.queries, [
      { dialled: ["+14155550101"], gateway: { gatewaySid, accountSid } },
    ]);
    assert.equal(report.accountSid, accountSid);
    assert.equal(report.wantsScript, true);
    assert.deepEqual(report.event, {
      type: "incomingNumber",
      numberSid,
      dialled: "+14155550101",
      from: { user: "+442079460000", host: "carrier.test" },
      displayName: 'Ann "A"',
      forwardedFrom: "+15557777",
      hops: 0,
      gatewayOf: `AC${"1".repeat(32)}`,
      sipCallId: valueOf(taken, "call-id"),
      headers: { "X-Plan": "gold" },
    });
  },
);

async function finalOf(peer: TrunkPeer): Promise<SipText> {
  for (;;) {
    const message = await peer.next();
    if ((message.status ?? 0) >= 200) return message;
  }
}

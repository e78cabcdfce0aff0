import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import type { Target } from "../../../sip/transport/resolve.ts";
import {
  type Connection,
  openReceiveLab,
  type ReceiveLab,
} from "../../support/service/receive_lab.ts";
import { call, domain, registered } from "../../support/sip/phone_text.ts";
import { peerResponse } from "../../support/sip/sip_peer.ts";
import { readSip } from "../../support/sip/sip_text.ts";
import { trunkInvitation } from "../../support/sip/trunk_peer.ts";

const hosts = ["198.51.100.1", "198.51.100.2"];

/** A call of alice that leaves by trunks over TCP, one at each host; the connections to them. */
async function callOut(lab: ReceiveLab, at: readonly string[]): Promise<Connection[]> {
  const trunks = at.map((host) => lab.connect(host, "TCP"));
  lab.signalling.routes = {
    resolve: ({ host }) =>
      Promise.resolve<Target[]>([{ protocol: "TCP", address: host, port: 5060, name: host }]),
    open: ({ address }) => Promise.resolve(trunks[at.indexOf(address)]!.flow),
    reach: () => Promise.reject(new Error("unused")),
  };
  const routes = at.map((host) => ({ gatewaySid: null, proxy: host, publicOnly: false }));
  const script: Script = [{
    type: "dial",
    legs: [trunkInvitation(routes)],
    media: "anchored",
    timeoutS: 60,
    timeLimitS: 600,
  }];
  lab.answer = ({ event }) => event.type === "incoming" ? script : [];
  const alice = await registered(lab);
  alice.receive(call(lab));
  await lab.time.settle();
  return trunks;
}

const invited = ({ sent }: Connection) => sent.filter((text) => text.startsWith("INVITE")).length;

Deno.test("ringTrunk() goes on at once where the connection closes before any response", async () => {
  using lab = openReceiveLab(domain);
  const [first, second] = await callOut(lab, hosts);

  const before = [first, second].map((one) => invited(one!));
  first!.close();
  await lab.time.settle();

  assert.deepEqual([before, invited(second!)], [[1, 0], 1]);
});

Deno.test("ringTrunk() stays with a server that has shown a sign of life, though its connection closes", async () => {
  using lab = openReceiveLab(domain);
  const [first, second] = await callOut(lab, hosts);

  first!.receive(peerResponse(readSip(first!.sent.at(-1)!), 180));
  await lab.time.settle();
  first!.close();
  await lab.time.settle();

  assert.equal(invited(second!), 0);
});

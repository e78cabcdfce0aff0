import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import {
  type Baresip,
  type BaresipOptions,
  baresipTest,
  startBaresip,
} from "../../support/sip/baresip.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { startEdge } from "../../support/sip/kamailio.ts";
import {
  invite,
  inviteScript,
  newLeg,
  type SipLab,
  startSipLab,
} from "../../support/sip/sip_lab.ts";
import { freePorts } from "../../support/process/system.ts";
import { tone } from "../../support/media/tone.ts";
import { trunkInvitation } from "../../support/sip/trunk_peer.ts";

const number = "+14155550101";
const transports = ["udp", "tcp"] as const;
type Transport = typeof transports[number];

/** A companion with plain RTP. */
const startLab = () =>
  startSipLab({
    engine: mediaEngine({
      transports: [rtpTransport({
        bindAddress: "127.0.0.1",
        host: "127.0.0.1",
        ports: { first: 0, last: 0 },
        now: systemClock.now,
      })],
      log: () => {},
    }),
    loadAudio: () => Promise.resolve(tone(1_200, 1.5)),
    transports: { ports: { UDP: 0, TCP: 0 } },
    trustedSources: ["127.0.0.1"],
  });

const addressOf = ({ companion }: SipLab, transport: Transport) =>
  companion.sipAddresses.get(transport === "udp" ? "UDP" : "TCP")!;

/** baresip as bob's softphone; resolves when it is registered. */
async function bobAt(
  lab: SipLab,
  transport: Transport,
  { saysHz, registrar = addressOf(lab, transport) }: Pick<BaresipOptions, "saysHz" | "registrar"> =
    {},
): Promise<Baresip> {
  const phone = await startBaresip({
    login: "bob",
    domain: testDomain,
    transport,
    registrar,
    ...saysHz !== undefined && { saysHz },
  });
  await lab.service.told(({ came }) => came.includes("bob"));
  return phone;
}

const talkTo = (leg: Extract<Script[number], { type: "dial" }>["legs"][number]): Script => [
  { type: "dial", legs: [leg], media: "anchored", timeoutS: 60, timeLimitS: 600 },
];

for (const transport of transports) {
  baresipTest(`baresip registers over ${transport}, is called and hears the audio`, async () => {
    await using lab = await startLab();
    lab.service.answer = ({ event }) =>
      event.type === "answered" ? [{ type: "play", url: "http://app.test/a.wav", loop: 1 }] : [];
    await using phone = await bobAt(lab, transport);

    const invitation = invite("bob");
    await lab.run(invitation.leg, inviteScript(invitation));
    const { event } = await lab.service.event("ended", invitation.leg);

    assert.deepEqual(event, { type: "ended", outcome: "completed" });
    await phone.untilHears(1_200);
  });

  baresipTest(`baresip behind Kamailio is called over ${transport} along its Path`, async () => {
    await using lab = await startLab();
    const [port] = freePorts(1) as [number];
    const registrar = addressOf(lab, transport).port;
    await using _edge = await startEdge({ port, registrar, transport });
    lab.service.answer = ({ event }) =>
      event.type === "answered" ? [{ type: "play", url: "http://app.test/a.wav", loop: 1 }] : [];
    await using phone = await bobAt(lab, transport, { registrar: { host: "127.0.0.1", port } });

    const invitation = invite("bob");
    await lab.run(invitation.leg, inviteScript(invitation));
    const { event } = await lab.service.event("ended", invitation.leg);

    assert.deepEqual(event, { type: "ended", outcome: "completed" });
    await phone.untilHears(1_200);
  });

  baresipTest(`baresip as a carrier over ${transport} is called, and both sides hear`, async () => {
    await using lab = await startLab();
    const [port] = freePorts(1) as [number];
    const far = { login: number, domain: "127.0.0.1", transport, port, saysHz: 900 };
    await using carrier = await startBaresip(far);
    await using phone = await bobAt(lab, transport, { saysHz: 1_500 });
    const proxy = `sip:127.0.0.1:${port};transport=${transport}`;
    const route = { gatewaySid: null, proxy, publicOnly: false };
    const out = trunkInvitation([route], { dialled: number });
    lab.service.answer = ({ event }) => event.type === "answered" ? talkTo(out) : [];

    const invitation = invite("bob");
    await lab.run(invitation.leg, inviteScript(invitation));
    await Promise.all([phone.untilHears(900), carrier.untilHears(1_500)]);
    await phone.stop();
    const { event } = await lab.service.event("ended", out.leg);
    await lab.service.event("ended", invitation.leg);
    const disconnection = await lab.service.disconnectionOf(invitation.leg);
    assert.deepEqual([disconnection.by, disconnection.cause], ["remote", "bye"]);
    assert.equal((await lab.service.disconnectionOf(out.leg)).cause, "other-leg");

    assert.deepEqual(event, { type: "ended", outcome: "completed" });
  });

  baresipTest(`baresip as a carrier over ${transport} calls a number, and both hear`, async () => {
    await using lab = await startLab();
    const { host, port } = addressOf(lab, transport);
    await using phone = await bobAt(lab, transport, { saysHz: 1_500 });
    const accountSid = `AC${"2".repeat(32)}`;
    const numberSid = `PN${"2".repeat(32)}`;
    lab.service.trunks.number = ({ dialled }) =>
      dialled.includes(number) ? { accountSid, numberSid, dialled: number, allowed: true } : null;
    const leg = newLeg();
    lab.service.answer = ({ event }) =>
      event.type === "incomingNumber" ? talkTo(invite("bob", leg)) : [];

    await using carrier = await startBaresip({
      login: "+442079460000",
      domain: "127.0.0.1",
      transport,
      saysHz: 900,
      calls: `sip:${number}@${host}:${port};transport=${transport}`,
    });
    const arrived = await lab.service.event("incomingNumber");
    await Promise.all([phone.untilHears(900), carrier.untilHears(1_500)]);
    await phone.stop();
    const { event } = await lab.service.event("ended", arrived.leg);

    assert.equal(arrived.event.from.user, "+442079460000");
    assert.deepEqual(event, { type: "ended", outcome: "completed" });
  });
}

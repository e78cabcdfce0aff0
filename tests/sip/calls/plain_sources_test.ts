import assert from "node:assert/strict";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { isSound, plainOffer, plainSocket, portOf, soundOf } from "../../support/sip/plain_peer.ts";
import { type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { openUdpPeer, peerRequest } from "../../support/sip/sip_peer.ts";
import { uriIn, valueOf } from "../../support/sip/sip_text.ts";
import { eventually } from "../../support/process/eventually.ts";
import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import { amplitudeOf, tone } from "../../support/media/tone.ts";

const number = "+14155550101";

/** A companion with plain RTP that takes calls for a number from 127.0.0.1, and echoes them. */
async function startLab(): Promise<SipLab> {
  const lab = await startSipLab({
    engine: mediaEngine({
      transports: [rtpTransport({
        bindAddress: "0.0.0.0",
        host: "127.0.0.1",
        ports: { first: 0, last: 0 },
        now: systemClock.now,
      })],
      log: () => {},
    }),
    transports: { ports: { UDP: 0, TCP: 0 } },
    trustedSources: ["127.0.0.1", "127.0.0.7"],
  });
  const { service } = lab;
  service.trunks.number = ({ dialled }) => ({
    accountSid: `AC${"2".repeat(32)}`,
    numberSid: `PN${"2".repeat(32)}`,
    dialled: dialled[0]!,
    allowed: true,
  });
  service.answer = ({ event }) =>
    event.type === "incomingNumber" ? [{ type: "answer" }, { type: "echo", seconds: 60 }] : [];
  return lab;
}

/** A carrier's call, answered; without SDP it answers ours in the ACK. */
async function call(
  lab: SipLab,
  { offer, answer }: { offer?: string; answer?: string },
) {
  const { port } = lab.companion.sipAddresses.get("UDP")!;
  const peer = await openUdpPeer({ host: "127.0.0.1", port });
  const target = `sip:${number}@127.0.0.1:${port}`;
  const wanted = { callId: crypto.randomUUID(), target };
  peer.send(peerRequest("INVITE", "UDP", peer.port, { ...wanted, ...offer && { sdp: offer } }));
  for (;;) {
    const response = await peer.next();
    if (response.status === 100) continue;
    assert.equal(response.status, 200);
    const inside = {
      ...wanted,
      to: valueOf(response, "to"),
      target: uriIn(valueOf(response, "contact")),
    };
    peer.send(peerRequest("ACK", "UDP", peer.port, { ...inside, ...answer && { sdp: answer } }));
    const hangUp = async () => {
      peer.send(peerRequest("BYE", "UDP", peer.port, { ...inside, cseq: 2 }));
      await peer.next();
      await peer.close();
    };
    return { sdp: response.body, hangUp };
  }
}

sipTest("an INVITE without SDP over UDP is answered with plain RTP, and audio flows", async () => {
  await using lab = await startLab();
  const socket = await plainSocket();
  const answer = plainOffer(socket.port, { lines: [] });
  const { sdp, hangUp } = await call(lab, { answer });
  assert.match(sdp, /^m=audio \d+ RTP\/AVP 0 8 101\r$/m);

  const payload = encodeG711("PCMU", tone(1_000, 0.2));
  let at = 0;
  const timer = setInterval(() => {
    socket.send(portOf(sdp), { payload: payload.slice(at, at + 160) });
    at = (at + 160) % payload.length;
  }, 20);
  try {
    await eventually("its own tone, echoed", async () => {
      const heard = await socket.next(10, isSound);
      return amplitudeOf(1_000, soundOf("PCMU", heard)) > 6_000;
    });
  } finally {
    clearInterval(timer);
    await hangUp();
    await socket.close();
  }
});

sipTest("audio from an address unknown to signalling is reported once, and dropped", async () => {
  await using lab = await startLab();
  const [carrier, media] = [await plainSocket(1), await plainSocket(2, "127.0.0.7")];
  const attacker = await plainSocket(3, "127.0.0.66");
  const { sdp, hangUp } = await call(lab, { offer: plainOffer(carrier.port) });
  const to = portOf(sdp);
  try {
    for (let i = 0; i < 10; i++) attacker.send(to);
    const { event } = await lab.service.event("unknownSource");
    assert.deepEqual(event, { type: "unknownSource", address: "127.0.0.66" });
    for (let i = 0; i < 10; i++) attacker.send(to);

    for (let i = 0; i < 3; i++) media.send(to);
    await media.next(3);
  } finally {
    await hangUp();
    await Promise.all([carrier.close(), media.close(), attacker.close()]);
  }
  await lab.service.event("ended");
  const told = lab.service.reports.filter(({ event }) => event.type === "unknownSource");
  assert.equal(told.length, 1);
});

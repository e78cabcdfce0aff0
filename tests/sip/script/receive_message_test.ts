import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sipTest } from "../../support/sip/sip_lab.ts";
import { connectPeer, type SipPeer } from "../../support/sip/sip_peer.ts";
import { openTrunk, startTrunkLab, udpOf } from "../../support/sip/trunk_peer.ts";

const accountSid = `AC${"2".repeat(32)}`;
const numberSid = `PN${"2".repeat(32)}`;
const dialled = "+14155550101";

/** A text of a carrier in bytes of ISO-8859-1. */
function send(
  peer: SipPeer,
  transport: string,
  type: string,
  text: string,
  before = "",
): void {
  const body = Buffer.from(text, "latin1");
  const head = [
    `MESSAGE sip:${dialled}@sip.test SIP/2.0`,
    `Via: SIP/2.0/${transport} 127.0.0.1:${peer.port};branch=z9hG4bK${crypto.randomUUID()};rport`,
    "From: <sip:+14155550177@carrier.test>;tag=carrier",
    `To: <sip:${dialled}@sip.test>`,
    `Call-ID: ${crypto.randomUUID()}`,
    "CSeq: 1 MESSAGE",
    "Max-Forwards: 70",
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
    "",
    "",
  ].join("\r\n");
  peer.send(Buffer.concat([Buffer.from(before + head), body]));
}

sipTest("onMessage() takes texts in ISO-8859-1, whole, over UDP and TCP", async () => {
  await using lab = await startTrunkLab({ trustedSources: ["127.0.0.0/8"] });
  lab.service.trunks.number = () => ({ accountSid, numberSid, dialled, allowed: true });
  await using udp = await openTrunk(udpOf(lab));
  const tcp = await connectPeer(lab.companion.sipAddresses.get("TCP")!);
  const statuses: (number | undefined)[] = [];

  for (const [peer, transport] of [[udp, "UDP"], [tcp, "TCP"]] as const) {
    for (
      const type of ["text/plain;charset=ISO-8859-1", "text/plain", "text/plain; charset=x-none"]
    ) {
      send(peer, transport, type, `Grüße per ${transport}`);
      statuses.push((await peer.next()).status);
    }
  }
  await tcp.close();

  assert.deepEqual(statuses, [202, 202, 415, 202, 202, 415]);
  const texts = ["UDP", "UDP", "TCP", "TCP"].map((transport) => `Grüße per ${transport}`);
  assert.deepEqual(lab.service.trunks.messages.map(({ body }) => body), texts);
});

sipTest(
  "onMessage() takes texts in ISO-8859-1 behind line ends, whole, over UDP and TCP",
  async () => {
    await using lab = await startTrunkLab({ trustedSources: ["127.0.0.0/8"] });
    lab.service.trunks.number = () => ({ accountSid, numberSid, dialled, allowed: true });
    await using udp = await openTrunk(udpOf(lab));
    const tcp = await connectPeer(lab.companion.sipAddresses.get("TCP")!);
    const statuses: (number | undefined)[] = [];
    const texts: string[] = [];

    for (const [peer, transport] of [[udp, "UDP"], [tcp, "TCP"]] as const) {
      // One pair is no ping (RFC 5626 §3.5.1), which would be answered on a stream.
      for (const before of ["\r\n", ...transport === "UDP" ? ["\r\n\r\n"] : []]) {
        const text = `Grüße, ça va à ${transport}? \r\n\r\n${texts.length}`;
        send(peer, transport, "text/plain;charset=ISO-8859-1", text, before);
        statuses.push((await peer.next()).status);
        texts.push(text);
      }
    }
    await tcp.close();

    assert.deepEqual(statuses, texts.map(() => 202));
    assert.deepEqual(lab.service.trunks.messages.map(({ body }) => body), texts);
  },
);

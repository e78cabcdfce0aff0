import assert from "node:assert/strict";
import type { MediaRelay } from "../../sip/leg/media_relay.ts";
import { encodeG711 } from "../../sip/media/g711.ts";
import { mediaEngine } from "../../sip/media/engine.ts";
import { rtpTransport } from "../../sip/media/plain_rtp.ts";
import { systemClock } from "../../sip/media/ticker.ts";
import {
  isSound,
  plainOffer,
  type PlainSocket,
  plainSocket,
  portOf,
  soundOf,
} from "../support/plain_peer.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../support/sip_lab.ts";
import { openUdpPeer, type PeerRequest, peerRequest, peerResponse } from "../support/sip_peer.ts";
import { type SipText, uriIn, valueOf } from "../support/sip_text.ts";
import { authorization } from "../support/softphone_line.ts";
import { eventually } from "../support/system.ts";
import { amplitudeOf, tone } from "../support/tone.ts";

/** A phone on UDP, registered. */
async function phoneOf(lab: SipLab, login: string) {
  const peer = await openUdpPeer(lab.companion.sipAddresses.get("UDP")!);
  const from = `<sip:${login}@sip.test>;tag=${login}`;
  const ask = (method: string, wanted: PeerRequest) =>
    peer.send(peerRequest(method, "UDP", peer.port, { from, ...wanted }));
  const final = async () => {
    for (;;) {
      const response = await peer.next();
      if ((response.status ?? 0) >= 200) return response;
    }
  };
  const proof = (challenged: SipText, method: string, uri: string) => [
    authorization({ login, password: `${login}-secret` }, { challenged, method, uri }),
  ];
  const wanted = { callId: `register-${login}`, to: `<sip:${login}@sip.test>` };
  ask("REGISTER", wanted);
  const headers = proof(await final(), "REGISTER", "sip:sip.test");
  ask("REGISTER", { ...wanted, cseq: 2, headers });
  assert.equal((await final()).status, 200);
  return { peer, ask, final, proof };
}

function startLab(mediaRelay: MediaRelay): Promise<SipLab> {
  const ports = { first: 0, last: 0 };
  const place = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports, now: systemClock.now };
  return startSipLab({
    engine: mediaEngine({ transports: [rtpTransport(place)], log: () => {} }),
    transports: { ports: { UDP: 0 }, publicHost: "127.0.0.1" },
    trustedProxies: ["127.0.0.1"],
    mediaRelay,
  });
}

/** Calls of Clients ring bob. */
function ringBob({ service }: SipLab): void {
  service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 30, timeLimitS: 60 }]
      : [];
}

type UdpPhone = Awaited<ReturnType<typeof phoneOf>>;

/** Calls bob with an offer, answering the challenge. */
async function callBob(alice: UdpPhone, offer: string): Promise<{ callId: string }> {
  const target = "sip:bob@sip.test";
  const call = { callId: crypto.randomUUID(), target, sdp: offer };
  alice.ask("INVITE", call);
  const challenged = await alice.final();
  alice.ask("ACK", { ...call, sdp: "", to: valueOf(challenged, "to") });
  alice.ask("INVITE", { ...call, cseq: 2, headers: alice.proof(challenged, "INVITE", target) });
  return call;
}

/** Alice calls bob; the SDP that each of them is given. */
async function calling(relay: MediaRelay, offer: string, answer: string) {
  const lab = await startLab(relay);
  ringBob(lab);
  const [alice, bob] = [await phoneOf(lab, "alice"), await phoneOf(lab, "bob")];
  const { callId } = await callBob(alice, offer);

  const ringing = await bob.peer.next();
  const contact = `Contact: <sip:bob@127.0.0.1:${bob.peer.port}>`;
  bob.peer.send(peerResponse(ringing, 200, { headers: [contact], sdp: answer }));
  const answered = await alice.final();
  assert.equal(answered.status, 200);
  const inside = {
    callId,
    to: valueOf(answered, "to"),
    target: uriIn(valueOf(answered, "contact")),
  };
  alice.ask("ACK", { ...inside, cseq: 2 });
  return {
    toBob: ringing.body,
    toAlice: answered.body,
    async close() {
      alice.ask("BYE", { ...inside, cseq: 3 });
      let request = await bob.peer.next();
      while (request.method !== "BYE") request = await bob.peer.next();
      bob.peer.send(peerResponse(request, 200));
      await lab[Symbol.asyncDispose]();
      await Promise.all([alice.peer.close(), bob.peer.close()]);
    },
  };
}

/** Says a tone to a port until the result is called. */
function speak(socket: PlainSocket, to: number, hz: number): () => void {
  const payload = encodeG711("PCMU", tone(hz, 0.2));
  let at = 0;
  const timer = setInterval(() => {
    socket.send(to, { payload: payload.slice(at, at + 160) });
    at = (at + 160) % payload.length;
  }, 20);
  return () => clearInterval(timer);
}

const untilHears = (socket: PlainSocket, hz: number) =>
  eventually(
    `${hz} Hz`,
    async () => amplitudeOf(hz, soundOf("PCMU", await socket.next(10, isSound))) > 6_000,
  );

for (
  const [relay, address] of [["auto", "127.0.0.9"], ["always", "127.0.0.1"]] as const
) {
  sipTest(
    `MEDIA_RELAY=${relay} lets two phones hear each other, one saying ${address}`,
    async () => {
      const [alice, bob] = [await plainSocket(1), await plainSocket(2)];
      const call = await calling(relay, plainOffer(alice.port, { address }), plainOffer(bob.port));
      const stops = [
        speak(alice, portOf(call.toAlice), 900),
        speak(bob, portOf(call.toBob), 1_500),
      ];
      try {
        assert.notEqual(portOf(call.toBob), alice.port);
        await Promise.all([untilHears(bob, 900), untilHears(alice, 1_500)]);
      } finally {
        for (const stop of stops) stop();
        await call.close();
        await Promise.all([alice.close(), bob.close()]);
      }
    },
  );
}

for (
  const [relay, address] of [["auto", "127.0.0.1"], ["never", "127.0.0.9"]] as const
) {
  sipTest(`MEDIA_RELAY=${relay} leaves phones alone, one saying ${address}`, async () => {
    const [offer, answer] = [plainOffer(4_000, { address }), plainOffer(4_002)];
    const call = await calling(relay, offer, answer);
    await call.close();
    assert.deepEqual([call.toBob, call.toAlice], [offer, answer]);
  });
}

const key = "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz";
const securedOffer = plainOffer(4_000).replace("RTP/AVP", "RTP/SAVP") +
  `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}\r\n`;

sipTest("MEDIA_RELAY=never hands SDES keys to no phone on UDP", async () => {
  const call = await calling("never", securedOffer, plainOffer(4_002));
  await call.close();
  assert.ok(!call.toBob.includes(key), call.toBob);
  assert.match(call.toBob, /^m=audio \d+ RTP\/AVP /m);
});

for (
  const [name, headers, isSecured] of [
    ["hands SDES keys to no phone on plain WebSocket", {}, false],
    [
      "hands SDES keys to no phone whose proxy says http",
      { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "http" },
      false,
    ],
    [
      "passes SDES keys to a phone whose TLS a trusted proxy ended",
      { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https" },
      true,
    ],
  ] as const
) {
  sipTest(`MEDIA_RELAY=never ${name}`, async () => {
    await using lab = await startLab("never");
    const [alice, bob] = [await phoneOf(lab, "alice"), await lab.phone("bob", { headers })];
    lab.service.answer = ({ event }) =>
      event.type === "incoming" ? [{ type: "reject", status: 486 }] : [];
    // By this the companion learns that it is no browser.
    await bob.call("anything", { sdp: plainOffer(4_002) }).final;
    ringBob(lab);
    await callBob(alice, securedOffer);
    const call = await bob.nextCall();

    assert.equal(call.invite.body.includes(key), isSecured, call.invite.body);
    call.decline(486);
    await alice.peer.close();
  });
}

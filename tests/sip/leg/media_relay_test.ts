import assert from "node:assert/strict";
import type { MediaRelay } from "../../../sip/contracts/signalling.ts";
import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import { baresipTest, startBaresip } from "../../support/sip/baresip.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import {
  isSound,
  plainOffer,
  type PlainSocket,
  plainSocket,
  portOf,
  soundOf,
} from "../../support/sip/plain_peer.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import {
  openUdpPeer,
  type PeerRequest,
  peerRequest,
  peerResponse,
} from "../../support/sip/sip_peer.ts";
import { type SipText, uriIn, valueOf } from "../../support/sip/sip_text.ts";
import { authorization } from "../../support/sip/softphone_line.ts";
import { eventually } from "../../support/process/eventually.ts";
import { amplitudeOf, tone } from "../../support/media/tone.ts";

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

/** ACK to the answer of a call; the result is BYE. */
function acknowledge(alice: UdpPhone, callId: string, answered: SipText): () => void {
  const to = valueOf(answered, "to");
  const inside = { callId, to, target: uriIn(valueOf(answered, "contact")) };
  alice.ask("ACK", { ...inside, cseq: 2 });
  return () => alice.ask("BYE", { ...inside, cseq: 3 });
}

/** The first provisional response of a call but 100 that comes after an act. */
async function earlyAt({ peer }: UdpPhone, act: () => void): Promise<SipText> {
  act();
  let response = await peer.next();
  while (response.status === 100) response = await peer.next();
  return response;
}

interface Callee {
  /** Its SDP in a 183. */
  early183?: string;
  /** Whether it refuses later offers. */
  refusesMore?: boolean;
}

/** Alice calls bob; the SDP that each of them is given, the last one where there are several. */
async function calling(
  relay: MediaRelay,
  [offer, answer]: readonly [string, string],
  { early183, refusesMore = false }: Callee = {},
) {
  const lab = await startLab(relay);
  ringBob(lab);
  const [alice, bob] = [await phoneOf(lab, "alice"), await phoneOf(lab, "bob")];
  const { callId } = await callBob(alice, offer);

  const ringing = await bob.peer.next();
  const contact = `Contact: <sip:bob@127.0.0.1:${bob.peer.port}>`;
  const accept = (invite: SipText) =>
    bob.peer.send(peerResponse(invite, 200, { headers: [contact], sdp: answer }));
  const early = early183 === undefined ? undefined : await earlyAt(alice, () => {
    bob.peer.send(peerResponse(ringing, 183, { headers: [contact], sdp: early183 }));
  });
  accept(ringing);
  const offers = [ringing.body];
  const left = (async () => {
    for (;;) {
      const request = await bob.peer.next();
      if (request.method === "BYE") return bob.peer.send(peerResponse(request, 200));
      if (request.method !== "INVITE") continue;
      offers.push(request.body);
      if (refusesMore) bob.peer.send(peerResponse(request, 488));
      else accept(request);
    }
  })();
  const answered = await alice.final();
  assert.equal(answered.status, 200);
  const hangUp = acknowledge(alice, callId, answered);
  return {
    toBob: offers.at(-1)!,
    early,
    toAlice: answered.body,
    async close() {
      hangUp();
      await left;
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

const elsewhere = "127.0.0.9";
const here = "127.0.0.1";

for (
  const [relay, caller, callee] of [
    ["auto", elsewhere, here],
    ["auto", here, elsewhere],
    ["always", here, here],
  ] as const
) {
  sipTest(
    `MEDIA_RELAY=${relay} lets phones hear each other, offering ${caller}, answering ${callee}`,
    async () => {
      const [alice, bob] = [await plainSocket(1), await plainSocket(2)];
      const call = await calling(relay, [
        plainOffer(alice.port, { address: caller }),
        plainOffer(bob.port, { address: callee }),
      ]);
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

for (const [relay, address] of [["auto", here], ["never", elsewhere]] as const) {
  sipTest(`MEDIA_RELAY=${relay} leaves phones alone, both saying ${address}`, async () => {
    const [offer, answer] = [plainOffer(4_000, { address }), plainOffer(4_002, { address })];
    const call = await calling(relay, [offer, answer]);
    await call.close();
    assert.deepEqual([call.toBob, call.toAlice], [offer, answer]);
  });
}

baresipTest("MEDIA_RELAY=auto lets baresip answer with the address of its network", async () => {
  await using lab = await startLab("auto");
  ringBob(lab);
  const [alice, socket] = [await phoneOf(lab, "alice"), await plainSocket(1)];
  await using bob = await startBaresip({
    login: "bob",
    domain: testDomain,
    transport: "udp",
    registrar: lab.companion.sipAddresses.get("UDP")!,
    saysHz: 900,
  });
  await lab.service.told(({ came }) => came.includes("bob"));

  const { callId } = await callBob(alice, plainOffer(socket.port));
  const answered = await alice.final();
  const hangUp = acknowledge(alice, callId, answered);
  const stop = speak(socket, portOf(answered.body), 1_500);
  try {
    await Promise.all([bob.untilHears(1_500), untilHears(socket, 900)]);
  } finally {
    stop();
  }

  // Of several, the first network is baresip's, from which it does not signal here.
  assert.match(answered.body, /^c=IN IP4 127\.0\.0\.1\r$/m);
  hangUp();
  await alice.final();
  await bob.stop();
  await Promise.all([alice.peer.close(), socket.close()]);
});

sipTest("MEDIA_RELAY=auto passes no early SDP of another address on", async () => {
  const answer = plainOffer(4_002, { address: elsewhere });
  const call = await calling("auto", [plainOffer(4_000), answer], { early183: answer });
  await call.close();
  assert.deepEqual([call.early?.status, call.early?.body], [180, ""]);
  assert.notEqual(call.toAlice, answer);
});

sipTest("MEDIA_RELAY=auto leaves a callee alone that takes no media of ours", async () => {
  const answer = plainOffer(4_002, { address: elsewhere });
  const call = await calling("auto", [plainOffer(4_000), answer], { refusesMore: true });
  await call.close();
  assert.equal(call.toAlice, answer);
});

const key = "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz";
const securedOffer = plainOffer(4_000).replace("RTP/AVP", "RTP/SAVP") +
  `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}\r\n`;

sipTest("MEDIA_RELAY=never hands SDES keys to no phone on UDP", async () => {
  const call = await calling("never", [securedOffer, plainOffer(4_002)]);
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

import assert from "node:assert/strict";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { ofKind, parseSdp } from "../../../../sip/media/sdp/parse_sdp.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import type { MediaEngine, MediaLeg, Secure } from "../../../../sip/media/base/port.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import { writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import { keysOf, readCrypto } from "../../../../sip/media/sdp/sdes.ts";
import { type Suite, suites } from "../../../../sip/media/srtp/crypto_suites.ts";
import { type Srtp, srtpReceiver, srtpSender } from "../../../../sip/media/srtp/srtp.ts";
import { plainOffer, plainSocket } from "../../../support/sip/plain_peer.ts";
import { eventually } from "../../../support/process/eventually.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

const newEngine = () =>
  mediaEngine({
    transports: [rtpTransport({
      bindAddress: "127.0.0.1",
      host: "127.0.0.1",
      ports: { first: 0, last: 0 },
      now: systemClock.now,
    })],
    log: () => {},
  });

/** Resolves when a leg hears a tone that the other plays. */
async function hears(leg: MediaLeg, other: MediaLeg, hz: number): Promise<void> {
  const ending = new AbortController();
  void other.play(tone(hz, 0.2), { loop: 0, signal: ending.signal });
  let level = 0;
  const stop = leg.listen((frame) => level = amplitudeOf(hz, frame));
  await eventually(() => `${hz} Hz, but ${level}`, () => Promise.resolve(level > 6_000));
  stop();
  ending.abort();
}

function securedTest(name: string, body: (engine: MediaEngine) => Promise<void>): void {
  Deno.test({
    name,
    timeout: 30_000,
    async fn() {
      const engine = newEngine();
      try {
        await body(engine);
      } finally {
        await engine.close();
      }
    },
  });
}

const fingerprint = /a=(?:setup|fingerprint):.*\r\n/g;
const keys = /a=crypto:.*\r\n/g;

/** What we offer, what the peer leaves unread of it, and what it answers. */
const ways: { name: string; secure: Secure; unread: RegExp; profile: string; answers: RegExp }[] = [
  {
    name: "keys",
    secure: "either",
    unread: fingerprint,
    profile: "RTP/SAVP",
    answers: /^a=crypto:1 AES_CM_128_HMAC_SHA1_80 /m,
  },
  {
    name: "DTLS under the profile of keys",
    secure: "either",
    unread: keys,
    profile: "RTP/SAVP",
    answers: /^a=setup:passive\r\na=fingerprint:/m,
  },
  {
    name: "DTLS",
    secure: "dtls",
    unread: keys,
    profile: "UDP/TLS/RTP/SAVP",
    answers: /^a=setup:passive\r\na=fingerprint:/m,
  },
];

for (const { name, secure, unread, profile, answers } of ways) {
  securedTest(`offer() and answer() secure audio by ${name}, without ICE`, async (engine) => {
    const [caller, other] = [await engine.offer("rtp", { secure }), newEngine()];
    const callee = await other.answer(caller.localSdp.replace(unread, ""));
    await caller.accept(callee.localSdp);
    await Promise.all([caller.connected, callee.connected]);

    assert.match(callee.localSdp, answers);
    assert.equal(callee.localSdp.search(unread), -1);
    for (const { localSdp } of [caller, callee]) {
      assert.equal(parseSdp(localSdp).protocol, profile);
      assert.doesNotMatch(localSdp, /ice-ufrag/);
    }
    await hears(callee, caller, 1_000);
    await hears(caller, callee, 1_200);

    for (const isHolding of [true, false]) {
      const offer = (await caller.reoffer(isHolding)).replace(unread, "");
      await caller.reaccept(await callee.reanswer(offer));
    }
    await hears(callee, caller, 900);
    await hears(caller, callee, 1_100);
    await other.close();
  });
}

securedTest("answer() takes the shorter tag of SDES, and the phone's one port", async (engine) => {
  const caller = await engine.offer("rtp", { secure: "either" });
  const offer = caller.localSdp.replace(/a=crypto:1 .*\r\n/, "");
  const other = newEngine();
  const callee = await other.answer(offer);
  await caller.accept(callee.localSdp);

  assert.match(callee.localSdp, /^a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:[\w+/]{40}\r$/m);
  await hears(callee, caller, 1_000);
  await hears(caller, callee, 1_200);
  await other.close();
});

securedTest("answer() refuses SDES that it cannot follow, and says why", async (engine) => {
  const { localSdp } = await engine.offer("rtp", { secure: "either" });
  const key = "A".repeat(40);
  const bad = [
    `1 AES_256_CM_HMAC_SHA1_80 inline:${key}`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:0`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:129`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|256:1`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|x:1`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|1:1|2^20`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key};inline:${key}`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|1:1;inline:${key}`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|1:1;inline:${key}|1:1`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|1:1;inline:${key}|2:2`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|1:1;`,
    `1 AES_CM_128_HMAC_SHA1_80 ${
      Array.from({ length: 17 }, (_, i) => `inline:${key}|${i}:1`).join(";")
    }`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key} UNENCRYPTED_SRTP`,
    `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^5`,
    "1 AES_CM_128_HMAC_SHA1_80 inline:short",
  ];
  for (const crypto of bad) {
    const offer = localSdp.replace(keys, "").replace(fingerprint, "")
      .replace("a=ptime", `a=crypto:${crypto}\r\na=ptime`);
    await assert.rejects(engine.answer(offer), /it has no usable crypto/, crypto);
  }
});

/** A peer of SRTP whose packets name their key, in front of a leg that answered it. */
async function namingPeer(engine: MediaEngine, suite: Suite, keyParams: string) {
  const socket = await plainSocket();
  const lines = [`a=crypto:1 ${suite} ${keyParams}`];
  const offer = plainOffer(socket.port, { formats: "0 101", lines }).replace("RTP/AVP", "RTP/SAVP");
  const leg = await engine.answer(offer);
  const { security, port } = ofKind("rtp", parseSdp(leg.localSdp)).audio;
  assert.ok(security?.kind === "sdes");
  const heard: string[] = [];
  leg.onDigits((digit) => heard.push(digit));
  let sequence = 0;
  return {
    leg,
    heard,
    socket,
    ours: security.crypto[0]!,
    /** Presses a key, protected by one of the peer's keys. */
    press(code: number, protect: Srtp["protect"]) {
      const payload = Uint8Array.of(code, 0x8a, 0, 160);
      const packet = { payloadType: 101, marker: true, ssrc: 7, payload };
      const plain = writeRtp({ ...packet, sequence: ++sequence, timestamp: 16_000 * sequence });
      socket.sendBytes(port, protect(plain)!);
    },
  };
}

const keyOf = (fill: string) => `inline:${fill.repeat(40)}`;

for (const suite of ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"] as const) {
  const identifiers = [["1:1", "01"], ["258:4", "00000102"], [
    "7:128",
    `${"00".repeat(127)}07`,
  ]] as const;
  for (const [mki, bytes] of identifiers) {
    securedTest(`${suite} with the identifier ${mki} is in packets both ways`, async (engine) => {
      const peer = await namingPeer(engine, suite, `${keyOf("A")}|2^31|${mki}`);
      const [line] = readCrypto([`1 ${suite} ${keyOf("A")}|${mki}`]);

      assert.match(
        peer.leg.localSdp,
        new RegExp(`^a=crypto:1 ${suite} inline:[\\w+/]{40}\\|2\\^31\\|${mki}\\r$`, "m"),
      );
      peer.press(5, srtpSender(keysOf(line!)[0], suites[suite]));
      await eventually("the digit", () => Promise.resolve(peer.heard.join("") === "5"));
      const sent = await peer.socket.nextBytes((packet) => (packet[1]! & 0x7f) === 0);
      const tagBytes = suites[suite];
      assert.equal(sent.slice(sent.length - tagBytes - bytes.length / 2, -tagBytes).toHex(), bytes);
      assert.equal(srtpReceiver(keysOf(peer.ours), tagBytes)(sent)?.length, 12 + 160);
      await peer.socket.close();
    });
  }
}

securedTest("answer() takes packets by each of several keys, and by no other", async (engine) => {
  const suite = "AES_CM_128_HMAC_SHA1_80";
  const params = `${keyOf("A")}|2^20|1:2;${keyOf("B")}|2^20|2:2`;
  const peer = await namingPeer(engine, suite, params);
  const [line] = readCrypto([`1 ${suite} ${params}`]);
  const [one, other] = keysOf(line!).map((each) => srtpSender(each));
  const { mki: _, ...unnamed } = keysOf(line!)[0];

  peer.press(1, one!);
  peer.press(9, srtpSender({ ...unnamed, mki: Uint8Array.of(0, 3) }));
  peer.press(8, srtpSender(unnamed));
  peer.press(2, other!);
  peer.press(3, one!);
  await eventually("three digits", () => Promise.resolve(peer.heard.length >= 3));

  assert.equal(peer.heard.join(""), "123");
  assert.match(peer.leg.localSdp, /^a=crypto:1 \w+ inline:[\w+/]{40}\|2\^31\|1:2\r$/m);
  await peer.socket.close();
});

securedTest("accept() refuses crypto that was not offered", async (engine) => {
  const leg = await engine.offer("rtp", { secure: "either" });
  const other = newEngine();
  const { localSdp } = await other.answer(leg.localSdp);
  await assert.rejects(leg.accept(localSdp.replace("a=crypto:1", "a=crypto:3")), /none of those/);
  await other.close();
});

securedTest("a secured leg hears nothing that is sent in the clear", async (engine) => {
  const caller = await engine.offer("rtp", { secure: "either" });
  const other = newEngine();
  const callee = await other.answer(caller.localSdp);
  await caller.accept(callee.localSdp);
  await hears(callee, caller, 1_000);

  const attacker = await plainSocket();
  const digits: string[] = [];
  callee.onDigits((digit) => digits.push(digit));
  const to = ofKind("rtp", parseSdp(callee.localSdp)).audio.port;
  const press = { payloadType: 101, payload: Uint8Array.of(5, 0x8a, 0, 160) };
  for (let i = 0; i < 5; i++) attacker.send(to, press);
  await caller.sendDigits("7", AbortSignal.timeout(5_000));
  await eventually("the digit of the peer", () => Promise.resolve(digits.includes("7")));
  assert.deepEqual(digits, ["7"]);
  await Promise.all([attacker.close(), other.close()]);
});

securedTest("a leg of DTLS refuses a peer with another fingerprint", async (engine) => {
  const caller = await engine.offer("rtp", { secure: "dtls" });
  const other = newEngine();
  const callee = await other.answer(caller.localSdp);
  const forged = callee.localSdp.replace(/(fingerprint:sha-256 )..:../, "$1AA:BB");
  await caller.accept(forged);
  assert.match(await caller.lost, /fingerprint/i);
  await other.close();
});

securedTest("a leg that offers keys and DTLS follows whichever answers last", async (engine) => {
  const caller = await engine.offer("rtp", { secure: "either" });
  const [early, late] = [newEngine(), newEngine()];
  const ringing = await early.answer(caller.localSdp.replace(keys, ""));
  await caller.accept(ringing.localSdp, true);
  await ringing.connected;

  const callee = await late.answer(caller.localSdp.replace(fingerprint, ""));
  await caller.accept(callee.localSdp);

  await hears(callee, caller, 1_000);
  await hears(caller, callee, 1_200);
  await Promise.all([early.close(), late.close()]);
});

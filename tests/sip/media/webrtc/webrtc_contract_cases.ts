import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import { ofKind, parseSdp } from "../../../../sip/media/sdp/parse_sdp.ts";
import {
  type MediaEngine,
  type MediaLeg,
  NoCommonCodec,
  type Pcm,
} from "../../../../sip/media/base/port.ts";
import type { Encoding, Formats } from "../../../../sip/media/sdp/sdp.ts";
import type { Clock } from "../../../../sip/media/base/ticker.ts";
import {
  answerRtpPeer,
  connectRtpPeer,
  isMulawSound,
  type RtpPeer,
  speak,
} from "../../../support/media/rtp_peer.ts";
import { handClock } from "../../../support/process/hand_clock.ts";
import { connectPlainPeer, isSound, loudnessOf } from "../../../support/sip/plain_peer.ts";
import { BROWSER_OFFER } from "../../../support/media/sdp_samples.ts";
import { followed } from "../../../support/media/steered_engine.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { webrtcKinds } from "../../../support/media/webrtc_engines.ts";

/** What is true of WebRTC legs, whoever does ICE, DTLS and SRTP for them. */

const MULAW = new Map<Encoding, number>([["PCMU", 0], ["telephone-event", 101]]);
const ALAW = new Map<Encoding, number>([["PCMA", 8], ["telephone-event", 96]]);
const { signal } = new AbortController();

const ufragOf = (sdp: string) => ofKind("webrtc", parseSdp(sdp)).audio.ufrag;

const withOtherFingerprint = (sdp: string) =>
  sdp.replace(
    /(a=fingerprint:sha-256 )(..)/,
    (_, name, byte) => name + (byte === "00" ? "01" : "00"),
  );

/** A peer of a leg of the engine: it called, or was called. */
interface Peers {
  /** An engine whose legs may be peers too. */
  other: MediaEngine;
  calling(formats: Formats): Promise<RtpPeer>;
  called(): Promise<RtpPeer>;
}

/**
 * Tests of an engine, one for each way in which WebRTC is done. What they open is closed in the end,
 * and they fail, not hang, when something they wait for never happens.
 */
function engineTest(
  name: string,
  body: (engine: MediaEngine, peers: Peers) => Promise<void>,
  options: { clock?: Clock } = {},
): void {
  for (const kind of webrtcKinds) {
    Deno.test({
      name: `${name}: ${kind.name}`,
      timeout: 90_000,
      async fn() {
        const { engine, other, close } = await kind.open(options);
        const peers: RtpPeer[] = [];
        const kept = async (opening: Promise<RtpPeer>) => {
          const peer = await opening;
          peers.push(peer);
          return peer;
        };
        try {
          await body(engine, {
            other,
            calling: (formats) => kept(connectRtpPeer(engine, formats)),
            called: () => kept(answerRtpPeer(engine)),
          });
        } finally {
          await Promise.all([close(), ...peers.map((peer) => peer.close())]);
        }
      },
    });
  }
}

/** Two legs that are each other's peers. */
async function connectLegs(engine: MediaEngine, { other }: Peers) {
  const caller = await engine.offer();
  const callee = await other.answer(caller.localSdp);
  await caller.accept(callee.localSdp);
  await Promise.all([caller.connected, callee.connected]);
  return { caller, callee };
}

/** Presses a digit: three packets, the last one thrice (RFC 4733 §2.5.1.4). */
function press(peer: RtpPeer, code: number, { payloadType, at }: Record<string, number>): void {
  for (let i = 0; i < 5; i++) {
    const duration = Math.min(i + 1, 3) * 160;
    const flags = i >= 2 ? 0x8a : 0x0a;
    peer.send({
      payloadType: payloadType!,
      marker: i === 0,
      sequence: at! + i,
      timestamp: at! * 160,
      payload: Uint8Array.of(code, flags, duration >> 8, duration & 0xff),
    });
  }
}

/** Says a tone for 0.2 s, in PCMU. */
function say(peer: RtpPeer, hz: number): void {
  const pcm = tone(hz, 0.2);
  for (let i = 0; i < 10; i++) {
    const payload = encodeG711("PCMU", pcm.slice(i * 160, (i + 1) * 160));
    const at = { sequence: i, timestamp: i * 160, marker: false };
    peer.send({ payloadType: 0, payload, ...at });
  }
}

/** Resolves when the leg has heard a tone for 0.1 s. */
const hears = (leg: MediaLeg, hz: number): Promise<void> =>
  frames(leg, 5, (frame) => Math.abs(amplitudeOf(hz, frame) - 8_000) < 2_000);

/** Resolves when the leg has heard so many frames of a kind, silence too unless told. */
async function frames(leg: MediaLeg, count: number, isMeant = (_: Pcm) => true): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let heard = 0;
  const stop = leg.listen((frame) => {
    if (isMeant(frame) && ++heard === count) resolve();
  });
  await promise;
  stop();
}

/** Resolves with so many digits that a leg takes. */
function digitsOf(leg: MediaLeg, count: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let digits = "";
  leg.onDigits((digit) => (digits += digit).length === count && resolve(digits));
  return promise;
}

engineTest("mediaEngine() connects its own offer with its own answer", async (engine, peers) => {
  const { caller, callee } = await connectLegs(engine, peers);

  const offer = ofKind("webrtc", parseSdp(caller.localSdp)).audio;
  const answer = ofKind("webrtc", parseSdp(callee.localSdp)).audio;
  assert.deepEqual([...offer.formats], [["PCMU", 0], ["PCMA", 8], ["telephone-event", 101]]);
  assert.equal(offer.setup, "actpass");
  assert.equal(answer.setup, "active");
  assert.equal(answer.mid, offer.mid);
  for (const { candidates } of [offer, answer]) {
    const addresses = candidates.map((each) => each.split(" ")[4]);
    // The loopback address first; beside it at most those of this machine's own interfaces.
    const own = new Set(Deno.networkInterfaces().map(({ address }) => address));
    assert.equal(addresses[0], "127.0.0.1");
    assert.deepEqual(addresses.filter((address) => !own.has(address!)), []);
  }
});

engineTest(
  "listen() hears what the peer plays, and onDigits() what it sends",
  async (engine, peers) => {
    const { caller, callee } = await connectLegs(engine, peers);
    const frames: Pcm[] = [];
    const heard = Promise.withResolvers<void>();
    const isLoud = (frame: Pcm) => amplitudeOf(1_000, frame) > 4_000;
    caller.listen((frame) => {
      if (isLoud(frame) && frames.push(frame.slice()) === 25) heard.resolve();
    });
    const stop = new AbortController();
    const playing = callee.play(tone(1_000, 1), { loop: 0, signal: stop.signal });
    await heard.promise;
    stop.abort();
    await playing;
    const levels = frames.map((frame) => amplitudeOf(1_000, frame)).toSorted((a, b) => a - b);
    assert.ok(Math.abs(levels[12]! - 8_000) < 400, `${levels}`);

    const pressed = digitsOf(caller, 4);
    await callee.sendDigits("17#D", signal);
    assert.equal(await pressed, "17#D");
  },
);

for (const direction of ["answer", "offer"] as const) {
  engineTest(`${direction}() connects a peer: sound and digits both ways`, async (_, peers) => {
    const peer = await (direction === "answer" ? peers.calling(MULAW) : peers.called());

    const arriving = peer.next(15, isMulawSound);
    const playing = peer.leg.play(tone(1_000, 0.6), { loop: 1, signal });
    assert.ok(Math.abs(loudnessOf(1_000, "PCMU", await arriving) - 8_000) < 400);
    await playing;
    const events = peer.next(2, ({ payloadType, marker }) => payloadType === 101 && marker);
    await peer.leg.sendDigits("9*", signal);
    assert.deepEqual((await events).map(({ payload }) => payload[0]), [9, 10]);

    const heard = hears(peer.leg, 610);
    await followed(peer.leg);
    const silence = speak(peer, 610);
    await heard;
    const said = silence();
    const pressed = digitsOf(peer.leg, 2);
    press(peer, 4, { payloadType: 101, at: said + 30 });
    press(peer, 11, { payloadType: 101, at: said + 40 });
    assert.equal(await pressed, "4#");
  });
}

engineTest(
  "join() carries sound and digits between two peers with different codecs",
  async (_, { calling }) => {
    const [one, other] = [await calling(ALAW), await calling(MULAW)];
    const digits: string[] = [];
    const pressed = Promise.withResolvers<void>();
    one.leg.onDigits((digit) => digits.push(digit) === 2 && pressed.resolve());
    one.leg.join(other.leg);
    await followed(one.leg);

    const pcm = tone(1_010, 0.2);
    const arriving = other.next(7, isMulawSound);
    for (let i = 0; i < 10; i++) {
      const payload = encodeG711("PCMA", pcm.slice(i * 160, (i + 1) * 160));
      const at = { sequence: i, timestamp: i * 160, marker: false };
      one.send({ payloadType: 8, payload, ...at });
    }
    assert.ok(Math.abs(loudnessOf(1_010, "PCMU", await arriving) - 8_000) < 400);

    const events = other.next(10, ({ payloadType }) => payloadType === 101);
    press(one, 1, { payloadType: 96, at: 10 });
    press(one, 11, { payloadType: 96, at: 20 });
    await pressed.promise;
    assert.deepEqual(digits, ["1", "#"]);
    const codes = (await events).map(({ payloadType, payload }) => [payloadType, payload[0]]);
    assert.deepEqual(codes, [...Array(5).fill([101, 1]), ...Array(5).fill([101, 11])]);
  },
);

engineTest("join() carries sound and digits between a browser and a trunk", async (
  engine,
  { calling },
) => {
  const browser = await calling(MULAW);
  const trunk = await connectPlainPeer(engine, "PCMA");
  browser.leg.join(trunk.leg);
  await followed(browser.leg);

  const toBrowser = browser.next(7, isMulawSound);
  trunk.sendTone(1_010);
  assert.ok(Math.abs(loudnessOf(1_010, "PCMU", await toBrowser) - 8_000) < 400);

  const toTrunk = trunk.next(7, isSound);
  say(browser, 610);
  assert.ok(Math.abs(loudnessOf(610, "PCMA", await toTrunk) - 8_000) < 400);

  const events = trunk.next(5, ({ payloadType }) => payloadType === 101);
  press(browser, 7, { payloadType: 101, at: 20 });
  assert.deepEqual((await events).map(({ payload }) => payload[0]), Array(5).fill(7));
  const heard = digitsOf(trunk.leg, 1);
  const back = browser.next(1, ({ payloadType }) => payloadType === 101);
  trunk.send(trunk.to, { payloadType: 101, payload: Uint8Array.of(3, 0x8a, 0, 160) });
  assert.equal(await heard, "3");
  assert.equal((await back)[0]!.payload[0], 3);
  await trunk.close();
});

const reportClock = handClock();

engineTest("a WebRTC leg reports over SRTCP, and says BYE", async (_, { calling }) => {
  const peer = await calling(MULAW);

  const reported = peer.nextReport();
  // In steps, or the frames of all the time would go out at once and some be dropped.
  for (let passed = 0; passed < 8_000; passed += 100) {
    reportClock.advance(100);
    await new Promise((next) => setTimeout(next));
  }
  const report = await reported;
  const bye = peer.nextReport(({ bye }) => bye);
  peer.leg.close();

  assert.match(peer.leg.localSdp, new RegExp(`^a=ssrc:${report.ssrc} `, "m"));
  assert.notEqual(report.ntpMiddle, undefined);
  assert.equal((await bye).ssrc, report.ssrc);
}, { clock: reportClock });

for (const direction of ["answer", "offer"] as const) {
  engineTest(`reanswer() holds and resumes, after ${direction}()`, async (_, peers) => {
    const { leg, ...peer } = await (direction === "answer" ? peers.calling(MULAW) : peers.called());
    const stop = new AbortController();
    const playing = leg.play(tone(1_000, 1), { loop: 0, signal: stop.signal });
    await peer.next(5, isMulawSound);

    const hold = await leg.reanswer(peer.offer("sendonly"));
    assert.match(hold, /^a=recvonly\r$/m);
    assert.equal(ufragOf(hold), ufragOf(leg.localSdp));
    const heard = hears(leg, 610);
    await followed(leg);
    const silence = speak(peer, 610);
    let packets = 0;
    void peer.next(1_000, (packet) => isMulawSound(packet) && ++packets < 0);
    await heard;
    silence();
    // What was under way when the leg was held comes first.
    for (let before = -1; packets !== before; await frames(leg, 10)) before = packets;

    const resumed = await leg.reanswer(peer.offer("sendrecv"));
    assert.match(resumed, /^a=sendrecv\r$/m);
    await peer.next(5, isMulawSound);
    stop.abort();
    await playing;
    await assert.rejects(leg.reanswer(BROWSER_OFFER), /new fingerprint/);
  });
}

for (const direction of ["answer", "offer"] as const) {
  engineTest(`reoffer() holds a peer and lets it go, after ${direction}()`, async (_, peers) => {
    const { leg, ...peer } = await (direction === "answer" ? peers.calling(MULAW) : peers.called());
    const stop = new AbortController();
    const playing = leg.play(tone(1_000, 1), { loop: 0, signal: stop.signal });
    await peer.next(5, isMulawSound);

    const held = await leg.reoffer(true);
    await leg.reaccept(peer.offer("recvonly"));
    assert.match(held, /^a=sendonly\r$/m);
    assert.match(held, /^a=setup:actpass\r$/m);
    assert.equal(ufragOf(held), ufragOf(leg.localSdp));
    const [before, after] = [leg.localSdp, held].map((sdp) => parseSdp(sdp));
    assert.deepEqual([after!.id, after!.version], [before!.id, before!.version + 1]);
    await peer.next(5, isMulawSound);
    // What it offers itself lets us hold it still.
    assert.match(await leg.reanswer(peer.offer("sendrecv")), /^a=sendonly\r$/m);
    assert.match(await leg.reanswer(peer.offer("sendonly")), /^a=inactive\r$/m);
    await assert.rejects(leg.reaccept(BROWSER_OFFER), /new fingerprint/);

    assert.match(await leg.reoffer(false), /^a=sendrecv\r$/m);
    await leg.reaccept(peer.offer("sendrecv"));
    assert.match(await leg.reanswer(peer.offer("sendrecv")), /^a=sendrecv\r$/m);
    const heard = hears(leg, 610);
    await followed(leg);
    const silence = speak(peer, 610);
    await heard;
    silence();
    stop.abort();
    await playing;
  });
}

engineTest(
  "connected rejects and lost resolves when the peer's certificate is not the one it named",
  async (engine, { other }) => {
    const caller = await other.offer();
    const callee = await engine.answer(withOtherFingerprint(caller.localSdp));
    await caller.accept(callee.localSdp);

    await assert.rejects(callee.connected, /Cannot connect media: .*DTLS failed/);
    await callee.lost;
  },
);

engineTest(
  "a play of a lost leg ends when the leg is closed, not before",
  async (engine, peers) => {
    const { caller, callee } = await connectLegs(engine, peers);
    let isOver = false;
    const playing = callee.play(tone(1_000, 1), { loop: 0, signal }).then(() => isOver = true);

    caller.close();
    await callee.lost;
    await new Promise((next) => setTimeout(next));

    assert.equal(isOver, false);
    callee.close();
    await playing;
  },
);

engineTest(
  "accept() refuses an answer without a codec of ours, and a second answer",
  async (engine) => {
    const leg = await engine.offer();
    const callee = await engine.answer(leg.localSdp);
    const opusOnly = callee.localSdp.replace(/m=audio (\d+) (\S+) .*/, "m=audio $1 $2 111");

    await assert.rejects(leg.accept(opusOnly), NoCommonCodec);
    await leg.accept(callee.localSdp);
    await assert.rejects(leg.accept(callee.localSdp));
  },
);

engineTest("close() ends plays and connecting and calls nobody back", async (engine, peers) => {
  const { caller, callee } = await connectLegs(engine, peers);
  const waiting = await engine.offer();
  let lost = 0;
  for (const leg of [caller, callee, waiting]) void leg.lost.then(() => lost++);
  const playing = caller.play(tone(1_000, 1), { loop: 0, signal });
  const early = waiting.play(tone(1_000, 1), { loop: 1, signal });

  caller.close();
  caller.close();
  await engine.close();
  await engine.close();

  await Promise.all([playing, early]);
  await assert.rejects(waiting.connected, /the leg is closed/);
  await caller.play(tone(1_000, 1), { loop: 1, signal });
  await assert.rejects(engine.offer(), /the media engine is closed/);
  assert.equal(lost, 0);
});

import assert from "node:assert/strict";
import { encodeG711 } from "../../sip/media/g711.ts";
import { ofKind, parseSdp } from "../../sip/media/parse_sdp.ts";
import { rtpTransport } from "../../sip/media/plain_rtp.ts";
import { type MediaEngine, NoCommonCodec, type Pcm } from "../../sip/media/port.ts";
import type { Encoding, Formats } from "../../sip/media/sdp.ts";
import { systemClock } from "../../sip/media/ticker.ts";
import { mediaEngine } from "../../sip/media/engine.ts";
import { webrtcTransport } from "../../sip/media/peer.ts";
import { connectRtpPeer, isMulawSound, mulawSound, type RtpPeer } from "../support/rtp_peer.ts";
import { handClock } from "../support/hand_clock.ts";
import { connectPlainPeer, isSound, soundOf } from "../support/plain_peer.ts";
import { BROWSER_OFFER } from "../support/sdp_samples.ts";
import { amplitudeOf, tone } from "../support/tone.ts";

const MULAW = new Map<Encoding, number>([["PCMU", 0], ["telephone-event", 101]]);
const ALAW = new Map<Encoding, number>([["PCMA", 8], ["telephone-event", 96]]);
const { signal } = new AbortController();

const createEngine = (bindAddress = "127.0.0.1") =>
  mediaEngine({ transports: [webrtcTransport({ bindAddress })], log: () => {} });

const ufragOf = (sdp: string) => ofKind("webrtc", parseSdp(sdp)).audio.ufrag;

const withOtherFingerprint = (sdp: string) =>
  sdp.replace(
    /(a=fingerprint:sha-256 )(..)/,
    (_, name, byte) => name + (byte === "00" ? "01" : "00"),
  );

type Connect = (formats: Formats) => Promise<RtpPeer>;

/** A test that fails, not hangs, when something it waits for never happens. */
const mediaTest = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name, fn, timeout: 20_000 });

/** A test with an engine, and with peers of its legs; all of them are closed in the end. */
function engineTest(
  name: string,
  body: (engine: MediaEngine, connect: Connect) => Promise<void>,
): void {
  mediaTest(name, async () => {
    const engine = createEngine();
    const peers: RtpPeer[] = [];
    try {
      await body(engine, async (formats) => {
        const peer = await connectRtpPeer(engine, formats);
        peers.push(peer);
        return peer;
      });
    } finally {
      await Promise.all([engine.close(), ...peers.map((peer) => peer.close())]);
    }
  });
}

/** Two legs of the engine that are each other's peers. */
async function connectLegs(engine: MediaEngine) {
  const caller = await engine.offer();
  const callee = await engine.answer(caller.localSdp);
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

engineTest("mediaEngine() connects its own offer with its own answer", async (engine) => {
  const { caller, callee } = await connectLegs(engine);

  const offer = ofKind("webrtc", parseSdp(caller.localSdp)).audio;
  const answer = ofKind("webrtc", parseSdp(callee.localSdp)).audio;
  assert.deepEqual([...offer.formats], [["PCMU", 0], ["PCMA", 8], ["telephone-event", 101]]);
  assert.equal(offer.setup, "actpass");
  assert.equal(answer.setup, "active");
  assert.equal(answer.mid, offer.mid);
  // Our offer names two ports, of which one is taken in the end.
  const places = [offer, answer].map(({ candidates }) =>
    candidates.map((each) => each.split(" ")[4])
  );
  assert.deepEqual(places, [["127.0.0.1", "127.0.0.1"], ["127.0.0.1"]]);
});

engineTest("listen() hears what the peer plays, and onDigits() what it sends", async (engine) => {
  const { caller, callee } = await connectLegs(engine);
  const frames: Pcm[] = [];
  const heard = Promise.withResolvers<void>();
  const isLoud = (frame: Pcm) => amplitudeOf(1_000, frame) > 4_000;
  caller.listen((frame) => {
    if (isLoud(frame) && frames.push(frame) === 25) heard.resolve();
  });
  const stop = new AbortController();
  const playing = callee.play(tone(1_000, 1), { loop: 0, signal: stop.signal });
  await heard.promise;
  stop.abort();
  await playing;
  const levels = frames.map((frame) => amplitudeOf(1_000, frame)).toSorted((a, b) => a - b);
  assert.ok(Math.abs(levels[12]! - 8_000) < 400, `${levels}`);

  let digits = "";
  const pressed = Promise.withResolvers<void>();
  caller.onDigits((digit) => (digits += digit).length === 4 && pressed.resolve());
  await callee.sendDigits("17#D", signal);
  await pressed.promise;
  assert.equal(digits, "17#D");
});

engineTest("play() is heard by the peer, in the law it wants", async (_, connect) => {
  const peer = await connect(MULAW);

  const playing = peer.leg.play(tone(1_000, 0.4), { loop: 1, signal });
  const sound = mulawSound(await peer.next(15, isMulawSound));

  assert.ok(Math.abs(amplitudeOf(1_000, sound) - 8_000) < 400);
  await playing;
});

engineTest(
  "join() carries sound and digits between two peers with different codecs",
  async (_, connect) => {
    const [one, other] = [await connect(ALAW), await connect(MULAW)];
    const digits: string[] = [];
    const pressed = Promise.withResolvers<void>();
    one.leg.onDigits((digit) => digits.push(digit) === 2 && pressed.resolve());
    one.leg.join(other.leg);

    const pcm = tone(1_010, 0.2);
    const arriving = other.next(10, isMulawSound);
    for (let i = 0; i < 10; i++) {
      const payload = encodeG711("PCMA", pcm.slice(i * 160, (i + 1) * 160));
      const at = { sequence: i, timestamp: i * 160, marker: false };
      one.send({ payloadType: 8, payload, ...at });
    }
    const sound = mulawSound(await arriving);
    assert.ok(Math.abs(amplitudeOf(1_010, sound) - 8_000) < 400);

    const events = other.next(10, ({ payloadType }) => payloadType === 101);
    press(one, 1, { payloadType: 96, at: 10 });
    press(one, 11, { payloadType: 96, at: 20 });
    await pressed.promise;
    assert.deepEqual(digits, ["1", "#"]);
    const codes = (await events).map(({ payloadType, payload }) => [payloadType, payload[0]]);
    assert.deepEqual(codes, [...Array(5).fill([101, 1]), ...Array(5).fill([101, 11])]);
  },
);

mediaTest("join() carries sound and digits between a browser and a trunk", async () => {
  const bindAddress = "127.0.0.1";
  const ports = { first: 0, last: 0 };
  const engine = mediaEngine({
    transports: [
      webrtcTransport({ bindAddress }),
      rtpTransport({ bindAddress, host: bindAddress, ports, now: systemClock.now }),
    ],
    log: () => {},
  });
  const browser = await connectRtpPeer(engine, MULAW);
  const trunk = await connectPlainPeer(engine, "PCMA");
  browser.leg.join(trunk.leg);

  const toBrowser = browser.next(10, isMulawSound);
  trunk.sendTone(1_010);
  assert.ok(Math.abs(amplitudeOf(1_010, mulawSound(await toBrowser)) - 8_000) < 400);

  const toTrunk = trunk.next(10, isSound);
  const pcm = tone(610, 0.2);
  for (let i = 0; i < 10; i++) {
    const payload = encodeG711("PCMU", pcm.slice(i * 160, (i + 1) * 160));
    browser.send({ payloadType: 0, payload, sequence: i, timestamp: i * 160, marker: false });
  }
  assert.ok(Math.abs(amplitudeOf(610, soundOf("PCMA", await toTrunk)) - 8_000) < 400);

  const events = trunk.next(5, ({ payloadType }) => payloadType === 101);
  press(browser, 7, { payloadType: 101, at: 20 });
  assert.deepEqual((await events).map(({ payload }) => payload[0]), Array(5).fill(7));
  const heard = Promise.withResolvers<string>();
  trunk.leg.onDigits(heard.resolve);
  const back = browser.next(1, ({ payloadType }) => payloadType === 101);
  trunk.send(trunk.to, { payloadType: 101, payload: Uint8Array.of(3, 0x8a, 0, 160) });
  assert.equal(await heard.promise, "3");
  assert.equal((await back)[0]!.payload[0], 3);
  await Promise.all([engine.close(), browser.close(), trunk.close()]);
});

mediaTest("a WebRTC leg reports over SRTCP, and says BYE", async () => {
  const clock = handClock();
  const transports = [webrtcTransport({ bindAddress: "127.0.0.1" })];
  const engine = mediaEngine({ transports, log: () => {}, clock });
  const peer = await connectRtpPeer(engine, MULAW);

  const reported = peer.nextReport();
  clock.advance(8_000);
  const report = await reported;
  const bye = peer.nextReport(({ bye }) => bye);
  peer.leg.close();

  assert.match(peer.leg.localSdp, new RegExp(`^a=ssrc:${report.ssrc} `, "m"));
  assert.notEqual(report.ntpMiddle, undefined);
  assert.equal((await bye).ssrc, report.ssrc);
  await Promise.all([engine.close(), peer.close()]);
});

engineTest("join() refuses a leg of another engine", async (engine) => {
  const foreign = createEngine();
  const [one, other] = [await engine.offer(), await foreign.offer()];
  assert.throws(() => one.join(other), /different engines/);
  await foreign.close();
});

engineTest("reanswer() answers hold and keeps the leg silent, then resumes", async (engine) => {
  const caller = await engine.offer();
  const callee = await engine.answer(caller.localSdp);

  const hold = await callee.reanswer(caller.localSdp.replace("sendrecv", "sendonly"));
  const resumed = await callee.reanswer(caller.localSdp);

  assert.match(hold, /^a=recvonly\r$/m);
  assert.match(resumed, /^a=sendrecv\r$/m);
  assert.equal(ufragOf(hold), ufragOf(callee.localSdp));
  await assert.rejects(callee.reanswer(BROWSER_OFFER), /new ICE credentials, fingerprint/);
});

engineTest(
  "connected rejects and lost resolves when the peer's certificate is not the one it named",
  async (engine) => {
    const caller = await engine.offer();
    const callee = await engine.answer(withOtherFingerprint(caller.localSdp));
    await caller.accept(callee.localSdp);

    await assert.rejects(callee.connected, /Cannot connect media: ICE or DTLS failed/);
    await callee.lost;
  },
);

engineTest(
  "connected rejects and lost resolves when the answer names another certificate",
  async (engine) => {
    const caller = await engine.offer();
    const callee = await engine.answer(caller.localSdp);
    await caller.accept(withOtherFingerprint(callee.localSdp));

    await assert.rejects(caller.connected, /Cannot connect media: ICE or DTLS failed/);
    await caller.lost;
  },
);

engineTest(
  "accept() refuses an answer without a codec of ours, and a second answer",
  async (engine) => {
    const leg = await engine.offer();
    const callee = await engine.answer(leg.localSdp);
    const opusOnly = callee.localSdp.replace(/m=audio (\d+) (\S+) .*/, "m=audio $1 $2 111");

    await assert.rejects(leg.accept(opusOnly), NoCommonCodec);
    const undecided = callee.localSdp.replace("setup:active", "setup:actpass");
    await assert.rejects(leg.accept(undecided), NoCommonCodec);
    await leg.accept(callee.localSdp);
    await assert.rejects(leg.accept(callee.localSdp), /Cannot take an answer: there is one/);
  },
);

mediaTest("answer() and offer() reject when the address cannot be bound", async () => {
  for (const [address, why] of [["192.0.2.77", /EADDRNOTAVAIL/], ["here", /not an IP address/]]) {
    const engine = createEngine(address as string);
    await assert.rejects(engine.offer(), /Cannot bind media sockets to/);
    await assert.rejects(engine.answer(BROWSER_OFFER), why as RegExp);
    await engine.close();
  }
});

mediaTest("close() ends plays and connecting, calls nobody back and may be repeated", async () => {
  const engine = createEngine();
  const { caller, callee } = await connectLegs(engine);
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

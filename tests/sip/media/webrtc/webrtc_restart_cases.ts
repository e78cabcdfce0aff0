import assert from "node:assert/strict";
import type { MediaEngine, MediaLeg, Pcm } from "../../../../sip/media/base/port.ts";
import { audioOf, connectMovingPeer, type MovingPeer } from "../../../support/sip/moving_peer.ts";
import { loudnessOf } from "../../../support/sip/plain_peer.ts";
import { isMulawSound, speak } from "../../../support/media/rtp_peer.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { webrtcKinds } from "../../../support/media/webrtc_engines.ts";

/** Restarts of ICE by a peer that changes its network, whoever does ICE, DTLS and SRTP for us. */

const { signal } = new AbortController();

type Opening = (how: "calling" | "called") => Promise<MovingPeer>;

function restartTest(
  name: string,
  body: (open: Opening, engine: MediaEngine) => Promise<void>,
): void {
  for (const kind of webrtcKinds) {
    Deno.test({
      name: `${name}: ${kind.name}`,
      timeout: 90_000,
      async fn() {
        const { engine, close } = await kind.open();
        const peers: MovingPeer[] = [];
        try {
          await body(async (how) => {
            const peer = await connectMovingPeer(engine, how);
            peers.push(peer);
            return peer;
          }, engine);
        } finally {
          await Promise.all([close(), ...peers.map((peer) => peer.close())]);
        }
      },
    });
  }
}

const isTone = (hz: number, frame: Pcm) => Math.abs(amplitudeOf(hz, frame) - 8_000) < 2_000;

/** Resolves when the leg has heard a tone for 0.1 s from now on. */
async function hears(leg: MediaLeg, hz: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let frames = 0;
  const stop = leg.listen((frame) => isTone(hz, frame) && ++frames === 5 && resolve());
  await promise;
  stop();
}

/** Resolves when the peer has heard a tone for a while from now on. */
async function isToldTone(peer: MovingPeer, hz: number): Promise<void> {
  for (;;) {
    const packets = await peer.next(15, isMulawSound);
    if (Math.abs(loudnessOf(hz, "PCMU", packets) - 8_000) < 1_500) return;
  }
}

for (const how of ["calling", "called"] as const) {
  restartTest(`a peer ${how} that moves keeps its call by a restart of ICE`, async (open) => {
    const peer = await open(how);
    const { leg } = peer;
    const stop = new AbortController();
    const playing = leg.play(tone(1_000, 1), { loop: 0, signal: stop.signal });
    const silence = speak(peer, 610);
    let isLost = false;
    void leg.lost.then(() => isLost = true);
    await Promise.all([hears(leg, 610), isToldTone(peer, 1_000)]);
    const names = new Set([audioOf(leg.localSdp).ufrag]);
    const { fingerprint, setup } = audioOf(leg.localSdp);

    for (let moves = 0; moves < 2; moves++) {
      await peer.move();
      const answer = await peer.restartIce();
      await Promise.all([hears(leg, 610), isToldTone(peer, 1_000)]);
      names.add(answer.ufrag);
      assert.equal(answer.fingerprint, fingerprint);
      assert.equal(answer.setup, how === "calling" ? setup : "passive");
      assert.equal(audioOf(await leg.reoffer()).ufrag, answer.ufrag);
    }

    assert.equal(names.size, 3);
    assert.equal(isLost, false);
    stop.abort();
    silence();
    await playing;
  });
}

restartTest("peers that move stay joined, and are recorded on", async (open) => {
  const [one, other] = [await open("calling"), await open("called")];
  one.leg.join(other.leg);
  const silences = [speak(one, 610), speak(other, 1_000)];
  const recorded: Pcm[] = [];
  const stop = one.leg.recordWith(other.leg, (samples) => void recorded.push(samples.slice()));
  const hearEachOther = () => Promise.all([isToldTone(one, 1_000), isToldTone(other, 610)]);
  await hearEachOther();

  for (const peer of [one, other]) {
    await peer.move();
    await peer.restartIce();
    await hearEachOther();
  }

  recorded.length = 0;
  const heard = Promise.all([hears(one.leg, 610), hears(other.leg, 1_000)]);
  await heard;
  await stop();
  const frames = recorded.flatMap((piece) =>
    Array.from(
      { length: Math.floor(piece.length / 320) },
      (_, i) => piece.subarray(i * 320, i * 320 + 320),
    )
  );
  const channel = (at: number) => frames.map((frame) => frame.filter((_, i) => i % 2 === at));
  assert.ok(channel(0).some((frame) => isTone(610, frame)));
  assert.ok(channel(1).some((frame) => isTone(1_000, frame)));
  for (const silence of silences) silence();
});

restartTest("peers that move stay in their conference", async (open, engine) => {
  const [one, other] = [await open("calling"), await open("called")];
  const conference = engine.conference();
  for (const { leg } of [one, other]) conference.enter(leg).setPresent(true);
  const silences = [speak(one, 610), speak(other, 1_000)];
  const hearEachOther = () => Promise.all([isToldTone(one, 1_000), isToldTone(other, 610)]);
  await hearEachOther();

  await Promise.all([one.move(), other.move()]);
  await Promise.all([one.restartIce(), other.restartIce()]);

  await hearEachOther();
  for (const silence of silences) silence();
});

restartTest("a restart that the peer does not go on with changes nothing", async (open) => {
  const peer = await open("calling");
  const { leg } = peer;
  const playing = leg.play(tone(1_000, 1), { loop: 0, signal });
  const silence = speak(peer, 610);
  await Promise.all([hears(leg, 610), isToldTone(peer, 1_000)]);

  const offer = peer.offer("sendrecv")
    .replace(/a=ice-ufrag:.*/, "a=ice-ufrag:other123")
    .replace(/a=ice-pwd:.*/, "a=ice-pwd:anotherPasswordOfThePeer");
  await leg.reanswer(offer);
  await Promise.all([hears(leg, 610), isToldTone(peer, 1_000)]);

  // It tries again, and goes on with that.
  await peer.move();
  await peer.restartIce();
  await Promise.all([hears(leg, 610), isToldTone(peer, 1_000)]);
  silence();
  leg.close();
  await playing;
});

restartTest(
  "a restart that wants another DTLS association is refused, and the call goes on",
  async (open) => {
    const peer = await open("calling");
    const { leg } = peer;
    const silence = speak(peer, 610);
    const { fingerprint } = audioOf(peer.offer("sendrecv"));
    const another = fingerprint.replace(/ (..)/, (_, byte) => byte === "00" ? " 01" : " 00");

    await assert.rejects(
      peer.restartIce({ fingerprint: another }),
      /^Error: Cannot change the media: new fingerprint$/,
    );
    const ours = audioOf(leg.localSdp).setup;
    await assert.rejects(
      peer.restartIce({ setup: ours }),
      /^Error: Cannot change the media: new DTLS role$/,
    );

    await hears(leg, 610);
    silence();
  },
);

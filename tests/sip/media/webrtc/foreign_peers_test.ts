import assert from "node:assert/strict";
import type { MediaLeg } from "../../../../sip/media/base/port.ts";
import { foreignKinds, type ForeignPeer } from "../../../support/sip/foreign_peer.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { embedded } from "../../../support/media/webrtc_engines.ts";

/** Our ICE, DTLS and SRTP with those of pion (Go) and aiortc (Python), with a tone each way. */

const OURS_HZ = 600;
const THEIRS_HZ = 1_000;
const AMPLITUDE = 8_000;

const isTone = (amplitude: number) => Math.abs(amplitude - AMPLITUDE) < AMPLITUDE / 5;

/** Resolves when the leg received the peer's tone for a quarter of a second, as loud as it was sent. */
async function receivesTone(leg: MediaLeg): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let frames = 0;
  const stop = leg.listen((frame) => {
    frames = isTone(amplitudeOf(THEIRS_HZ, frame)) ? frames + 1 : 0;
    if (frames >= 12) resolve();
  });
  await promise;
  stop();
}

/** With these words a side leaves no choice: it is the client of DTLS (RFC 5763 §5). */
const asClient = (offer: string) => offer.replace("a=setup:actpass", "a=setup:active");

interface Roles {
  offers: "we" | "they";
  isClient: "we" | "they";
}

/** Connects a leg of ours, where whoever answers is the client unless the offer says otherwise. */
async function connect(
  { offers, isClient }: Roles,
  peer: ForeignPeer,
  { offer, answer }: { offer(): Promise<MediaLeg>; answer(sdp: string): Promise<MediaLeg> },
): Promise<MediaLeg> {
  const bent = (sdp: string) => offers === isClient ? asClient(sdp) : sdp;
  const isClientOf = (sdp: string, who: Roles["isClient"]) =>
    assert.match(sdp, isClient === who ? /^a=setup:active/m : /^a=setup:passive/m);
  if (offers === "they") {
    const leg = await answer(bent(await peer.described()));
    isClientOf(leg.localSdp, "we");
    await peer.give(leg.localSdp);
    return leg;
  }
  const leg = await offer();
  await peer.give(bent(leg.localSdp));
  const answered = await peer.described();
  isClientOf(answered, "they");
  await leg.accept(answered);
  return leg;
}

const roles: Roles[] = [
  { offers: "we", isClient: "they" },
  { offers: "we", isClient: "we" },
  { offers: "they", isClient: "we" },
  { offers: "they", isClient: "they" },
];

for (const kind of foreignKinds) {
  for (const role of roles) {
    const { offers, isClient } = role;
    const who = `${offers} offer and ${isClient} are the client of DTLS`;
    Deno.test({
      name: `${kind.name} and we hear each other's tones where ${who}` + kind.skipped,
      ignore: kind.skipped !== "",
      timeout: 90_000,
      async fn() {
        const { engine, close } = await embedded.open();
        const peer = kind.start({
          offers: offers === "they",
          saysHz: THEIRS_HZ,
          hearsHz: OURS_HZ,
        });
        const leg = await connect(role, peer, engine);
        await leg.connected;
        const stop = new AbortController();
        const played = leg.play(tone(OURS_HZ, 0.5), { loop: 0, signal: stop.signal });

        const [amplitude] = await Promise.all([peer.hears(), receivesTone(leg)]);

        assert.ok(isTone(amplitude), `it heard an amplitude of ${amplitude}`);
        stop.abort();
        await played;
        await peer.close();
        assert.match(await leg.lost, /the peer closed it|does not answer/);
        await close();
      },
    });
  }

  Deno.test({
    name: `${kind.name} is not taken with another certificate than it named` + kind.skipped,
    ignore: kind.skipped !== "",
    timeout: 90_000,
    async fn() {
      const { engine, close } = await embedded.open();
      const peer = kind.start({ offers: true, saysHz: THEIRS_HZ, hearsHz: OURS_HZ });
      const offer = (await peer.described())
        .replaceAll(
          /(a=fingerprint:sha-\d+ )(..)/gi,
          (_, name, byte) => name + (byte === "00" ? "01" : "00"),
        );
      const leg = await engine.answer(offer);
      await peer.give(leg.localSdp);

      await assert.rejects(leg.connected, /its certificate is not the one of its fingerprint/);

      await peer.close();
      await close();
    },
  });
}

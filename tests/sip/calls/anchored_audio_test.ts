import assert from "node:assert/strict";
import { encodeG711 } from "../../../sip/media/codecs/g711.ts";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../sip/media/base/ticker.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { isSound, plainOffer, plainSocket, portOf, soundOf } from "../../support/sip/plain_peer.ts";
import { invite, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { amplitudeOf, tone } from "../../support/media/tone.ts";

const dial = (media: "anchored" | "proxied"): Script => [
  { type: "dial", legs: [invite("bob")], media, timeoutS: 30, timeLimitS: 60 },
];

const mute = (lab: SipLab, leg: string, muted: boolean) =>
  lab.service.order(lab.companion.bridgeUrl, "/mute", { leg, muted });

async function talking(
  lab: SipLab,
  { media, offer, answer }: { media: "anchored" | "proxied"; offer?: string; answer?: string },
) {
  const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
  lab.service.answer = ({ event }) => event.type === "incoming" ? dial(media) : [];
  const call = alice.call("bob", offer === undefined ? {} : { sdp: offer });
  const callee = await (await bob.nextCall()).answer(answer);
  const caller = await call.answered;
  const { leg } = await lab.service.event("incoming");
  return { caller, callee, leg };
}

sipTest("mute() silences a leg and leaves its conversation alone", async () => {
  await using lab = await startSipLab();
  const { leg, caller } = await talking(lab, { media: "anchored" });
  const [other, ours] = lab.media.legs;

  assert.deepEqual(await (await mute(lab, leg, true)).json(), { isDone: true });
  assert.deepEqual([ours!.isMuted, other!.isMuted], [true, false]);
  assert.equal(ours!.joined, other);
  assert.deepEqual(await (await mute(lab, leg, false)).json(), { isDone: true });
  assert.equal(ours!.isMuted, false);

  assert.equal((await mute(lab, `CA${"f".repeat(32)}`, true)).status, 404);
  const wrong = await lab.service.order(lab.companion.bridgeUrl, "/mute", { leg });
  assert.equal(wrong.status, 400);
  await caller.bye();
});

sipTest("mute() says that it cannot silence what passes by", async () => {
  await using lab = await startSipLab();
  const { leg } = await talking(lab, { media: "proxied" });
  assert.deepEqual(await (await mute(lab, leg, true)).json(), { isDone: false });
});

/** An engine whose legs are all of plain RTP. */
function plainEngine() {
  const ports = { first: 0, last: 0 };
  const rtp = rtpTransport({
    bindAddress: "127.0.0.1",
    host: "127.0.0.1",
    ports,
    now: systemClock.now,
  });
  const engine = mediaEngine({ transports: [rtp], log: () => {} });
  return { ...engine, offer: () => engine.offer("rtp") };
}

/** Alice and Bob talk by plain RTP through the real engine. */
async function talkingByRtp(lab: SipLab) {
  const [alice, bob] = [await plainSocket(7_000), await plainSocket(8_000)];
  const sdp = { offer: plainOffer(alice.port), answer: plainOffer(bob.port) };
  const call = await talking(lab, { media: "anchored", ...sdp });
  const close = () => Promise.all([alice.close(), bob.close()]);
  return { alice, bob, to: portOf(call.caller.remoteSdp), ...call, close };
}

sipTest("takeInfo() sends the digit of an INFO on as a telephone event", async () => {
  const engine = plainEngine();
  await using lab = await startSipLab({ engine });
  const { bob, caller, close } = await talkingByRtp(lab);
  try {
    const arriving = bob.next(7, ({ payloadType }) => payloadType === 101);
    const body = { type: "application/dtmf-relay", content: "Signal=5\r\nDuration=160\r\n" };
    assert.equal((await caller.request("INFO", { body })).status, 200);
    const events = await arriving;
    assert.deepEqual(events.map(({ payload }) => payload[0]), Array(7).fill(5));
    assert.equal(new Set(events.map(({ timestamp }) => timestamp)).size, 1);
  } finally {
    await Promise.all([close(), engine.close()]);
  }
});

sipTest("mute() makes the other side of a call hear silence", async () => {
  const engine = plainEngine();
  await using lab = await startSipLab({ engine });
  const { alice, bob, to, leg, close } = await talkingByRtp(lab);
  const pcm = tone(1_000, 1);
  let at = 0;
  const speaking = setInterval(() => {
    const start = (160 * at++) % pcm.length;
    alice.send(to, { payload: encodeG711("PCMU", pcm.slice(start, start + 160)) });
  }, 20);
  try {
    const hears = async (fits: Parameters<typeof bob.next>[1]) =>
      amplitudeOf(1_000, soundOf("PCMU", await bob.next(10, fits)));
    assert.ok(await hears(isSound) > 6_000);

    await mute(lab, leg, true);
    const isSilence: typeof isSound = (packet) => packet.payloadType === 0 && !isSound(packet);
    assert.equal(await hears(isSilence), 0);
    assert.equal(await hears((packet) => packet.payloadType === 0), 0, "and nothing else");

    await mute(lab, leg, false);
    assert.ok(await hears(isSound) > 6_000);
  } finally {
    clearInterval(speaking);
    await Promise.all([close(), engine.close()]);
  }
});

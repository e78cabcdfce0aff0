import assert from "node:assert/strict";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { openOpus, type OpusCodec } from "../../../../sip/media/codecs/opus.ts";
import { opusEdge } from "../../../../sip/media/engine/opus_edge.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import { type MediaEngine, NoCommonCodec, type Pcm } from "../../../../sip/media/base/port.ts";
import type { RtpPacket } from "../../../../sip/media/rtp/rtp.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import {
  connectPlainPeer,
  isSound,
  plainOffer,
  type PlainSocket,
  plainSocket,
  portOf,
  soundOf,
} from "../../../support/sip/plain_peer.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";

const OPUS_LINES = [
  "a=rtcp-mux",
  "a=rtpmap:111 opus/48000/2",
  "a=rtpmap:110 telephone-event/48000",
];
const opusOffer = (port: number, formats = "111 110", version = 1) =>
  plainOffer(port, { formats, lines: OPUS_LINES, version });
const { signal } = new AbortController();

interface Lab {
  engine: MediaEngine;
  socket: PlainSocket;
  codec: OpusCodec;
}

function opusTest(name: string, body: (lab: Lab) => Promise<void>): void {
  Deno.test({
    name,
    timeout: 90_000,
    async fn() {
      const bindAddress = "127.0.0.1";
      const ports = { first: 0, last: 0 };
      const rtp = rtpTransport({ bindAddress, host: bindAddress, ports, now: systemClock.now });
      const engine = mediaEngine({ transports: [rtp], log: () => {} });
      const [socket, codec] = [await plainSocket(), await openOpus()];
      try {
        await body({ engine, socket, codec });
      } finally {
        codec.close();
        await Promise.all([engine.close(), socket.close()]);
      }
    },
  });
}

/** Sends a tone in packets of 20 ms. */
function say({ socket, codec }: Lab, to: number, hz: number, seconds = 0.6): void {
  const pcm = tone(hz, seconds);
  for (let i = 0; (i + 1) * 160 <= pcm.length; i++) {
    const payload = codec.encode(pcm.slice(i * 160, (i + 1) * 160));
    // The clock wraps on the way.
    const timestamp = (2 ** 32 - 5_000 + i * 960) >>> 0;
    socket.send(to, { payloadType: 111, payload, timestamp });
  }
}

const soundIn = (codec: OpusCodec, packets: RtpPacket[]): Pcm =>
  Int16Array.from(packets.flatMap(({ payload }) => [...codec.decode(payload)]));

const isTone = (hz: number, pcm: Int16Array) => amplitudeOf(hz, pcm.subarray(1_600)) > 4_000;

opusTest("a peer that has Opus alone is answered with it, and hears a play", async (lab) => {
  const leg = await lab.engine.answer(opusOffer(lab.socket.port));

  assert.match(leg.localSdp, /^m=audio \d+ RTP\/AVP 111 110\r$/m);
  assert.match(leg.localSdp, /^a=rtpmap:111 opus\/48000\/2\r$/m);
  assert.match(leg.localSdp, /^a=rtpmap:110 telephone-event\/48000\r$/m);
  const playing = leg.play(tone(1_000, 0.8), { loop: 1, signal });
  const packets = await lab.socket.next(35, ({ payloadType }) => payloadType === 111);
  const steps = packets.slice(1).map((packet, i) => packet.timestamp - packets[i]!.timestamp >>> 0);
  assert.deepEqual(steps, Array(34).fill(960));
  assert.ok(isTone(1_000, soundIn(lab.codec, packets)));
  await playing;
});

opusTest("an Opus leg and one of G.711 hear each other, and each other's digits", async (lab) => {
  const leg = await lab.engine.answer(opusOffer(lab.socket.port));
  const to = portOf(leg.localSdp);
  const trunk = await connectPlainPeer(lab.engine, "PCMA");
  leg.join(trunk.leg);

  const atTrunk = trunk.next(28, isSound);
  say(lab, to, 1_000);
  assert.ok(isTone(1_000, soundOf("PCMA", await atTrunk)));

  // 30 ms of G.711 are two packets of Opus.
  const atPeer = lab.socket.next(38, ({ payloadType }) => payloadType === 111);
  trunk.sendTone(600, { seconds: 0.6, ptimeMs: 30 });
  assert.ok(isTone(600, soundIn(lab.codec, await atPeer)));

  const events = trunk.next(1, ({ payloadType }) => payloadType === 101);
  const pressed = Promise.withResolvers<string>();
  leg.onDigits(pressed.resolve);
  lab.socket.send(to, { payloadType: 110, payload: Uint8Array.of(5, 0x8a, 960 >> 8, 960 & 0xff) });
  assert.equal(await pressed.promise, "5");
  assert.deepEqual([...(await events)[0]!.payload], [5, 0x8a, 0, 160]);
  const back = lab.socket.next(1, ({ payloadType }) => payloadType === 110);
  trunk.send(trunk.to, { payloadType: 101, payload: Uint8Array.of(7, 0x8a, 0, 160) });
  assert.deepEqual([...(await back)[0]!.payload], [7, 0x8a, 960 >> 8, 960 & 0xff]);
  await trunk.close();
});

opusTest(
  "a peer that has Opus and events of 8 kHz alone is heard and sent its digits",
  async (lab) => {
    const lines = ["a=rtcp-mux", "a=rtpmap:111 opus/48000/2", "a=rtpmap:101 telephone-event/8000"];
    const offer = plainOffer(lab.socket.port, { formats: "111 101", lines });
    const leg = await lab.engine.answer(offer);
    assert.match(leg.localSdp, /^m=audio \d+ RTP\/AVP 111 101\r$/m);
    assert.match(leg.localSdp, /^a=rtpmap:101 telephone-event\/8000\r$/m);
    assert.match(leg.localSdp, /^a=fmtp:101 0-15\r$/m);
    assert.match(await leg.reoffer(true), /^a=rtpmap:101 telephone-event\/8000\r$/m);

    const pressed = Promise.withResolvers<string>();
    leg.onDigits(pressed.resolve);
    const to = portOf(leg.localSdp);
    lab.socket.send(to, { payloadType: 101, payload: Uint8Array.of(5, 0x8a, 0, 160) });
    assert.equal(await pressed.promise, "5");
    // Durations are those of the clock that was named, timestamps those of the stream.
    const sent = lab.socket.next(7, ({ payloadType }) => payloadType === 101);
    await leg.sendDigits("7", signal);
    const last = (await sent).at(-1)!;
    assert.deepEqual([...last.payload], [7, 0x8a, 800 >> 8, 800 & 0xff]);

    // A later offer has other payload types, and the events of Opus.
    const formats = lines.map((line) =>
      line.replace("101 telephone-event/8000", "100 telephone-event/48000")
    );
    const later = plainOffer(lab.socket.port, { formats: "111 100", lines: formats, version: 2 });
    assert.match(await leg.reanswer(later), /^a=rtpmap:100 telephone-event\/48000\r$/m);
    const after = lab.socket.next(7, ({ payloadType }) => payloadType === 100);
    await leg.sendDigits("8", signal);
    assert.deepEqual([...(await after).at(-1)!.payload], [8, 0x8a, 4_800 >> 8, 4_800 & 0xff]);
  },
);

opusTest("listen() hears an Opus peer, and nothing of what is no Opus", async (lab) => {
  const leg = await lab.engine.answer(opusOffer(lab.socket.port));
  const to = portOf(leg.localSdp);
  const heard = Promise.withResolvers<void>();
  leg.listen((frame) => amplitudeOf(1_000, frame) > 4_000 && heard.resolve());

  for (let length = 0; length < 40; length++) {
    lab.socket.send(to, { payloadType: 111, payload: new Uint8Array(length).fill(0xff) });
  }
  say(lab, to, 1_000, 1);

  await heard.promise;
});

opusTest("G.711 goes before Opus, and a leg keeps to what it began with", async (lab) => {
  const { port } = lab.socket;
  const both = await lab.engine.answer(opusOffer(port, "111 110 8"));
  assert.match(both.localSdp, /^m=audio \d+ RTP\/AVP 8\r$/m);

  const alone = await lab.engine.answer(opusOffer(port));
  await assert.rejects(alone.reanswer(plainOffer(port, { version: 2 })), /between Opus and G.711/);
  assert.match(await alone.reanswer(opusOffer(port, "111 110", 2)), /opus\/48000/);

  const ours = await lab.engine.offer("rtp");
  await assert.rejects(ours.accept(opusOffer(port)), NoCommonCodec);
});

Deno.test("a stream of Opus begins far from its first wrap, as every other", () => {
  const codec: OpusCodec = {
    decode: () => new Int16Array(),
    encode: () => new Uint8Array(1),
    openWide: () => codec,
    close: () => {},
  };
  const first = Array.from({ length: 100 }, () => {
    const sent: number[] = [];
    const edge = opusEdge({
      codec,
      formats: new Map([["PCMU", 111]]),
      onPacket: () => {},
      send: ({ sequence }) => void sent.push(sequence),
    });
    const payload = new Uint8Array(160);
    edge.send({ payloadType: 111, marker: true, sequence: 1, timestamp: 0, ssrc: 1, payload });
    return sent[0]!;
  });
  assert.ok(first.every((sequence) => sequence <= 0x8000), `${first}`);
});

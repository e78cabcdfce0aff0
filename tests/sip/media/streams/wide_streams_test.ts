import assert from "node:assert/strict";
import { openOpus } from "../../../../sip/media/codecs/opus.ts";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import type { MediaLeg } from "../../../../sip/media/base/port.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import { type StreamConnection, streamServer } from "../../../support/media/stream_server.ts";
import {
  connectPlainPeer,
  isSound,
  plainOffer,
  plainSocket,
  portOf,
  soundOf,
} from "../../../support/sip/plain_peer.ts";
import { amplitudeOf } from "../../../support/media/tone.ts";

/** Streams of 16-bit samples at 16 kHz. */

const place = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports: { first: 0, last: 0 } };
const openEngine = () =>
  mediaEngine({
    transports: [rtpTransport({ ...place, now: systemClock.now })],
    log: () => {},
    reach: { mayReach: () => true },
  });

const wideTone = (hz: number, seconds: number): Int16Array<ArrayBuffer> =>
  Int16Array.from(
    { length: seconds * 16_000 },
    (_, i) => 10_000 * Math.sin(2 * Math.PI * hz * i / 16_000),
  );

/** As `amplitudeOf` has it, of samples at twice its rate. */
const wideAmplitudeOf = (hz: number, pcm: Int16Array) => amplitudeOf(hz / 2, pcm);

function open(leg: MediaLeg, url: string) {
  return leg.stream({
    url,
    headers: {},
    streamSid: `MZ${"1".repeat(32)}`,
    accountSid: `AC${"2".repeat(32)}`,
    callSid: `CA${"3".repeat(32)}`,
    tracks: ["inbound"],
    isBidirectional: true,
    encoding: "audio/l16",
    parameters: {},
    queueS: 10,
  }, { onOpen() {}, onProblem: (_, message) => assert.fail(message), onLost() {}, onEnd() {} });
}

const samplesOf = (payload: string): Int16Array =>
  new Int16Array(Uint8Array.fromBase64(payload).buffer);

const tells = (connection: StreamConnection, hz: number) =>
  connection.message(({ event, media }) =>
    event === "media" && wideAmplitudeOf(hz, samplesOf(media.payload)) > 3_000
  );

const say = (connection: StreamConnection, pcm: Int16Array<ArrayBuffer>) =>
  connection.send({ event: "media", media: { payload: new Uint8Array(pcm.buffer).toBase64() } });

Deno.test({
  name: "a leg of G.711 has a stream of 16 kHz, both ways",
  timeout: 60_000,
  async fn() {
    await using server = await streamServer();
    const engine = openEngine();
    const peer = await connectPlainPeer(engine, "PCMA");
    const timer = setInterval(() => peer.sendTone(500, { seconds: 0.02 }), 20);
    try {
      open(peer.leg, server.url);
      const connection = await server.next();
      const heard = peer.next(
        3,
        (packet) => isSound(packet) && amplitudeOf(1_000, soundOf("PCMA", [packet])) > 3_000,
      );

      say(connection, wideTone(1_000, 2));
      const { media } = await tells(connection, 500);
      await heard;

      assert.equal(samplesOf(media.payload).length, 320);
      assert.deepEqual(connection.messages[1]?.start.mediaFormat, {
        encoding: "audio/l16",
        sampleRate: 16_000,
        channels: 1,
      });
    } finally {
      clearInterval(timer);
      await engine.close();
      await peer.close();
    }
  },
});

Deno.test({
  name: "a leg of Opus has a stream of 16 kHz with what is above 4 kHz, both ways",
  timeout: 60_000,
  async fn() {
    await using server = await streamServer();
    const engine = openEngine();
    const socket = await plainSocket();
    const narrow = await openOpus();
    const [speaking, hearing] = [narrow.openWide(), narrow.openWide()];
    let timer: ReturnType<typeof setInterval> | undefined;
    try {
      const lines = ["a=rtcp-mux", "a=rtpmap:111 opus/48000/2"];
      const leg = await engine.answer(plainOffer(socket.port, { formats: "111", lines }));
      const to = portOf(leg.localSdp);
      const sound = wideTone(6_000, 1);
      let frame = 0;
      timer = setInterval(() => {
        const payload = speaking.encode(sound.slice(frame % 50 * 320, (frame % 50 + 1) * 320));
        socket.send(to, { payloadType: 111, payload, timestamp: 960 * frame++ });
      }, 20);
      await leg.connected;
      open(leg, server.url);
      const connection = await server.next();
      const heard = socket.next(
        3,
        ({ payloadType, payload }) =>
          payloadType === 111 && wideAmplitudeOf(5_000, hearing.decode(payload)) > 3_000,
      );

      say(connection, wideTone(5_000, 3));
      await tells(connection, 6_000);
      await heard;
    } finally {
      clearInterval(timer);
      await engine.close();
      await socket.close();
      for (const codec of [narrow, speaking, hearing]) codec.close();
    }
  },
});

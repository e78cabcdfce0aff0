import assert from "node:assert/strict";
import { encodeG711 } from "../../../../sip/media/codecs/g711.ts";
import type { MediaEngine } from "../../../../sip/media/base/port.ts";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { ofKind, parseSdp } from "../../../../sip/media/sdp/parse_sdp.ts";
import { webrtcTransport } from "../../../../sip/media/webrtc/peer.ts";
import { webrtcSockets } from "../../../../sip/media/webrtc/sockets.ts";
import type { Encoding } from "../../../../sip/media/sdp/sdp.ts";
import { freeUdpPort } from "../../../support/media/free_udp_port.ts";
import {
  answerRtpPeer,
  connectRtpPeer,
  isMulawSound,
  type RtpPeer,
} from "../../../support/media/rtp_peer.ts";
import { loudnessOf } from "../../../support/sip/plain_peer.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { udpPorts } from "../../../support/process/udp_ports.ts";

/** MEDIA_PORT: every WebRTC leg of an engine on one UDP port. */

const bindAddress = "127.0.0.1";
const MULAW = new Map<Encoding, number>([["PCMU", 0], ["telephone-event", 101]]);
const { signal } = new AbortController();

const engineAt = async (port: number): Promise<MediaEngine> => {
  const webrtc = webrtcTransport(await webrtcSockets({ bindAddress, port }));
  return mediaEngine({ transports: [webrtc], log: () => {} });
};

const portsOf = (sdp: string) =>
  new Set(
    ofKind("webrtc", parseSdp(sdp)).audio.candidates.map((each) => Number(each.split(" ")[5])),
  );

/** A tone that no other leg has. */
const hertzOf = (index: number) => 400 + 40 * index;

/** The peer says a tone, and hears another: each is that of its own leg. */
async function assertTalks({ leg, ...peer }: RtpPeer, index: number): Promise<void> {
  const pcm = tone(hertzOf(index), 0.5);
  const heard = Promise.withResolvers<void>();
  let frames = 0;
  const stop = leg.listen((frame) => {
    if (Math.abs(amplitudeOf(hertzOf(index), frame) - 8_000) < 2_000 && ++frames === 5) {
      heard.resolve();
    }
  });
  const arriving = peer.next(7, isMulawSound);
  const playing = leg.play(pcm, { loop: 1, signal });
  for (let i = 0; i < 10; i++) {
    const payload = encodeG711("PCMU", pcm.slice(i * 160, (i + 1) * 160));
    peer.send({ payloadType: 0, payload, sequence: i, timestamp: i * 160, marker: false });
  }
  const level = loudnessOf(hertzOf(index), "PCMU", await arriving);
  assert.ok(Math.abs(level - 8_000) < 800, `leg ${index}: ${level}`);
  await Promise.all([heard.promise, playing]);
  stop();
}

Deno.test({
  name: "fifty legs talk at once by one UDP port, also while others end",
  timeout: 90_000,
  async fn() {
    const before = await udpPorts();
    const port = freeUdpPort();
    const engine = await engineAt(port);
    const peers = await Promise.all(
      Array.from(
        { length: 50 },
        (_, i) => i % 2 === 0 ? connectRtpPeer(engine, MULAW) : answerRtpPeer(engine),
      ),
    );
    for (const { leg } of peers) assert.deepEqual(portsOf(leg.localSdp), new Set([port]));
    const ofPeers = new Set(peers.flatMap((peer) => [...portsOf(peer.offer("sendrecv"))]));
    const ours = (await udpPorts()).difference(ofPeers).difference(before);
    assert.deepEqual(ours, new Set([port]));

    const [staying, leaving] = [peers.slice(0, 25), peers.slice(25)];
    const talking = staying.map(assertTalks);
    for (const { leg } of leaving) leg.close();
    await Promise.all(talking);
    // Some come after others have gone.
    const late = await connectRtpPeer(engine, MULAW);
    await assertTalks(late, 60);

    await engine.close();
    assert.ok(!(await udpPorts()).has(port));
    await Promise.all([late, ...peers].map((peer) => peer.close()));
  },
});

Deno.test({
  name: "an engine whose legs have ended keeps its port, and the next one may have it after it",
  timeout: 90_000,
  async fn() {
    const port = freeUdpPort();
    for (let i = 0; i < 3; i++) {
      const engine = await engineAt(port);
      await assert.rejects(
        engineAt(port),
        new RegExp(
          `^Error: Cannot listen on 127.0.0.1:${port} .MEDIA_PORT.: the port is in use. Stop`,
        ),
      );
      const peer = await connectRtpPeer(engine, MULAW);
      peer.leg.close();
      await peer.close();
      assert.ok((await udpPorts()).has(port));
      const other = await answerRtpPeer(engine);
      await assertTalks(other, i);
      await engine.close();
      await other.close();
    }
  },
});

Deno.test("an address that is not the machine's is refused with the port", async () => {
  await assert.rejects(
    webrtcSockets({ bindAddress: "192.0.2.77", port: 40_000 }),
    /Cannot listen on 192.0.2.77:40000 \(MEDIA_PORT\): .*assign/,
  );
});

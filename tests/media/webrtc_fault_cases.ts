import assert from "node:assert/strict";
import { openPeer } from "../../sip/media/peer.ts";
import { ofKind } from "../../sip/media/parse_sdp.ts";
import { parseRtp, type RtpPacket, writeRtp } from "../../sip/media/rtp.ts";
import { OUR_FORMATS, type Session } from "../../sip/media/sdp.ts";
import type { Peer } from "../../sip/media/transport.ts";
import { plainSocket } from "../support/plain_peer.ts";
import { udpRelay } from "../support/udp_relay.ts";

const options = { bindAddress: "127.0.0.1", mid: "0", formats: OUR_FORMATS };

const reachedAt = (session: Session, candidates: string[]): Session => ({
  ...session,
  audio: { ...ofKind("webrtc", session).audio, candidates },
});

/** Two peers whose packets all pass a machine in between. */
async function connectedByRelay() {
  const one = await openPeer(options);
  const relay = await udpRelay(one.local);
  const other = await openPeer({ ...options, offer: relay.offer });
  one.accept(reachedAt(other.local, []));
  await Promise.all([one.connected, other.connected]);
  const close = async () => {
    await Promise.all([one.close(), other.close()]);
    await relay.close();
  };
  return { one, other, relay, close };
}

const rtp = (peer: Peer, sequence: number): Uint8Array<ArrayBuffer> =>
  writeRtp({
    payloadType: 0,
    marker: false,
    sequence,
    timestamp: sequence * 160,
    ssrc: peer.stream.ssrc,
    payload: new Uint8Array(160).fill(sequence),
  });

/** What a peer hears until it hears the packet of a number. */
function heardUntil(peer: Peer, last: number): Promise<RtpPacket[]> {
  const { promise, resolve } = Promise.withResolvers<RtpPacket[]>();
  const heard: RtpPacket[] = [];
  peer.onPacket = (bytes) => {
    const packet = parseRtp(new Uint8Array(bytes));
    if (packet === undefined) return;
    heard.push(packet);
    if (packet.sequence === last) resolve(heard);
  };
  return promise;
}

const isSrtp = (bytes: Uint8Array) => bytes[0] === 0x80 && bytes.length > 160;

Deno.test({
  name: "a WebRTC peer hears no packet twice, and none that was changed or made up on the way",
  timeout: 20_000,
  async fn() {
    const { one, other, relay, close } = await connectedByRelay();
    const first = heardUntil(one, 2);
    other.send(rtp(other, 1));
    other.send(rtp(other, 2));
    await first;

    const rest = heardUntil(one, 4);
    const sent = relay.passed.filter(isSrtp);
    assert.equal(sent.length, 2);
    for (const packet of sent) {
      relay.inject(packet);
      // The number after it, another sound, and another tag.
      for (const at of [3, 20, packet.length - 1]) {
        relay.inject(packet.with(at, packet[at]! ^ 4));
      }
    }
    relay.inject(rtp(other, 3));
    other.send(rtp(other, 4));

    assert.deepEqual((await rest).map(({ sequence }) => sequence), [4]);
    await close();
  },
});

Deno.test({
  name: "a WebRTC peer is lost that falls silent, and one that is never reached",
  // ICE asks for consent for 30 s (RFC 7675 §5.1), and for an answer for 39.5 s (RFC 8863 §4).
  timeout: 90_000,
  async fn() {
    const nobody = await plainSocket();
    const waiting = await openPeer(options);
    const unheard = await openPeer({ ...options, offer: reachedAt(waiting.local, []) });
    waiting.accept(
      reachedAt(unheard.local, [`1 1 UDP 2122317823 127.0.0.1 ${nobody.port} typ host`]),
    );
    const never = assert.rejects(waiting.connected, /Cannot connect media: ICE or DTLS failed/);
    const { one, relay, close } = await connectedByRelay();
    relay.cut();

    await Promise.all([one.lost, never, waiting.lost]);
    await Promise.all([close(), waiting.close(), unheard.close(), nobody.close()]);
  },
});

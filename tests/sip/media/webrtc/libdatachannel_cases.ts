import assert from "node:assert/strict";
import type { Buffer } from "node:buffer";
import { Audio, PeerConnection, type Track } from "node-datachannel";
import { parseSdp } from "../../../../sip/media/sdp/parse_sdp.ts";
import { openPeer } from "../../../../sip/media/webrtc/peer.ts";
import { writeReport } from "../../../../sip/media/rtp/rtcp.ts";
import { isRtcp, parseRtp, writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import { OUR_FORMATS } from "../../../../sip/media/sdp/sdp.ts";
import type { Peer } from "../../../../sip/media/sdp/transport.ts";
import { ownSockets } from "../../../../sip/media/webrtc/sockets.ts";
import { writeSdp } from "../../../../sip/media/sdp/write_sdp.ts";

/** Our ICE, DTLS, SRTP and SRTCP with those of others: libjuice, OpenSSL and libsrtp. */

const sockets = ownSockets("127.0.0.1");

/** A peer of libdatachannel's. */
interface Foreign {
  native: PeerConnection;
  track: Track;
  /** Calls back with what libsrtp read. */
  onPacket: (packet: Uint8Array) => void;
  opened: Promise<void>;
  ended: Promise<void>;
  described(): Promise<string>;
  close(): void;
}

function foreignPeer(): Foreign {
  const native = new PeerConnection("foreign", {
    iceServers: [],
    bindAddress: "127.0.0.1",
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  });
  const audio = new Audio("0", "SendRecv");
  audio.addAudioCodec(0, "PCMU/8000");
  audio.addSSRC(5, "foreign");
  const track = native.addTrack(audio);
  const [opened, ended, gathered] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  track.onOpen(() => opened!.resolve());
  track.onClosed(() => ended!.resolve());
  native.onGatheringStateChange((state) => state === "complete" && gathered!.resolve());
  const foreign: Foreign = {
    native,
    track,
    onPacket: () => {},
    opened: opened!.promise,
    ended: ended!.promise,
    described: () => gathered!.promise.then(() => native.localDescription()!.sdp),
    close() {
      track.close();
      native.close();
    },
  };
  track.onMessage((packet) => foreign.onPacket(new Uint8Array(packet)));
  return foreign;
}

/** Ours and a foreign one, which have found each other. */
async function connected(weOffer: boolean): Promise<{ ours: Peer; foreign: Foreign }> {
  const foreign = foreignPeer();
  const { native } = foreign;
  if (!weOffer) native.setLocalDescription("offer", {});
  const offer = weOffer ? undefined : parseSdp(await foreign.described());
  const ours = await openPeer({ sockets, mid: "0", formats: OUR_FORMATS, ...offer && { offer } });
  native.setRemoteDescription(writeSdp(ours.local), weOffer ? "offer" : "answer");
  if (weOffer) {
    native.setLocalDescription("answer", {});
    ours.accept(parseSdp(await foreign.described()));
  }
  await Promise.all([ours.connected, foreign.opened]);
  return { ours, foreign };
}

type Packets = Uint8Array<ArrayBuffer>[];

/** Packets whose sequence numbers wrap, with a report among them. */
const packetsOf = (ssrc: number): Packets =>
  Array.from(
    { length: 400 },
    (_, i) =>
      i === 200
        ? writeReport({ ssrc, cname: "test", sender: undefined, blocks: [], bye: false })
        : writeRtp({
          payloadType: 0,
          marker: false,
          sequence: (65_400 + i) & 0xffff,
          timestamp: i * 160,
          ssrc,
          payload: new Uint8Array(i % 161).fill(i),
        }).slice(),
  );

/** Sends some at a time, as many as sockets hold; resolves when all have come as they were sent. */
async function passes(
  packets: Packets,
  send: (packet: Uint8Array<ArrayBuffer>) => void,
  receiver: { onPacket: ((packet: Uint8Array) => void) | undefined },
): Promise<void> {
  const wanted = new Set(packets.map((packet) => packet.toHex()));
  let some = Promise.withResolvers<void>();
  let left = 0;
  receiver.onPacket = (packet) => {
    if (!wanted.delete(packet.toHex())) {
      // Either side reports by itself, too.
      assert.ok(isRtcp(packet), `what came was not sent: ${parseRtp(packet)?.sequence}`);
    } else if (--left === 0) some.resolve();
  };
  for (let i = 0; i < packets.length; i += 40) {
    const batch = packets.slice(i, i + 40);
    left = batch.length;
    some = Promise.withResolvers();
    for (const packet of batch) send(packet);
    await some.promise;
  }
  assert.equal(wanted.size, 0);
}

for (const weOffer of [true, false]) {
  Deno.test({
    name: `RTP and RTCP pass to and from libdatachannel, which ${weOffer ? "answers" : "offers"}`,
    timeout: 90_000,
    async fn() {
      const { ours, foreign } = await connected(weOffer);

      await passes(packetsOf(ours.stream.ssrc), ours.send, foreign);
      const { track } = foreign;
      await passes(packetsOf(5), (packet) => track.sendMessageBinary(packet as Buffer), ours);

      await ours.close();
      await foreign.ended;
      foreign.close();
    },
  });
}

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { openPeer } from "../../../../sip/media/webrtc/peer.ts";
import { ofKind } from "../../../../sip/media/sdp/parse_sdp.ts";
import { parseRtp, type RtpPacket, writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import { OUR_FORMATS, type Session } from "../../../../sip/media/sdp/sdp.ts";
import type { Peer } from "../../../../sip/media/sdp/transport.ts";
import { ownSockets, webrtcSockets } from "../../../../sip/media/webrtc/sockets.ts";
import { plainSocket } from "../../../support/sip/plain_peer.ts";
import { freeUdpPort } from "../../../support/media/free_udp_port.ts";
import { udpRelay } from "../../../support/sip/udp_relay.ts";

const bindAddress = "127.0.0.1";
const options = { sockets: ownSockets(bindAddress), mid: "0", formats: OUR_FORMATS };

/** Opens the peer that is tested. */
type OpenOne = () => Promise<Peer>;

const onPortsOfItsOwn: OpenOne = () => openPeer(options);

/** Has a body run with peers that share a port. */
async function onOnePort(body: (openOne: OpenOne) => Promise<void>): Promise<void> {
  const sockets = await webrtcSockets({ bindAddress, port: freeUdpPort() });
  try {
    await body(() => openPeer({ ...options, sockets }));
  } finally {
    await sockets.close();
  }
}

/** A test of a peer with ports of its own, and of one that shares a port with others. */
function faultTest(name: string, timeout: number, body: (openOne: OpenOne) => Promise<void>): void {
  Deno.test({ name, timeout, fn: () => body(onPortsOfItsOwn) });
  Deno.test({ name: `${name}: one port`, timeout, fn: () => onOnePort(body) });
}

const reachedAt = (session: Session, candidates: string[]): Session => ({
  ...session,
  audio: { ...ofKind("webrtc", session).audio, candidates },
});

/** Two peers whose packets all pass a machine in between. */
async function connectedByRelay(openOne: OpenOne) {
  const one = await openOne();
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

/** What a peer hears until it hears the packet of a number, or a later one. */
function heardUntil(peer: Peer, last: number): Promise<RtpPacket[]> {
  const { promise, resolve } = Promise.withResolvers<RtpPacket[]>();
  const heard: RtpPacket[] = [];
  peer.onPacket = (bytes) => {
    const packet = parseRtp(new Uint8Array(bytes));
    if (packet === undefined) return;
    heard.push(packet);
    if (packet.sequence >= last) resolve(heard);
  };
  return promise;
}

const isSrtp = (bytes: Uint8Array) => bytes[0] === 0x80 && bytes.length > 160;

faultTest(
  "a WebRTC peer hears no packet twice, and none that was changed or made up on the way",
  20_000,
  async (openOne) => {
    const { one, other, relay, close } = await connectedByRelay(openOne);
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
);

async function lose(openOne: OpenOne): Promise<void> {
  const nobody = await plainSocket();
  const waiting = await openOne();
  const unheard = await openPeer({ ...options, offer: reachedAt(waiting.local, []) });
  waiting.accept(
    reachedAt(unheard.local, [`1 1 UDP 2122317823 127.0.0.1 ${nobody.port} typ host`]),
  );
  const never = assert.rejects(
    waiting.connected,
    /Cannot connect media: ICE found no way to the peer/,
  );
  const { one, relay, close } = await connectedByRelay(openOne);
  relay.cut();

  await Promise.all([one.lost, never, waiting.lost]);
  await Promise.all([close(), waiting.close(), unheard.close(), nobody.close()]);
}

Deno.test({
  name: "a WebRTC peer is lost that falls silent, and one that is never reached, on one port too",
  // ICE asks for consent for 30 s (RFC 7675 §5.1), and for an answer for 39.5 s (RFC 8863 §4).
  timeout: 90_000,
  fn: async () => void await Promise.all([lose(onPortsOfItsOwn), onOnePort(lose)]),
});

/** A STUN binding request (RFC 8489) of a stranger who has heard of a name, but not of its password. */
function strangersCheck(name: string): Buffer {
  const username = Buffer.from(`${name}:strange`.padEnd(20, "e"));
  const attributes = Buffer.concat([
    Buffer.of(0, 0x06, 0, username.length),
    username,
    Buffer.of(0, 0x08, 0, 20),
    randomBytes(20),
  ]);
  const head = Buffer.of(0, 1, 0, attributes.length, 0x21, 0x12, 0xa4, 0x42);
  return Buffer.concat([head, randomBytes(12), attributes]);
}

faultTest("a WebRTC peer goes on while strangers flood its port", 30_000, async (openOne) => {
  const one = await openOne();
  const { candidates, ufrag } = ofKind("webrtc", one.local).audio;
  const ports = candidates.map((each) => Number(each.split(" ")[5]));
  const other = await openPeer({ ...options, offer: one.local });
  one.accept(other.local);
  await Promise.all([one.connected, other.connected]);
  const stranger = await plainSocket();
  const noise = [
    strangersCheck(ufrag),
    strangersCheck("nobodys"),
    Buffer.from(rtp(other, 9)),
    Buffer.concat([Buffer.of(22, 0xfe, 0xfd), randomBytes(200)]),
    randomBytes(1_400),
    Buffer.of(0),
  ];
  const heard = new Set<number>();
  one.onPacket = (bytes) => heard.add(parseRtp(bytes)?.sequence ?? -1);

  let sequence = 100;
  for (let round = 0; round < 50; round++) {
    for (let i = 0; i < 90; i++) stranger.sendBytes(ports[i % ports.length]!, noise[i % 6]!);
    await new Promise((next) => setTimeout(next));
    other.send(rtp(other, sequence++));
  }
  const later = Promise.withResolvers<void>();
  const flooded = sequence;
  one.onPacket = (bytes) => (parseRtp(bytes)?.sequence ?? 0) >= flooded && later.resolve();
  // What comes in the middle of a flood may be lost, and no packet is sent twice.
  const again = setInterval(() => other.send(rtp(other, sequence++)), 50);
  await later.promise;
  clearInterval(again);

  assert.ok(heard.size > 0, "nothing was heard in the flood");
  assert.deepEqual([...heard].filter((each) => each < 100 || each >= flooded), []);
  await Promise.all([one.close(), other.close(), stranger.close()]);
});

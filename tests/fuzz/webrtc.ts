import assert from "node:assert/strict";
import { mediaLimits } from "../../sip/media/base/limits.ts";
import { ofKind } from "../../sip/media/sdp/parse_sdp.ts";
import type { Datagrams } from "../../sip/media/rtp/rtp_sockets.ts";
import { isRtcp, parseRtp, writeRtp } from "../../sip/media/rtp/rtp.ts";
import { OUR_FORMATS, type Session, type WebrtcAudio } from "../../sip/media/sdp/sdp.ts";
import type { Peer } from "../../sip/media/sdp/transport.ts";
import { newCertificate } from "../../sip/media/webrtc/certificate.ts";
import { openPeer } from "../../sip/media/webrtc/peer.ts";
import type { WebrtcSockets } from "../../sip/media/webrtc/sockets.ts";
import { type HandClock, handClock } from "../support/process/hand_clock.ts";
import { bytesOf, mutateBytes, once, pick, type Random } from "./generator.ts";
import type { Target } from "./target.ts";

/**
 * Two whole peers, from ICE to audio, on a network that an attacker controls. Each is connected or
 * lost in time, hears the other alone and each packet once, and leaves nothing.
 */

type Address = Parameters<Datagrams["send"]>[1];
interface OnTheWay {
  to: number;
  from: Address;
  bytes: Uint8Array;
}

/** Replaces a datagram; the returned ones arrive. */
type Attack = (datagram: OnTheWay) => OnTheWay[];

const HOST = "127.0.0.1";

/** Sockets whose datagrams arrive when they are delivered. */
function network(): WebrtcSockets & { attack: Attack; deliver(): void; held(): number } {
  const byPort = new Map<number, Datagrams>();
  const way: OnTheWay[] = [];
  let ports = 50_000;
  const net = {
    bindAddress: HOST,
    attack: ((datagram) => [datagram]) as Attack,
    held: () => byPort.size,
    deliver() {
      for (const each of way.splice(0).flatMap((one) => net.attack(one))) {
        byPort.get(each.to)?.onMessage(each.bytes.slice(), each.from);
      }
    },
    open() {
      const port = ports++;
      const datagrams: Datagrams = {
        port,
        onMessage: () => {},
        send: (bytes, to) =>
          void way.push({ to: to.port, from: { address: HOST, port }, bytes: bytes.slice() }),
        close: () => Promise.resolve(void byPort.delete(port)),
      };
      byPort.set(port, datagrams);
      return Promise.resolve(datagrams);
    },
    close: () => Promise.resolve(),
  };
  return net;
}

/** Attacks by any network, and by senders who cannot send from a peer's address. */
function harmless(random: Random): Attack {
  const held: OnTheWay[] = [];
  const seen: OnTheWay[] = [];
  let lost = 0;
  return (datagram) => {
    seen.push(datagram);
    const elsewhere = { address: "127.0.0.9", port: 1 + random(65_535) };
    const strange = pick(random, seen);
    const late = held.splice(0);
    const some = [datagram, ...late];
    if (once(random, 4)) {
      some.push({ ...strange, from: elsewhere, bytes: mutateBytes(strange.bytes, random) });
    }
    if (once(random, 4)) {
      some.push({ ...datagram, from: elsewhere, bytes: bytesOf(random, random(300)) });
    }
    if (once(random, 6)) some.push(strange);
    if (once(random, 6)) some.push(datagram);
    if (once(random, 5) && lost++ < 20) some.shift();
    else if (once(random, 8)) held.push(some.shift()!);
    return some;
  };
}

/** Everything that an attacker on the path can do, for some of the time. */
function harmful(random: Random, clock: HandClock): Attack {
  const network = harmless(random);
  const untilMs = random(2) * random(20_000);
  const hasNoDtls = once(random, 3);
  return (datagram) => {
    const [first = 0] = datagram.bytes;
    if (hasNoDtls && first >= 20 && first <= 63) return [];
    const some = network(datagram);
    if (clock.now() > untilMs || once(random, 2)) return some;
    return some.map((each) => ({ ...each, bytes: mutateBytes(each.bytes, random) }));
  };
}

type State = { connected?: boolean; over?: boolean };

function watched(peer: Peer): State {
  const state: State = {};
  peer.connected.then(() => state.connected = true, () => state.over = true);
  void peer.lost.then(() => state.over = true);
  return state;
}

/** Sends numbered packets, and looks at what the other one hears. */
function talking(from: Peer, to: Peer) {
  const sent = new Map<number, string>();
  const heard = new Set<number>();
  let count = 0;
  to.onPacket = (bytes) => {
    if (isRtcp(bytes)) return;
    const sequence = parseRtp(bytes)?.sequence ?? -1;
    assert.equal(bytes.toHex(), sent.get(sequence), "it hears what nobody sent");
    assert.ok(!heard.has(sequence), "it hears a packet twice");
    heard.add(sequence);
  };
  return {
    heard,
    say() {
      const sequence = count++ & 0xffff;
      const payload = new Uint8Array(20).fill(sequence);
      const { ssrc } = from.stream;
      const packet = {
        payloadType: 0,
        marker: false,
        sequence,
        timestamp: sequence * 160,
        ssrc,
        payload,
      };
      const bytes = writeRtp(packet).slice();
      sent.set(sequence, bytes.toHex());
      from.send(bytes);
    },
  };
}

/** Neither ICE nor DTLS may take longer; a packet more has to be heard by then. */
const TIME_MS = mediaLimits.iceConnectMs + mediaLimits.dtlsMs + 5_000;

const changed = (session: Session, change: Partial<WebrtcAudio>): Session => ({
  ...session,
  audio: { ...ofKind("webrtc", session).audio, ...change },
});

export const target: Target = {
  async run(random) {
    const clock = handClock();
    const sockets = network();
    const kind = random(3);
    const options = { sockets, clock, mid: "0", formats: OUR_FORMATS };
    const one = await openPeer(options);
    const setup = pick(random, ["actpass", "active"] as const);
    const other = await openPeer({ ...options, offer: changed(one.local, { setup }) });
    const states = [watched(one), watched(other)];
    const ways = [talking(one, other), talking(other, one)];
    sockets.attack = kind === 0 ? harmless(random) : harmful(random, clock);
    const isWrong = kind === 2;
    const { fingerprint } = isWrong ? newCertificate() : ofKind("webrtc", other.local).audio;
    one.accept(changed(other.local, { fingerprint }));

    for (let ms = 0; ms < TIME_MS; ms += 50) {
      clock.advance(50);
      sockets.deliver();
      for (let i = 0; i < 8; i++) await Promise.resolve();
      if (ms % 500 === 0) ways.forEach(({ say }) => say());
      if (states.every(({ connected, over }) => over || connected && ms > 25_000)) break;
    }
    for (const { connected, over } of states) assert.ok(connected || over, "it waits for ever");
    if (kind === 0) {
      assert.deepEqual(states, [{ connected: true }, { connected: true }], "a network hindered it");
      assert.ok(ways.every(({ heard }) => heard.size > 0), "nothing is heard");
    }
    if (isWrong) {
      assert.ok(!states[0]!.connected, "it took another certificate");
      assert.equal(ways[1]!.heard.size, 0, "it heard a peer that it must not take");
    }
    await Promise.all([one.close(), other.close()]);
    assert.deepEqual([sockets.held(), clock.waiting()], [0, 0], "it keeps something");
  },
};

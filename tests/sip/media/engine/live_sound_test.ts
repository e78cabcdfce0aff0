import assert from "node:assert/strict";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import type { MediaEngine, Pcm } from "../../../../sip/media/base/port.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import {
  connectPlainPeer,
  isSound,
  type PlainPeer,
  soundOf,
} from "../../../support/sip/plain_peer.ts";
import { followed } from "../../../support/media/steered_engine.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { workerEngine } from "../../../support/media/worker_engine.ts";

/** What is true of sound that an engine sends back, mixes and records, wherever the engine is. */

const host = "127.0.0.1";

function threadEngine(): MediaEngine {
  const ports = { first: 0, last: 0 };
  const rtp = rtpTransport({ bindAddress: host, host, ports, now: systemClock.now });
  return mediaEngine({ transports: [rtp], log: () => {} });
}

type Body = (engine: MediaEngine, one: PlainPeer, other: PlainPeer) => Promise<void>;

/** Tests with two peers of an engine; they fail, not hang, and leave nothing open. */
function soundTest(name: string, body: Body): void {
  for (
    const [where, open] of [["in this thread", threadEngine], [
      "in a Worker",
      workerEngine,
    ]] as const
  ) {
    Deno.test({
      name: `${name}: ${where}`,
      timeout: 90_000,
      async fn() {
        const engine = await open();
        const peers: PlainPeer[] = [];
        try {
          for (let i = 0; i < 2; i++) peers.push(await connectPlainPeer(engine, "PCMU"));
          await body(engine, peers[0]!, peers[1]!);
        } finally {
          await engine.close();
          await Promise.all(peers.map((peer) => peer.close()));
        }
      },
    });
  }
}

const loud = 2_000;

/** Resolves when a peer is sent a tone. */
const hears = async (peer: PlainPeer, hz: number): Promise<void> => {
  await peer.next(
    5,
    (packet) => isSound(packet) && amplitudeOf(hz, soundOf("PCMU", [packet])) > loud,
  );
};

/** What comes of the next packets that a peer is sent. */
const soundsIn = async (peer: PlainPeer, count: number): Promise<number> =>
  (await peer.next(count)).filter(isSound).length;

/** Keeps what is recorded; `over` resolves at the first piece. */
function recorder() {
  const pieces: Pcm[] = [];
  const first = Promise.withResolvers<void>();
  return {
    pieces,
    first: first.promise,
    write(samples: Pcm) {
      pieces.push(samples);
      first.resolve();
    },
    channel: (at: number, of: number) =>
      pieces.flatMap((piece) => [...piece]).filter((_, i) => i % of === at),
  };
}

soundTest("echo() sends a peer what it says, until it ends", async (_, one) => {
  const stop = one.leg.echo();
  await followed(one.leg);
  const heard = hears(one, 610);
  one.sendTone(610);
  await heard;

  stop();
  await followed(one.leg);
  await one.next(15); // What was on its way.
  one.sendTone(610);
  assert.equal(await soundsIn(one, 15), 0);
});

soundTest("recordWith() hands on each leg on a channel, all of it", async (_, one, other) => {
  const { pieces, first, write, channel } = recorder();
  const stop = one.leg.recordWith(other.leg, write);
  await followed(one.leg);
  one.sendTone(610);
  other.sendTone(1_010);
  await first;
  await stop();

  const count = pieces.length;
  assert.ok(pieces.every(({ length }) => length <= 8_000 && length % 320 === 0));
  const levels = [0, 1].map((at) => [610, 1_010].map((hz) => amplitudeOf(hz, channel(at, 2))));
  const [[own, others], [back, its]] = levels as [[number, number], [number, number]];
  assert.ok(own > 10 * others && its > 10 * back, JSON.stringify(levels));
  await one.next(10);
  assert.equal(pieces.length, count);
});

soundTest("conference() lets legs hear each other, sounds too, and is recorded", async (
  engine,
  one,
  other,
) => {
  const conference = engine.conference();
  const participants = [one, other].map(({ leg }) => conference.enter(leg));
  participants.forEach((participant) => participant.setPresent(true));
  const { first, write, channel } = recorder();
  const stop = conference.record(write);
  await followed(other.leg);

  const heard = hears(other, 610);
  one.sendTone(610);
  await heard;
  const announced = [hears(one, 1_500), hears(other, 1_500)];
  conference.announce(tone(1_500, 0.2));
  await Promise.all(announced);
  await first;
  await stop();
  assert.ok(amplitudeOf(610, channel(0, 1)) > 500 && amplitudeOf(1_500, channel(0, 1)) > 500);

  participants[0]!.setMuted(true);
  await followed(one.leg);
  await other.next(15);
  one.sendTone(610);
  assert.equal(await soundsIn(other, 15), 0);
  participants.forEach((participant) => participant.leave());
});

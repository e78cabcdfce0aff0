import assert from "node:assert/strict";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { createRtpSession } from "../../../../sip/media/engine/rtp_session.ts";
import { writeReport } from "../../../../sip/media/rtp/rtcp.ts";
import { writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import { newStream, type Peer } from "../../../../sip/media/sdp/transport.ts";
import { handClock } from "../../../support/process/hand_clock.ts";

/** A session whose peer sends what the test says, when it says it. */
function openSession() {
  const clock = handClock();
  const peer = { stream: newStream(), send() {}, onPacket: undefined } as unknown as Peer;
  const quiet: number[] = [];
  const taken = { count: 0 };
  const session = createRtpSession({
    peer,
    clock,
    samplesPerMs: 8,
    onPacket: () => taken.count++,
    onQuiet: (ms) => quiet.push(ms),
  });
  session.start();
  return { clock, session, quiet, taken, send: (bytes: Uint8Array) => peer.onPacket?.(bytes) };
}

const report = writeReport({ ssrc: 7, cname: "x", sender: undefined, blocks: [], bye: false });

const comfortNoise = (sequence: number) =>
  writeRtp({
    payloadType: 13,
    marker: false,
    sequence,
    timestamp: sequence * 160,
    ssrc: 7,
    payload: Uint8Array.of(70),
  }).slice();

for (
  const [what, packet] of [
    ["RTCP alone", () => report],
    ["comfort noise alone (RFC 3389)", comfortNoise],
  ] as const
) {
  Deno.test(`a peer that sends ${what} is not quiet`, () => {
    const { clock, session, quiet, send } = openSession();
    session.expectPeer(true);

    for (let i = 0; i < 100; i++) {
      send(packet(i));
      clock.advance(mediaLimits.peerQuietMs - 1_000);
    }

    assert.deepEqual(quiet, []);
  });
}

Deno.test("onQuiet() tells how long a peer has been silent, until it speaks or is on hold", () => {
  const { clock, session, quiet, send } = openSession();
  session.expectPeer(true);

  clock.advance(600_000);
  assert.ok(quiet.length >= 60, `${quiet.length} reports`);
  assert.ok(quiet[0]! >= mediaLimits.peerQuietMs);
  assert.ok(quiet[0]! <= mediaLimits.peerQuietMs + 7_500);
  assert.deepEqual(quiet, quiet.toSorted((a, b) => a - b));

  quiet.length = 0;
  send(report);
  clock.advance(mediaLimits.peerQuietMs - 1);
  session.expectPeer(false);
  clock.advance(600_000);
  session.expectPeer(true);
  clock.advance(mediaLimits.peerQuietMs - 1);
  assert.deepEqual(quiet, []);
  session.close();
});

Deno.test("a peer that floods packets is heard at 1,000 a second, and at 50 all are", () => {
  const { clock, taken, send } = openSession();
  let sequence = 0;
  for (let ms = 0; ms < 60_000; ms += 20) {
    send(comfortNoise(sequence++));
    clock.advance(20);
  }
  assert.equal(taken.count, 3_000);

  for (let ms = 0; ms < 10_000; ms += 1) {
    for (let i = 0; i < 50; i++) send(comfortNoise(sequence++ & 0xffff));
    clock.advance(1);
  }

  const { packetsBurst, packetsPerS } = mediaLimits;
  assert.ok(taken.count <= 3_000 + packetsBurst + 10 * packetsPerS, `${taken.count} packets`);
  assert.ok(taken.count >= 3_000 + 9 * packetsPerS);
});

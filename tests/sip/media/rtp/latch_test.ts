import assert from "node:assert/strict";
import { createLatch } from "../../../../sip/media/rtp/latch.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import type { RtpPacket } from "../../../../sip/media/rtp/rtp.ts";
import { handClock } from "../../../support/process/hand_clock.ts";

const at = (port: number, address = "192.0.2.1") => ({ address, port });
const packet = (sequence: number, ssrc = 1): RtpPacket => ({
  payloadType: 0,
  marker: false,
  sequence,
  timestamp: 0,
  ssrc,
  payload: new Uint8Array(),
});

/** Where the peer signals from. */
const flow = "198.51.100.5";

function latchOf(port: number) {
  const clock = handClock();
  const unknown: string[] = [];
  const latch = createLatch({
    now: clock.now,
    isSource: (address) => address === flow,
    onUnknown: ({ address }) => unknown.push(address),
  });
  latch.signal(at(port));
  return { clock, latch, unknown, target: () => latch.target()?.port };
}

Deno.test("createLatch() sends nowhere and hears nobody before signalling", () => {
  const latch = createLatch({ now: () => 0 });
  assert.equal(latch.admits(at(1), packet(1)), false);
  assert.equal(latch.admits(at(1), packet(2)), false);
  assert.equal(latch.target(), undefined);
});

Deno.test("createLatch() takes the signalled source at once, and nobody else afterwards", () => {
  const { latch, target, clock } = latchOf(10);
  assert.equal(target(), 10);
  assert.equal(latch.admits(at(10), packet(1)), true);
  for (const from of [at(11), at(10, "192.0.2.2")]) {
    for (let i = 0; i < 5; i++) assert.equal(latch.admits(from, packet(i, 2)), false);
  }
  clock.advance(60_000);
  assert.equal(latch.admits(at(10), packet(40_000, 3)), true, "the source may begin a new stream");
  assert.equal(target(), 10);
});

Deno.test("createLatch() takes another source after two packets in a row", () => {
  const { latch, target } = latchOf(10);
  assert.equal(latch.admits(at(20), packet(1)), false);
  assert.equal(latch.admits(at(21), packet(2)), false);
  assert.equal(latch.admits(at(20), packet(2)), false, "the row was broken");
  assert.equal(latch.admits(at(20), packet(9_000)), false, "no neighbour");
  assert.equal(latch.admits(at(20), packet(9_001, 2)), false, "another stream");
  assert.equal(target(), 10);
  assert.equal(latch.admits(at(20), packet(9_002, 2)), true);
  assert.equal(target(), 20);
});

Deno.test("createLatch() drops and tells of sources that signalling does not know", () => {
  const { latch, target, unknown } = latchOf(10);
  for (let i = 0; i < 5; i++) {
    assert.equal(latch.admits(at(10, "203.0.113.66"), packet(i)), false);
  }
  assert.deepEqual(unknown, Array(5).fill("203.0.113.66"));
  assert.equal(target(), 10);

  latch.admits(at(10), packet(1));
  assert.equal(latch.admits(at(10, "203.0.113.66"), packet(2)), false, "as if it went on");
  assert.equal(unknown.length, 6);
});

Deno.test("createLatch() takes a peer from any port of where it signals from", () => {
  const { latch, unknown } = latchOf(10);
  assert.equal(latch.admits(at(5_555, flow), packet(1)), false);
  assert.equal(latch.admits(at(5_555, flow), packet(2)), true);
  assert.deepEqual(latch.target(), { ...at(5_555, flow), ssrc: 1, sequence: 2 });
  assert.deepEqual(unknown, []);
});

Deno.test("createLatch() gives way to the signalled source, however late it speaks", () => {
  const { latch, target, clock } = latchOf(10);
  latch.admits(at(20), packet(1));
  latch.admits(at(20), packet(2));
  assert.equal(target(), 20);
  clock.advance(60_000);
  assert.equal(latch.admits(at(10), packet(1, 2)), true);
  assert.equal(target(), 10);
});

Deno.test("createLatch() follows a stream that goes on from elsewhere", () => {
  const { latch, target, clock } = latchOf(10);
  latch.admits(at(10), packet(65_535));
  clock.advance(60_000);
  assert.equal(latch.admits(at(20), packet(20_000)), false, "it must go on");
  assert.equal(latch.admits(at(20), packet(0)), true);
  assert.equal(target(), 20);
});

const { latchMoveMs, latchPauseMs } = mediaLimits;

/** Signalling moved a peer that stands behind a NAT, and sent from port 20, from port 10 to 30. */
function movedLatch() {
  const lab = latchOf(10);
  const { latch, clock } = lab;
  latch.admits(at(20), packet(1));
  latch.admits(at(20), packet(2));
  clock.advance(60_000);
  latch.signal(at(30));
  let sequence = 2;
  /** The former source goes on for a while; what becomes of each of its packets. */
  const goOn = (ms: number) =>
    Array.from({ length: ms / 20 }, () => {
      clock.advance(20);
      return latch.admits(at(20), packet(++sequence));
    });
  return { ...lab, goOn };
}

Deno.test("createLatch() begins anew when signalling moves the address", () => {
  const { latch, target } = latchOf(10);
  latch.admits(at(20), packet(1));
  latch.admits(at(20), packet(2));

  latch.signal(at(10));
  assert.equal(target(), 20, "the same address again changes nothing");
  latch.signal(at(30));
  assert.equal(target(), 30);
  assert.equal(latch.admits(at(20), packet(3)), true, "what is still under way is heard");
  assert.equal(target(), 30);
  assert.equal(latch.admits(at(30), packet(1, 5)), true);
  for (let i = 4; i < 9; i++) assert.equal(latch.admits(at(20), packet(i)), false);

  latch.signal(at(20));
  assert.equal(latch.admits(at(20), packet(1, 6)), true, "signalling named it again");
});

Deno.test("createLatch() comes back to a peer behind a NAT that did not move after all", () => {
  const { target, goOn } = movedLatch();
  assert.ok(goOn(latchMoveMs).every(Boolean), "it is heard all the time");
  assert.equal(target(), 30);
  assert.deepEqual(goOn(20), [true]);
  assert.equal(target(), 20);
});

Deno.test("createLatch() comes back to one that begins a new stream after two packets in a row", () => {
  const { latch, target, clock } = movedLatch();
  assert.equal(latch.admits(at(20), packet(7_000, 2)), false);
  assert.equal(latch.admits(at(20), packet(7_001, 2)), false, "it is too soon");
  clock.advance(latchMoveMs + 1);
  assert.equal(latch.admits(at(20), packet(7_002, 2)), false);
  assert.equal(latch.admits(at(20), packet(7_003, 2)), true);
  assert.equal(target(), 20);
});

Deno.test("createLatch() lets nobody in beside a former source that goes on", () => {
  const { latch, target, goOn } = movedLatch();
  for (let i = 0; i < 2 * latchMoveMs / 20; i++) {
    assert.deepEqual(goOn(20), [true]);
    for (const n of [2 * i, 2 * i + 1]) {
      assert.equal(latch.admits(at(40), packet(n, 9)), false, `attacker, ${20 * i} ms`);
    }
  }
  assert.equal(target(), 20);
});

Deno.test("createLatch() takes who moved behind a NAT as soon as the former source is silent", () => {
  const { latch, target, clock, goOn } = movedLatch();
  goOn(100);
  assert.equal(latch.admits(at(40), packet(1, 9)), false);
  clock.advance(latchPauseMs + 1);
  assert.equal(latch.admits(at(40), packet(2, 9)), true);
  assert.equal(target(), 40);
  assert.deepEqual(goOn(2 * latchMoveMs).filter(Boolean), []);
  assert.equal(target(), 40);
});

Deno.test("createLatch() gives a former source up when the signalled one speaks, however late", () => {
  const { latch, target, clock, goOn } = movedLatch();
  goOn(2 * latchMoveMs);
  clock.advance(60_000);
  assert.equal(target(), 20);
  assert.equal(latch.admits(at(30), packet(1, 5)), true);
  assert.equal(target(), 30);
  assert.deepEqual(goOn(2 * latchMoveMs).filter(Boolean), []);
});

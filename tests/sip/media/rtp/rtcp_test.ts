import assert from "node:assert/strict";
import { createReception } from "../../../../sip/media/rtp/reception.ts";
import {
  parseReport,
  type Report,
  type ReportBlock,
  writeReport,
} from "../../../../sip/media/rtp/rtcp.ts";
import type { RtpPacket } from "../../../../sip/media/rtp/rtp.ts";
import { handClock } from "../../../support/process/hand_clock.ts";

const block: ReportBlock = {
  ssrc: 0x8000_0001,
  fractionLost: 200,
  cumulativeLost: -3,
  highestSequence: 0x0001_ffff,
  jitter: 12,
  lastReport: 0xffff_0001,
  delay: 65_536,
};
const sender = { timeMs: 1_500, timestamp: 0xffff_fff0, packets: 7, octets: 1_120 };
const report: Report = { ssrc: 0xdead_beef, cname: "me", sender, blocks: [block], bye: true };

const packet = (sequence: number, changes: Partial<RtpPacket> = {}): RtpPacket => ({
  payloadType: 0,
  marker: false,
  sequence,
  timestamp: sequence * 160,
  ssrc: 9,
  payload: new Uint8Array(160),
  ...changes,
});

Deno.test("writeReport() writes SR, SDES and BYE as RFC 3550 §6 lays them out", () => {
  const bytes = writeReport(report);
  const view = new DataView(bytes.buffer);

  assert.deepEqual([...bytes.subarray(0, 4)], [0x81, 200, 0, 12]);
  assert.equal(view.getUint32(8), 2_208_988_801);
  assert.equal(view.getUint32(12), 0x8000_0000);
  assert.deepEqual([16, 20, 24].map((at) => view.getUint32(at)), [0xffff_fff0, 7, 1_120]);
  assert.deepEqual([...bytes.subarray(52, 56)], [0x81, 202, 0, 3]);
  assert.deepEqual([...bytes.subarray(60, 68)], [1, 2, 0x6d, 0x65, 0, 0, 0, 0]);
  assert.deepEqual([...bytes.subarray(68)], [0x81, 203, 0, 1, 0xde, 0xad, 0xbe, 0xef]);
});

Deno.test("parseReport() reads what writeReport() wrote", () => {
  assert.deepEqual(parseReport(writeReport(report)), {
    ssrc: report.ssrc,
    ntpMiddle: 0x7e81_8000,
    blocks: [block],
    bye: true,
  });
  const receiver = parseReport(writeReport({ ...report, sender: undefined, bye: false }));
  assert.deepEqual(receiver, {
    ssrc: report.ssrc,
    ntpMiddle: undefined,
    blocks: [block],
    bye: false,
  });
});

Deno.test("parseReport() refuses what is cut off or begins otherwise", () => {
  const bytes = writeReport(report);
  for (const length of [0, 4, 7, 8, 27, 51, 54]) {
    const found = parseReport(bytes.subarray(0, length));
    if (length < 52) assert.equal(found, undefined, `${length} bytes`);
  }
  assert.equal(parseReport(bytes.subarray(52)), undefined, "it begins with SDES");
  const lying = bytes.slice();
  lying[0] = 0x9f;
  assert.equal(parseReport(lying), undefined, "31 blocks have no conference");
});

Deno.test("createReception() counts losses since the last report, and through the wrap", () => {
  const reception = createReception(() => 0, 8);
  assert.equal(reception.block(), undefined);
  for (const sequence of [65_534, 65_535, 1, 0]) reception.take(packet(sequence));
  assert.equal(reception.block()!.cumulativeLost, 0);
  for (const sequence of [2, 5]) reception.take(packet(sequence));

  const { ssrc, cumulativeLost, fractionLost, highestSequence } = reception.block()!;
  assert.deepEqual([ssrc, cumulativeLost, fractionLost], [9, 2, 128]);
  assert.equal(highestSequence, 0x1_0005);
  assert.equal(reception.block()!.fractionLost, 0);
});

Deno.test("createReception() measures jitter as RFC 3550 §A.8", () => {
  const clock = handClock();
  const reception = createReception(clock.now, 8);
  for (let i = 0; i < 200; i++) {
    clock.advance(i % 2 === 0 ? 10 : 30);
    reception.take(packet(i));
  }
  // Every packet comes 10 ms early or late: 80 units of the clock.
  assert.ok(Math.abs(reception.block()!.jitter - 80) <= 1);
});

Deno.test("taken() tells what came and what did not since it was last asked", () => {
  const reception = createReception(() => 0, 8);
  assert.deepEqual(reception.taken(), { received: 0, lost: 0, jitterMs: 0 });
  for (const sequence of [1, 2, 4, 5, 8]) reception.take(packet(sequence));
  const { received, lost } = reception.taken();
  assert.deepEqual({ received, lost }, { received: 5, lost: 3 });
  reception.take(packet(7)); // Late after all: the total of lost ones is not told twice, nor taken back.
  reception.take(packet(10));
  const { received: later, lost: more } = reception.taken();
  assert.deepEqual({ later, more }, { later: 2, more: 0 });
  reception.take(packet(12));
  assert.equal(reception.taken().lost, 1);
});

Deno.test("createReception() tells when the peer's report came", () => {
  const clock = handClock();
  const reception = createReception(clock.now, 8);
  reception.take(packet(1));
  reception.reported(0x1234_5678);
  clock.advance(500);
  const { lastReport, delay } = reception.block()!;
  assert.deepEqual([lastReport, delay], [0x1234_5678, 32_768]);
});

Deno.test("createReception() drops a packet that jumps, and follows two near each other", () => {
  const reception = createReception(() => 0, 8);
  const takes = (sequence: number) => reception.take(packet(sequence));
  assert.deepEqual([100, 101, 30_000, 102].map(takes), [true, true, false, true]);
  assert.deepEqual([30_000, 30_000, 45_000].map(takes), [false, false, false], "each by itself");
  assert.deepEqual([44_999, 45_001, 45_000].map(takes), [true, true, true], "in any order");
  assert.equal(takes(103), false);
  assert.equal(reception.take(packet(9, { ssrc: 1 })), true, "a new source is a new stream");
});

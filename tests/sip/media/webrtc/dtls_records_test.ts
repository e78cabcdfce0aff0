import assert from "node:assert/strict";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { concat, number, vector } from "../../../../sip/media/webrtc/dtls_bytes.ts";
import { readRecords, writeRecord } from "../../../../sip/media/webrtc/dtls_record.ts";
import { clear, facing } from "../../../support/media/bent_dtls.ts";
import { dtlsPair } from "../../../support/media/dtls_pair.ts";

/** Records that anyone can send during a handshake, and that must not end it (RFC 6347 §4.1.2.7). */

type Side = "client" | "server";

const [CHANGE, ALERT, HANDSHAKE] = [20, 21, 22];
const FINISHED = 20;
const none = new Uint8Array();

/** A fragment of a message; a whole one unless told. */
const message = (type: number, sequence: number, body: Uint8Array, length = body.length, at = 0) =>
  concat(number(1, type), number(3, length), number(2, sequence), number(3, at), vector(3, body));

/** Places of messages, the one that is due among them. */
const places = Array.from({ length: 8 }, (_, i) => i);
const inEachPlace = (make: (sequence: number) => Uint8Array) =>
  places.map((sequence) => clear(HANDSHAKE, make(sequence)));

/** Messages that the other side never sends: what is sent back to its sender, for one. */
const foreign: Record<Side, number[]> = { client: [1, 15, 16], server: [2, 3, 12, 13, 14] };

const invalid: Record<string, (to: Side) => Uint8Array[]> = {
  "of an unknown kind": () => [0, 1, 19, 23, 24, 25, 63, 255].map((type) => clear(type, none)),
  "of another version": () =>
    [0x0000, 0x0303, 0xfefc, 0xffff].map((version) => {
      const record = clear(ALERT, Uint8Array.of(2, 40));
      record.set(number(2, version), 1);
      return record;
    }),
  "that are cut off": () => {
    const record = clear(HANDSHAKE, message(FINISHED, 0, new Uint8Array(12)));
    return Array.from({ length: record.length }, (_, length) => record.subarray(0, length));
  },
  "of an epoch to come": () =>
    [1, 2, 0xffff].flatMap((epoch) =>
      [CHANGE, ALERT, HANDSHAKE, 23].map((type) =>
        writeRecord({ type, epoch, sequence: 7, body: new Uint8Array(40).fill(1) })
      )
    ),
  "longer than any": () => [clear(HANDSHAKE, message(99, 0, new Uint8Array(16_400)))],
  "with no content": () => [CHANGE, ALERT, HANDSHAKE].map((type) => clear(type, none)),
  "with an alert that is none": () =>
    [[2], [0, 40], [3, 40], [255, 0], [2, 40, 0]].map((bytes) =>
      clear(ALERT, Uint8Array.from(bytes))
    ),
  "with a change of cipher that is none": () =>
    [[0], [2], [1, 1]].map((bytes) => clear(CHANGE, Uint8Array.from(bytes))),
  "with a message of an unknown type": () =>
    [0, 4, 5, 6, 8, 22, 24, 99, 255].flatMap((type) =>
      inEachPlace((sequence) => message(type, sequence, type === 0 ? none : new Uint8Array(9)))
    ),
  "with Finished in the clear": () =>
    inEachPlace((sequence) => message(FINISHED, sequence, new Uint8Array(12))),
  "with a message of our own kind": (to) =>
    foreign[to].flatMap((type) => inEachPlace((at) => message(type, at, new Uint8Array(40)))),
  "with an empty fragment": () =>
    [2, 11, 12, 14, 16].flatMap((type) => inEachPlace((at) => message(type, at, none, 500))),
  "with a fragment of another length": () =>
    [1, 2, 11, 12, 13, 15, 16].flatMap((type) =>
      inEachPlace((at) => message(type, at, new Uint8Array(9), 1_000, 700))
    ),
  "with a fragment behind its end": () =>
    [2, 11, 16].flatMap((type) =>
      inEachPlace((at) => message(type, at, new Uint8Array(9), 40, 35))
    ),
  "with a message without end": () =>
    [2, 11, 16].flatMap((type) =>
      inEachPlace((at) => message(type, at, new Uint8Array(9), 0xffffff))
    ),
  "with a fatal alert": () =>
    [0, 10, 20, 40, 42, 47, 50, 51, 80, 110].flatMap((why) => [
      clear(ALERT, Uint8Array.of(2, why)),
      clear(ALERT, Uint8Array.of(1, why)),
    ]),
};

for (const [name, records] of Object.entries(invalid)) {
  Deno.test(`a DTLS handshake goes on in spite of records ${name}`, () => {
    for (const victim of ["client", "server"] as const) {
      const pair = dtlsPair();
      const forge = () => records(victim).forEach((record) => pair.give(victim, record));
      forge();
      for (let step = 0; step < 80 && !(pair.keys.client && pair.keys.server); step++) {
        const next = pair.onTheWay.shift();
        if (next === undefined) pair.clock.advance(mediaLimits.handshakeRepeatMs);
        else pair.give(next.to, next.datagram);
        forge();
      }
      pair.deliver();
      assert.deepEqual(pair.ends, {}, victim);
      assert.ok(pair.keys.client && pair.keys.server, `${victim} is not done`);
      assert.deepEqual(pair.keys.client.ours, pair.keys.server.theirs);
      pair.clock.advance(60_000);
      assert.deepEqual(pair.ends, {}, "nothing forged counts later");
      pair.close("client");
      pair.close("server");
      assert.equal(pair.clock.waiting(), 0);
    }
  });
}

Deno.test("an alert in the clear ends a handshake whose peer does not go on", () => {
  for (const role of ["client", "server"] as const) {
    const pair = dtlsPair();
    pair.onTheWay.length = 0;
    pair.give(role, clear(ALERT, Uint8Array.of(2, 40)));
    pair.clock.advance(mediaLimits.handshakeDoubtMs - 1);
    assert.equal(pair.ends[role], undefined);
    pair.clock.advance(1);
    assert.equal(pair.ends[role], "DTLS failed: the peer sent alert 40");
  }
});

Deno.test("sealed records that come again have no effect, and are not answered", () => {
  for (const role of ["client", "server"] as const) {
    const theirs: Uint8Array[] = [];
    const us = facing(role, {
      alter(datagram) {
        theirs.push(datagram);
        return [datagram];
      },
    });
    us.run();
    assert.ok(us.hasKeys);
    const sent = us.sent.length;
    for (let times = 0; times < 20; times++) theirs.forEach(us.give);
    assert.equal(us.sent.length, sent, role);
  }
});

Deno.test("a server answers the peer's Finished that is sent anew by its own", () => {
  // What the server sent last is lost twice.
  let lost = 0;
  const pair = dtlsPair({
    alter(datagram, to) {
      const hasSealed = readRecords(datagram).some(({ epoch }) => epoch === 1);
      return to === "client" && hasSealed && lost++ < 2 ? [] : [datagram];
    },
  });
  for (let i = 0; i < 8; i++) {
    pair.deliver();
    pair.clock.advance(mediaLimits.handshakeRepeatMaxMs);
  }
  pair.deliver();
  assert.ok(lost > 2 && pair.keys.client && pair.keys.server);
});

Deno.test("forged seals move no window: a record is taken that they came before", () => {
  for (const victim of ["client", "server"] as const) {
    const pair = dtlsPair({
      alter(datagram, to) {
        const sealed = readRecords(datagram).find(({ epoch }) => epoch === 1);
        if (to !== victim || sealed === undefined) return [datagram];
        const forged = (sequence: number) =>
          writeRecord({ ...sealed, sequence, body: sealed.body.map((byte) => byte ^ 1) });
        return [forged(sealed.sequence), forged(9_000_000), datagram];
      },
    });
    pair.deliver();
    assert.ok(pair.keys.client && pair.keys.server, victim);
  }
});

Deno.test("forged fragments cost a bounded amount of memory", () => {
  const { handshakeBytes } = mediaLimits;
  const pairs = Array.from({ length: 20 }, () => dtlsPair());
  const before = Deno.memoryUsage().external;
  for (const pair of pairs) {
    for (let place = 0; place < 800; place++) {
      const body = message(11, place, Uint8Array.of(1), handshakeBytes);
      for (const side of ["client", "server"] as const) pair.give(side, clear(HANDSHAKE, body));
    }
  }
  const grownMiB = (Deno.memoryUsage().external - before) / 2 ** 20;
  // Eight messages for each of 40 sides, and twice their bytes; all of them would be 1,000 MiB.
  assert.ok(grownMiB < 40, `it grew by ${grownMiB} MiB`);
  for (const pair of pairs) for (const side of ["client", "server"] as const) pair.close(side);
});

import assert from "node:assert/strict";
import { iceMessages } from "../../sip/media/webrtc/ice_credentials.ts";
import { parseStun, type StunMessage } from "../../sip/media/webrtc/stun.ts";
import { bytesOf, mutateBytes, once, pick, type Random } from "./generator.ts";
import type { Target } from "./target.ts";

/** Messages of ICE: a sender without the password has no effect, and every message is read. */

const ours = { ufrag: "ours", password: "0123456789012345678901" };
const theirs = { ufrag: "them", password: "abcdefghijklmnopqrstuv" };
const us = iceMessages(ours, theirs);
const them = iceMessages(theirs, ours);

function anyMessage(random: Random): StunMessage {
  const transaction = bytesOf(random, 12).toHex();
  const mapped = {
    address: pick(random, ["192.0.2.1", "2001:db8::7", "::1"]),
    port: random(65_536),
  };
  const role = { controlling: once(random, 2), tieBreaker: BigInt(random(2 ** 31)) };
  return pick<StunMessage>(random, [
    { type: "request", transaction, priority: random(2 ** 31), role },
    { type: "request", transaction, priority: 1, role, useCandidate: true },
    { type: "success", transaction, mapped },
    { type: "error", transaction, error: pick(random, [400, 401, 420, 487, 500]) },
    { type: "error", transaction, error: 420, unknown: [random(0x8000)] },
  ]);
}

const written = (message: StunMessage) =>
  message.type === "request" ? them.request(message) : them.answer(message);

const isTaken = (bytes: Uint8Array) => {
  const message = parseStun(bytes);
  return message !== undefined && us.isPeers(message, bytes) ? message : undefined;
};

/**
 * The part of a message that the integrity protects: all before it but the length, and the
 * integrity.
 */
const protectedPart = (bytes: Uint8Array) => {
  const { integrityAt = 0 } = parseStun(bytes)!;
  return bytes.subarray(0, 2).toHex() + bytes.subarray(4, integrityAt + 24).toHex();
};

export const target: Target = {
  run(random) {
    for (let i = 0; i < 20; i++) {
      const message = anyMessage(random);
      const bytes = written(message);
      const taken = isTaken(bytes);
      assert.ok(taken, "the peer's own message is refused");
      const { type, transaction, error, priority } = taken;
      assert.deepEqual([type, transaction, error, priority], [
        message.type,
        message.transaction,
        message.error,
        message.priority,
      ]);

      const changed = mutateBytes(bytes, random);
      if (once(random, 2) && changed.length >= 20) {
        // Its length is right again, so that what is behind the head is looked at.
        new DataView(changed.buffer).setUint16(2, changed.length - 20);
      }
      const isIntact = isTaken(changed) === undefined ||
        protectedPart(changed) === protectedPart(bytes);
      assert.ok(isIntact, `a forged message is taken: ${changed.toHex()}`);
      parseStun(bytesOf(random, random(120)));
    }
  },
};

import assert from "node:assert/strict";
import { newSrtp, type Srtp } from "../../sip/media/srtp/srtp.ts";
import { WINDOW_PACKETS } from "../../sip/media/srtp/replay_window.ts";
import { bytesOf, mutateBytes, once, pick, type Random } from "./generator.ts";
import type { Target } from "./target.ts";

/** SRTP and SRTCP: each packet of the peer is taken once, as it was sent, and nothing else is. */

/** Keys of both directions, which packets may name. */
function newKeys(random: Random) {
  const mki = once(random, 2) ? { mki: bytesOf(random, 1 + random(128)) } : {};
  return { key: bytesOf(random, 16), salt: bytesOf(random, 14), ...mki };
}

function rtp(random: Random, sequence: number, ssrc: number): Uint8Array {
  const [sources, hasExtension] = [random(3), once(random, 4)];
  const head = Uint8Array.of(0x80 | (hasExtension ? 0x10 : 0) | sources, random(60));
  const rest = [sequence >> 8, sequence & 0xff, ...bytesOf(random, 4), 0, 0, 0, ssrc];
  const extension = hasExtension ? [0xbe, 0xde, 0, 1, ...bytesOf(random, 4)] : [];
  return Uint8Array.of(
    ...head,
    ...rest,
    ...bytesOf(random, sources * 4),
    ...extension,
    ...bytesOf(random, random(200)),
  );
}

const rtcp = (random: Random, ssrc: number) =>
  Uint8Array.of(0x80, 200 + random(8), 0, 6, 0, 0, 0, ssrc, ...bytesOf(random, 4 * random(12)));

interface Sent {
  plain: string;
  secured: Uint8Array;
}

/** Packets of some sources, the numbers of one of which may wrap. */
function sentBy(end: Srtp, random: Random): Sent[] {
  let sequence = pick(random, [0, 100, 65_500, random(65_536)]);
  return Array.from({ length: 60 }, () => {
    sequence = (sequence + 1) & 0xffff;
    const plain = once(random, 5) ? rtcp(random, 1) : rtp(random, sequence, 1);
    const secured = end.protect(plain)?.slice();
    assert.ok(secured, "a packet of ours is not sent");
    return { plain: plain.toHex(), secured };
  });
}

export const target: Target = {
  run(random) {
    const [one, other] = [newKeys(random), newKeys(random)];
    const sender = newSrtp({ ours: one, theirs: other });
    const receiver = newSrtp({ ours: other, theirs: one });
    const packets = sentBy(sender, random);
    const due = [...packets];
    const taken = new Set<string>();
    while (due.length > 0) {
      // Packets are reordered within the window.
      const [next] = due.splice(random(Math.min(due.length, WINDOW_PACKETS / 4)), 1);
      const forged = mutateBytes(next!.secured, random);
      const isForged = !packets.some(({ secured }) => secured.toHex() === forged.toHex());
      if (isForged) assert.equal(receiver.unprotect(forged), undefined, "it takes a forged packet");
      if (once(random, 9)) continue;
      const plain = receiver.unprotect(next!.secured)?.toHex();
      assert.equal(plain, next!.plain, "it takes a packet otherwise than it was sent");
      taken.add(next!.secured.toHex());
      assert.equal(receiver.unprotect(next!.secured), undefined, "it takes a packet twice");
    }
    for (const { secured } of packets) {
      if (taken.has(secured.toHex())) assert.equal(receiver.unprotect(secured), undefined);
    }
  },
};

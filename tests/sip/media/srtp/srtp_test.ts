import assert from "node:assert/strict";
import { createCipheriv, createHmac } from "node:crypto";
import { counter, expandKey, xorKeystream } from "../../../../sip/media/srtp/aes_ctr.ts";
import { HMAC_PADDING_BYTES, hmacSha1, newHmacKey } from "../../../../sip/media/srtp/hmac_sha1.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import {
  isFresh,
  newReplayWindow,
  take,
  WINDOW_PACKETS,
} from "../../../../sip/media/srtp/replay_window.ts";
import { type RtpPacket, writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import {
  newSrtp,
  type Srtp,
  type SrtpKeys,
  srtpReceiver,
  srtpSender,
} from "../../../../sip/media/srtp/srtp.ts";
import { RTP_KEYS, sessionKeys } from "../../../../sip/media/srtp/srtp_keys.ts";
import { seeded } from "../../../support/sip/sip_mutations.ts";

const bytesOf = (hex: string) => Uint8Array.fromHex(hex.replaceAll(/\s/g, ""));
const hexOf = (bytes: Uint8Array | undefined) => bytes?.toHex();

/** The master key of RFC 3711 §B.3, which other implementations test themselves with, too. */
const keys: SrtpKeys = {
  key: bytesOf("e1f97a0d3e018be0d64fa32c06de4139"),
  salt: bytesOf("0ec675ad498afeebb6960b3aabe6"),
};
const otherKeys: SrtpKeys = {
  key: bytesOf("000102030405060708090a0b0c0d0e0f"),
  salt: bytesOf("f0f1f2f3f4f5f6f7f8f9fafbfcfd"),
};

/** Two ends of one call. */
const ends = (): [Srtp, Srtp] => [
  newSrtp({ ours: keys, theirs: otherKeys }),
  newSrtp({ ours: otherKeys, theirs: keys }),
];

const rtp = (packet: Partial<RtpPacket> = {}) =>
  writeRtp({
    payloadType: 0,
    marker: false,
    sequence: 1,
    timestamp: 160,
    ssrc: 0xcafebabe,
    payload: new Uint8Array(160).fill(0xab),
    ...packet,
  });

/** A packet of a sequence number, protected by an end. */
const sent = (end: Srtp, sequence: number, ssrc = 0xcafebabe) =>
  end.protect(rtp({ sequence, ssrc }))!.slice();

const receiverReport = bytesOf("81c8000b cafebabe abababab abababab abababab abababab");

Deno.test("xorKeystream() makes the keystream of RFC 3711 §B.2", () => {
  const cipher = expandKey(bytesOf("2b7e151628aed2a6abf7158809cf4f3c"));
  const blocks = new Map([
    [0x0000, "e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab"],
    [0x0001, "d23513162b02d0f72a43a2fe4a5f97ab41e95b3bb0a2e8dd477901e4fca894c0"],
    [0xfeff, "ec8cdf7398607cb0f2d21675ea9ea1e4362b7c3c6773516318a077d7fc5073ae"],
    [0xff00, "362b7c3c6773516318a077d7fc5073ae6a2cc3787889374fbeb4c81b17ba6c44"],
  ]);
  for (const [block, keystream] of blocks) {
    counter.set([0xf0f1f2f3, 0xf4f5f6f7, 0xf8f9fafb, 0xfcfd0000 | block]);
    const bytes = new Uint8Array(32);
    xorKeystream(cipher, new DataView(bytes.buffer), 0, 32);
    assert.equal(hexOf(bytes), keystream);
  }
});

Deno.test("sessionKeys() derives the keys of RFC 3711 §B.3", () => {
  const { cipherKey, salt, authenticationKey } = sessionKeys(keys, RTP_KEYS);
  assert.equal(hexOf(cipherKey), "c61e7a93744f39ee10734afe3ff7a087");
  assert.equal(hexOf(salt), "30cbbc08863d8c85d49db34a9ae10000");
  assert.equal(hexOf(authenticationKey), "cebe321f6ff7716b6fd4ab49af256a156d38baa4");
});

Deno.test("keys of a wrong length are refused", () => {
  const short = new Uint8Array(13);
  assert.throws(() => newSrtp({ ours: { ...keys, salt: short }, theirs: keys }), /13 bytes/);
  assert.throws(() => newSrtp({ ours: keys, theirs: { ...keys, key: short } }), /13 bytes/);
});

Deno.test("cipher and authentication agree with those of the platform at every length", () => {
  const key = otherKeys.key;
  const cipher = expandKey(key);
  for (let length = 0; length < 300; length++) {
    const hmacKey = new Uint8Array(length % 100).fill(7);
    const message = Uint8Array.from({ length }, (_, i) => i * 31 + length);
    const view = new DataView(new ArrayBuffer(length + HMAC_PADDING_BYTES));
    const bytes = new Uint8Array(view.buffer);
    bytes.fill(0xff).set(message);
    const code = new DataView(new ArrayBuffer(20));
    hmacSha1(newHmacKey(hmacKey), view, length).forEach((word, i) => code.setInt32(i * 4, word));
    const expected = createHmac("sha1", hmacKey).update(message).digest("hex");
    assert.equal(hexOf(new Uint8Array(code.buffer)), expected, `HMAC of ${length} bytes`);

    counter.set([1, -2, 3, length << 16]);
    xorKeystream(cipher, view, 0, length);
    const iv = new DataView(new ArrayBuffer(16));
    counter.forEach((word, i) => iv.setInt32(i * 4, word));
    const platform = createCipheriv("aes-128-ctr", key, new Uint8Array(iv.buffer));
    assert.deepEqual(bytes.slice(0, length), new Uint8Array(platform.update(message)));
  }
});

Deno.test("protect() makes the packets that libsrtp makes of the same ones", () => {
  const [end] = ends();
  const packet = bytesOf("800f1234 decafbad cafebabe abababab abababab abababab abababab");
  const secured = "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb";
  assert.equal(hexOf(end.protect(packet)), secured);

  end.protect(receiverReport);
  const securedReport =
    "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798";
  assert.equal(hexOf(end.protect(receiverReport)), securedReport);
});

Deno.test("an identifier of the key stands between a packet and its tag, and is not authenticated", () => {
  const mki = Uint8Array.of(0, 0, 1, 2);
  const [named, unnamed] = [srtpSender({ ...keys, mki }), srtpSender(keys)];
  for (const packet of [rtp(), receiverReport]) {
    const plain = unnamed(packet)!.toHex();
    const tagAt = plain.length - 20;
    assert.equal(hexOf(named(packet)), `${plain.slice(0, tagAt)}00000102${plain.slice(tagAt)}`);
  }
  const [short, unnamedShort] = [srtpSender({ ...keys, mki }, 4), srtpSender(keys, 4)];
  const plain = unnamedShort(rtp())!.toHex();
  assert.equal(hexOf(short(rtp())), `${plain.slice(0, -8)}00000102${plain.slice(-8)}`);
});

Deno.test("a receiver of several keys goes on counting where a sender takes the next key", () => {
  const both = [{ ...keys, mki: Uint8Array.of(1) }, {
    ...otherKeys,
    mki: Uint8Array.of(2),
  }] as const;
  const receive = srtpReceiver(both);
  const [first, second] = both.map((each) => srtpSender(each)) as [
    Srtp["protect"],
    Srtp["protect"],
  ];
  // The sequence number wraps three times before, which each sender's own count has to see.
  for (let i = 0; i < 200_000; i += 1_000) {
    const packet = rtp({ sequence: i & 0xffff });
    second(packet);
    assert.equal(hexOf(receive(first(packet)!)), hexOf(packet), String(i));
  }
  const next = rtp({ sequence: 200_000 & 0xffff });
  assert.equal(hexOf(receive(second(next)!)), hexOf(next));
  assert.equal(receive(first(next)!), undefined, "a packet that came by the other key is a replay");
  assert.equal(receive(srtpSender({ ...keys, mki: Uint8Array.of(3) })(rtp())!), undefined);
  assert.equal(receive(new Uint8Array()), undefined);
});

Deno.test("unprotect() reads what protect() wrote, whatever its length and header", () => {
  const [ours, theirs] = ends();
  for (let i = 0; i < 200; i++) {
    const packet = rtp({ sequence: i, payload: new Uint8Array(i).fill(i) }).slice();
    assert.deepEqual(theirs.unprotect(ours.protect(packet)!), packet);
  }
  // With two contributing sources, an extension of one word and padding.
  const header = "b280ffff 00000001 00000005 00000001 00000002 bede0001 10203040";
  const packet = bytesOf(`${header} 0102 000000 03`);
  const secured = ours.protect(packet)!;
  assert.equal(hexOf(secured.subarray(0, 28)), hexOf(packet.subarray(0, 28)));
  assert.notEqual(hexOf(secured.subarray(28, 34)), hexOf(packet.subarray(28)));
  assert.deepEqual(theirs.unprotect(secured), packet);
});

Deno.test("unprotect() reads RTCP, which is encrypted, and refuses it in the clear", () => {
  const [ours, theirs] = ends();
  for (let i = 0; i < 3; i++) {
    const secured = ours.protect(receiverReport)!;
    assert.equal(secured.length, receiverReport.length + 14);
    assert.notEqual(hexOf(secured.subarray(8, 24)), hexOf(receiverReport.subarray(8)));
    assert.deepEqual(theirs.unprotect(secured), receiverReport);
  }
  // Authenticated as it should be, but without the flag that says it is encrypted (§3.4).
  const { authenticationKey } = sessionKeys(keys, 3);
  const clear = new Uint8Array([...receiverReport, 0, 0, 0, 9]);
  const tag = createHmac("sha1", authenticationKey).update(clear).digest().subarray(0, 10);
  assert.equal(theirs.unprotect(new Uint8Array([...clear, ...tag])), undefined);
});

Deno.test("a sender's sequence numbers may wrap, with packets lost and out of order", () => {
  const [ours, theirs] = ends();
  let wrapped = 0;
  for (let index = 60_000; index < 60_000 + 3 * 65_536; index += 41) {
    for (const each of [index + 7, index, index + 15]) {
      const packet = rtp({ sequence: each & 0xffff }).slice();
      const secured = ours.protect(packet)!;
      if (index % 3 !== 0) assert.deepEqual(theirs.unprotect(secured), packet, `index ${each}`);
      if (each > 65_535) wrapped++;
    }
  }
  assert.ok(wrapped > 0);
});

Deno.test("a receiver that heard nothing before the wrap loses nothing after it", () => {
  const [ours, theirs] = ends();
  const [before, after] = [sent(ours, 65_535), sent(ours, 0)];

  assert.ok(theirs.unprotect(before));
  assert.ok(theirs.unprotect(after));
  assert.equal(theirs.unprotect(before), undefined);
});

Deno.test("unprotect() takes each packet once, and none that is too old", () => {
  const [ours, theirs] = ends();
  const packets = Array.from({ length: 600 }, (_, i) => sent(ours, i));
  const taken = (i: number) => theirs.unprotect(packets[i]!) !== undefined;

  assert.ok(taken(0));
  assert.ok(!taken(0));
  assert.ok(taken(500));
  assert.ok(!taken(500));
  assert.ok(!taken(500 - WINDOW_PACKETS), "too old");
  for (let i = 501 - WINDOW_PACKETS; i < 500; i++) assert.ok(taken(i), `late packet ${i}`);
  for (let i = 0; i <= 500; i++) assert.ok(!taken(i), `packet ${i} again`);
  for (let i = 501; i < 600; i++) assert.ok(taken(i) && !taken(i));

  const report = ours.protect(receiverReport)!.slice();
  assert.ok(theirs.unprotect(report));
  assert.equal(theirs.unprotect(report), undefined);
});

Deno.test("a replay window tells what was taken, however the indices jump", () => {
  const random = seeded(1);
  for (let round = 0; round < 50; round++) {
    const window = newReplayWindow();
    const taken = new Set<number>();
    let highest = random(2) * 2 ** 47;
    for (let i = 0; i < 1_000; i++) {
      const jump = [3, 40, 300, 40_000][random(4)]!;
      const index = Math.max(0, highest + random(jump) - random(3) * 100);
      const isOld = index <= window.highest - WINDOW_PACKETS;
      assert.equal(isFresh(window, index), !isOld && !taken.has(index), `index ${index}`);
      if (!isFresh(window, index)) continue;
      take(window, index);
      taken.add(index);
      highest = Math.max(highest, index);
    }
  }
});

Deno.test("protect() uses no index twice, and none that is too old to tell", () => {
  const [ours] = ends();
  assert.ok(ours.protect(rtp({ sequence: 1_000 })));
  assert.equal(ours.protect(rtp({ sequence: 1_000, payload: Uint8Array.of(1) })), undefined);
  assert.ok(ours.protect(rtp({ sequence: 999 })));
  assert.equal(ours.protect(rtp({ sequence: 1_000 - WINDOW_PACKETS })), undefined);
  assert.ok(ours.protect(rtp({ sequence: 1_000, ssrc: 2 })));
});

Deno.test("unprotect() refuses packets with any bit changed, cut off, or by other keys", () => {
  const [ours, theirs] = ends();
  for (const packet of [sent(ours, 1), ours.protect(receiverReport)!.slice()]) {
    for (let bit = 0; bit < packet.length * 8; bit++) {
      const forged = packet.slice();
      forged[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(theirs.unprotect(forged), undefined, `bit ${bit}`);
    }
    for (let length = 0; length < packet.length; length++) {
      assert.equal(theirs.unprotect(packet.subarray(0, length)), undefined, `${length} bytes`);
    }
    assert.equal(ours.unprotect(packet), undefined, "by other keys");
    assert.ok(theirs.unprotect(packet), "the packet itself is taken afterwards");
  }
});

Deno.test("forged packets of a stream do not move its window", () => {
  const [ours, theirs] = ends();
  assert.ok(theirs.unprotect(sent(ours, 10)));
  for (let sequence = 11; sequence < 65_536; sequence += 97) {
    theirs.unprotect(rtp({ sequence }));
  }
  assert.ok(theirs.unprotect(sent(ours, 9)));
  assert.ok(theirs.unprotect(sent(ours, 11)));
});

Deno.test("sources are bounded in number, and strangers' take no place", () => {
  const [ours, theirs] = ends();
  for (let ssrc = 0; ssrc < 1_000; ssrc++) theirs.unprotect(rtp({ ssrc }));
  for (let ssrc = 1; ssrc <= mediaLimits.srtpSources; ssrc++) {
    assert.ok(theirs.unprotect(sent(ours, 5, ssrc)), `source ${ssrc}`);
  }
  const beyond = newSrtp({ ours: keys, theirs: otherKeys });
  assert.equal(theirs.unprotect(sent(beyond, 5, 9_999)), undefined);
  assert.equal(ours.protect(rtp({ ssrc: 9_999 })), undefined);
  assert.ok(theirs.unprotect(sent(ours, 6, 1)), "those known go on");
});

Deno.test("packets as long as a datagram may be pass, and longer ones do not", () => {
  const [ours, theirs] = ends();
  const longest = mediaLimits.datagramBytes - 10 - 12;
  const packet = rtp({ payload: new Uint8Array(longest).fill(3) });
  const secured = ours.protect(packet)!;
  assert.equal(secured.length, mediaLimits.datagramBytes);
  assert.deepEqual(theirs.unprotect(secured), packet);
  assert.equal(ours.protect(rtp({ payload: new Uint8Array(longest + 1) })), undefined);
  assert.equal(theirs.unprotect(new Uint8Array(70_000).fill(0x80)), undefined);
  assert.equal(theirs.unprotect(new Uint8Array(70_000).fill(0xc8)), undefined);
});

const seed = Number(Deno.env.get("FUZZ_SEED") ?? 3711);

Deno.test(`neither way throws on noise, and none of it is taken (FUZZ_SEED=${seed})`, () => {
  const [ours, theirs] = ends();
  const random = seeded(seed);
  for (let i = 0; i < 20_000; i++) {
    const noise = Uint8Array.from(
      { length: random(i % 100 === 0 ? 3_000 : 60) },
      () => random(256),
    );
    if (i % 2 === 0 && noise.length > 0) noise[0] = 0x80 | (noise[0]! & 0x3f);
    assert.equal(theirs.unprotect(noise), undefined);
    theirs.protect(noise);
  }
  assert.ok(theirs.unprotect(sent(ours, 1)), "what is ours is taken afterwards");
});

Deno.test("unprotect() reads a stream again after any loss of up to 2^16 packets, and no replay", () => {
  for (const lost of [100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xc000, 0xfff0, 0x1_0000]) {
    const [one, other] = ends();
    const before = sent(one, 60_000);
    assert.ok(other.unprotect(before));
    for (let i = 1; i <= lost; i++) one.protect(rtp({ sequence: (60_000 + i) & 0xffff }));

    for (let i = 1; i <= 100; i++) {
      const packet = sent(one, (60_000 + lost + i) & 0xffff);
      assert.ok(other.unprotect(packet), `${lost} lost, packet ${i}`);
      assert.equal(other.unprotect(packet), undefined, "it came before");
    }
    assert.equal(other.unprotect(before), undefined);
  }
});

Deno.test("unprotect() reads a stream whose numbers wrapped before its first packet came", () => {
  const [one, other] = ends();
  for (let sequence = 0xfff0; sequence <= 0xffff; sequence++) sent(one, sequence);
  for (let sequence = 0; sequence < 100; sequence++) {
    assert.ok(other.unprotect(sent(one, sequence)), `packet ${sequence}`);
  }
});

import assert from "node:assert/strict";
import { addressBytes, addressKey } from "../../../../sip/media/webrtc/ip_bytes.ts";
import {
  isAuthentic,
  parseStun,
  stunKey,
  type StunMessage,
  writeStun,
} from "../../../../sip/media/webrtc/stun.ts";
import { seeded } from "../../../support/sip/sip_mutations.ts";

const bytesOf = (hex: string) => Uint8Array.fromHex(hex.replaceAll(/\s/g, ""));

/** RFC 5769 §2: a request, and answers to it, by one password. */
const key = stunKey("VOkJxbRl1RmTxUk/WvJxBt");
const transaction = "b7e7a701bc34d686fa87dfae";
const REQUEST = bytesOf(`
  00010058 2112a442 b7e7a701bc34d686fa87dfae
  80220010 5354554e207465737420636c69656e74
  00240004 6e0001ff
  80290008 932ff9b151263b36
  00060009 6576746a3a68367659202020
  00080014 9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2
  80280004 e57a3bcf`);
const IPV4_ANSWER = bytesOf(`
  0101003c 2112a442 b7e7a701bc34d686fa87dfae
  8022000b 7465737420766563746f7220
  00200008 0001a147e112a643
  00080014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7
  80280004 c07d4c96`);
const IPV6_ANSWER = bytesOf(`
  01010048 2112a442 b7e7a701bc34d686fa87dfae
  8022000b 7465737420766563746f7220
  00200014 0002a1470113a9faa5d3f179bc25f4b5bed2b9d9
  00080014 a382954e4be67bf11784c97c8292c275bfe3ed41
  80280004 c8fb0b4c`);

Deno.test("parseStun() reads the messages of RFC 5769, which are authentic", () => {
  const request = parseStun(REQUEST)!;
  assert.deepEqual({ ...request, integrityAt: undefined }, {
    type: "request",
    transaction,
    username: "evtj:h6vY",
    priority: 0x6e0001ff,
    role: { controlling: false, tieBreaker: 0x932ff9b151263b36n },
    integrityAt: undefined,
  });
  for (const bytes of [REQUEST, IPV4_ANSWER, IPV6_ANSWER]) {
    const message = parseStun(bytes)!;
    assert.ok(isAuthentic(message, bytes, key));
    assert.ok(!isAuthentic(message, bytes, stunKey("another")));
  }
});

Deno.test("writeStun() tells an address as RFC 5769 does", () => {
  for (
    const [address, expected] of [
      ["192.0.2.1", "00200008 0001a147e112a643"],
      [
        "2001:db8:1234:5678:11:2233:4455:6677",
        "00200014 0002a1470113a9faa5d3f179bc25f4b5bed2b9d9",
      ],
    ] as const
  ) {
    const mapped = { address, port: 32853 };
    const bytes = writeStun({ type: "success", transaction, mapped }, key);
    assert.ok(bytes.toHex().includes(expected.replace(" ", "")), address);
  }
});

Deno.test("an answer may also tell the address as before RFC 5389", () => {
  const mapped = parseStun(bytesOf(`
    0101000c 2112a442 b7e7a701bc34d686fa87dfae
    00010008 00018055c0000201`));
  assert.equal(mapped?.type, "success");
  assert.equal(mapped.unknown, undefined);
});

const messages: StunMessage[] = [
  {
    type: "request",
    transaction,
    username: "theirs:ours1",
    priority: 0xffff_ffff,
    role: { controlling: true, tieBreaker: 0xffff_ffff_ffff_ffffn },
    useCandidate: true,
  },
  { type: "success", transaction },
  { type: "error", transaction, error: 487 },
];

Deno.test("parseStun() reads what writeStun() wrote, at any place of a buffer", () => {
  for (const message of messages) {
    const bytes = writeStun(message, key);
    const moved = new Uint8Array(bytes.length + 3).subarray(3);
    moved.set(bytes);
    const { integrityAt, ...read } = parseStun(moved)!;
    assert.deepEqual(read, message);
    assert.equal(integrityAt, bytes.length - 32);
    assert.ok(isAuthentic({ ...read, integrityAt }, moved, key));
  }
});

Deno.test("keys longer than a block of the hash are taken", () => {
  const long = stunKey("x".repeat(256));
  const bytes = writeStun(messages[0]!, long);
  assert.ok(isAuthentic(parseStun(bytes)!, bytes, long));
});

/** Whether nothing that is protected was changed; the fingerprint adds nothing to it. */
const isIntact = (bytes: Uint8Array, from: Uint8Array) => {
  const { integrityAt } = parseStun(from)!;
  const part = (whole: Uint8Array) => whole.subarray(4, integrityAt! + 24).toHex();
  return part(bytes) === part(from);
};

Deno.test("a message with any bit changed is not read, or is nobody's", () => {
  for (let bit = 0; bit < REQUEST.length * 8; bit++) {
    const changed = REQUEST.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    const message = parseStun(changed);
    const taken = message !== undefined && isAuthentic(message, changed, key);
    assert.ok(!taken || isIntact(changed, REQUEST), `bit ${bit}`);
  }
});

Deno.test("what follows the integrity is passed over, and must not claim to be the message", () => {
  const bytes = writeStun({ type: "request", transaction, username: "a:b" }, key);
  // Without a fingerprint, and with USE-CANDIDATE behind the integrity.
  const longer = bytes.slice(0, bytes.length - 4);
  longer.set([0x00, 0x25, 0, 0], longer.length - 4);
  new DataView(longer.buffer).setUint16(2, longer.length - 20);
  const message = parseStun(longer)!;
  assert.equal(message.useCandidate, undefined);
  assert.ok(isAuthentic(message, longer, key));
});

Deno.test("parseStun() names attributes that it does not know, but should", () => {
  const bytes = bytesOf(`00010010 2112a442 ${transaction} 00300001 00000000 c0570004 00000001`);
  assert.deepEqual(parseStun(bytes)!.unknown, [0x30]);
  const answer = writeStun({ type: "error", transaction, error: 420, unknown: [0x30, 0x31] }, key);
  assert.ok(answer.toHex().includes("000a000400300031"));
});

Deno.test("parseStun() takes the first of attributes that are there twice", () => {
  const username = (name: string) => `00060004 ${new TextEncoder().encode(name).toHex()}`;
  const text = `${username("ours")} ${username("evil")} 00240004 00000001 00240004 00000002
    80290008 0000000000000001 802a0008 0000000000000002 00090004 00000457 00090004 00000414`;
  const size = bytesOf(text).length.toString(16).padStart(4, "0");
  const message = parseStun(bytesOf(`0001${size} 2112a442 ${transaction} ${text}`))!;
  assert.deepEqual([message.username, message.priority, message.error], ["ours", 1, 487]);
  assert.deepEqual(message.role, { controlling: false, tieBreaker: 1n });
});

Deno.test("parseStun() refuses what is cut off, and what is another protocol's", () => {
  for (let length = 0; length < REQUEST.length; length++) {
    assert.equal(parseStun(REQUEST.subarray(0, length)), undefined, `${length} bytes`);
  }
  const wrongs = [
    `01110000 2112a443 ${transaction}`,
    `00010004 2112a442 ${transaction} 00250004`,
    `00010008 2112a442 ${transaction} 00240003 00000000`,
    `00010008 2112a442 ${transaction} 80290004 00000000`,
    `00010008 2112a442 ${transaction} 80280004 00000000`,
    `00030000 2112a442 ${transaction}`,
  ];
  for (const wrong of wrongs) assert.equal(parseStun(bytesOf(wrong)), undefined, wrong);
  assert.ok(parseStun(bytesOf(`01010000 2112a442 ${transaction}`)));
  assert.equal(parseStun(new Uint8Array(70_000)), undefined);
});

const seed = Number(Deno.env.get("FUZZ_SEED") ?? 8489);

Deno.test(`parseStun() survives broken messages, which are nobody's (FUZZ_SEED=${seed})`, () => {
  const random = seeded(seed);
  for (let i = 0; i < 30_000; i++) {
    const from = [REQUEST, IPV4_ANSWER, IPV6_ANSWER][random(3)]!;
    const bytes = new Uint8Array(Math.max(20, Math.ceil(random(from.length + 40) / 4) * 4));
    bytes.set(from.subarray(0, bytes.length));
    const changes = 1 + random(6);
    for (let n = 0; n < changes; n++) bytes[random(bytes.length)]! ^= 1 + random(255);
    if (random(2) === 0) new DataView(bytes.buffer).setUint16(2, bytes.length - 20);
    const message = parseStun(bytes);
    const taken = message !== undefined && isAuthentic(message, bytes, key);
    assert.ok(!taken || isIntact(bytes, from), bytes.toHex());
  }
});

Deno.test("addressBytes() and addressKey() read every way to write an address", () => {
  assert.deepEqual(addressBytes("192.0.2.1"), [192, 0, 2, 1]);
  assert.deepEqual(addressBytes("::"), Array(16).fill(0));
  assert.deepEqual(addressBytes("fe80::1%eth0").slice(-2), [0, 1]);
  for (const same of ["2001:DB8::1:0", "2001:db8:0:0::1:0", "2001:0db8:0:0:0:0:0001:0"]) {
    assert.equal(addressKey(same, 9), addressKey("2001:db8::1:0", 9));
  }
  assert.equal(addressKey("::ffff:192.0.2.1", 9), addressKey("192.0.2.1", 9));
  assert.equal(addressKey("::ffff:c000:201", 9), addressKey("192.0.2.1", 9));
  assert.notEqual(addressKey("192.0.2.1", 9), addressKey("192.0.2.1", 10));
  assert.notEqual(addressKey("::1", 9), addressKey("0.0.0.1", 9));
  assert.throws(() => addressBytes("host.example"), /Cannot read the IP address "host.example"/);
});

import assert from "node:assert/strict";
import { newCertificate } from "../../../../sip/media/webrtc/certificate.ts";
import { concat, number, vector } from "../../../../sip/media/webrtc/dtls_bytes.ts";
import { readRecords, writeRecord } from "../../../../sip/media/webrtc/dtls_record.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { type DtlsPair, dtlsPair } from "../../../support/media/dtls_pair.ts";

/** Each side has keys, and they are those that the other has for it. */
function assertConnected({ keys, ends }: DtlsPair): void {
  assert.deepEqual(ends, {});
  assert.ok(keys.client && keys.server, "the handshake is not done");
  assert.deepEqual(keys.client, { ours: keys.server.theirs, theirs: keys.server.ours });
  assert.deepEqual([keys.client.ours.key.length, keys.client.ours.salt.length], [16, 14]);
  assert.notDeepEqual(keys.client.ours, keys.client.theirs);
}

/** Lets the pair repeat what was lost. */
function goOn({ clock, deliver }: Pick<DtlsPair, "clock" | "deliver">): void {
  for (let i = 0; i < 8; i++) {
    deliver();
    clock.advance(mediaLimits.handshakeRepeatMaxMs);
  }
  deliver();
}

Deno.test("both sides of DTLS come to the same keys, new ones each time, and hold no timer", () => {
  const [pair, another] = [dtlsPair(), dtlsPair()];
  for (const each of [pair, another]) {
    each.deliver();
    assertConnected(each);
    assert.equal(each.clock.waiting(), 0);
  }
  assert.notDeepEqual(pair.keys.client, another.keys.client);
});

Deno.test("a DTLS handshake outlives the loss of any datagram, and of any two", () => {
  let sent = 0;
  for (let one = 0; one < 8; one++) {
    for (let other = one; other < 8; other++) {
      sent = 0;
      const alter = (datagram: Uint8Array<ArrayBuffer>) =>
        [one, other].includes(sent++) ? [] : [datagram];
      const pair = dtlsPair({ alter });
      goOn(pair);
      assertConnected(pair);
    }
  }
});

/** A datagram as a path with tiny packets has it: a record and a datagram for each few bytes. */
function inFragments(datagram: Uint8Array): Uint8Array<ArrayBuffer>[] {
  return readRecords(datagram).flatMap((record) => {
    if (record.type !== 22 || record.epoch > 0) return [writeRecord(record)];
    const [head, body] = [record.body.subarray(0, 6), record.body.subarray(12)];
    return Array.from({ length: Math.max(1, Math.ceil(body.length / 30)) }, (_, i) =>
      writeRecord({
        ...record,
        // Each overlaps the next one.
        body: concat(head, number(3, 30 * i), vector(3, body.subarray(30 * i, 30 * i + 40))),
      }));
  });
}

Deno.test("messages of DTLS may come in fragments that overlap, from the last to the first, and twice", () => {
  const alter = (datagram: Uint8Array) => {
    const fragments = inFragments(datagram).reverse();
    return [...fragments, ...fragments];
  };
  const pair = dtlsPair({ alter });
  goOn(pair);
  assertConnected(pair);
});

Deno.test("DTLS ends at once when a certificate is not the one of the SDP, and the peer soon after", () => {
  const { fingerprint } = newCertificate();
  for (const [side, other] of [["client", "server"], ["server", "client"]] as const) {
    const pair = dtlsPair({ fingerprints: { [side]: fingerprint } });
    pair.deliver();
    assert.equal(
      pair.ends[other],
      "DTLS failed with the peer: its certificate is not the one of its fingerprint",
    );
    assert.equal(pair.ends[side], undefined);
    pair.clock.advance(mediaLimits.handshakeDoubtMs);
    assert.equal(pair.ends[side], "DTLS failed: the peer sent alert 42");
    assert.deepEqual(pair.keys, {});
    assert.equal(pair.clock.waiting(), 0);
  }
});

Deno.test("a peer may show any certificate whose fingerprint its SDP has, and no other", () => {
  const [own, other] = [newCertificate(), newCertificate()];
  const [, digest] = other.fingerprint.split(" ");
  const pair = dtlsPair({
    certificates: { client: own },
    fingerprints: { client: other.fingerprint + "," + own.fingerprint.split(" ")[1] },
  });
  pair.deliver();
  assertConnected(pair);

  const wrong = dtlsPair({ fingerprints: { client: `${other.fingerprint},${digest}` } });
  wrong.deliver();
  assert.match(wrong.ends.server!, /not the one of its fingerprint/);
});

Deno.test("whoever shows the certificate of another, without its key, is refused by either side", () => {
  for (const [side, other] of [["client", "server"], ["server", "client"]] as const) {
    const { key } = newCertificate();
    const pair = dtlsPair({ certificates: { [side]: { ...newCertificate(), key } } });
    pair.deliver();
    assert.match(pair.ends[other]!, /its signature is not the one of its certificate/);
    assert.deepEqual(pair.keys, {});
  }
});

/** Changes a byte of every datagram to one side, before the first that can be sealed. */
const changed = (to: "client" | "server", at: number) => {
  let isFirst = true;
  return (datagram: Uint8Array<ArrayBuffer>, side: string) => {
    if (side !== to || !isFirst) return [datagram];
    isFirst = false;
    return [datagram.with(at, datagram[at]! ^ 1)];
  };
};

Deno.test("a hello that was changed on the way makes no connection", () => {
  // The random numbers of client and server, and the second cipher offered.
  const places = [["server", 13 + 12 + 20], ["client", 13 + 12 + 20], ["server", 66]] as const;
  for (const [to, at] of places) {
    const pair = dtlsPair({ alter: changed(to, at) });
    goOn(pair);
    assert.deepEqual(pair.keys, {}, `${to} ${at}`);
    assert.match(Object.values(pair.ends).join(), /its signature is not the one/);
  }
});

Deno.test("what is malformed is dropped before, in and after a DTLS handshake", () => {
  const junk: Uint8Array[] = [new Uint8Array(), Uint8Array.of(22), Uint8Array.of(22, 0xfe, 0xfd)];
  for (let i = 0; i < 200; i++) {
    const bytes = crypto.getRandomValues(new Uint8Array(1 + i * 5));
    bytes[0] = 20 + i % 44;
    junk.push(bytes);
  }
  // Of messages, what ends too early, lies beyond their end, is too long, or too far ahead.
  const fragment = (length: number, sequence: number, offset: number, size: number) =>
    concat(
      Uint8Array.of(16),
      number(3, length),
      number(2, sequence),
      number(3, offset),
      vector(3, new Uint8Array(size)),
    );
  const bodies = [
    fragment(100, 2, 0, 50).subarray(0, 30),
    fragment(100, 2, 90, 20),
    fragment(0xffffff, 2, 0, 20),
    fragment(100, 900, 0, 20),
  ];
  for (const body of bodies) junk.push(writeRecord({ type: 22, epoch: 0, sequence: 9, body }));
  for (const epoch of [0, 1, 2]) {
    junk.push(writeRecord({ type: 22, epoch, sequence: 9, body: new Uint8Array(10) }));
    junk.push(writeRecord({ type: 23, epoch, sequence: 9, body: new Uint8Array(40) }));
  }
  const annoy = ({ give }: DtlsPair) => {
    for (const bytes of junk) for (const to of ["client", "server"] as const) give(to, bytes);
  };
  const pair = dtlsPair({
    alter(datagram) {
      const cut = [datagram.slice(0, 5), datagram.slice(0, -1)];
      return [...cut, datagram];
    },
  });
  annoy(pair);
  pair.give(pair.onTheWay[0]!.to, pair.onTheWay[0]!.datagram);
  annoy(pair);
  goOn(pair);
  assertConnected(pair);
  annoy(pair);
  pair.deliver();
  assertConnected(pair);
});

Deno.test("a hello that asks for what we do not have is refused with the reason", () => {
  const pair = dtlsPair();
  const hello = pair.onTheWay[0]!.datagram;
  const at = hello.findIndex((byte, i) => byte === 0xc0 && hello[i + 1] === 0x2b);
  // TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA.
  pair.give("server", hello.with(at + 1, 0x0a));
  assert.equal(
    pair.ends.server,
    "DTLS failed with the peer: it has no ECDHE_ECDSA with AES-128-GCM",
  );
  pair.deliver();
  pair.clock.advance(mediaLimits.handshakeDoubtMs);
  assert.equal(pair.ends.client, "DTLS failed: the peer sent alert 40");
});

Deno.test("a server answers no extension that the hello does not have", () => {
  const withoutFormats = (datagram: Uint8Array) => {
    const hex = datagram.toHex();
    // The type becomes one that nobody knows, as others in a hello are.
    assert.match(hex, /000b00020100/);
    return Uint8Array.fromHex(hex.replace("000b00020100", "eaea00020100"));
  };
  for (const alter of [(datagram: Uint8Array) => datagram, withoutFormats]) {
    const pair = dtlsPair();
    pair.give("server", alter(pair.onTheWay.shift()!.datagram));
    const { to, datagram } = pair.onTheWay[0]!;
    assert.equal(to, "client");
    const [{ body } = { body: datagram }] = readRecords(datagram);
    const has = body.toHex().includes("000b00020100");
    assert.equal(has, alter !== withoutFormats);
  }
});

Deno.test("a peer is told of the end of DTLS, and nobody else can tell it", () => {
  for (const [side, other] of [["client", "server"], ["server", "client"]] as const) {
    const pair = dtlsPair();
    pair.deliver();
    assertConnected(pair);
    for (const body of [Uint8Array.of(1, 0), Uint8Array.of(2, 40)]) {
      pair.give(other, writeRecord({ type: 21, epoch: 0, sequence: 50, body }));
      pair.give(other, writeRecord({ type: 21, epoch: 1, sequence: 50, body }));
    }
    assert.deepEqual(pair.ends, {});

    pair.close(side);
    pair.deliver();
    assert.deepEqual(pair.ends, { [other]: "the peer closed it" });
    pair.close(other);
    pair.close(side);
    assert.deepEqual(pair.onTheWay, []);
    assert.equal(pair.clock.waiting(), 0);
  }
});

Deno.test("a DTLS handshake that was closed sends nothing more", () => {
  const pair = dtlsPair();
  pair.close("client");
  pair.onTheWay.length = 0;
  pair.clock.advance(60_000);
  assert.deepEqual(pair.onTheWay, []);
  assert.equal(pair.clock.waiting(), 0);
});

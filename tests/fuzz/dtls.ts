import assert from "node:assert/strict";
import { mediaLimits } from "../../sip/media/base/limits.ts";
import { newCertificate } from "../../sip/media/webrtc/certificate.ts";
import { concat, number, vector } from "../../sip/media/webrtc/dtls_bytes.ts";
import { type DtlsRecord, readRecords, writeRecord } from "../../sip/media/webrtc/dtls_record.ts";
import { type Bent, facing, type Written } from "../support/media/bent_dtls.ts";
import { dtlsPair } from "../support/media/dtls_pair.ts";
import { bytesOf, mutateBytes, once, pick, type Random } from "./generator.ts";
import type { Target } from "./target.ts";

/** Handshakes of DTLS in both roles, with an attacker on the way or at the other end. */

type Datagram = Uint8Array<ArrayBuffer>;
type Side = "client" | "server";

const sides: Side[] = ["client", "server"];
const [CHANGE, ALERT, HANDSHAKE] = [20, 21, 22];
const [FIRST_HELLO, SERVER_HELLO, CERTIFICATE, KEY_EXCHANGE, VERIFY, FINISHED] = [
  1,
  2,
  11,
  12,
  15,
  20,
];

const record = (type: number, body: Uint8Array, epoch = 0): Datagram =>
  writeRecord({ type, epoch, sequence: 1_000, body });
const inOne = (records: DtlsRecord[]): Datagram => concat(...records.map(writeRecord));

/** A message in pieces that overlap, each in a record of its own. */
function inPieces({ body, ...rest }: DtlsRecord, random: Random): DtlsRecord[] {
  const [head, content] = [body.subarray(0, 6), body.subarray(12)];
  const size = 20 + random(200);
  return Array.from({ length: Math.max(1, Math.ceil(content.length / size)) }, (_, i) => {
    const piece = content.subarray(i * size, i * size + size + random(20));
    return { ...rest, body: concat(head, number(3, i * size), vector(3, piece)) };
  });
}

type Change = (datagram: Datagram, random: Random) => Uint8Array[];

/**
 * Changes that any network may make, and datagrams that anyone may inject: the handshake has to
 * complete after them.
 */
const harmless: Change[] = [
  (datagram) => [datagram, datagram],
  (datagram) => readRecords(datagram).map(writeRecord),
  (datagram) => readRecords(datagram).reverse().map(writeRecord),
  (datagram, random) =>
    readRecords(datagram).flatMap((each) =>
      each.type === HANDSHAKE && each.epoch === 0 ? inPieces(each, random) : [each]
    ).reverse().map(writeRecord),
  (datagram, random) => [datagram.slice(0, random(datagram.length)), datagram],
  (datagram, random) => [record(random(256), bytesOf(random, random(60)), 1 + random(3)), datagram],
  (datagram, random) => [record(pick(random, [0, 19, 23, 24, 99]), bytesOf(random, 30)), datagram],
  (datagram, random) => [record(ALERT, Uint8Array.of(1 + random(2), random(120))), datagram],
  (datagram) => [record(CHANGE, Uint8Array.of(1)), datagram],
  function fragmentOfNothing(datagram, random) {
    // Longer than any message of ours, which it must not be taken for.
    const size = 3_000 + random(2_000);
    const body = vector(3, bytesOf(random, random(100)));
    const [type, place] = [random(24), random(9)];
    const head = concat(number(1, type), number(3, size), number(2, place), number(3, random(9)));
    return [record(HANDSHAKE, concat(head, body)), datagram];
  },
  // Each sealed record is taken once, and none that was changed.
  (datagram, random) =>
    readRecords(datagram).flatMap((each) =>
      each.epoch === 0
        ? [writeRecord(each)]
        : [writeRecord({ ...each, body: mutateBytes(each.body, random) }), writeRecord(each)]
    ),
];

/** Changes that may end the handshake, and must do no more. */
const harmful: Change[] = [
  (datagram, random) => [mutateBytes(datagram, random)],
  (datagram, random) => [mutateBytes(datagram, random), datagram],
  (datagram) => readRecords(datagram).slice(1).map(writeRecord),
  function otherHeads(datagram, random) {
    const change = (each: DtlsRecord): DtlsRecord => ({
      ...each,
      type: once(random, 3) ? pick(random, [CHANGE, ALERT, HANDSHAKE, 23]) : each.type,
      epoch: once(random, 3) ? random(3) : each.epoch,
      sequence: once(random, 3) ? random(2 ** 30) : each.sequence,
    });
    return [inOne(readRecords(datagram).map(change))];
  },
  (datagram, random) =>
    readRecords(datagram).map((each) =>
      writeRecord(each.epoch === 0 ? { ...each, body: mutateBytes(each.body, random) } : each)
    ),
];

/** Asserts that both sides have the same keys, which no third party has. */
function assertAgreed({ keys: { client, server } }: ReturnType<typeof dtlsPair>): void {
  if (client === undefined || server === undefined) return;
  assert.deepEqual(client, { ours: server.theirs, theirs: server.ours }, "two keys for one call");
}

/** An attacker on the way between two honest sides. */
function onTheWay(random: Random, changes: Change[], mayFail: boolean): void {
  /** Earlier datagrams are replayed to the same side: a certificate of our own is the wrong one. */
  const seen: Record<Side, Datagram[]> = { client: [], server: [] };
  const held: { to: Side; datagram: Uint8Array }[] = [];
  let lost = 0;
  let sent = 0;
  const pair = dtlsPair({
    alter(datagram, to) {
      seen[to].push(datagram);
      assert.ok(++sent < 500, "it sends without end");
      if (once(random, 8) && lost++ < 3) return [];
      const altered = once(random, 2) ? pick(random, changes)(datagram, random) : [datagram];
      if (once(random, 6)) altered.push(pick(random, seen[to]));
      if (once(random, 8)) held.push({ to, datagram: altered.pop() ?? datagram });
      return altered.map((each) => new Uint8Array(each));
    },
  });
  // The first hello left before anything could be done to it.
  for (let step = 0; step < 160; step++) {
    pair.deliver();
    for (const { to, datagram } of held.splice(0).reverse()) pair.give(to, datagram);
    const side = pick(random, sides);
    if (once(random, 4) && seen[side].length > 0) pair.give(side, pick(random, seen[side]));
    pair.clock.advance(mediaLimits.handshakeRepeatMs);
  }
  pair.deliver();
  assertAgreed(pair);
  if (!mayFail) {
    assert.deepEqual(pair.ends, {}, "a network ended it");
    assert.ok(pair.keys.client && pair.keys.server, "a network hindered it");
  }
  for (const side of sides) pair.close(side);
  assert.equal(pair.clock.waiting(), 0, "it holds a timer");
}

const certificates = Array.from({ length: 4 }, () => newCertificate());

/** Changes messages at random before they are in the transcript of their sender. */
const atRandom = (random: Random) => (message: Written): Written[] => {
  if (!once(random, 3)) return [message];
  const changed = { ...message, body: mutateBytes(message.body, random) };
  return pick(random, [[], [changed], [message, message], [changed, message], [message, changed]]);
};

/** A peer without the key of the certificate whose fingerprint was promised. */
function impostor(random: Random): Bent & { fingerprint?: string } {
  const [theirs, other] = [pick(random, certificates), newCertificate()];
  const stolen = { ...theirs, key: other.key };
  const bend = once(random, 3) ? atRandom(random) : undefined;
  return {
    ...pick(random, [{ certificate: stolen }, {
      certificate: other,
      fingerprint: theirs.fingerprint,
    }]),
    ...(bend && { bend }),
  };
}

/** Breaks one rule in one message; such a peer must be refused. */
type Breach = (message: Written, random: Random) => Uint8Array | undefined;

const EXTENSIONS_AT = { [FIRST_HELLO]: 44, [SERVER_HELLO]: 38 } as Record<number, number>;
const extended = ({ type, body }: Written, added: Uint8Array): Uint8Array | undefined => {
  const at = EXTENSIONS_AT[type];
  return at && concat(body.subarray(0, at), vector(2, body.subarray(at + 2), added)) || undefined;
};
const extension = (type: number, content: Uint8Array) =>
  concat(number(2, type), vector(2, content));

/** A hello whose extensions, which begin there, have the length that they have now. */
const withExtensions = (at: number, hello: Uint8Array): Uint8Array =>
  concat(hello.subarray(0, at), vector(2, hello.subarray(at + 2)));

/** Extensions of both hellos. */
const usual: [type: number, content: Uint8Array][] = [
  [14, Uint8Array.of(0, 2, 0, 1, 0)],
  [23, new Uint8Array()],
  [0xff01, Uint8Array.of(0)],
];

const breaches: Breach[] = [
  // Extensions that are there already, as they are there.
  (message, random) => extended(message, extension(...pick(random, usual))),
  (message, random) =>
    message.type === SERVER_HELLO
      ? extended(message, extension(100 + random(60_000), bytesOf(random, random(4))))
      : undefined,
  function mki({ type, body }, random) {
    const chosen = extension(14, Uint8Array.of(0, 2, 0, 1, 0)).toHex();
    const more = extension(
      14,
      concat(Uint8Array.of(0, 2, 0, 1), vector(1, bytesOf(random, 1 + random(9)))),
    );
    return type === SERVER_HELLO
      ? withExtensions(38, Uint8Array.fromHex(body.toHex().replace(chosen, more.toHex())))
      : undefined;
  },
  ({ type, body }, random) => type === SERVER_HELLO ? body.with(37, 1 + random(255)) : undefined,
  function renegotiation({ type, body }, random) {
    const hex = body.toHex();
    const size = 1 + random(20);
    const more = extension(0xff01, vector(1, bytesOf(random, size))).toHex();
    const changed = Uint8Array.fromHex(hex.replace("ff01000100", more));
    const at = EXTENSIONS_AT[type];
    return at === undefined ? undefined : withExtensions(at, changed);
  },
  ({ type, body }, random) =>
    [CERTIFICATE, KEY_EXCHANGE, VERIFY, FINISHED].includes(type)
      ? body.with(-1 - random(12), random(256))
      : undefined,
  ({ body }, random) => concat(body, bytesOf(random, 1 + random(5))),
];

/** A peer with the right certificate that breaks a rule once; `didBreak` reports it. */
function breach(random: Random): Bent & { didBreak(): boolean } {
  const certificate = pick(random, certificates);
  const broken = pick(random, breaches);
  let left = random(4);
  let done = false;
  return {
    certificate,
    didBreak: () => done,
    bend(message) {
      const body = done ? undefined : broken(message, random);
      if (body === undefined || body.toHex() === message.body.toHex() || left-- > 0) {
        return [message];
      }
      done = true;
      return [{ type: message.type, body }];
    },
  };
}

/** Our side, with a peer that must not come to have a connection. */
function atTheOtherEnd(random: Random, bent: Bent & { didBreak?(): boolean }): void {
  const us = facing(pick(random, sides), {
    ...bent,
    alter: (datagram) =>
      once(random, 3) ? pick(random, harmless)(new Uint8Array(datagram), random) : [datagram],
  });
  us.run(once(random, 4) ? mediaLimits.dtlsMs : 3_000);
  assert.ok(!us.hasKeys || bent.didBreak?.() === false, "it took a peer that it must not take");
  us.close();
  assert.ok(us.sent.length < 500, "it sends without end");
}

/** Nothing is wrong, so it has to be done, whatever was before it. */
function untouched(): void {
  const pair = dtlsPair();
  pair.deliver();
  assertAgreed(pair);
  assert.ok(pair.keys.client && pair.keys.server, "an untouched handshake is not done");
}

export const target: Target = {
  run(random) {
    const kind = random(8);
    if (kind < 2) onTheWay(random, harmless, false);
    else if (kind < 4) onTheWay(random, [...harmless, ...harmful], true);
    else if (kind < 6) atTheOtherEnd(random, impostor(random));
    else atTheOtherEnd(random, breach(random));
    if (once(random, 8)) untouched();
  },
};

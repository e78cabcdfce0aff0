import assert from "node:assert/strict";
import { createHash, sign } from "node:crypto";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { type Certificate, newCertificate } from "../../../../sip/media/webrtc/certificate.ts";
import { concat, number, numbers, vector } from "../../../../sip/media/webrtc/dtls_bytes.ts";
import { type Bent, facing, type Written } from "../../../support/media/bent_dtls.ts";

/**
 * What a peer must not send in a handshake of DTLS, and how we refuse it. The peers of these tests
 * hold to all the other rules: without ours such a handshake would be done.
 */

type Change = (body: Uint8Array) => Uint8Array;

/** A peer that changes its messages of one type. */
const changing = (type: number, change: Change): Bent => ({
  bend: (message) => [message.type === type ? { type, body: change(message.body) } : message],
});

const SERVER_HELLO = 2;
const CLIENT_HELLO = 1;
const CERTIFICATE = 11;
const SERVER_KEY_EXCHANGE = 12;
const CERTIFICATE_REQUEST = 13;
const SERVER_HELLO_DONE = 14;
const CERTIFICATE_VERIFY = 15;
const CLIENT_KEY_EXCHANGE = 16;
const FINISHED = 20;

type Extensions = [type: number, content: Uint8Array][];

const none = new Uint8Array();
const of = (...bytes: number[]) => Uint8Array.of(...bytes);
const withByte = (at: number, value: number): Change => (body) =>
  body.slice().fill(value, at, at + 1);
const longer: Change = (body) => concat(body, of(0));
const splice = (at: number, removed: number, added: Uint8Array): Change => (body) =>
  concat(body.subarray(0, at), added, body.subarray(at + removed));

/** Changes the extensions of a hello, which begin there. */
const extended = (at: number, change: (extensions: Extensions) => Extensions): Change => (body) => {
  const extensions: Extensions = [];
  for (let from = at + 2; from < body.length;) {
    const view = new DataView(body.buffer, body.byteOffset + from);
    const length = view.getUint16(2);
    extensions.push([view.getUint16(0), body.subarray(from + 4, from + 4 + length)]);
    from += 4 + length;
  }
  const parts = change(extensions).map(([type, content]) =>
    concat(number(2, type), vector(2, content))
  );
  return concat(body.subarray(0, at), vector(2, ...parts));
};

const [GROUPS, POINTS, SIGNATURES, SRTP, MASTER, RENEGOTIATION] = [10, 11, 13, 14, 23, 0xff01];
const without = (type: number) => (all: Extensions) => all.filter(([each]) => each !== type);
const adding = (type: number, content: Uint8Array) => (all: Extensions): Extensions => [
  ...all,
  [type, content],
];
const setting = (type: number, content: Uint8Array) => (all: Extensions) =>
  adding(type, content)(without(type)(all));
const doubling = (type: number) => (all: Extensions) =>
  adding(type, all.find(([each]) => each === type)![1])(all);

/** In both hellos: what is changed, why it is refused, and the alert that says so. */
type Rule = [name: string, change: Change, why: RegExp, alert: number];

const inHello = (at: number): Rule[] => {
  const ext = (change: (extensions: Extensions) => Extensions) => extended(at, change);
  return [
    ["DTLS 1.0", withByte(1, 0xff), /it has no DTLS 1.2/, 70],
    ["a session id of 33 bytes", splice(34, 1, vector(1, new Uint8Array(33))), /session id/, 50],
    ["a byte behind its end", longer, /it goes on behind its end/, 50],
    ["an extension that ends too early", (body) => body.subarray(0, -1), /ends too early/, 50],
    ["an extension twice", ext(doubling(SRTP)), /it has extension 14 twice/, 47],
    [
      "an unknown extension twice",
      ext((all) => adding(99, none)(adding(99, none)(all))),
      /twice/,
      47,
    ],
    [
      "a renegotiation that is not the first handshake",
      ext(setting(RENEGOTIATION, vector(1, new Uint8Array(12)))),
      /would renegotiate/,
      40,
    ],
    ["a malformed renegotiation", ext(setting(RENEGOTIATION, none)), /ends too early/, 50],
    ["no extended master secret", ext(without(MASTER)), /no extended master secret/, 40],
    ["an extended master secret with content", ext(setting(MASTER, of(1))), /is not empty/, 50],
    ["no SRTP", ext(without(SRTP)), /it has no SRTP/, 40],
    ["SRTP by another profile", ext(setting(SRTP, concat(numbers(2), vector(1)))), /no SRTP/, 40],
    ["SRTP without an MKI's length", ext(setting(SRTP, numbers(1))), /ends too early/, 50],
    ["compressed points alone", ext(setting(POINTS, vector(1, of(1, 2)))), /uncompressed/, 47],
  ];
};

const inServerHello: Rule[] = [
  ...inHello(38),
  ["an extension that was not offered", extended(38, adding(16, none)), /was not offered/, 110],
  ["an unknown extension", extended(38, adding(0xfafa, none)), /was not offered/, 110],
  ["algorithms of signatures", extended(38, adding(SIGNATURES, numbers(0x0403))), /offered/, 110],
  ["a cipher that was not offered", withByte(36, 0x2c), /it chose what was not offered/, 47],
  ["compression", withByte(37, 1), /it chose compression/, 47],
  [
    "an MKI",
    extended(38, setting(SRTP, concat(numbers(1), vector(1, of(7))))),
    /it chose an MKI/,
    47,
  ],
  [
    "two profiles of SRTP",
    extended(38, setting(SRTP, concat(numbers(1, 1), vector(1)))),
    /SRTP/,
    40,
  ],
];

const inClientHello: Rule[] = [
  ...inHello(44),
  ["nothing but compression", withByte(43, 1), /it has nothing but compression/, 47],
  ["ciphers of an odd length", splice(36, 6, vector(2, of(0xc0, 0x2b, 0))), /ends too early/, 50],
  ["no cipher of ours", withByte(39, 0x2c), /it has no ECDHE_ECDSA with AES-128-GCM/, 40],
  ["no curve of ours", extended(44, setting(GROUPS, numbers(29))), /it has no curve P-256/, 40],
  ["no signature of ours", extended(44, setting(SIGNATURES, numbers(0x0401))), /no ECDSA/, 40],
  ["no secure renegotiation", extended(44, without(RENEGOTIATION)), /secure renegotiation/, 40],
];

/** Neither on the curve nor, in the second case, uncompressed. */
const offCurve = concat(of(4), new Uint8Array(64).fill(1));
const compressed = concat(of(2), new Uint8Array(32).fill(1));

const inServerFlight: [type: number, ...Rule][] = [
  [CERTIFICATE, "no certificate", () => vector(3), /it has no certificate/, 40],
  [CERTIFICATE, "a byte behind its certificates", longer, /behind its end/, 50],
  [
    CERTIFICATE,
    "another's certificate",
    () => vector(3, vector(3, newCertificate().der)),
    /not the one of its fingerprint/,
    42,
  ],
  [SERVER_KEY_EXCHANGE, "a key of another curve", withByte(2, 24), /another curve/, 47],
  [
    SERVER_KEY_EXCHANGE,
    "a compressed key",
    splice(3, 66, vector(1, compressed)),
    /no uncompressed point/,
    47,
  ],
  [SERVER_KEY_EXCHANGE, "a byte behind its signature", longer, /behind its end/, 50],
  [SERVER_KEY_EXCHANGE, "a signature with SHA-1", withByte(69, 2), /its signature is not/, 51],
  [SERVER_KEY_EXCHANGE, "a signature with RSA", withByte(70, 1), /its signature is not/, 51],
  [
    SERVER_KEY_EXCHANGE,
    "another signature",
    (body) => body.with(-1, body.at(-1)! ^ 1),
    /its signature is not/,
    51,
  ],
  [CERTIFICATE_REQUEST, "no want of ECDSA", withByte(1, 1), /takes no certificate/, 40],
  [
    CERTIFICATE_REQUEST,
    "no want of SHA-256",
    () => concat(vector(1, of(64)), numbers(0x0503), vector(2)),
    /takes no certificate/,
    40,
  ],
  [CERTIFICATE_REQUEST, "a byte behind its names", longer, /behind its end/, 50],
  [SERVER_HELLO_DONE, "something in nothing", () => of(0), /behind its end/, 50],
  [FINISHED, "another proof", (body) => body.with(0, body[0]! ^ 1), /otherwise than it sent/, 51],
  [FINISHED, "a longer proof", longer, /otherwise than it sent/, 51],
];

const inClientFlight: [type: number, ...Rule][] = [
  [CERTIFICATE, "no certificate", () => vector(3), /it has no certificate/, 40],
  [
    CERTIFICATE,
    "another's certificate",
    () => vector(3, vector(3, newCertificate().der)),
    /not the one of its fingerprint/,
    42,
  ],
  [CLIENT_KEY_EXCHANGE, "a compressed key", () => vector(1, compressed), /no uncompressed/, 47],
  [CLIENT_KEY_EXCHANGE, "a key off the curve", () => vector(1, offCurve), /no point of P-256/, 47],
  [CLIENT_KEY_EXCHANGE, "a byte behind its key", longer, /behind its end/, 50],
  [CERTIFICATE_VERIFY, "a signature with SHA-1", withByte(0, 2), /its signature is not/, 51],
  [CERTIFICATE_VERIFY, "a signature with RSA", withByte(1, 1), /its signature is not/, 51],
  [
    CERTIFICATE_VERIFY,
    "another signature",
    (body) => body.with(-1, body.at(-1)! ^ 1),
    /its signature is not/,
    51,
  ],
  [CERTIFICATE_VERIFY, "a byte behind its signature", longer, /behind its end/, 50],
  [FINISHED, "another proof", (body) => body.with(0, body[0]! ^ 1), /otherwise than it sent/, 51],
];

function assertRefused(role: "client" | "server", bent: Bent, why: RegExp, alert: number): void {
  const us = facing(role, bent);
  us.run(1_000);
  assert.match(us.ended ?? "it went on", why);
  assert.equal(us.hasKeys, false);
  // Behind the change of cipher alerts are sealed.
  if (us.alerts.length > 0) assert.deepEqual(us.alerts, [[2, alert]]);
  assert.equal(us.clock.waiting(), 0);
}

Deno.test("a peer of these tests that changes nothing is taken, in both roles", () => {
  for (const role of ["client", "server"] as const) {
    const us = facing(role, {});
    us.run();
    assert.ok(us.hasKeys, role);
    assert.deepEqual([us.ended, us.alerts], [undefined, []]);
  }
});

const cases = (
  role: "client" | "server",
  type: number,
  rules: Rule[],
): ["client" | "server", number, ...Rule][] => rules.map((rule) => [role, type, ...rule]);

const refused = [
  ...cases("client", SERVER_HELLO, inServerHello),
  ...cases("server", CLIENT_HELLO, inClientHello),
  ...inServerFlight.map((rule) => ["client", ...rule] as const),
  ...inClientFlight.map((rule) => ["server", ...rule] as const),
];

for (const [role, type, name, change, why, alert] of refused) {
  Deno.test(`a ${role} of DTLS refuses message ${type} with ${name}`, () => {
    assertRefused(role, changing(type, change), why, alert);
  });
}

Deno.test("a client of DTLS refuses a server's key that is off the curve, and signed", () => {
  const certificate = newCertificate();
  let random: Uint8Array = none;
  const bent: Bent = {
    certificate,
    bend(message) {
      if (message.type === SERVER_HELLO) random = message.body.subarray(2, 34);
      if (message.type !== SERVER_KEY_EXCHANGE) return [message];
      const parameters = concat(message.body.subarray(0, 3), vector(1, offCurve));
      const signed = concat(us.sent[0]!.subarray(27, 59), random, parameters);
      const signature = sign("sha256", signed, certificate.key);
      return [{
        type: message.type,
        body: concat(parameters, number(2, 0x0403), vector(2, signature)),
      }];
    },
  };
  const us = facing("client", bent);
  us.run();
  assert.match(us.ended ?? "it went on", /its key is no point of P-256/);
  assert.deepEqual(us.alerts, [[2, 47]]);
});

Deno.test("a certificate of the right fingerprint that cannot be read is refused", () => {
  const der = new Uint8Array(40).fill(0x30);
  const hash = createHash("sha256").update(der).digest("hex").match(/../g)!.join(":");
  const certificate: Certificate = { ...newCertificate(), der, fingerprint: `sha-256 ${hash}` };
  for (const role of ["client", "server"] as const) {
    assertRefused(role, { certificate }, /its certificate cannot be read/, 42);
  }
});

Deno.test("a server of DTLS takes a client that offers an MKI, and answers none", () => {
  const offered = concat(numbers(7, 1), vector(1, of(1, 2, 3)));
  const us = facing("server", changing(CLIENT_HELLO, extended(44, setting(SRTP, offered))));
  us.run();
  assert.ok(us.hasKeys);
  // One profile, and an MKI of no bytes.
  assert.match(us.sent[0]!.toHex(), /000e00050002000100/);
});

Deno.test("a client of DTLS takes a server that says nothing of renegotiation, or names curves", () => {
  for (const change of [without(RENEGOTIATION), adding(GROUPS, numbers(23))]) {
    const us = facing("client", changing(SERVER_HELLO, extended(38, change)));
    us.run();
    assert.ok(us.hasKeys, us.ended);
  }
});

/** Leaves messages of one type out, or sends another one before. */
const leavingOut = (type: number): Bent => ({
  bend: (message) => message.type === type ? [] : [message],
});

Deno.test("a handshake that leaves a message out ends soon, with unexpected_message", () => {
  const left = [
    ["client", CERTIFICATE],
    ["client", SERVER_KEY_EXCHANGE],
    ["client", CERTIFICATE_REQUEST],
    ["server", CERTIFICATE],
    ["server", CLIENT_KEY_EXCHANGE],
  ] as const;
  for (const [role, type] of left) {
    const us = facing(role, leavingOut(type));
    us.run(mediaLimits.handshakeDoubtMs + 500);
    assert.match(us.ended ?? "it went on", new RegExp(`when ${type} was due`));
    assert.deepEqual([us.hasKeys, us.alerts], [false, [[2, 10]]]);
    assert.equal(us.clock.waiting(), 0);
  }
});

Deno.test("a client of DTLS gives a cookie back once, and refuses a malformed one", () => {
  const asking = (...bodies: Uint8Array[]): Bent => ({
    bend: ({ type }) => type === SERVER_HELLO ? bodies.map((body) => ({ type: 3, body })) : [],
  });
  const request = concat(of(0xfe, 0xff), vector(1, of(1, 2, 3)));
  const twice = facing("client", asking(request, request));
  twice.run(mediaLimits.handshakeDoubtMs + 500);
  assert.match(twice.ended ?? "it went on", /it sent message 3 when 2 was due/);
  // Behind an empty session id; each of the later hellos has it.
  const [first, ...later] = twice.sent.filter((each) => each[13] === CLIENT_HELLO);
  assert.ok(!first!.toHex().includes("0003010203") && later.length > 0);
  assert.ok(later.every((each) => each.toHex().includes("0003010203")));

  assertRefused("client", asking(longer(request)), /goes on behind its end/, 50);
  assertRefused("client", asking(request.subarray(0, -1)), /ends too early/, 50);
});

Deno.test("a handshake is not done without CertificateVerify, or without a certificate's proof", () => {
  const us = facing("server", leavingOut(CERTIFICATE_VERIFY));
  us.run(10_000);
  assert.equal(us.hasKeys, false);
});

Deno.test("a Finished is dropped that no change of cipher came before", () => {
  const withoutChange = (datagram: Uint8Array): Uint8Array[] => {
    const kept: Uint8Array[] = [];
    for (let at = 0; at < datagram.length;) {
      const end = at + 13 + new DataView(datagram.buffer, datagram.byteOffset + at).getUint16(11);
      if (datagram[at] !== 20) kept.push(datagram.slice(at, end));
      at = end;
    }
    return [concat(...kept)];
  };
  for (const role of ["client", "server"] as const) {
    const us = facing(role, { alter: withoutChange });
    us.run(10_000);
    assert.equal(us.hasKeys, false, role);
  }
});

Deno.test("a sealed message other than Finished is dropped", () => {
  const early = (message: Written): Written[] =>
    message.type === FINISHED ? [{ type: CLIENT_HELLO, body: none }, message] : [message];
  for (const role of ["client", "server"] as const) {
    const us = facing(role, { bend: early });
    us.run(10_000);
    assert.equal(us.hasKeys, false, role);
  }
});

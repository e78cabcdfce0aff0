import assert from "node:assert/strict";
import {
  algorithmsOver,
  createNonces,
  digestHa1,
  digestResponse,
  parseDigest,
  provesHa1,
} from "../../../sip/text/digest.ts";
import { sipLimits } from "../../../sip/base/limits.ts";

// RFC 7616 §3.9.1.
const example = {
  username: "Mufasa",
  realm: "http-auth@example.org",
  uri: "/dir/index.html",
  nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
  nc: "00000001",
  cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
  qop: "auth",
};
const identity = { username: "Mufasa", realm: example.realm, password: "Circle of Life" };
const responses = {
  "MD5": "8ca523f5e9506fed4657c9700eebdbec",
  "SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
} as const;

for (const algorithm of ["MD5", "SHA-256"] as const) {
  Deno.test(`digestResponse() gives the ${algorithm} of RFC 7616 §3.9.1`, () => {
    const ha1 = digestHa1(algorithm, identity);

    const response = digestResponse(algorithm, { method: "GET", ha1 }, example);

    assert.equal(response, responses[algorithm]);
  });

  Deno.test(`provesHa1() takes the right ${algorithm} response and no other`, () => {
    const ha1 = digestHa1(algorithm, identity);
    const given = { ...example, algorithm, response: responses[algorithm] };

    assert.equal(provesHa1({ method: "GET", ha1 }, given), true);
    assert.equal(provesHa1({ method: "PUT", ha1 }, given), false);
    assert.equal(provesHa1({ method: "GET", ha1 }, { ...given, nc: "00000002" }), false);
    assert.equal(provesHa1({ method: "GET", ha1 }, { ...given, qop: "auth-int" }), false);
    assert.equal(provesHa1({ method: "GET", ha1 }, { ...given, response: "" }), false);
    assert.equal(provesHa1({ method: "GET", ha1 }, { ...given, algorithm: "MD5-sess" }), false);
  });
}

Deno.test("parseDigest() unquotes values and refuses what is malformed", () => {
  assert.deepEqual({ ...parseDigest('Digest a="x, \\"y\\"",  b = c ,d=""') }, {
    a: 'x, "y"',
    b: "c",
    d: "",
  });
  assert.equal(parseDigest("Basic YTpi"), undefined);
  assert.equal(parseDigest('Digest a="1", a="2"'), undefined);
  assert.equal(parseDigest('Digest a="1'), undefined);
});

for (
  const [transport, algorithms] of [
    ["WS", ["SHA-256", "MD5"]],
    ["WSS", ["SHA-256", "MD5"]],
    ["UDP", ["MD5"]],
    ["TCP", ["MD5"]],
    ["TLS", ["MD5"]],
  ] as const
) {
  Deno.test(`algorithmsOver() offers what phones over ${transport} understand`, () => {
    assert.deepEqual(algorithmsOver(transport), algorithms);
  });
}

Deno.test("algorithmsOver() offers SHA-256 everywhere when it is set", () => {
  assert.deepEqual(algorithmsOver("UDP", true), ["SHA-256", "MD5"]);
});

const host = "192.0.2.1";

const challengesOf = (nonces: ReturnType<typeof createNonces>) =>
  nonces.challenges("WWW-Authenticate", { stale: false, algorithms: ["MD5"], host });

Deno.test("take() uses each count of a nonce once, in rising order", () => {
  const nonces = createNonces("sip.test");
  const nonce = /nonce="([^"]+)"/.exec(challengesOf(nonces)[0] ?? "")?.[1] ?? "";

  assert.equal(nonces.take(nonce, 1), true);
  assert.equal(nonces.take(nonce, 1), false);
  assert.equal(nonces.take(nonce, 5), true);
  assert.equal(nonces.take(nonce, 4), false);
});

Deno.test("isFresh() knows the nonces given to an address, from there alone, until they expire", () => {
  let now = 1_000_000;
  const nonces = createNonces("sip.test", () => now);
  const nonce = /nonce="([^"]+)"/.exec(challengesOf(nonces)[0] ?? "")?.[1] ?? "";

  assert.equal(nonces.isFresh(nonce, host), true);
  assert.equal(nonces.isFresh(nonce, "192.0.2.2"), false);
  assert.equal(nonces.isFresh(`${nonce}0`, host), false);
  assert.equal(nonces.isFresh("", host), false);
  assert.equal(createNonces("sip.test", () => now).isFresh(nonce, host), false);
  now += sipLimits.nonceTtlMs;
  assert.equal(nonces.isFresh(nonce, host), true);
  now++;
  assert.equal(nonces.isFresh(nonce, host), false);
});

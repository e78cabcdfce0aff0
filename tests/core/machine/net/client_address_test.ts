import assert from "node:assert/strict";
import { clientAddress, clientUsesTls } from "../../../../core/machine/net/client_address.ts";
import { addressList } from "../../../../core/base/networks.ts";

const isTrusted = addressList(["10.0.0.0/8", "2001:db8:ffff::/48"]);
const read = (headers: { forwarded?: string; xForwardedFor?: string }) =>
  clientAddress({ forwarded: headers.forwarded, xForwardedFor: headers.xForwardedFor }, isTrusted);

const cases: [what: string, headers: Parameters<typeof read>[0], client: string | undefined][] = [
  ["the only address", { xForwardedFor: "192.0.2.1" }, "192.0.2.1"],
  ["the rightmost of those that came", { xForwardedFor: "203.0.113.9, 192.0.2.1" }, "192.0.2.1"],
  [
    "the one before trusted proxies",
    { xForwardedFor: "192.0.2.1,10.0.0.2, 10.1.1.1" },
    "192.0.2.1",
  ],
  [
    "nothing behind an entry that is no address",
    { xForwardedFor: "192.0.2.1, unknown" },
    undefined,
  ],
  ["IPv4 in IPv6", { xForwardedFor: "::ffff:192.0.2.1" }, "192.0.2.1"],
  ["an address with a port", { xForwardedFor: "192.0.2.1:4711" }, "192.0.2.1"],
  ["Forwarded", { forwarded: "for=192.0.2.43;proto=https;by=10.0.0.1" }, "192.0.2.43"],
  ["IPv6 of Forwarded", { forwarded: 'For="[2001:db8:cafe::17]:4711"' }, "2001:db8:cafe::17"],
  ["the last of Forwarded", { forwarded: 'for=203.0.113.9, for="192.0.2.4:80"' }, "192.0.2.4"],
  ["a quoted comma", { forwarded: 'for=192.0.2.4;host="a,for=203.0.113.9"' }, "192.0.2.4"],
  ["no obfuscated name", { forwarded: "for=_hidden" }, undefined],
  ["no address at all", {}, undefined],
  [
    "both, where they agree",
    { forwarded: "for=192.0.2.1", xForwardedFor: "192.0.2.1" },
    "192.0.2.1",
  ],
];

for (const [what, headers, client] of cases) {
  Deno.test(`clientAddress() reads ${what}`, () => {
    assert.equal(read(headers), client);
  });
}

Deno.test("clientAddress() refuses headers of which a client may have forged one", () => {
  assert.throws(
    () => read({ forwarded: "for=203.0.113.9", xForwardedFor: "192.0.2.1" }),
    /Forwarded and X-Forwarded-For differ/,
  );
});

const schemes: [what: string, headers: Parameters<typeof clientUsesTls>[0], secured: boolean][] = [
  ["nothing", { forwarded: undefined, xForwardedProto: undefined }, false],
  ["https", { forwarded: undefined, xForwardedProto: "https" }, true],
  [
    "wss of Forwarded",
    { forwarded: 'for=192.0.2.1;proto="wss"', xForwardedProto: undefined },
    true,
  ],
  ["http", { forwarded: undefined, xForwardedProto: "http" }, false],
  ["http on one of two ways", { forwarded: undefined, xForwardedProto: "https, http" }, false],
  ["headers that differ", { forwarded: "proto=http", xForwardedProto: "https" }, false],
];

for (const [what, headers, secured] of schemes) {
  Deno.test(`clientUsesTls() is ${secured} of ${what}`, () => {
    assert.equal(clientUsesTls(headers), secured);
  });
}

import assert from "node:assert/strict";
import { parseAddress, sipUri } from "../../../core/model/values/address.ts";
import { readRates } from "../../../core/calls/rates.ts";
import { readConfig } from "../../../core/machine/configuration/config.ts";

Deno.test("readRates() takes the longest prefix, in millionths a minute", () => {
  const rate = readRates('prefix,price\r\n+44,0.02\n"4420",0.015\n\n,1\n1,0\n');
  assert.deepEqual(
    ["+442079460000", "+447700900000", "+14155550101", "+33199000000", "112"].map(rate),
    [15_000, 20_000, 0, 1_000_000, 0],
  );
  assert.equal(readRates("44,0.02")("+33199000000"), 0);
  assert.equal(readRates("")("+33199000000"), 0);
});

Deno.test("readRates() has a price for a number in each spelling that a carrier may read", () => {
  const rate = readRates("44,0.02\n881,5\n49,0.01");
  const dear = ["+881612345678", "00881612345678", "011881612345678", "881612345678"]
    .concat(["+881612345678999999", "00881612345678999999", "881612345678*1", "+49*881612345678"])
    .concat(["*31#881612345678", "*31#00881612345678", "+49#00881612345678"]);
  for (const number of dear) assert.equal(rate(number), 5_000_000, number);
  assert.equal(rate("+442079460000"), 20_000);
  assert.equal(rate("*135#"), 0);
  assert.equal(rate(""), 0);
  assert.equal(readRates("44,0.02\n,0.5")("112"), 500_000);
});

Deno.test("readRates() says which line it cannot read", () => {
  const wrong = [
    "44,0.1\n44,x",
    "1,1\n44",
    "1,1\n44,0.1,more",
    "1,1\n4a,1",
    "1,1\n+1,2",
    "2,1\n3,-1",
  ];
  for (const text of wrong) assert.throws(() => readRates(text), /Cannot read line 2 of/, text);
});

Deno.test("parseAddress() reads Clients, SIP addresses and numbers", () => {
  const sip = { kind: "sip", scheme: "sip", userParameters: "", port: null, transport: null };
  const read: [string, unknown][] = [
    ["client:al.ice+1", { kind: "client", login: "al.ice+1" }],
    ["client:a b", null],
    ["+1 (415) 555-0101", { kind: "number", dialled: "+14155550101" }],
    ["*21#", { kind: "number", dialled: "*21#" }],
    ["alice", null],
    ["", null],
    ["bob@PBX.test", { ...sip, user: "bob", host: "pbx.test" }],
    ["sip:b%40b@a.test;user=phone?X=1", { ...sip, user: "b@b", host: "a.test" }],
    ["SIPS:b@a.test:5061;transport=TLS", {
      ...sip,
      scheme: "sips",
      user: "b",
      host: "a.test",
      port: "5061",
      transport: "tls",
    }],
    ["sip:+12125550123;npdi;rn=+14045550000@a.test;user=phone", {
      ...sip,
      user: "+12125550123",
      userParameters: "npdi;rn=+14045550000",
      host: "a.test",
    }],
    ["sip:alice;day=tuesday@a.test", null],
    ["sip:+1212%3Bnpdi@a.test", {
      ...sip,
      user: "+1212",
      userParameters: "npdi",
      host: "a.test",
    }],
    ["sip:a%3Bb@a.test", { ...sip, user: "a;b", host: "a.test" }],
    ["tel:+1-212-555-0123;isub=5;ext=7", { kind: "number", dialled: "+12125550123" }],
    ["TEL:2125550123;phone-context=+1", { kind: "number", dialled: "+12125550123" }],
    ["tel:alice", null],
    ["+12125550123;ext=5", { kind: "number", dialled: "+12125550123" }],
    ["sip:%zz@a.test", null],
    ["sip:a@b@c", null],
    ["sip:a@b,c", null],
    ["sip:a@<b>", null],
    ["sip:@a.test", null],
    ["sip:a b@c", null],
  ];
  for (const [text, expected] of read) assert.deepEqual(parseAddress(text), expected, text);
});

Deno.test("sipUri() lets no user end the address", () => {
  for (
    const [text, uri] of [
      ["sip:+1%3Bx%0D%0A%3E@a.test", "sip:+1;x%0D%0A%3E@a.test"],
      ["bob@a.test:5070;transport=tcp;x=y", "sip:bob@a.test:5070;transport=tcp"],
    ] as const
  ) {
    const address = parseAddress(text);
    assert.equal(address?.kind === "sip" && sipUri(address), uri);
  }
});

Deno.test("readConfig() checks the settings of trunks", () => {
  const read = (name: string, value: string) =>
    readConfig((asked) => asked === name ? value : undefined);
  for (
    const [name, good, bad] of [
      ["OUTBOUND_PROXY", ["sip:edge.test:5060;transport=tcp", "10.0.0.1"], ["http://x", "a b"]],
      ["DIAL_SIP_HOSTS", ["a.test", "*", "a.test,*.b.test,*"], ["a.test,", "*a", "a b", ",a"]],
      ["DEFAULT_COUNTRY", ["US", "GB"], ["XX", "us", "USA"]],
      ["RATES_FILE", ["/etc/rates.csv"], ["/etc/a,b"]],
    ] as const
  ) {
    for (const value of good) assert.doesNotThrow(() => read(name, value), value);
    for (const value of bad) assert.throws(() => read(name, value), new RegExp(name), value);
  }
});

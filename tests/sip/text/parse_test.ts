import assert from "node:assert/strict";
import { IncomingRequestMessage, type NameAddrHeader } from "sip.js/lib/core/index.js";
import { type ParsedRequest, parseMessage, SipParseError } from "../../../sip/text/parse.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { splitAddresses } from "../../../sip/text/grammar.ts";
import {
  parseNameAddr,
  parseSipUri,
  parseUri,
  userOf,
  withoutName,
} from "../../../sip/text/uri.ts";
import { parseVia, receivedVia, type Via } from "../../../sip/text/via.ts";

const text = (start: string, ...headers: string[]) =>
  [
    start,
    "Via: SIP/2.0/WS host.invalid;branch=z9hG4bK1",
    "From: <sip:alice@sip.test>;tag=1",
    "To: <sip:bob@sip.test>",
    "Call-ID: abc",
    `CSeq: 1 ${start.split(" ")[0]}`,
    ...headers,
    "",
    "",
  ].join("\r\n");

const request = (...headers: string[]) =>
  parseMessage(text("OPTIONS sip:sip.test SIP/2.0", ...headers)) as ParsedRequest;

Deno.test("parseMessage() reads what the transaction layer needs", () => {
  const { message, target, refusal } = parseMessage(
    [
      "INVITE sip:bob@sip.test;x=1?X-A=1 SIP/2.0",
      "v: SIP / 2.0 / WS host.invalid:5060 ;branch=z9hG4bK1 , SIP/2.0/UDP 192.0.2.1",
      'f: "A, \\"l\\" <ice>" <sip:%61lice@sip.test;transport=WS>;tag=from1',
      "t:\t<sip:bob@sip.test>",
      "i: abc@host",
      "CSeq: 0042   INVITE",
      "m: <sip:alice@host.invalid>;expires=60 , sip:other@host.invalid;q=0.5",
      "Subject: folded",
      "  over lines",
      "c: Application/SDP;charset=utf-8",
      "l: 5",
      "",
      "héllo",
    ].join("\r\n"),
  ) as ParsedRequest;

  assert.equal(target, "sip:bob@sip.test;x=1?X-A=1");
  assert.equal(refusal, undefined);
  assert.equal(message.method, "INVITE");
  assert.equal(message.viaBranch, "z9hG4bK1");
  assert.deepEqual([message.via.host, message.via.port], ["host.invalid", 5060]);
  assert.equal(message.getHeaders("via").length, 2);
  assert.equal(message.fromTag, "from1");
  assert.equal(message.toTag, "");
  assert.equal(userOf(message.from.uri), "alice");
  assert.equal(message.from.uri.getParam("transport"), "ws");
  assert.equal(message.callId, "abc@host");
  assert.equal(message.cseq, 42);
  assert.equal(message.getHeaders("contact").length, 2);
  assert.equal(message.getHeader("subject"), "folded over lines");
  assert.equal(message.parseHeader("content-type"), "application/sdp");
  assert.equal(message.body, "héll");
});

Deno.test("parseMessage() reads a response", () => {
  const parsed = parseMessage(text("SIP/2.0 486 Busy Here").replace("1 SIP/2.0", "1 INVITE"));

  assert.ok(!("target" in parsed));
  assert.equal(parsed.message.statusCode, 486);
  assert.equal(parsed.message.reasonPhrase, "Busy Here");
  assert.equal(parsed.message.method, "INVITE");
});

const broken: [why: string, message: string][] = [
  ["no line end", "OPTIONS sip:x SIP/2.0"],
  ["no blank line after the headers", text("OPTIONS sip:x SIP/2.0").slice(0, -2)],
  ["two spaces in the request line", text("OPTIONS  sip:x SIP/2.0")],
  ["a Request-URI in brackets", text("OPTIONS <sip:x> SIP/2.0")],
  ["a status above 699", text("SIP/2.0 700 Whatever")],
  ["a header without colon", text("OPTIONS sip:x SIP/2.0", "Broken")],
  ["a header name with a blank inside", text("OPTIONS sip:x SIP/2.0", "Bro ken: 1")],
  ["an unclosed quote in From", text("OPTIONS sip:x SIP/2.0").replace("<sip:al", '"a <sip:al')],
  ["an unclosed bracket in To", text("OPTIONS sip:x SIP/2.0").replace("bob@sip.test>", "bob@x")],
  ["a comma in a bare URI", text("OPTIONS sip:x SIP/2.0", "Contact: sip:a,b@x")],
  [
    "a CSeq over 2^31",
    text("OPTIONS sip:x SIP/2.0").replace("CSeq: 1", "CSeq: 36893488147419103232"),
  ],
  ["a Via without host", text("OPTIONS sip:x SIP/2.0").replace("WS host.invalid", "WS ")],
  ["a Via port over 65535", text("OPTIONS sip:x SIP/2.0").replace("invalid;", "invalid:70000;")],
  ["two Call-ID", text("OPTIONS sip:x SIP/2.0", "Call-ID: other")],
  ["Max-Forwards over 255", text("OPTIONS sip:x SIP/2.0", "Max-Forwards: 300")],
  ["a negative Content-Length", text("OPTIONS sip:x SIP/2.0", "Content-Length: -1")],
  ["a body that is too short", text("OPTIONS sip:x SIP/2.0", "Content-Length: 10")],
  ["a Contact port over 65535", text("OPTIONS sip:x SIP/2.0", "Contact: <sip:a@b:65536>")],
  ["a bare line feed", text("OPTIONS sip:x SIP/2.0", "Subject: a\nInjected: b")],
  ["a bare carriage return", text("OPTIONS sip:x SIP/2.0", "Subject: a\rInjected: b")],
  ["no Via", text("OPTIONS sip:x SIP/2.0").replace("Via", "Vai")],
  ["too many headers", text("OPTIONS sip:x SIP/2.0", ...Array(sipLimits.headers).fill("A: 1"))],
  ["a header that is too long", text("OPTIONS sip:x SIP/2.0", `A: ${"x".repeat(9000)}`)],
];

for (const [why, message] of broken) {
  Deno.test(`parseMessage() throws when there is ${why}`, () => {
    assert.throws(() => parseMessage(message), SipParseError);
  });
}

Deno.test("parseMessage() names the refusal of what it can read but not serve", () => {
  const refusalOf = (start: string) => (parseMessage(text(start)) as ParsedRequest).refusal;

  assert.equal(refusalOf("OPTIONS sip:x SIP/3.0"), 505);
  assert.equal(refusalOf("OPTIONS sip:x:99999 SIP/2.0"), 400);
  assert.equal(refusalOf("OPTIONS nonsense SIP/2.0"), 416);
});

Deno.test("parseMessage() keeps the request of a bad message that can be answered", () => {
  const bad = text("OPTIONS sip:x SIP/2.0", "Max-Forwards: x");
  const worse = bad.replace("CSeq", "Other");

  const thrown = (message: string) => {
    try {
      parseMessage(message);
    } catch (error) {
      return (error as SipParseError).request;
    }
  };

  assert.ok(thrown(bad) instanceof IncomingRequestMessage);
  assert.equal(thrown(worse), undefined);
  assert.equal(thrown(bad.replaceAll("OPTIONS", "ACK")), undefined);
});

Deno.test("parseMessage() takes hostile names for what they are", () => {
  const { message } = request("__proto__: 1", "constructor: 2", "hasOwnProperty: 3");

  assert.equal(message.headers["__proto__"]?.[0]?.raw, "1");
  assert.equal(message.getHeader("constructor"), "2");
  assert.equal(request().message.getHeader("constructor"), undefined);
  assert.equal(parseSipUri("sip:a@b;__proto__"), undefined);
  assert.equal(parseSipUri("sip:%zz@b"), undefined);
  assert.equal(parseSipUri("sip:a\ud83db@b"), undefined);
  assert.equal(parseSipUri("sip:%20\ud83d@b"), undefined);
});

Deno.test("parseMessage() takes linear time for long runs", () => {
  const blanks = " ".repeat(sipLimits.headerBytes - 100);
  const hostile = [
    `Contact: ${"<".repeat(8000)}`,
    `Contact: "${'\\"'.repeat(4000)}`,
    `Via: SIP/2.0/WS ${blanks}x`,
    `Via: SIP/2.0/WS a${blanks}:${blanks.slice(4096)}`,
    `Route: ${",".repeat(8000)}`,
    `Contact: <sip:${"a.".repeat(4000)}>`,
  ];

  const before = performance.now();
  for (const header of hostile) {
    try {
      request(header);
    } catch (error) {
      assert.ok(error instanceof SipParseError);
    }
  }

  assert.ok(performance.now() - before < 2_000);
});

Deno.test("a header has at most 100 values, a value 100 parameters, and a URI 100 headers", () => {
  const list = (part: string, count: number, separator: string) =>
    Array.from({ length: count }, () => part).join(separator);
  const uri = (count: number) => parseUri(`sip:a@b?${list("x=1", count, "&")}`);

  assert.equal(uri(sipLimits.parts)?.getHeader("x")?.length, sipLimits.parts);
  assert.equal(uri(sipLimits.parts + 1), undefined);
  assert.ok(parseNameAddr(`<sip:a@b>;${list("a", sipLimits.parts, ";")}`));
  assert.equal(parseNameAddr(`<sip:a@b>;${list("a", sipLimits.parts + 1, ";")}`), undefined);
  assert.equal(parseNameAddr(`<sip:a@b;${list("a", sipLimits.parts + 1, ";")}>`), undefined);
  request(`Route: ${list("<sip:a;lr>", sipLimits.parts, ",")}`);
  assert.throws(
    () => request(`Route: ${list("<sip:a;lr>", sipLimits.parts + 1, ",")}`),
    /its Route is malformed/,
  );
});

Deno.test("parseUri() keeps tel and other URIs as they are", () => {
  assert.equal(parseUri("tel:+1555;ext=1")?.toString(), "tel:+1555;ext=1");
  assert.equal(userOf(parseUri("tel:+1555;ext=1")!), "+1555");
  assert.equal(parseUri("nonsense"), undefined);
});

Deno.test("parseNameAddr() reads names, parameters and bare URIs", () => {
  const quoted = parseNameAddr('"A \\"B\\"" <sip:a@b;lr>;q=0.1;x');
  const bare = parseNameAddr("sip:a@b;tag=1");

  assert.equal(quoted?.displayName, 'A \\"B\\"');
  assert.equal(quoted?.uri.hasParam("lr"), true);
  assert.deepEqual([quoted?.getParam("q"), quoted?.getParam("x")], ["0.1", null]);
  assert.equal(bare?.getParam("tag"), "1");
  assert.equal(bare?.uri.hasParam("tag"), false);
});

/** Names that should be quoted, with how they stand between quotes. */
const unquoted = {
  "O'Neil (Sales) GmbH": "O'Neil (Sales) GmbH",
  "Büro Köln": "Büro Köln",
  "山田 太郎": "山田 太郎",
  "Bell, Alexander": "Bell, Alexander",
  "Sales; Support": "Sales; Support",
  "A/B @ C: D=E [F]": "A/B @ C: D=E [F]",
  '5" Pipes': '5\\" Pipes',
  'Joe "The Boss" Smith': 'Joe \\"The Boss\\" Smith',
  '"Joe" (Sales)': '\\"Joe\\" (Sales)',
  "back\\slash": "back\\\\slash",
  "3 < 4": "3 < 4",
};

for (const [written, name] of Object.entries(unquoted)) {
  Deno.test(`parseNameAddr() takes the name ${written} without quotes`, () => {
    const address = parseNameAddr(`${written} <sip:a@b;lr>;tag=1`);

    assert.equal(address?.displayName, name);
    assert.equal(address?.uri.toString(), "sip:a@b;lr");
    assert.equal(address?.getParam("tag"), "1");
    assert.equal(parseNameAddr(address!.toString())?.displayName, name);
    assert.equal(withoutName(`${written} <sip:a@b;lr>;tag=1`), "<sip:a@b;lr>;tag=1");
  });

  Deno.test(`parseMessage() takes the name ${written} in From, To and Contact`, () => {
    const start = text("OPTIONS sip:x SIP/2.0", `Contact: ${written} <sip:c@d>, <sip:e@f>;q=0.5`)
      .replace("From: ", `From: ${written} `).replace("To: ", `To:${written}`);
    const { message } = parseMessage(start) as ParsedRequest;

    assert.deepEqual([message.from.displayName, message.to.displayName], [name, name]);
    assert.deepEqual([message.fromTag, userOf(message.to.uri)], ["1", "bob"]);
    const contacts = message.headers["Contact"]!.map(({ parsed }) => parsed as NameAddrHeader);
    assert.deepEqual(contacts.map(({ uri }) => uri.toString()), ["sip:c@d", "sip:e@f"]);
    assert.equal(contacts[0]!.displayName, name);
  });
}

Deno.test("parseNameAddr() refuses names that do not end before an address", () => {
  for (
    const value of ['"A <sip:a@b>', 'A "<sip:a@b', "A sip:a@b", '"A" sip:a@b', "A <a@b>", "A <>"]
  ) {
    assert.equal(parseNameAddr(value), undefined, value);
  }
  assert.throws(() => request("Contact: <sip:a@b>, A"), /its Contact is malformed/);
});

Deno.test("splitAddresses() parts addresses at their commas, and no names", () => {
  const parted: [string, string[]][] = [
    ["<sip:a@b>", ["<sip:a@b>"]],
    ['"A, B" <sip:a@b>, sip:c@d;x', ['"A, B" <sip:a@b>', "sip:c@d;x"]],
    ["A, B, C <sip:a@b>,D <sip:c@d>", ["A, B, C <sip:a@b>", "D <sip:c@d>"]],
    ['5" A, B <sip:a,b@b>, <sip:c@d>', ['5" A, B <sip:a,b@b>', "<sip:c@d>"]],
    ["*", ["*"]],
    ["<sip:a@b>, A", ["<sip:a@b>", "A"]],
  ];
  for (const [value, parts] of parted) assert.deepEqual(splitAddresses(value), parts, value);
  assert.equal(splitAddresses("A > <sip:a@b>, B"), undefined);
});

Deno.test("parseSipUri() keeps quoted parameters, as OpenSIPS hides a topology with", () => {
  const written = 'sip:1.2.3.4:5060;thinfo="FTEyMy4x;MjM0==";lr';
  assert.equal(parseSipUri(written)?.toRaw(), written);
  const contact = parseNameAddr(`<${written}>;expires=60`);
  assert.equal(contact?.uri.toRaw(), written);
  assert.equal(contact?.getParam("expires"), "60");
  assert.equal((request(`Contact: <${written}>`)).message.headers["Contact"]?.length, 1);
  assert.equal(parseSipUri('sip:1.2.3.4;thinfo="a'), undefined);
});

Deno.test("parseMessage() takes a version of SIP in small letters, and line ends before a message", () => {
  const small = text("OPTIONS sip:x sip/2.0").replace("SIP/2.0/WS", "sip/2.0/ws");
  for (const ends of ["", "\r\n", "\r\n\r\n", "\r\n".repeat(9)]) {
    const { message, refusal } = parseMessage(ends + small) as ParsedRequest;
    assert.deepEqual([message.method, message.viaBranch, refusal], [
      "OPTIONS",
      "z9hG4bK1",
      undefined,
    ]);
  }
  const response = parseMessage("\r\n" + text("sip/2.0 200 OK").replace("1 sip/2.0", "1 INVITE"));
  assert.equal(response.message instanceof IncomingRequestMessage, false);
  assert.throws(() => parseMessage("\n" + small), SipParseError);
});

Deno.test("receivedVia() answers rport wherever it stands, and nothing that looks like it", () => {
  const from = { host: "192.0.2.9", port: 4000 };
  const marked = {
    ";rport;branch=z9": ";rport=4000;branch=z9;received=192.0.2.9",
    ";rportal;branch=z9": ";rportal;branch=z9;received=192.0.2.9",
    ";rport=7;rport": ";rport=7;rport=4000;received=192.0.2.9",
    ';x=";rport";rport;received=9.9.9.9': ';x=";rport";rport=4000;received=192.0.2.9',
  };
  for (const [parameters, expected] of Object.entries(marked)) {
    const via = `SIP/2.0/WS x.invalid${parameters}`;
    assert.equal(receivedVia(via, parseVia(via) as Via, from), `SIP/2.0/WS x.invalid${expected}`);
  }
});

Deno.test("receivedVia() tells where the request came from", () => {
  const from = { host: "192.0.2.9", port: 4000 };
  const mark = (via: string) => receivedVia(via, parseVia(via) as Via, from);

  assert.equal(
    mark("SIP/2.0/WS x.invalid;branch=z9;rport"),
    "SIP/2.0/WS x.invalid;branch=z9;rport=4000;received=192.0.2.9",
  );
  assert.equal(mark("SIP/2.0/WS 192.0.2.9;branch=z9"), "SIP/2.0/WS 192.0.2.9;branch=z9");
  assert.equal(
    mark("SIP/2.0/WS x.invalid;received=6.6.6.6"),
    "SIP/2.0/WS x.invalid;received=192.0.2.9",
  );
  const v6 = "SIP/2.0/TCP [2001:db8::1]:5060;branch=z9";
  assert.equal(receivedVia(v6, parseVia(v6) as Via, { host: "2001:db8::1", port: 4000 }), v6);
});

Deno.test("parseNameAddr() reads addresses alike, however they are written", () => {
  const written = [
    "<sip:a.b@c.test:40000;transport=udp>;tag=x.1",
    "<sip:a.b@c.test:40000;Transport=UDP> ; TAG=x.1",
    ' "" <sip:a.b@c.test:40000;transport=udp>;tag=x.1 ',
  ];

  const addresses = written.map((value) => parseNameAddr(value.trim()));

  for (const address of addresses) assert.deepEqual(address, addresses[0]);
  assert.equal(addresses[0]?.uri.port, 40_000);
  assert.equal(addresses[0]?.getParam("tag"), "x.1");
});

Deno.test("parseVia() reads Vias alike, however they are written", () => {
  const written = [
    "SIP/2.0/UDP host.test:40000;rport;branch=z9hG4bK.a;received=192.0.2.1",
    "SIP/2.0/UDP host.test:40000;branch=z9hG4bK.a;rport=1",
    "SIP / 2.0 / UDP host.test : 40000 ; branch = z9hG4bK.a ; x=y",
  ];

  const vias = written.map(parseVia);

  const [host, port, branch] = ["host.test", 40_000, "z9hG4bK.a"];
  for (const via of vias) {
    assert.deepEqual(via, { protocol: "SIP", transport: "UDP", host, port, branch });
  }
});

import assert from "node:assert/strict";
import { listens, negotiate } from "../../../../sip/media/engine/negotiation.ts";
import { ofKind, parseSdp } from "../../../../sip/media/sdp/parse_sdp.ts";
import { NoCommonCodec } from "../../../../sip/media/base/port.ts";
import { answerTo, writeSdp } from "../../../../sip/media/sdp/write_sdp.ts";
import { BROWSER_OFFER, OUR_SIDE, TRUNK_OFFER } from "../../../support/media/sdp_samples.ts";

const parse = (...changes: [string | RegExp, string][]) =>
  ofKind(
    "webrtc",
    parseSdp(changes.reduce((sdp, [from, to]) => sdp.replaceAll(from, to), BROWSER_OFFER)),
  );
const stream = { ssrc: 1234, cname: "us" };
const change = () => OUR_SIDE;

Deno.test("parseSdp() reads what a browser offers", () => {
  const { audio, before, after, bundled } = parse();

  assert.deepEqual([...audio.formats], [["PCMU", 0], ["PCMA", 8], ["telephone-event", 126]]);
  assert.equal(audio.mid, "a1");
  assert.equal(audio.setup, "actpass");
  assert.equal(audio.direction, "sendrecv");
  assert.equal(audio.ufrag, "Xy9k");
  assert.match(audio.fingerprint, /^sha-256 0A:/);
  assert.equal(bundled, true);
  assert.deepEqual(before, []);
  assert.deepEqual(after, [{ line: "video 9 UDP/TLS/RTP/SAVPF 96", mid: "v1" }]);
});

Deno.test("parseSdp() takes telephone events of the clock that the codec implies, else what there is", () => {
  const opus: [string | RegExp, string] = [" 0 8 ", " "];
  const read = (...changes: [string | RegExp, string][]) => {
    const { formats, opus, eventRate } = parse(...changes).audio;
    return [formats.get("telephone-event"), opus ?? false, eventRate];
  };
  const without = (
    rate: number,
  ): [RegExp, string] => [new RegExp(`a=rtpmap:\\d+ telephone-event/${rate}\r\n`, "g"), ""];

  assert.deepEqual(read(), [126, false, undefined]);
  assert.deepEqual(read(without(8_000)), [undefined, false, undefined]);
  assert.deepEqual(read(opus), [110, true, undefined]);
  assert.deepEqual(read(opus, without(48_000)), [126, true, 8_000]);
  assert.deepEqual(read(opus, without(48_000), without(8_000)), [undefined, true, undefined]);
});

Deno.test("parseSdp() takes UDP candidates at IP addresses and no names", () => {
  assert.deepEqual(parse().audio.candidates, [
    "1 1 UDP 2122260223 192.0.2.7 50001 typ host",
    "3 1 UDP 1686052607 2001:db8::1 50003 typ srflx",
  ]);
});

Deno.test("parseSdp() reads the session's attributes where the section has none", () => {
  const { audio } = parse(
    [/a=(fingerprint|setup|sendrecv).*\r\n/g, ""],
    [
      "t=0 0",
      `t=0 0\r\na=sendonly\r\na=setup:passive\r\na=fingerprint:sha-384 ${"AB:".repeat(47)}AB`,
    ],
  );
  assert.equal(audio.direction, "sendonly");
  assert.equal(audio.setup, "passive");
  assert.match(audio.fingerprint, /^sha-384 AB/);
});

Deno.test("parseSdp() refuses with NoCommonCodec what we cannot take, and says why", () => {
  const cases: [[string | RegExp, string][], RegExp][] = [
    [[["m=audio", "m=text"]], /no audio/],
    [[["m=audio 9", "m=audio 0"]], /no audio/],
    [[["UDP/TLS/RTP/SAVPF 111", "RTP/SAVPF 111"]], /no usable crypto/],
    [[["UDP/TLS/RTP/SAVPF 111", "RTP/SAVP 111"]], /no usable crypto/],
    [[["a=rtcp-mux", "a=x"]], /no rtcp-mux/],
    [[[" 0 8 ", " "], ["opus/48000", "opus/16000"]], /none of PCMU, PCMA and Opus/],
    [[[/a=fingerprint.*/g, "a=fingerprint:sha-1 00:11"]], /no usable fingerprint/],
    [[[/a=fingerprint.*/g, "a=x"]], /no usable fingerprint/],
    [[["a=ice-ufrag:Xy9k", "a=ice-ufrag:a b"]], /no usable ice-ufrag/],
    [[["a=ice-pwd:", "a=x:"]], /no usable ice-pwd/],
    [[["t=0 0", "t=0 0" + "\r\nm=video 9 UDP/TLS/RTP/SAVPF 96".repeat(20)]], /too many sections/],
  ];
  for (const [changes, message] of cases) {
    assert.throws(() => parse(...changes), message);
    assert.throws(() => parse(...changes), NoCommonCodec);
  }
  assert.throws(() => parseSdp(""), NoCommonCodec);
});

Deno.test("parseSdp() takes every fingerprint by the strongest hash function, and no others", () => {
  const [one, other] = [["AA", 64], ["BB", 64]].map(([byte, n]) => Array(n).fill(byte).join(":"));
  const { audio } = parse([
    /a=fingerprint.*\r\n/g,
    `a=fingerprint:SHA-512 ${one}\r\na=fingerprint:sha-1 00:11\r\na=fingerprint:sha-256 ` +
    `${"CC:".repeat(31)}CC\r\na=fingerprint:sha-512 ${other}\r\n`,
  ]);
  assert.equal(audio.fingerprint, `sha-512 ${one},${other}`);
});

Deno.test("parseSdp() refuses a setup that is none", () => {
  for (const setup of ["holdconn", "Active", "x"]) {
    assert.throws(
      () => parse(["a=setup:actpass", `a=setup:${setup}`]),
      new NoCommonCodec(`Cannot take the SDP: its setup is "${setup}"`, "description"),
    );
  }
});

Deno.test("parseSdp() refuses a malformed media line, which would stand in our answer", () => {
  const lines = [
    "video",
    "video 9",
    "video 9 RTP/AVP",
    "video 9 RTP/AVP 96\ra=x",
    "video x RTP/AVP 96",
  ];
  for (const line of [...lines, "video 9 RTP/AVP \u{e9}", "", "video 9  RTP/AVP 96"]) {
    assert.throws(
      () => parse(["m=video 9 UDP/TLS/RTP/SAVPF 96", `m=${line}`]),
      /Cannot take the SDP: it has a malformed media line/,
      line,
    );
  }
});

Deno.test("parseSdp() takes no origin in a media section for its media line", () => {
  const { before, after } = parse(["a=mid:v1", "o=forged 1 1 IN IP4 192.0.2.1\r\na=mid:v1"]);
  assert.deepEqual([before, after], [[], [{ line: "video 9 UDP/TLS/RTP/SAVPF 96", mid: "v1" }]]);
});

Deno.test("parseSdp() reads or refuses mutilated offers, and never fails otherwise", () => {
  for (let cut = 0; cut < BROWSER_OFFER.length; cut += 3) {
    for (const text of [BROWSER_OFFER.slice(0, cut), BROWSER_OFFER.slice(cut)]) {
      try {
        parseSdp(text);
      } catch (error) {
        assert.ok(error instanceof NoCommonCodec, String(error));
      }
    }
  }
});

Deno.test("writeSdp() writes an answer with every section of the offer in its place", () => {
  const offer = parse(["m=audio", "m=application 9 UDP/DTLS/SCTP x\r\na=mid:d1\r\nm=audio"]);

  const text = writeSdp(answerTo(offer, OUR_SIDE), stream);

  assert.deepEqual(text.match(/^m=.*$/gm), [
    "m=application 0 UDP/DTLS/SCTP x",
    "m=audio 40000 UDP/TLS/RTP/SAVPF 0 8 101",
    "m=video 0 UDP/TLS/RTP/SAVPF 96",
  ]);
  assert.deepEqual(text.match(/^a=mid:.*$/gm), ["a=mid:d1", "a=mid:a1", "a=mid:v1"]);
  assert.match(text, /^a=group:BUNDLE a1\r$/m);
  assert.match(text, /^a=setup:active\r$/m);
  assert.match(text, /^a=candidate:1 1 UDP 2114977791 127.0.0.1 40000 typ host\r$/m);
  assert.match(text, /^a=ssrc:1234 cname:us\r$/m);
});

/** The bundles in our answer to a browser's offer with changes. */
const answeredBundles = (...changes: [string | RegExp, string][]) =>
  writeSdp(answerTo(parse(...changes), OUR_SIDE), stream).match(/^a=group:.*$/gm);

Deno.test("an answer bundles no section that the bundles of the offer lack", () => {
  const group = "a=group:BUNDLE a1 v1";
  assert.deepEqual(answeredBundles(), ["a=group:BUNDLE a1"]);
  assert.deepEqual(answeredBundles([group, "a=group:BUNDLE v1 a1"]), ["a=group:BUNDLE a1"]);
  const two = "a=group:LS a1 v1\r\na=group:BUNDLE v1\r\na=group:BUNDLE x a1";
  assert.deepEqual(answeredBundles([group, two]), ["a=group:BUNDLE a1"]);
  for (
    const other of ["a=group:BUNDLE v1", "a=group:BUNDLE", "a=group:BUNDLE a11 a", "a=group:LS a1"]
  ) {
    assert.equal(answeredBundles([group, other]), null, other);
  }
  assert.equal(answeredBundles([group, "a=group:BUNDLEX a1"]), null);
  assert.equal(answeredBundles(["a=mid:a1\r\n", ""]), null);
});

/** The sections of a browser that offers its audio within the bundle of its video alone. */
const BUNDLED_AUDIO = (() => {
  const [head = "", audio = "", video = ""] = BROWSER_OFFER.split(/(?=^m=)/m);
  const shared = /^a=(?:candidate|ice-ufrag|ice-pwd|fingerprint|setup|rtcp-mux|rtcp:).*\r\n/gm;
  const own = audio.replace(shared, "").replace("m=audio 9", "m=audio 0") + "a=bundle-only\r\n";
  return head.replace("a1 v1", "v1 a1") + video + (audio.match(shared) ?? []).join("") + own;
})();

Deno.test("parseSdp() takes audio that is offered within a bundle alone, by the bundle's transport", () => {
  const offer = ofKind("webrtc", parseSdp(BUNDLED_AUDIO));
  const { mid, formats, direction, ...transport } = parse().audio;
  assert.deepEqual(offer.audio, { mid, formats, direction, ...transport });

  const text = writeSdp(answerTo(offer, OUR_SIDE), stream);
  assert.deepEqual(text.match(/^m=.*$/gm), [
    "m=video 0 UDP/TLS/RTP/SAVPF 96",
    "m=audio 40000 UDP/TLS/RTP/SAVPF 0 8 101",
  ]);
  assert.match(text, /^a=group:BUNDLE a1\r$/m);
  assert.doesNotMatch(text, /bundle-only/);

  const trunk = [
    ["t=0 0", "t=0 0\r\na=group:BUNDLE v a"],
    [
      "m=audio 4000",
      "m=video 4002 RTP/AVP 96\r\nc=IN IP4 192.0.2.10\r\na=mid:v\r\na=rtcp-mux\r\nm=audio 0",
    ],
    ["a=ptime:30", "a=mid:a\r\na=bundle-only"],
  ] as const;
  const { address, port, rtcpPort } =
    parseTrunk(...trunk.map((each) => [...each] as [string, string])).audio;
  assert.deepEqual([address, port, rtcpPort], ["192.0.2.10", 4002, 4002]);
});

Deno.test("parseSdp() refuses audio of port 0 that no bundle carries", () => {
  for (
    const [from, to] of [
      ["a=bundle-only\r\n", ""],
      ["a=group:BUNDLE v1 a1", "a=group:BUNDLE v1"],
      ["a=group:BUNDLE v1 a1", "a=group:BUNDLE a1"],
      ["m=video 9", "m=video 0"],
      ["a=mid:a1\r\n", ""],
    ] as const
  ) {
    assert.throws(() => parseSdp(BUNDLED_AUDIO.replace(from, to)), /no audio/, from);
  }
});

Deno.test("parseSdp() reads back what writeSdp() wrote", () => {
  const session = answerTo(parse(), OUR_SIDE);
  assert.deepEqual(parseSdp(writeSdp(session)).audio, session.audio);
});

Deno.test("answerTo() turns the direction of the offer round", () => {
  const directions = { sendonly: "recvonly", recvonly: "sendonly", inactive: "inactive" };
  for (const [theirs, ours] of Object.entries(directions)) {
    assert.equal(answerTo(parse(["sendrecv", theirs]), OUR_SIDE).audio.direction, ours);
  }
});

Deno.test("negotiate() answers hold and resume, counting its versions", async () => {
  const negotiation = negotiate({ local: OUR_SIDE, stream, change, offer: parse() });
  const version = (sdp: string) => Number(/^o=- \d+ (\d+)/.exec(sdp)?.[1]);
  const first = version(negotiation.localSdp);

  const same = await negotiation.reanswer(BROWSER_OFFER);
  assert.equal(same.sdp, negotiation.localSdp);
  assert.equal(listens(same.offer.audio), true);

  const hold = await negotiation.reanswer(BROWSER_OFFER.replaceAll("sendrecv", "sendonly"));
  assert.match(hold.sdp, /^a=recvonly\r$/m);
  assert.equal(listens(hold.offer.audio), false);
  assert.equal(version(hold.sdp), first + 1);

  const resumed = await negotiation.reanswer(BROWSER_OFFER);
  assert.match(resumed.sdp, /^a=sendrecv\r$/m);
  assert.equal(listens(resumed.offer.audio), true);
  assert.equal(version(resumed.sdp), first + 2);
});

Deno.test("negotiate() refuses an offer that changes more than the direction", async () => {
  const negotiation = negotiate({ local: OUR_SIDE, stream, change, offer: parse() });
  const cases: [string, string, RegExp][] = [
    ["a=setup:actpass", "a=setup:active", /new DTLS role/],
    ["sha-256 0A", "sha-256 0B", /new fingerprint/],
    ["126", "127", /new codecs/],
    [" 0 8 ", " 0 ", /new codecs/],
    ["m=audio", "m=text", /no audio/],
  ];
  for (const [from, to, message] of cases) {
    await assert.rejects(negotiation.reanswer(BROWSER_OFFER.replaceAll(from, to)), message);
  }
});

Deno.test("negotiate() answers a restart of ICE as the transport does, and keeps all else", async () => {
  const taken: string[] = [];
  const negotiation = negotiate({
    local: OUR_SIDE,
    stream,
    offer: parse(),
    change(next) {
      const { ufrag } = ofKind("webrtc", next).audio;
      if (ufrag !== taken.at(-1)) taken.push(ufrag);
      return { ...OUR_SIDE, audio: { ...OUR_SIDE.audio, ufrag: `ours-for-${taken.length}` } };
    },
  });
  const before = negotiation.localSdp;

  for (const ufrag of ["Xy9l", "Xy9l", "Xy9m"]) {
    const { sdp } = await negotiation.reanswer(BROWSER_OFFER.replaceAll("Xy9k", ufrag));
    const lines = sdp.split("\r\n").filter((line) => !before.includes(line));
    assert.deepEqual(lines.slice(1), [`a=ice-ufrag:ours-for-${taken.length}`]);
    assert.match(lines[0]!, new RegExp(`^o=- ${OUR_SIDE.id} ${taken.length} `));
  }
  assert.deepEqual(taken, ["Xy9l", "Xy9m"]);
  assert.match(negotiation.reoffer(), /^a=ice-ufrag:ours-for-2\r$/m);
  const answer = parse(["Xy9k", "Xy9n"], ["actpass", "passive"]);
  await assert.rejects(negotiation.reaccept(answer), /new ICE credentials in an answer/);
});

Deno.test("negotiate() keeps the DTLS roles when the peer offers after answering", async () => {
  const negotiation = negotiate({ local: OUR_SIDE, stream, change, offer: undefined });
  await assert.rejects(negotiation.reanswer(BROWSER_OFFER), /ours is not answered/);
  assert.equal(negotiation.agreed(), undefined);

  negotiation.accept(parse(["actpass", "active"]));

  for (let again = 0; again < 2; again++) {
    assert.match((await negotiation.reanswer(BROWSER_OFFER)).sdp, /^a=setup:passive\r$/m);
  }
  assert.equal(negotiation.agreed()?.incoming.get(101), "telephone-event");
  assert.equal(negotiation.agreed()?.incoming.get(126), "telephone-event");
  assert.equal(negotiation.agreed()?.outgoing.get("telephone-event"), 126);
});

/** A trunk's offer with changes, read. */
const parseTrunk = (...changes: [string | RegExp, string][]) =>
  ofKind(
    "rtp",
    parseSdp(changes.reduce((sdp, [from, to]) => sdp.replaceAll(from, to), TRUNK_OFFER)),
  );

Deno.test("parseSdp() reads what a trunk offers, static types without rtpmap too", () => {
  const { audio, protocol, bundled } = parseTrunk();

  assert.deepEqual([...audio.formats], [["PCMA", 8], ["PCMU", 0], ["telephone-event", 101]]);
  assert.deepEqual([audio.address, audio.port, audio.rtcpPort], ["192.0.2.9", 4000, 4001]);
  assert.deepEqual([audio.direction, audio.mid], ["sendrecv", undefined]);
  assert.deepEqual([protocol, bundled], ["RTP/AVP", false]);
});

Deno.test("parseSdp() reads plain RTP however its lines stand", () => {
  const line = "m=audio 4000 RTP/AVP 18 8 0 101";
  const cases: [[string, string], Record<string, unknown>][] = [
    [[line, `${line}\r\nc=IN IP4 192.0.2.10`], { address: "192.0.2.10" }],
    [[line, `${line}\r\nc=IN IP4 a.example\r\nc=IN IP4 192.0.2.10/127`], { address: "192.0.2.10" }],
    [["IP4 192.0.2.9\r\nt", "IP6 2001:db8::9\r\nt"], { address: "2001:db8::9" }],
    [["audio 4000 ", "audio 4000/2 "], { port: 4000 }],
    [["audio 4000 ", "audio 65535 "], { rtcpPort: 65_535 }],
    [["a=ptime:30", "a=rtcp:5000"], { rtcpPort: 5000 }],
    [["a=ptime:30", "a=rtcp:5000 IN IP4 192.0.2.9"], { rtcpPort: 5000 }],
    [["a=ptime:30", "a=rtcp:x"], { rtcpPort: 4001 }],
    [["a=ptime:30", "a=rtcp:5000\r\na=rtcp-mux"], { rtcpPort: 4000 }],
    [["s=call", "s=call\r\na=inactive"], { direction: "inactive" }],
    [["IP4 192.0.2.9\r\nt", "IP4 0.0.0.0\r\nt"], { direction: "sendonly" }],
    [["t=0 0", "t=0 0\r\na=recvonly\r\nc=IN IP4 0.0.0.0"], { direction: "recvonly" }],
    [[line, `${line}\r\na=recvonly\r\nc=IN IP4 0.0.0.0`], { direction: "inactive" }],
    [["a=ptime:30", "a=candidate:1 1 UDP 1 192.0.2.9 4000 typ host"], { port: 4000 }],
  ];
  for (const [change, expected] of cases) {
    const audio: object = parseTrunk(change).audio;
    const found = Object.fromEntries(
      Object.keys(expected).map((key) => [key, Reflect.get(audio, key)]),
    );
    assert.deepEqual(found, expected, JSON.stringify(change));
  }
});

Deno.test("parseSdp() refuses plain RTP that leads nowhere, and says why", () => {
  const cases: [[string | RegExp, string], RegExp][] = [
    [[/c=.*\r\n/g, ""], /no IP address/],
    [["192.0.2.9\r\nt", "trunk.example\r\nt"], /no IP address/],
    [["audio 4000", "audio 70000"], /no usable port/],
    [["audio 4000", "audio 0"], /no audio/],
    [["18 8 0 101", "18 101"], /none of PCMU, PCMA and Opus/],
    [["RTP/AVP", "RTP/SAVP"], /no usable crypto/],
  ];
  for (const [change, message] of cases) {
    assert.throws(() => parseTrunk(change), message);
    assert.throws(() => parseTrunk(change), NoCommonCodec);
  }
});

Deno.test("writeSdp() turns down every section but the audio that we speak", () => {
  const offer = parseTrunk(["m=audio", "m=audio 4002 RTP/SAVP 8\r\na=mid:s\r\nm=audio"], [
    "a=ptime:30",
    "m=audio 4004 RTP/AVP 8\r\nm=video 0 RTP/AVP 96\r\na=bundle-only\r\nm=image 4008/2 udptl t38",
  ]);
  const text = writeSdp(answerTo(offer, { ...OUR_SIDE, audio: parseTrunk().audio }), stream);

  assert.deepEqual(text.match(/^m=.*$/gm), [
    "m=audio 0 RTP/SAVP 8",
    "m=audio 4000 RTP/AVP 8 0 101",
    "m=audio 0 RTP/AVP 8",
    "m=video 0 RTP/AVP 96",
    "m=image 0 udptl t38",
  ]);
  assert.match(text, /^o=- 42 0 IN IP4 192\.0\.2\.9\r$/m);
  assert.doesNotMatch(text, /BUNDLE|ice-|msid|rtcp-mux/);
  assert.deepEqual(parseSdp(text).audio, parseTrunk().audio);
});

Deno.test("negotiate() lets a plain peer move and change codecs, not what it is", async () => {
  const taken: unknown[] = [];
  const local = { ...OUR_SIDE, protocol: "RTP/AVP", audio: parseTrunk().audio };
  const negotiation = negotiate({
    local,
    stream,
    offer: parseTrunk(),
    change({ audio }) {
      taken.push(audio.kind === "rtp" && audio.port);
      return local;
    },
  });

  const moved = TRUNK_OFFER.replace("audio 4000 RTP/AVP 18 8 0", "audio 4010 RTP/AVP 0");
  assert.match((await negotiation.reanswer(moved)).sdp, /^m=audio 4000 RTP\/AVP 0 101\r$/m);
  assert.deepEqual([...negotiation.agreed()!.outgoing.keys()], ["PCMU", "telephone-event"]);
  assert.deepEqual(taken, [4010]);
  await assert.rejects(negotiation.reanswer(BROWSER_OFFER), NoCommonCodec);
});

Deno.test("negotiate() changes nothing when the transport refuses a later offer", async () => {
  const local = { ...OUR_SIDE, protocol: "RTP/AVP", audio: parseTrunk().audio };
  const refuse = () => {
    throw new Error("Cannot go there");
  };
  const negotiation = negotiate({ local, stream, offer: parseTrunk(), change: refuse });

  const moved = TRUNK_OFFER.replace("18 8 0", "0");
  await assert.rejects(negotiation.reanswer(moved), /Cannot go there/);
  assert.deepEqual([...negotiation.agreed()!.outgoing.keys()][0], "PCMA");
});

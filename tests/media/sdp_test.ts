import assert from "node:assert/strict";
import { listens, negotiate } from "../../sip/media/negotiation.ts";
import { NoCommonCodec } from "../../sip/media/port.ts";
import { ofKind, parseSdp } from "../../sip/media/sdp.ts";
import { answerTo, writeSdp } from "../../sip/media/write_sdp.ts";
import { BROWSER_OFFER, OUR_SIDE } from "../support/sdp_samples.ts";

const parse = (...changes: [string | RegExp, string][]) =>
  ofKind(
    "webrtc",
    parseSdp(changes.reduce((sdp, [from, to]) => sdp.replaceAll(from, to), BROWSER_OFFER)),
  );
const stream = { ssrc: 1234, cname: "us" };
const change = () => {};

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
    [[["UDP/TLS/RTP/SAVPF 111", "RTP/SAVPF 111"]], /transport is "RTP\/SAVPF"/],
    [[["UDP/TLS/RTP/SAVPF 111", "RTP/SAVP 111"]], /transport is "RTP\/SAVP"/],
    [[["a=rtcp-mux", "a=x"]], /no rtcp-mux/],
    [[[" 0 8 ", " "]], /neither PCMU nor PCMA/],
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

Deno.test("negotiate() answers hold and resume, counting its versions", () => {
  const negotiation = negotiate({ local: OUR_SIDE, stream, change, offer: parse() });
  const version = (sdp: string) => Number(/^o=- \d+ (\d+)/.exec(sdp)?.[1]);
  const first = version(negotiation.localSdp);

  const same = negotiation.reanswer(BROWSER_OFFER);
  assert.equal(same.sdp, negotiation.localSdp);
  assert.equal(listens(same.offer.audio), true);

  const hold = negotiation.reanswer(BROWSER_OFFER.replaceAll("sendrecv", "sendonly"));
  assert.match(hold.sdp, /^a=recvonly\r$/m);
  assert.equal(listens(hold.offer.audio), false);
  assert.equal(version(hold.sdp), first + 1);

  const resumed = negotiation.reanswer(BROWSER_OFFER);
  assert.match(resumed.sdp, /^a=sendrecv\r$/m);
  assert.equal(listens(resumed.offer.audio), true);
  assert.equal(version(resumed.sdp), first + 2);
});

Deno.test("negotiate() refuses an offer that changes more than the direction", () => {
  const negotiation = negotiate({ local: OUR_SIDE, stream, change, offer: parse() });
  const cases: [string, string, RegExp][] = [
    ["a=ice-ufrag:Xy9k", "a=ice-ufrag:Xy9l", /new ICE credentials/],
    ["sha-256 0A", "sha-256 0B", /new fingerprint/],
    ["126", "127", /new codecs/],
    [" 0 8 ", " 0 ", /new codecs/],
    ["m=audio", "m=text", /no audio/],
  ];
  for (const [from, to, message] of cases) {
    assert.throws(() => negotiation.reanswer(BROWSER_OFFER.replaceAll(from, to)), message);
  }
});

Deno.test("negotiate() keeps the DTLS roles when the peer offers after answering", () => {
  const negotiation = negotiate({ local: OUR_SIDE, stream, change, offer: undefined });
  assert.throws(() => negotiation.reanswer(BROWSER_OFFER), /ours is not answered/);
  assert.equal(negotiation.agreed(), undefined);

  negotiation.accept(parse(["actpass", "active"]));

  assert.match(negotiation.reanswer(BROWSER_OFFER).sdp, /^a=setup:passive\r$/m);
  assert.equal(negotiation.agreed()?.incoming.get(101), "telephone-event");
  assert.equal(negotiation.agreed()?.incoming.get(126), "telephone-event");
  assert.equal(negotiation.agreed()?.outgoing.get("telephone-event"), 126);
});

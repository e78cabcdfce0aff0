import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { parseStun, stunKey, writeStun } from "../../../../sip/media/webrtc/stun.ts";
import {
  alice,
  aliceAgent,
  aliceAt,
  answering,
  bob,
  bobAgent,
  bobAt,
  bobsCheck,
  candidate,
  type IceLab,
  iceLab,
  type Sent,
  textOf,
} from "../../../support/media/ice_lab.ts";
import { seeded } from "../../../support/sip/sip_mutations.ts";

const requestsTo = ({ sent }: IceLab, to: string) =>
  sent.filter((each) => each.message.type === "request" && textOf(each.to) === to);

/** Whether a promise is settled by now. */
const isSettled = async (promise: Promise<unknown>) => {
  const open = Symbol();
  return await Promise.race([promise.catch(() => {}), Promise.resolve(open)]) !== open;
};

Deno.test("two agents that know each other's candidates connect", async () => {
  const lab = iceLab();
  const [one, other] = [aliceAgent(lab), bobAgent(lab)];
  assert.equal(one.selected(), undefined);
  assert.ok(!one.knows(bobAt));

  lab.advance(200);

  await Promise.all([one.connected, other.connected]);
  assert.deepEqual([one.selected(), other.selected()], [bobAt, aliceAt]);
  assert.ok(one.knows({ ...bobAt }) && other.knows(aliceAt));
  assert.ok(!one.knows({ ...bobAt, port: 6_001 }) && !one.knows(aliceAt));
  const nominations = lab.sent.filter(({ message }) => message.useCandidate);
  assert.ok(nominations.every(({ from }) => from.address === aliceAt.address));
  one.close();
  other.close();
  assert.equal(lab.clock.waiting(), 0);
});

Deno.test("a peer whose candidates are names, or of no use, is found by its checks", async () => {
  for (const controlling of [true, false]) {
    const lab = iceLab();
    const candidates = [
      "1 1 UDP 2122260223 11111111-2222-4333-8444-555555555555.local 6000 typ host",
      "2 1 TCP 1518280447 192.0.2.2 9 typ host tcptype active",
      "3 2 UDP 2122260223 192.0.2.2 6000 typ host",
      "4 1 UDP 2122260223 192.0.2.2 0 typ host",
      "5 1 UDP 2122260223 192.0.2.2 65536 typ host",
      "6 1 UDP 2122260223 0.0.0.0 6000 typ host",
      "",
    ];
    const one = aliceAgent(lab, { controlling, candidates });
    lab.advance(200);
    assert.deepEqual(lab.sent, []);

    const other = bobAgent(lab, { controlling: !controlling });
    lab.advance(300);

    await Promise.all([one.connected, other.connected]);
    assert.deepEqual(one.selected(), bobAt);
    one.close();
    other.close();
  }
});

Deno.test("who controls takes the best pair that works, and asks dead ones a few times", async () => {
  const lab = iceLab();
  const dead = { address: "192.0.2.9", port: 9 };
  const worse = { address: "192.0.2.3", port: 6_000 };
  const candidates = [candidate(dead, 300), candidate(worse, 100), candidate(bobAt, 200)];
  const one = aliceAgent(lab, { candidates });
  answering(lab, worse, bob);
  answering(lab, bobAt, bob);

  lab.advance(1_000);

  await one.connected;
  assert.deepEqual(one.selected(), bobAt);
  const before = requestsTo(lab, textOf(dead)).length;
  lab.advance(10_000);
  assert.equal(requestsTo(lab, textOf(dead)).length, before);
  one.close();
});

Deno.test("checks are paced, sent again in growing pauses, and end", () => {
  const lab = iceLab();
  const places = Array.from({ length: 40 }, (_, i) => ({ address: `192.0.2.${10 + i}`, port: 9 }));
  const one = aliceAgent(lab, { candidates: places.map((each) => candidate(each)) });

  lab.advance(29_000);

  const times = lab.sent.map(({ at }) => at);
  times.reduce((before, at) => {
    assert.ok(at - before >= mediaLimits.iceCheckMs, `checks at ${before} and ${at} ms`);
    return at;
  });
  assert.equal(lab.sent.length, mediaLimits.candidates * mediaLimits.iceChecks);
  const first = requestsTo(lab, "192.0.2.10:9").map(({ at }) => at);
  const pauses = first.slice(1).map((at, i) => at - first[i]!);
  assert.ok(pauses.every((pause, i) => i === 0 || pause >= pauses[i - 1]! - 100), `${pauses}`);
  one.close();
});

Deno.test("agents with the same role find out who controls", async () => {
  for (const controlling of [true, false, true, false]) {
    const lab = iceLab();
    const [one, other] = [aliceAgent(lab, { controlling }), bobAgent(lab, { controlling })];

    lab.advance(1_500);

    await Promise.all([one.connected, other.connected]);
    lab.sent = [];
    lab.advance(7_000);
    const roles = lab.sent.flatMap(({ message }) => message.role?.controlling ?? []);
    assert.deepEqual([...new Set(roles)].sort(), [false, true]);
    one.close();
    other.close();
  }
});

Deno.test("the larger tie-breaker keeps the role: 487 to the other, or the change is ours", () => {
  for (const controlling of [true, false]) {
    for (const tieBreaker of [0n, 0xffff_ffff_ffff_ffffn]) {
      const lab = iceLab();
      const one = aliceAgent(lab, { controlling, candidates: [] });
      one.onMessage(bobsCheck({ role: { controlling, tieBreaker } }), bobAt);
      const [answer] = lab.sent;
      const isOurs = tieBreaker === 0n;
      assert.equal(answer!.message.error, controlling === isOurs ? 487 : undefined);
      assert.equal(answer!.message.type, controlling === isOurs ? "error" : "success");
      one.close();
    }
  }
});

Deno.test("who is told of a role conflict changes its role and checks again", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab, { controlling: false });
  lab.at.set(textOf(bobAt), (bytes, from) => {
    const { role, transaction, type } = parseStun(bytes)!;
    if (type !== "request") return;
    const answer = role?.controlling
      ? { type: "success" as const, transaction, mapped: from }
      : { type: "error" as const, transaction, error: 487 };
    lab.send(writeStun(answer, stunKey(bob.password)), bobAt, from);
  });

  lab.advance(500);

  await one.connected;
  assert.ok(lab.sent.some(({ message }) => message.useCandidate));
  one.close();
});

Deno.test("a lite peer is nominated by us, whoever offered", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab, { controlling: false, lite: true });
  answering(lab, bobAt, bob);

  lab.advance(300);

  await one.connected;
  assert.deepEqual(one.selected(), bobAt);
  one.close();
});

Deno.test("agents connect though three in ten messages are lost", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const lab = iceLab();
    const random = seeded(seed);
    lab.isLost = () => random(10) < 3;
    const [one, other] = [aliceAgent(lab), bobAgent(lab)];

    lab.advance(25_000);

    await Promise.all([one.connected, other.connected]);
    one.close();
    other.close();
  }
});

Deno.test("connected rejects and lost resolves when nobody answers for 30 s", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab);

  lab.advance(29_900);
  assert.ok(!await isSettled(one.lost));
  lab.advance(200);

  await assert.rejects(one.connected, /Cannot connect media: ICE found no way to the peer/);
  assert.match(await one.lost, /ICE found no way/);
  assert.equal(lab.clock.waiting(), 0);
});

Deno.test("close() rejects connected, ends all timers and answers, and lost stays open", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab);
  lab.advance(100);
  one.close();

  await assert.rejects(one.connected, /the leg is closed/);
  assert.equal(lab.clock.waiting(), 0);
  lab.sent = [];
  one.onMessage(bobsCheck(), bobAt);
  lab.advance(40_000);
  assert.deepEqual(lab.sent, []);
  assert.ok(!await isSettled(one.lost));
});

Deno.test("consent is asked for every 5 s or so, and its end is told", async () => {
  const lab = iceLab();
  const [one, other] = [aliceAgent(lab), bobAgent(lab)];
  lab.advance(500);
  lab.sent = [];

  lab.advance(600_000);
  const asked = requestsTo(lab, textOf(bobAt));
  assert.ok(asked.length >= 100 && asked.length <= 150, `${asked.length} times`);
  assert.equal(new Set(asked.map(({ message }) => message.transaction)).size, asked.length);
  assert.ok(!await isSettled(one.lost));

  lab.isLost = () => true;
  lab.advance(23_000);
  assert.ok(!await isSettled(one.lost));
  lab.advance(8_000);
  assert.match(await one.lost, /does not answer any more/);
  assert.match(await other.lost, /does not answer any more/);
  assert.equal(lab.clock.waiting(), 0);
});

Deno.test("requests of a peer that answers none are no consent", async () => {
  const lab = iceLab();
  const [one, other] = [aliceAgent(lab), bobAgent(lab)];
  lab.advance(500);
  lab.isLost = ({ from, message }) => from === bobAt && message.type !== "request";

  lab.advance(31_000);

  assert.match(await one.lost, /does not answer any more/);
  other.close();
});

Deno.test("strangers get no answer, and nothing is kept of them", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab, { candidates: [] });
  const wrong = [
    bobsCheck({}, { password: "another-0123456789-another" }),
    bobsCheck({}, { username: "alice:eve1" }),
    bobsCheck({}, { username: "alice" }),
    bobsCheck().subarray(0, 20),
    new Uint8Array(0),
    Uint8Array.fromHex(`00010000 2112a442 ${"00".repeat(12)}`.replaceAll(" ", "")),
  ];
  for (const bytes of wrong) one.onMessage(bytes, bobAt);

  lab.advance(1_000);

  assert.deepEqual(lab.sent, []);
  assert.ok(!one.knows(bobAt));
  assert.ok(!await isSettled(one.connected));
  one.close();
});

Deno.test("an attribute that must be understood and is not is answered with 420", () => {
  const lab = iceLab();
  const one = aliceAgent(lab, { candidates: [] });
  const username = `0006000a ${new TextEncoder().encode("alice:bob1").toHex()} 0000`;
  // Its length counts the integrity that follows.
  const text = `00010030 2112a442 ${"0a".repeat(12)} ${username} 7fff0004 00000001`;
  const signed = Uint8Array.fromHex(text.replaceAll(" ", ""));
  const integrity = createHmac("sha1", alice.password).update(signed).digest();
  one.onMessage(Uint8Array.of(...signed, 0, 8, 0, 20, ...integrity), bobAt);
  assert.equal(lab.sent[0]!.message.error, 420);
  assert.ok(!one.knows(bobAt));
  one.close();
});

Deno.test("answers that are forged, late or from elsewhere are no answers", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab);
  lab.advance(20);
  const { transaction } = lab.sent[0]!.message;
  const elsewhere = { address: "192.0.2.66", port: 6 };
  const right = stunKey(bob.password);

  one.onMessage(writeStun({ type: "success", transaction }, stunKey("eve")), bobAt);
  one.onMessage(writeStun({ type: "success", transaction: "0".repeat(24) }, right), bobAt);
  one.onMessage(writeStun({ type: "success", transaction }, right), elsewhere);
  one.onMessage(writeStun({ type: "error", transaction, error: 500 }, right), bobAt);
  assert.ok(!one.knows(bobAt) && !one.knows(elsewhere));

  one.onMessage(writeStun({ type: "success", transaction }, right), bobAt);
  assert.ok(one.knows(bobAt));
  assert.ok(!await isSettled(one.connected), "it is not nominated yet");
  one.close();
});

Deno.test("who is controlled sends where it can, follows the pair nominated last, and stays with it", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab, { controlling: false, candidates: [] });
  const role = { controlling: true, tieBreaker: 1n };
  const moved = { address: "192.0.2.77", port: 7_000 };
  for (const where of [bobAt, moved]) answering(lab, where, bob);
  const hears = (useCandidate: boolean, from = bobAt) => {
    one.onMessage(bobsCheck({ role, ...(useCandidate && { useCandidate }) }), from);
    lab.advance(100);
  };

  hears(false, moved);
  await one.connected;
  assert.deepEqual(one.selected(), moved, "it works, though none is nominated yet");
  hears(true);
  assert.deepEqual(one.selected(), bobAt);
  hears(false, moved);
  assert.deepEqual(one.selected(), bobAt);
  hears(true, moved);
  assert.deepEqual(one.selected(), moved);
  hears(false);
  assert.deepEqual(one.selected(), moved);
  assert.ok(one.knows(bobAt), "what is under way is still the peer's");
  one.close();
});

Deno.test("a nomination by whoever is controlled is none", async () => {
  const lab = iceLab();
  const one = aliceAgent(lab, { candidates: [] });
  answering(lab, bobAt, bob);
  lab.isLost = ({ from, message }) => from === bobAt && message.type !== "request";

  one.onMessage(bobsCheck({ useCandidate: true }), bobAt);
  lab.advance(1_000);

  assert.ok(one.knows(bobAt));
  assert.equal(one.selected(), undefined);
  assert.ok(!await isSettled(one.connected));
  one.close();
});

Deno.test("a place that was nominated and never answers is not asked for ever", () => {
  const lab = iceLab();
  const one = aliceAgent(lab, { controlling: false, candidates: [] });
  const role = { controlling: true, tieBreaker: 1n };
  const silent = { address: "192.0.2.77", port: 7_000 };
  answering(lab, bobAt, bob);
  for (const where of [bobAt, silent]) {
    one.onMessage(bobsCheck({ role, useCandidate: true }), where);
    lab.advance(100);
  }

  lab.advance(120_000);

  assert.deepEqual(one.selected(), bobAt);
  assert.equal(requestsTo(lab, textOf(silent)).length, mediaLimits.iceChecks);
  one.close();
});

Deno.test("a flood of checks is answered one by one, with pairs and checks of ours bounded", async () => {
  const lab = iceLab();
  const [one, other] = [aliceAgent(lab), bobAgent(lab)];
  lab.advance(500);
  lab.sent = [];
  for (let i = 0; i < 5_000; i++) {
    one.onMessage(bobsCheck(), { address: `198.51.${i >> 8}.${i & 0xff}`, port: 7 });
  }
  const answers = lab.sent.length;
  lab.advance(2_000);

  const isCheck = ({ message, from }: Sent) => message.type === "request" && from === aliceAt;
  assert.equal(answers, 5_000);
  assert.ok(lab.sent.filter(isCheck).length <= 2_000 / mediaLimits.iceCheckMs + 1);
  assert.deepEqual(one.selected(), bobAt);
  const known = Array.from(
    { length: 5_000 },
    (_, i) => one.knows({ address: `198.51.${i >> 8}.${i & 0xff}`, port: 7 }),
  );
  assert.ok(known.filter(Boolean).length <= mediaLimits.icePairs);
  lab.advance(40_000);
  assert.ok(!await isSettled(one.lost), "the call goes on");
  one.close();
  other.close();
});

const seed = Number(Deno.env.get("FUZZ_SEED") ?? 8445);

Deno.test(`agents connect among broken messages of theirs (FUZZ_SEED=${seed})`, async () => {
  const lab = iceLab();
  const random = seeded(seed);
  const [one, other] = [aliceAgent(lab), bobAgent(lab, { controlling: true })];
  for (let i = 0; i < 200; i++) {
    lab.advance(10);
    for (const { bytes, from, to } of lab.sent.slice(-5)) {
      const broken = bytes.slice(0, random(bytes.length) + 1);
      for (let n = random(4); n >= 0; n--) broken[random(broken.length)]! ^= 1 << random(8);
      lab.at.get(textOf(to))?.(broken, from);
    }
  }
  await Promise.all([one.connected, other.connected]);
  assert.deepEqual([one.selected(), other.selected()], [bobAt, aliceAt]);
  one.close();
  other.close();
});

import assert from "node:assert/strict";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import { polledUdp } from "../../../../sip/media/rtp/polled_udp.ts";
import { type MediaEngine, MediaShortage, NoCommonCodec } from "../../../../sip/media/base/port.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { createRtpPorts, type Udp } from "../../../../sip/media/rtp/rtp_sockets.ts";
import { writeReport } from "../../../../sip/media/rtp/rtcp.ts";
import { writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import type { Clock } from "../../../../sip/media/base/ticker.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import { handClock } from "../../../support/process/hand_clock.ts";
import {
  connectPlainPeer,
  isSound,
  loudnessOf,
  plainOffer,
  type PlainPeer,
  plainSocket,
  portOf,
} from "../../../support/sip/plain_peer.ts";
import { followed } from "../../../support/media/steered_engine.ts";
import { BROWSER_OFFER } from "../../../support/media/sdp_samples.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { workerEngine } from "../../../support/media/worker_engine.ts";

const { signal } = new AbortController();
const ANY_PORT = { first: 0, last: 0 };

interface Options {
  clock?: Clock;
  ports?: { first: number; last: number };
  host?: string;
  udp?: Udp;
}

function plainEngine(
  { clock = systemClock, ports = ANY_PORT, host = "127.0.0.1", ...udp }: Options = {},
) {
  const rtp = rtpTransport({ bindAddress: "127.0.0.1", host, ports, now: clock.now, ...udp });
  return mediaEngine({ transports: [rtp], log: () => {}, clock });
}

type Lab = {
  engine: MediaEngine;
  connect(law: "PCMU" | "PCMA"): Promise<PlainPeer>;
  /** Closes it in the end. */
  owned<T extends { close(): Promise<void> }>(item: T): T;
};

/** Where the engine is, of which one contract is true; in a Worker it has a time of its own. */
const kinds = [
  { where: "in this thread", open: plainEngine, withClock: true },
  {
    where: "polled",
    open: (options: Options) => plainEngine({ ...options, udp: polledUdp()! }),
    withClock: true,
  },
  { where: "in a Worker", open: workerEngine, withClock: false },
];

type Body = (lab: Lab) => Promise<void>;

/** Tests that fail, not hang, and that leave no socket open. */
function plainTest(name: string, body: Body, options: Options = {}): void {
  for (const { where, open, withClock } of kinds) {
    if (withClock || options.clock === undefined) {
      plainTestWith(() => open(options), `${name}: ${where}`, body);
    }
  }
}

function plainTestWith(
  openEngine: () => MediaEngine | Promise<MediaEngine>,
  name: string,
  body: Body,
): void {
  Deno.test({
    name,
    timeout: 90_000,
    async fn() {
      const engine = await openEngine();
      const open: { close(): Promise<void> }[] = [engine];
      const owned: Lab["owned"] = (item) => (open.push(item), item);
      try {
        await body({
          engine,
          owned,
          connect: async (law) => owned(await connectPlainPeer(engine, law)),
        });
      } finally {
        await Promise.all(open.map((each) => each.close()));
      }
    },
  });
}

/** Two packets in a row and what came of them: heard by the leg, or not. */
async function hears(
  leg: PlainPeer,
  from: Pick<PlainPeer, "send">,
  code: number,
): Promise<boolean> {
  const digits: string[] = [];
  const done = Promise.withResolvers<void>();
  leg.leg.onDigits((digit) => (digits.push(digit), digit === "#" && done.resolve()));
  const press = (event: number) => ({
    payloadType: 101,
    payload: Uint8Array.of(event, 0x8a, 0, 160),
  });
  from.send(leg.to, press(code));
  from.send(leg.to, press(code));
  // What the peer itself sends afterwards is heard after it, for the loopback keeps the order.
  leg.send(leg.to, press(11));
  await done.promise;
  return digits.includes(String(code));
}

/** Resolves when a peer has read what was under way to it: what it sends itself comes after that. */
async function caughtUp(peer: PlainPeer): Promise<void> {
  const ssrc = 1;
  const arriving = peer.next(1, (packet) => packet.ssrc === ssrc);
  const numbers = { payloadType: 0, marker: false, sequence: 0, timestamp: 0 };
  peer.sendBytes(peer.port, writeRtp({ ...numbers, ssrc, payload: new Uint8Array(160) }));
  await arriving;
}

/** Whether a leg hears a digit that its peer presses until then: of a flood, some of it may be lost. */
async function hearsAtLast(peer: PlainPeer, digit: string): Promise<boolean> {
  const heard = Promise.withResolvers<string>();
  peer.leg.onDigits(heard.resolve);
  const payload = Uint8Array.of(Number(digit), 0x8a, 0, 160);
  const timer = setInterval(() => peer.send(peer.to, { payloadType: 101, payload }), 20);
  try {
    return await heard.promise === digit;
  } finally {
    clearInterval(timer);
  }
}

plainTest(
  "join() carries a tone and digits between two plain legs with different codecs",
  async ({ connect }) => {
    const [one, other] = [await connect("PCMA"), await connect("PCMU")];
    await Promise.all([one.leg.connected, other.leg.connected]);
    one.leg.join(other.leg);
    await followed(one.leg);

    for (const [from, to, hz] of [[one, other, 1_010], [other, one, 610]] as const) {
      const arriving = to.next(7, isSound);
      from.sendTone(hz);
      const level = loudnessOf(hz, to.law, await arriving);
      assert.ok(Math.abs(level - 8_000) < 400, `${hz} Hz: ${level}`);

      const pressed = Promise.withResolvers<string>();
      from.leg.onDigits(pressed.resolve);
      const events = to.next(3, ({ payloadType }) => payloadType === 101);
      const payload = Uint8Array.of(5, 0x8a, 0, 160);
      for (let i = 0; i < 3; i++) {
        from.send(from.to, { payloadType: 101, payload, timestamp: 90_000 });
      }
      assert.equal(await pressed.promise, "5");
      assert.deepEqual((await events).map((event) => event.payload[0]), [5, 5, 5]);
    }
  },
);

plainTest("join() takes other packet times than ours", async ({ connect }) => {
  const [one, other] = [await connect("PCMU"), await connect("PCMU")];
  one.leg.join(other.leg);
  await followed(one.leg);

  const arriving = other.next(5, isSound);
  one.sendTone(1_000, { seconds: 0.24, ptimeMs: 30 });
  const packets = await arriving;

  assert.deepEqual(packets.map(({ payload }) => payload.length), Array(5).fill(240));
  assert.ok(Math.abs(loudnessOf(1_000, "PCMU", packets) - 8_000) < 400);
});

plainTest(
  "offer() of kind rtp connects when it is answered, and plays",
  async ({ engine, owned }) => {
    const leg = await engine.offer("rtp");
    const socket = owned(await plainSocket());
    assert.match(leg.localSdp, /^m=audio \d+ RTP\/AVP 0 8 101\r$/m);
    assert.match(leg.localSdp, new RegExp(`^a=rtcp:${portOf(leg.localSdp) + 1}\r$`, "m"));

    await leg.accept(plainOffer(socket.port, { formats: "8 0", lines: [] }));
    await leg.connected;
    const playing = leg.play(tone(1_000, 0.4), { loop: 1, signal });
    const packets = await socket.next(7, isSound);

    assert.ok(packets.every(({ payloadType }) => payloadType === 8), "the peer wants PCMA first");
    assert.ok(Math.abs(loudnessOf(1_000, "PCMA", packets) - 8_000) < 400);
    await playing;
  },
);

plainTest("answer() takes RTP/AVPF, and refuses every other profile", async ({ engine, owned }) => {
  const { port } = owned(await plainSocket());
  const offer = plainOffer(port);
  const feedback = await engine.answer(offer.replace("RTP/AVP", "RTP/AVPF"));
  assert.match(feedback.localSdp, /^m=audio \d+ RTP\/AVPF 0 101\r$/m);
  assert.match(feedback.localSdp, /^a=rtcp-mux\r$/m);

  for (const profile of ["udp", "TCP/RTP/AVP", "constructor"]) {
    const refused = engine.answer(offer.replace("RTP/AVP", profile));
    await assert.rejects(refused, { name: "NoCommonCodec", message: new RegExp(profile) });
  }
  await assert.rejects(engine.answer(BROWSER_OFFER), NoCommonCodec);
  await assert.rejects(engine.offer(), /there is no transport/);
  await assert.rejects(engine.answer(offer.replace("IP4 127.0.0.1\r\nt", "IP6 ::1\r\nt")), /IPv6/);
});

plainTest("reanswer() holds and resumes, also by the address of nobody", async ({ connect }) => {
  const one = await connect("PCMU");
  await one.next(2);

  for (
    const hold of [
      plainOffer(one.port, { lines: ["a=rtcp-mux", "a=sendonly"], version: 2 }),
      plainOffer(one.port, { address: "0.0.0.0", version: 3 }),
      plainOffer(one.port, { lines: ["a=rtcp-mux", "a=inactive"], version: 4 }),
    ]
  ) {
    const answer = await one.leg.reanswer(hold);
    assert.match(answer, hold.includes("inactive") ? /^a=inactive\r$/m : /^a=recvonly\r$/m);
    await caughtUp(one);
    let sent = 0;
    void one.next(1).then(() => sent++);
    // The leg's own silence would be the first to come; the play's end tells that none did.
    await one.leg.play(tone(1_000, 0.1), { loop: 1, signal });
    assert.equal(sent, 0);

    const resumed = one.next(1);
    assert.match(await one.leg.reanswer(plainOffer(one.port, { version: 9 })), /^a=sendrecv\r$/m);
    await resumed;
  }
});

plainTest(
  "reoffer() holds a peer, which is still sent sound, and lets it go",
  async ({ connect }) => {
    const one = await connect("PCMU");
    const answer = (direction: string, version: number) =>
      one.leg.reaccept(plainOffer(one.port, { lines: ["a=rtcp-mux", `a=${direction}`], version }));

    assert.match(await one.leg.reoffer(true), /^a=sendonly\r$/m);
    await answer("recvonly", 2);
    const sound = one.next(5, isSound);
    await one.leg.play(tone(1_000, 0.2), { loop: 1, signal });
    await sound;
    assert.match(await one.leg.reanswer(plainOffer(one.port, { version: 3 })), /^a=sendonly\r$/m);
    await assert.rejects(one.leg.reaccept(BROWSER_OFFER), NoCommonCodec);

    assert.match(await one.leg.reoffer(false), /^a=sendrecv\r$/m);
    await answer("sendrecv", 4);
    const [listens, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    one.leg.listen((frame) => {
      listens.resolve();
      if (amplitudeOf(1_000, frame) > 4_000) heard.resolve();
    });
    await listens.promise; // A Worker does so a moment later.
    one.sendTone(1_000);
    await heard.promise;
  },
);

plainTest(
  "reanswer() follows the peer to another port and codec as one stream",
  async ({ connect, owned }) => {
    const one = await connect("PCMU");
    const [before] = await one.next(1);
    const moved = owned(await plainSocket());

    const answer = await one.leg.reanswer(plainOffer(moved.port, { formats: "8 101", version: 2 }));
    const [after] = await moved.next(1);

    assert.equal(portOf(answer), one.to);
    assert.match(answer, /^m=audio \d+ RTP\/AVP 8 101\r$/m);
    assert.equal(after!.payloadType, 8);
    assert.equal(after!.ssrc, before!.ssrc);
    assert.ok((after!.sequence - before!.sequence & 0xffff) < 50);
    await assert.rejects(one.leg.reanswer(BROWSER_OFFER), NoCommonCodec);
    await assert.rejects(
      one.leg.reanswer(plainOffer(9).replaceAll("IP4 127.0.0.1", "IP6 ::1")),
      /IPv6/,
    );
    await moved.next(1);
  },
);

plainTest(
  "accept() goes on with who answers after another one was heard early",
  async ({ engine, owned }) => {
    const [early, answering] = [owned(await plainSocket(1)), owned(await plainSocket(2))];
    const leg = await engine.offer("rtp");
    await leg.accept(plainOffer(early.port, { formats: "0 101" }));
    const [before] = await early.next(1);

    await leg.accept(plainOffer(answering.port, { formats: "8 101" }));
    const [after] = await answering.next(1, ({ payloadType }) => payloadType === 8);
    const to = portOf(leg.localSdp);
    const one = { ...answering, leg, to } as PlainPeer;
    const heard = [await hears(one, early, 1), await hears(one, answering, 2)];

    assert.equal(before!.payloadType, 0);
    assert.equal(after!.ssrc, before!.ssrc);
    assert.deepEqual(heard, [false, true]);
  },
);

plainTest(
  "a leg answers where its peer comes from, and hears nobody else",
  async ({ engine, owned }) => {
    const signalled = owned(await plainSocket());
    const leg = await engine.answer(plainOffer(signalled.port));
    const to = portOf(leg.localSdp);
    const behindNat = { ...owned(await plainSocket(1)), leg, to } as PlainPeer;
    const stranger = owned(await plainSocket(2));

    const latched = behindNat.next(1);
    for (let i = 0; i < 3; i++) behindNat.send(to);
    await latched;
    assert.equal(await hears(behindNat, stranger, 3), false);
    assert.equal(await hears(behindNat, behindNat, 3), true);

    const rest = behindNat.next(1);
    stranger.send(to);
    await rest;
  },
);

plainTest(
  "a leg takes audio only from addresses that signalling knows, and tells of another once",
  async ({ engine, owned }) => {
    const signalled = owned(await plainSocket(1));
    const flow = owned(await plainSocket(2, "127.0.0.3"));
    const attacker = owned(await plainSocket(3, "127.0.0.66"));
    const leg = await engine.answer(plainOffer(signalled.port), { sources: ["127.0.0.3"] });
    const to = portOf(leg.localSdp);
    const peerOf = (socket: typeof flow) => ({ ...socket, leg, to } as PlainPeer);

    for (let i = 0; i < 5; i++) attacker.send(to);
    assert.equal(await leg.unknownSource, "127.0.0.66");
    const [unmoved] = await signalled.next(1);
    assert.notEqual(unmoved, undefined);

    for (let i = 0; i < 5; i++) flow.send(to);
    await flow.next(1);
    assert.equal(await hears(peerOf(flow), attacker, 3), false);
    assert.equal(await hears(peerOf(flow), flow, 3), true);
    assert.equal(
      await hears(peerOf(signalled), signalled, 4),
      true,
      "the SDP's wins, however late",
    );
  },
);

Deno.test("open() draws ports at random, and not one that a call had a moment ago", async () => {
  const range = { first: 31_000, last: 31_199 };
  const bound = new Set<number>();
  const pool = createRtpPorts(
    {
      bind(_address, port) {
        assert.equal(bound.has(port), false);
        bound.add(port);
        const close = () => Promise.resolve(void bound.delete(port));
        return Promise.resolve({ port, onMessage: () => {}, send: () => {}, close });
      },
    },
    "127.0.0.1",
    range,
  );
  const drawn: number[] = [];
  for (let i = 0; i < 50; i++) {
    const { rtp, close } = await pool.open({ shared: false });
    drawn.push(rtp.port);
    await close();
  }

  const steps = new Set(drawn.slice(1).map((port, i) => port - drawn[i]!));
  assert.ok(steps.size > 20, `predictable: ${drawn}`);
  assert.equal(new Set(drawn).size, 50, "each rests after its call");
  const open = await Promise.all(Array.from({ length: 100 }, () => pool.open({ shared: false })));
  assert.equal(new Set(open.map(({ rtp }) => rtp.port)).size, 100, "all can be had");
  await assert.rejects(
    pool.open({ shared: false }),
    (error) =>
      error instanceof MediaShortage && error.of === "ports" && /taken/.test(error.message),
  );
});

Deno.test("open() tells a want of descriptors from one of ports", async () => {
  for (
    const [message, of] of [
      ["Too many open files (os error 24)", "descriptors"],
      ["Permission denied (os error 13)", "sockets"],
    ] as const
  ) {
    const pool = createRtpPorts(
      { bind: () => Promise.reject(new Error(message)) },
      "127.0.0.1",
      { first: 31_000, last: 31_003 },
    );
    await assert.rejects(
      pool.open({ shared: false }),
      (error) =>
        error instanceof MediaShortage && error.of === of && error.message.includes(message),
    );
  }
});

plainTest("a leg ignores what is no RTP", async ({ connect, owned }) => {
  const one = await connect("PCMU");
  const noise = owned(await plainSocket());
  for (const length of [0, 1, 8, 11, 12, 200, 1_400]) {
    for (const fill of [0, 0x80, 0xc8, 0xff]) {
      noise.sendBytes(one.to, new Uint8Array(length).fill(fill));
      one.sendBytes(one.to, new Uint8Array(length).fill(fill));
    }
  }
  assert.equal(await hears(one, one, 4), true);
});

plainTest("a flood to one leg's port holds up neither it nor others", async (lab) => {
  const [flooded, one, other] = [
    await lab.connect("PCMU"),
    await lab.connect("PCMU"),
    await lab.connect("PCMU"),
  ];
  const stranger = lab.owned(await plainSocket(2));
  assert.equal(await hears(flooded, flooded, 3), true);
  one.leg.join(other.leg);
  await followed(one.leg);
  const late: number[] = [];

  // Half of it is RTP that would do if it came from the peer, half is anything.
  const noise = crypto.getRandomValues(new Uint8Array(1_200));
  for (let frame = 0; frame < 50; frame++) {
    for (let i = 0; i < 50; i++) {
      stranger.send(flooded.to);
      stranger.sendBytes(flooded.to, noise.subarray(0, 12 + i * 20));
    }
    const sentAt = performance.now();
    const arriving = other.next(1, ({ payload }) => payload[0] === frame);
    one.send(one.to, { payload: new Uint8Array(160).fill(frame) });
    await arriving;
    late.push(performance.now() - sentAt);
  }

  assert.equal(await hearsAtLast(flooded, "4"), true);
  // 5,000 packets in all; a frame is late where it waits for more than its own share of them.
  const median = late.toSorted((a, b) => a - b)[25]!;
  assert.ok(median < 250, `a frame takes ${median.toFixed(1)} ms`);
});

const quiet = handClock();
plainTest("a leg reports what it sent and heard, and says BYE at the end", async ({ connect }) => {
  const one = await connect("PCMU");
  await one.leg.connected;
  const next = one.nextReport();
  assert.equal(await hears(one, one, 4), true);
  const ntp = { timeMs: 1_000, timestamp: 0, packets: 4, octets: 16 };
  one.sendBytes(
    one.to,
    writeReport({ ssrc: 7_000, cname: "x", sender: ntp, blocks: [], bye: false }),
  );
  assert.equal(await hears(one, one, 5), true);
  quiet.advance(100);
  await one.leg.reanswer(plainOffer(one.port, { lines: ["a=rtcp-mux", "a=sendonly"], version: 2 }));
  quiet.advance(8_000);
  const report = await next;

  assert.notEqual(report.ntpMiddle, undefined);
  assert.equal(report.blocks.length, 1);
  const [block] = report.blocks;
  assert.deepEqual([block!.ssrc, block!.fractionLost, block!.cumulativeLost], [7_000, 0, 0]);
  assert.ok(block!.lastReport !== 0);

  const bye = one.nextReport(({ bye }) => bye);
  one.leg.close();
  assert.equal((await bye).ssrc, report.ssrc);
}, { clock: quiet });

const silence = handClock();
plainTest(
  "onQuiet() reports a silent peer again and again, but not on hold of either side",
  async ({ connect }) => {
    const one = await connect("PCMU");
    let reports = 0;
    let told = Promise.withResolvers<number>();
    one.leg.onQuiet((ms) => (reports++, told.resolve(ms)));
    await one.leg.connected;

    let version = 2;
    for (const direction of ["inactive", "sendonly"]) {
      const lines = [`a=${direction}`];
      await one.leg.reanswer(plainOffer(one.port, { lines, version: version++ }));
      silence.advance(300_000);
    }
    await one.leg.reoffer(true);
    await one.leg.reaccept(plainOffer(one.port, { lines: ["a=recvonly"], version: version++ }));
    silence.advance(300_000);
    await one.leg.reanswer(plainOffer(one.port, { version: version++ }));
    silence.advance(20_000);
    await followed(one.leg);
    assert.equal(reports, 0);

    silence.advance(60_000);
    assert.ok(await told.promise >= mediaLimits.peerQuietMs);
    await followed(one.leg);
    assert.ok(reports >= 60_000 / 7_500 - 3, `${reports} reports`);
    told = Promise.withResolvers();
    silence.advance(7_500);
    assert.ok(await told.promise >= 70_000);
  },
  { clock: silence },
);

Deno.test("answer() names the range when all its ports are taken, and close() frees them", async () => {
  const probe = await plainSocket();
  // Well below the ports that the system gives away by itself.
  const first = 10_000 + probe.port % 8_000 * 2;
  const engine = plainEngine({ ports: { first, last: first + 4 } });
  const offer = plainOffer(probe.port);
  const legs = [await engine.offer("rtp"), await engine.answer(offer)];
  const ports = legs.map(({ localSdp }) => portOf(localSdp));
  assert.deepEqual(ports.toSorted(), [first, first + 2]);

  const full = new RegExp(`Cannot open a port of ${first}-${first + 4} .*: all are taken`);
  await assert.rejects(engine.answer(offer), full);
  const rival = plainEngine({ ports: { first, last: first + 1 } });
  await assert.rejects(rival.answer(offer), /Address already in use/);
  await engine.close();
  assert.equal(portOf((await rival.offer("rtp")).localSdp), first);

  await rival.close();
  await probe.close();
});

Deno.test("answer() rejects when there is no address to tell", async () => {
  const engine = plainEngine({ host: "0.0.0.0" });
  await assert.rejects(engine.answer(plainOffer(9)), /peers cannot send to "0.0.0.0"/);
  await engine.close();
});

plainTest(
  "two legs of one engine meet inside the machine, whatever address peers see",
  async ({ engine, connect }) => {
    const [one, other] = [await connect("PCMU"), await connect("PCMU")];
    const out = await engine.offer("rtp");
    const back = await engine.answer(out.localSdp);
    await out.accept(back.localSdp);
    one.leg.join(out);
    back.join(other.leg);
    await followed(back);

    const arriving = other.next(10, isSound);
    one.sendTone(1_010, { seconds: 0.4 });
    const level = loudnessOf(1_010, "PCMU", await arriving);

    assert.match(out.localSdp, /^c=IN IP4 203\.0\.113\.9\r$/m);
    assert.ok(Math.abs(level - 8_000) < 400, `${level}`);
  },
  { host: "203.0.113.9" },
);

Deno.test("answer() tells the address that peers see", async () => {
  const engine = plainEngine({ host: "198.51.100.7" });
  const { localSdp } = await engine.answer(plainOffer(9));
  assert.match(localSdp, /^c=IN IP4 198\.51\.100\.7\r$/m);
  await engine.close();
});

plainTest("close() ends plays and connecting of legs, and may be repeated", async ({ engine }) => {
  const waiting = await engine.offer("rtp");
  const answered = await engine.answer(plainOffer(9));
  const playing = answered.play(tone(1_000, 1), { loop: 0, signal });

  answered.close();
  answered.close();
  await engine.close();
  await engine.close();

  await playing;
  await assert.rejects(waiting.connected, /the leg is closed/);
  await assert.rejects(engine.offer("rtp"), /the media engine is closed/);
});

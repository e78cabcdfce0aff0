import assert from "node:assert/strict";
import { createEngineLink } from "../../../../sip/media/worker/engine_link.ts";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { startMediaWorker } from "../../../../sip/media/worker/media_worker.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import type { MediaEngine, Pcm } from "../../../../sip/media/base/port.ts";
import { remoteEngine } from "../../../../sip/media/worker/remote_engine.ts";
import { serveEngine } from "../../../../sip/media/worker/serve_engine.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import type { MediaPlaces } from "../../../../sip/media/transports/transports.ts";
import type { MessageEnd } from "../../../../sip/media/base/batched_end.ts";
import type { Order, Report } from "../../../../sip/media/worker/wire.ts";
import { connectPlainPeer, isSound, plainOffer } from "../../../support/sip/plain_peer.ts";
import { followed } from "../../../support/media/steered_engine.ts";
import { streamServer } from "../../../support/media/stream_server.ts";
import type { StreamEnd } from "../../../../sip/media/base/stream_port.ts";
import { tone } from "../../../support/media/tone.ts";
import { workerEngine } from "../../../support/media/worker_engine.ts";

const { signal } = new AbortController();
const host = "127.0.0.1";
const rtp = { bindAddress: host, host, ports: { first: 0, last: 0 } };

/** An engine of this thread at the other end of a link, whose orders are remembered. */
function linked({ onReport = (_: Report) => {} } = {}) {
  const { port1, port2 } = new MessageChannel();
  const orders: Order[] = [];
  const end: MessageEnd<Order, Report> = {
    postMessage(order, transfer) {
      orders.push(order);
      port1.postMessage(order, transfer);
    },
    onmessage: null,
  };
  port1.onmessage = (event) => end.onmessage?.(event);
  const engine = mediaEngine({
    transports: [rtpTransport({ ...rtp, now: systemClock.now })],
    log: () => {},
    reach: { mayReach: () => true },
  });
  const served: MessageEnd<Report, Order> = {
    postMessage(report, transfer) {
      onReport(report);
      port2.postMessage(report, transfer);
    },
    onmessage: null,
  };
  port2.onmessage = (event) => served.onmessage?.(event);
  serveEngine(engine, served);
  const link = createEngineLink(end, { log: () => {} });
  return {
    link,
    orders,
    remote: remoteEngine(link),
    async [Symbol.asyncDispose]() {
      await engine.close();
      port1.close();
      port2.close();
    },
  };
}

/** How many frames of a tone go out while this thread does nothing but work for a second. */
async function framesWhileBusy(engine: MediaEngine): Promise<number> {
  const peer = await connectPlainPeer(engine, "PCMU");
  const over = new AbortController();
  try {
    void peer.leg.play(tone(1_000, 1), { loop: 0, signal: over.signal });
    await peer.next(1, isSound);
    const until = performance.now() + 1_000;
    while (performance.now() < until) tone(1_000, 0.1);
    // What was sent meanwhile has come to the socket, and is read from now on.
    over.abort();
    let frames = 0;
    void peer.next(1_000, (packet) => isSound(packet) && ++frames < 0);
    await followed(peer.leg);
    await peer.next(5, (packet) => !isSound(packet));
    return frames;
  } finally {
    await engine.close();
    await peer.close();
  }
}

Deno.test("a main thread that is busy for a second holds up no audio", async () => {
  const frames = await framesWhileBusy(await workerEngine());
  // A thread that is busy for so long catches up with 11 frames and leaves out the rest.
  assert.ok(frames >= 20, `${frames} of 50 frames were sent`);
});

Deno.test("a Worker that cannot start says why", async () => {
  const places = {} as MediaPlaces;
  const starting = startMediaWorker({ places, log: () => {}, onEnd: () => assert.fail() });
  await assert.rejects(starting, /Cannot start the media Worker: .*undefined/);
});

/** A Worker that starts, and then does this. */
const started = (then: string) =>
  new URL(`data:text/javascript,${
    encodeURIComponent(`onmessage = ({ data: [{ task }] }) => {
      postMessage([{ type: "done", task }]);
      ${then}
    };`)
  }`);

const ends: [why: RegExp, how: string, then: string][] = [
  [/hangs/, "hangs", "for (;;);"],
  [/hangs/, "closes itself without a word", "close();"],
  [/ended: .*no more/, "throws", 'throw new Error("no more");'],
];
for (const [why, how, then] of ends) {
  Deno.test({
    name: `a Worker that ${how} is told of once, and its engine is gone`,
    timeout: 90_000,
    async fn() {
      const gone = Promise.withResolvers<void>();
      let times = 0;
      const engine = await startMediaWorker({
        places: {} as MediaPlaces,
        log: () => {},
        onEnd: () => (times++, gone.resolve()),
        script: started(then),
        checkMs: 20,
      });
      await gone.promise;
      await assert.rejects(engine.offer("rtp"), why);
      await engine.close();
      assert.equal(times, 1);
    },
  });
}

Deno.test({
  name: "a Worker that answers is left alone, however often it is asked",
  timeout: 90_000,
  async fn() {
    const asked = Promise.withResolvers<void>();
    const engine = await startMediaWorker({
      places: {} as MediaPlaces,
      log: (line) => line === "asked" && asked.resolve(),
      onEnd: () => assert.fail("It does not hang"),
      script: started(`
        globalThis.times = (globalThis.times ?? 0) + 1;
        if (globalThis.times === 30) postMessage([{ type: "log", line: "asked" }]);
      `),
      checkMs: 20,
    });
    await asked.promise;
    await engine.close();
  },
});

Deno.test({
  name: "an engine that is gone loses its legs, and ends what they do",
  timeout: 90_000,
  async fn() {
    await using lab = linked();
    const { remote, link } = lab;
    const waiting = await remote.offer("rtp");
    const leg = await remote.answer(plainOffer(9));
    const playing = leg.play(tone(1_000, 1), { loop: 0, signal });
    const stop = leg.recordWith(waiting, () => {});

    link.end("Cannot use media: the media Worker ended");

    await Promise.all([leg.lost, waiting.lost, playing, stop()]);
    await assert.rejects(waiting.connected, /the media Worker ended/);
    await assert.rejects(leg.reanswer(plainOffer(9)), /the media Worker ended/);
    await leg.play(tone(1_000, 1), { loop: 0, signal });
    await assert.rejects(remote.offer("rtp"), /the media Worker ended/);
    leg.close();
    await remote.close();
    await assert.rejects(remote.offer("rtp"), /the media engine is closed/);
  },
});

Deno.test("a sound goes to the engine once, and without the rest of its buffer", async () => {
  await using lab = linked();
  const leg = await lab.remote.answer(plainOffer(9));
  const part: Pcm = tone(1_000, 1).subarray(0, 160);
  const conference = lab.remote.conference();

  await leg.play(part, { loop: 1, signal });
  await leg.play(part, { loop: 1, signal });
  conference.announce(part);

  const sounds = lab.orders.flatMap((order) => "sound" in order ? [order.sound] : []);
  assert.equal(sounds.length, 3);
  const sent = sounds.flatMap((sound) => typeof sound === "object" && sound.pcm || []);
  assert.deepEqual(sent.map(({ buffer }) => buffer.byteLength), [320]);
});

Deno.test("a play whose signal aborts ends at once, and the next one is heard", async () => {
  const engine = await workerEngine();
  const peer = await connectPlainPeer(engine, "PCMU");
  const stop = new AbortController();
  const first = peer.leg.play(tone(1_000, 1), { loop: 0, signal: stop.signal });
  await peer.next(3, isSound);
  stop.abort();
  await first;
  await peer.leg.play(tone(1_000, 1), { loop: 0, signal: stop.signal });

  const heard = peer.next(3, isSound);
  const second = peer.leg.play(tone(500, 0.1), { loop: 1, signal });
  await Promise.all([heard, second]);

  await engine.close();
  await peer.close();
});

Deno.test({
  name: "a message of a stream's server that hangs its reader ends that stream, and no leg",
  timeout: 90_000,
  async fn() {
    await using server = await streamServer();
    const engine = await startMediaWorker({
      places: { rtp },
      mayReachPrivate: true,
      socketScript: new URL("../../../support/media/hanging_sockets.ts", import.meta.url),
      log: () => {},
      onEnd: () => assert.fail("The media Worker ended"),
    });
    const [streamed, bystander] = [
      await connectPlainPeer(engine, "PCMU"),
      await connectPlainPeer(engine, "PCMU"),
    ];
    const over = new AbortController();
    const playing = bystander.leg.play(tone(1_000, 1), { loop: 0, signal: over.signal });
    const ended = Promise.withResolvers<StreamEnd>();
    streamed.leg.stream({
      url: server.url,
      headers: {},
      streamSid: "MZ1",
      accountSid: "AC",
      callSid: "CA",
      tracks: ["inbound"],
      isBidirectional: true,
      encoding: "audio/x-mulaw",
      parameters: {},
      queueS: 1,
    }, { onOpen() {}, onProblem() {}, onLost() {}, onEnd: ended.resolve });
    const connection = await server.next();
    await connection.message(({ event }) => event === "start");

    connection.send({ hangMs: 20_000 });
    let heard = 0;
    void bystander.next(10_000, (packet) => isSound(packet) && ++heard < 0);
    const end = await ended.promise;

    assert.deepEqual(end.how === "failed" && [end.fault, end.message], [
      "messages",
      "the thread that reads what its server sends hung on a message",
    ]);
    // Two to three seconds have passed.
    assert.ok(heard >= 50, `${heard} packets came while the reader hung`);
    await streamed.leg.play(tone(500, 0.1), { loop: 1, signal });
    over.abort();
    await playing;
    await engine.close();
    await Promise.all([streamed.close(), bystander.close()]);
  },
});

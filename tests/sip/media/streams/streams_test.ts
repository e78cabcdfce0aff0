import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { decodeG711 } from "../../../../sip/media/codecs/g711.ts";
import type {
  MediaStream,
  StreamEnd,
  StreamSettings,
} from "../../../../sip/media/base/stream_port.ts";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import type { MediaEngine } from "../../../../sip/media/base/port.ts";
import { mediaLimits } from "../../../../sip/media/base/limits.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import {
  type StreamConnection,
  type StreamMessage,
  type StreamServer,
  streamServer,
} from "../../../support/media/stream_server.ts";
import { flood, floodFrames } from "../../../support/media/flood.ts";
import { amplitudeOf, tone } from "../../../support/media/tone.ts";
import { workerEngine } from "../../../support/media/worker_engine.ts";
import {
  connectPlainPeer,
  isSound,
  type PlainPeer,
  soundOf,
} from "../../../support/sip/plain_peer.ts";
import { eventually } from "../../../support/process/eventually.ts";

/** What is true of an audio stream, wherever the engine is. */

const loud = 2_000;

function threadEngine(): MediaEngine {
  const ports = { first: 0, last: 0 };
  const place = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports, now: systemClock.now };
  const reach = { mayReach: () => true };
  return mediaEngine({ transports: [rtpTransport(place)], log: () => {}, reach });
}

/** A stream of a leg, with what it told. */
interface Streaming {
  stream: MediaStream;
  opened: Promise<void>;
  problem: Promise<{ fault: string; message: string }>;
  /** All that were told. */
  problems: { fault: string; message: string }[];
  lost: Promise<number>;
  end: Promise<StreamEnd>;
}

interface Lab {
  engine: MediaEngine;
  peer: PlainPeer;
  server: StreamServer;
  open(changes?: Partial<StreamSettings>): Streaming;
  /** Has the peer say a tone, a packet each 20 ms, until the result is called. */
  speak(hz: number): () => void;
}

const settingsFor = (url: string): StreamSettings => ({
  url,
  headers: { "x-twilio-signature": "signed" },
  streamSid: `MZ${"1".repeat(32)}`,
  accountSid: `AC${"2".repeat(32)}`,
  callSid: `CA${"3".repeat(32)}`,
  tracks: ["inbound"],
  isBidirectional: true,
  encoding: "audio/x-mulaw",
  parameters: { greeting: "hello" },
  queueS: 10,
});

export function openOn(
  leg: PlainPeer["leg"],
  settings: StreamSettings,
): Streaming {
  const opened = Promise.withResolvers<void>();
  const problem = Promise.withResolvers<{ fault: string; message: string }>();
  const problems: { fault: string; message: string }[] = [];
  const lost = Promise.withResolvers<number>();
  const end = Promise.withResolvers<StreamEnd>();
  const stream = leg.stream(settings, {
    onOpen: opened.resolve,
    onProblem(fault, message) {
      problems.push({ fault, message });
      problem.resolve({ fault, message });
    },
    onLost: lost.resolve,
    onEnd: end.resolve,
  });
  return {
    stream,
    opened: opened.promise,
    problem: problem.promise,
    problems,
    lost: lost.promise,
    end: end.promise,
  };
}

function speaking(peer: PlainPeer, hz: number): () => void {
  let at = 0;
  const timer = setInterval(() => {
    peer.sendTone(hz, { seconds: 0.02 });
    at++;
  }, 20);
  return () => clearInterval(timer);
}

function streamTest(name: string, body: (lab: Lab) => Promise<void>): void {
  for (
    const [where, open] of [["in this thread", threadEngine], [
      "in a Worker",
      workerEngine,
    ]] as const
  ) {
    Deno.test({
      name: `${name}: ${where}`,
      timeout: 60_000,
      async fn() {
        await using server = await streamServer();
        const engine = await open();
        const peer = await connectPlainPeer(engine, "PCMU");
        const stops: (() => void)[] = [];
        try {
          await peer.leg.connected;
          await body({
            engine,
            peer,
            server,
            open: (changes) => openOn(peer.leg, { ...settingsFor(server.url), ...changes }),
            speak(hz) {
              const stop = speaking(peer, hz);
              stops.push(stop);
              return stop;
            },
          });
        } finally {
          stops.forEach((stop) => stop());
          await engine.close();
          await peer.close();
        }
      },
    });
  }
}

const isMedia = ({ event }: StreamMessage) => event === "media";

const samplesOf = ({ media }: StreamMessage): Int16Array =>
  decodeG711("PCMU", Buffer.from(media.payload, "base64"));

/** Resolves with the next media of a track in which a tone is. */
const toneIn = (connection: StreamConnection, hz: number, track = "inbound") =>
  connection.message((message) =>
    isMedia(message) && message.media.track === track && amplitudeOf(hz, samplesOf(message)) > loud
  );

/** Resolves when the peer is sent a tone. */
const hears = async (peer: PlainPeer, hz: number): Promise<void> => {
  await peer.next(
    3,
    (packet) => isSound(packet) && amplitudeOf(hz, soundOf("PCMU", [packet])) > loud,
  );
};

streamTest(
  "A stream begins with connected, start and media, in order and numbered",
  async ({ server, open, speak }) => {
    const stop = speak(500);

    const { opened } = open();
    const connection = await server.next();
    await opened;
    await toneIn(connection, 500);
    stop();

    const [first, second] = connection.messages;
    assert.equal(connection.headers["x-twilio-signature"], "signed");
    assert.deepEqual(first, { event: "connected", protocol: "Call", version: "1.0.0" });
    assert.deepEqual(second, {
      event: "start",
      sequenceNumber: "1",
      streamSid: `MZ${"1".repeat(32)}`,
      start: {
        streamSid: `MZ${"1".repeat(32)}`,
        accountSid: `AC${"2".repeat(32)}`,
        callSid: `CA${"3".repeat(32)}`,
        tracks: ["inbound"],
        customParameters: { greeting: "hello" },
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
      },
    });
    for (const [at, { sequenceNumber, streamSid }] of connection.messages.slice(1).entries()) {
      assert.deepEqual([sequenceNumber, streamSid], [String(at + 1), `MZ${"1".repeat(32)}`]);
    }
    for (const [at, { media }] of connection.messages.filter(isMedia).entries()) {
      assert.equal(media.chunk, String(at + 1));
      assert.equal(media.timestamp, String(20 * (at + 1)));
      assert.equal(Buffer.from(media.payload, "base64").length, 160);
    }
  },
);

streamTest(
  "Audio of the server is played, and its mark comes back behind it",
  async ({ server, open, peer }) => {
    open();
    const connection = await server.next();
    const heard = hears(peer, 700);
    const startedAt = performance.now();

    connection.play(tone(700, 0.4));
    connection.send({ event: "mark", mark: { name: "said" } });
    await heard;
    const mark = await connection.message(({ event }) => event === "mark");

    assert.equal(mark.mark.name, "said");
    assert.ok(performance.now() - startedAt > 350, "it came before its audio was played");
  },
);

streamTest("A mark with nothing before it comes back at once", async ({ server, open }) => {
  open();
  const connection = await server.next();

  connection.send({ event: "mark", mark: { name: "nothing" } });

  assert.equal((await connection.message(({ event }) => event === "mark")).mark.name, "nothing");
});

streamTest(
  "clear silences the peer and returns the marks of what it drops",
  async ({ server, open, peer }) => {
    open();
    const connection = await server.next();
    const heard = hears(peer, 700);
    connection.play(tone(700, 8));
    for (const name of ["a", "b"]) connection.send({ event: "mark", mark: { name } });
    await heard;

    connection.send({ event: "clear" });
    await connection.message(({ event, mark }) => event === "mark" && mark.name === "b");
    const after = await peer.next(10);

    const names = connection.messages.filter(({ event }) => event === "mark");
    assert.deepEqual(names.map(({ mark }) => mark.name), ["a", "b"]);
    assert.ok(after.slice(4).every((packet) => !isSound(packet)), "it goes on after clear");
  },
);

streamTest(
  "Digits of the peer are told in a stream of both ways",
  async ({ server, open, peer }) => {
    open();
    const connection = await server.next();
    await connection.message(({ event }) => event === "start");

    peer.leg.takeDigit("5");

    const { dtmf } = await connection.message(({ event }) => event === "dtmf");
    assert.deepEqual(dtmf, { track: "inbound_track", digit: "5" });
  },
);

streamTest(
  "A copy has both tracks, and takes nothing from its server",
  async ({ server, open, peer, speak }) => {
    open({ isBidirectional: false, tracks: ["inbound", "outbound"] });
    const connection = await server.next();
    const stop = speak(500);
    const over = new AbortController();
    void peer.leg.play(tone(900, 1), { loop: 0, signal: over.signal });
    connection.send({ event: "mark", mark: { name: "ignored" } });

    await Promise.all([toneIn(connection, 500), toneIn(connection, 900, "outbound")]);
    over.abort();
    stop();

    const { start } = connection.messages[1]!;
    assert.deepEqual(start.tracks, ["inbound", "outbound"]);
    assert.ok(connection.messages.every(({ event }) => event !== "mark"));
  },
);

streamTest(
  "A copy goes on while its leg is joined with another",
  async ({ engine, server, open, peer, speak }) => {
    const other = await connectPlainPeer(engine, "PCMA");
    try {
      open({ isBidirectional: false, tracks: ["inbound", "outbound"] });
      const connection = await server.next();
      peer.leg.join(other.leg);
      speak(500);
      const theirs = speaking(other, 900);

      await Promise.all([toneIn(connection, 500), toneIn(connection, 900, "outbound")]);
      theirs();
    } finally {
      await other.close();
    }
  },
);

streamTest(
  "A copy goes on while its leg is in a conference",
  async ({ engine, server, open, peer, speak }) => {
    const other = await connectPlainPeer(engine, "PCMU");
    try {
      const conference = engine.conference();
      for (const { leg } of [peer, other]) conference.enter(leg).setPresent(true);
      open({ isBidirectional: false, tracks: ["inbound", "outbound"] });
      const connection = await server.next();
      speak(500);
      const theirs = speaking(other, 900);

      await Promise.all([toneIn(connection, 500), toneIn(connection, 900, "outbound")]);
      theirs();
    } finally {
      await other.close();
    }
  },
);

streamTest(
  "A muted peer is silent in the stream, which goes on",
  async ({ server, open, peer, speak }) => {
    open();
    const connection = await server.next();
    peer.leg.setMuted(true);
    speak(500);

    await connection.message(({ event, media }) => event === "media" && Number(media.chunk) > 10);

    for (const message of connection.messages.filter(isMedia)) {
      assert.ok(amplitudeOf(500, samplesOf(message)) < loud);
    }
  },
);

streamTest("Silence stands for a peer that sends nothing", async ({ server, open }) => {
  open();
  const connection = await server.next();

  await connection.message(({ event, media }) => event === "media" && media.chunk === "10");
});

streamTest("stop says stop, and then closes", async ({ server, open }) => {
  const { stream, end } = open();
  const connection = await server.next();
  await connection.message(({ event }) => event === "start");

  stream.stop();

  assert.equal((await end).how, "stopped");
  assert.equal(await connection.closed, 1000);
  assert.deepEqual(connection.messages.at(-1)?.stop, {
    accountSid: `AC${"2".repeat(32)}`,
    callSid: `CA${"3".repeat(32)}`,
  });
});

streamTest("The end of the leg ends its stream", async ({ server, open, peer }) => {
  const { end } = open();
  const connection = await server.next();
  await connection.message(({ event }) => event === "start");

  peer.leg.close();

  assert.equal((await end).how, "stopped");
  assert.equal(await connection.closed, 1000);
});

streamTest("A server that says goodbye ends the stream", async ({ server, open }) => {
  const { end, opened } = open();
  const connection = await server.next();
  await opened;

  connection.close();

  assert.deepEqual(await end, { how: "closed", lostFrames: 0 });
});

streamTest("A server that is gone ends the stream as failed", async ({ server, open }) => {
  const { end, opened } = open();
  const connection = await server.next();
  await opened;

  connection.vanish();

  const ending = await end;
  assert.equal(ending.how === "failed" && ending.fault, "unreachable");
});

streamTest(
  "A server that answers no pings ends a stream of both ways within 5 s",
  async ({ server, open }) => {
    const { end, opened } = open();
    const connection = await server.next();
    await opened;
    const startedAt = performance.now();

    connection.pause();

    const ending = await end;
    assert.match(ending.how === "failed" ? ending.message : "", /does not answer pings/);
    assert.ok(performance.now() - startedAt > 3_000);
  },
);

/** Messages of a server that mean nothing, and why, where that is told. */
const inexact: [text: string, why: RegExp][] = [
  ["hello", /it is no JSON: hello$/],
  ["{", /it is no JSON/],
  ["[]", /it is no JSON object/],
  ["null", /it is no JSON object/],
  ['{"event":"media"}', /it has no media/],
  ['{"event":"media","media":{}}', /its media has no payload/],
  ['{"event":"media","media":{"payload":5}}', /its media has no payload/],
  ['{"event":"media","media":{"payload":"@@@"}}', /its payload is no base64/],
  ['{"event":"mark"}', /it has no mark/],
  ['{"event":"mark","mark":{}}', /its mark has no name/],
  [`{"event":"mark","mark":[${"1,".repeat(2_000)}1]}`, /it has too many values/],
];

streamTest(
  "A stream goes on after messages that mean nothing, and tells one of them",
  async ({ server, open }) => {
    for (const [text, why] of inexact) {
      const { opened, stream, end, problems } = open();
      const connection = await server.next();
      await opened;

      for (let sent = 0; sent < 20; sent++) connection.sendText(text);
      connection.send({ event: "mark", mark: { name: "after" } });

      const { mark } = await connection.message(({ event }) => event === "mark");
      assert.equal(mark.name, "after");
      stream.stop();
      assert.equal((await end).how, "stopped");
      assert.deepEqual(problems.map(({ fault }) => fault), ["messages"], text);
      assert.match(problems[0]!.message, /^a message of the server was left out: /);
      assert.match(problems[0]!.message, why);
      assert.ok(problems[0]!.message.length < 400);
    }
  },
);

streamTest("A mark whose name is a number comes back as its digits", async ({ server, open }) => {
  const { opened, problems, stream, end } = open();
  const connection = await server.next();
  await opened;
  for (const name of ["7", "1764352300123456789", "1.50", "-0", '"x"', '""']) {
    connection.sendText(`{"event":"mark","mark":{"name":${name}}}`);
  }
  await eventually(
    "all marks are back",
    () => connection.messages.filter(({ event }) => event === "mark").length === 6,
  );
  const names = connection.messages.filter(({ event }) => event === "mark").map(({ mark }) =>
    mark.name
  );
  assert.deepEqual(names, ["7", "1764352300123456789", "1.50", "-0", "x", ""]);
  stream.stop();
  await end;
  assert.deepEqual(problems, []);
});

streamTest("What is unknown in a stream is ignored", async ({ server, open }) => {
  const { opened, problems, stream, end } = open();
  const connection = await server.next();
  await opened;
  connection.send({ event: "news", of: "tomorrow" });
  connection.send({ type: "ping" });
  connection.send({ event: 5 });
  connection.send({ event: "mark", mark: { name: "after" }, streamSid: 7 });
  await connection.message(({ event }) => event === "mark");
  stream.stop();
  await end;
  assert.deepEqual(problems, []);
});

streamTest("More audio than may wait is refused, and told once", async ({ server, open, peer }) => {
  const { problem, opened } = open({ queueS: 1 });
  const connection = await server.next();
  await opened;
  const heard = hears(peer, 700);

  connection.play(tone(700, 0.9));
  connection.play(tone(900, 0.9));
  connection.send({ event: "mark", mark: { name: "end" } });

  assert.equal((await problem).fault, "overflow");
  await heard;
  await connection.message(({ event }) => event === "mark");
});

streamTest(
  "A slow server loses the oldest frames of its copy, and is told",
  async ({ server, open, speak }) => {
    speak(500);
    const { problem, opened, lost, stream, end } = open({ isBidirectional: false });
    const connection = await server.next();
    await opened;

    connection.pause();
    const { fault } = await problem;
    const lostSoFar = await lost;
    connection.resume();
    const before = connection.messages.filter(isMedia).length;
    await connection.message(({ event, media }) =>
      event === "media" && Number(media.chunk) > before + 500
    );

    assert.equal(fault, "slow");
    const chunks = connection.messages.filter(isMedia).map(({ media }) => Number(media.chunk));
    const gaps = chunks.slice(1).filter((chunk, at) => chunk !== chunks[at]! + 1);
    assert.equal(gaps.length, 1);
    stream.stop();
    const { lostFrames } = await end;
    assert.ok(lostSoFar > 0 && lostFrames >= lostSoFar, `${lostSoFar} of ${lostFrames}`);
  },
);

streamTest("A server that refuses the handshake is told with its status", async ({ open }) => {
  const listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("no", { status: 403 }),
  );
  try {
    const { end } = open({ url: `ws://127.0.0.1:${listener.addr.port}/` });

    const ending = await end;
    assert.match(ending.how === "failed" ? ending.message : "", /403/);
  } finally {
    await listener.shutdown();
  }
});

for (const [what, frame] of Object.entries(floodFrames)) {
  streamTest(
    `A server that floods ${what} waits, and the call of a bystander goes on`,
    async ({ engine, server, open }) => {
      const bystander = await connectPlainPeer(engine, "PCMU");
      try {
        await bystander.leg.connected;
        void bystander.leg.play(tone(500, 60), { loop: 1, signal: new AbortController().signal });
        const { opened } = open();
        const connection = await server.next();
        await opened;
        const { framesPerS, burstFrames } = mediaLimits.streamPace;
        const startedAt = performance.now();
        const stop = flood(connection, frame);

        await bystander.next(150, isSound);

        const seconds = (performance.now() - startedAt) / 1_000;
        const answers = connection.messages.filter(({ event }) => event === "mark").length;
        assert.ok(answers <= burstFrames + framesPerS * seconds + 32, `${answers} answers`);
        if (what === "marks") assert.ok(answers > 0);
        stop();
      } finally {
        await bystander.close();
      }
    },
  );
}

Deno.test("A server that goes on flooding is warned once, and loses its stream", async () => {
  await using server = await streamServer();
  const engine = await threadEngine();
  const peer = await connectPlainPeer(engine, "PCMU");
  const limits = mediaLimits as { streamFloodMs: number };
  const before = limits.streamFloodMs;
  try {
    limits.streamFloodMs = 1_500;
    await peer.leg.connected;
    const problems: string[] = [];
    const end = Promise.withResolvers<StreamEnd>();
    peer.leg.stream(settingsFor(server.url), {
      onOpen() {},
      onProblem: (_, message) => void problems.push(message),
      onLost() {},
      onEnd: end.resolve,
    });
    flood(await server.next(), floodFrames.marks);

    const ending = await end.promise;

    assert.equal(ending.how === "failed" && ending.fault, "messages");
    assert.match(
      ending.how === "failed" ? ending.message : "",
      /has sent more than 200 messages or 512 KiB a second/,
    );
    assert.deepEqual(problems, [
      "the server sends more than 200 messages or 512 KiB a second: it is read more slowly",
    ]);
  } finally {
    limits.streamFloodMs = before;
    await engine.close();
    await peer.close();
  }
});

streamTest(
  "A server that sends two minutes of audio at once is no flood, and its pings are answered",
  async ({ server, open, peer }) => {
    const { opened, problem, end } = open({ queueS: 130 });
    const connection = await server.next();
    await opened;
    let wrong = "";
    void problem.then(({ message }) => wrong = message);
    void end.then(({ how }) => wrong = how);

    for (let i = 0; i < 3_000; i++) connection.play(tone(500, 0.02));
    connection.send({ event: "clear" });
    connection.play(tone(900, 0.1));
    connection.send({ event: "mark", mark: { name: "end" } });
    await connection.message(({ event }) => event === "mark");

    assert.equal(wrong, "");
    peer.leg.close();
  },
);

import { mediaEngine } from "../../sip/media/engine/engine.ts";
import { startMediaWorker } from "../../sip/media/worker/media_worker.ts";
import type { MediaConference, MediaEngine, MediaLeg, Pcm } from "../../sip/media/base/port.ts";
import { type MediaPlaces, openTransports } from "../../sip/media/transports/transports.ts";
import { parseMessage } from "../../sip/text/parse.ts";
import { tone } from "../support/media/tone.ts";

/**
 * The engine that `media.ts` measures: takes orders as lines of JSON, and answers each with one. It is
 * in a Worker, as that of the companion, unless WORKER is 0.
 */

/**
 * Work of the legs. `decode` has each two legs in a conference. `record` records the peers; legs
 * that are not joined send silence beside. In a conference all are in one conference; in a `muted`
 * one all but two are muted.
 */
export type Mode =
  | "play"
  | "record"
  | "play and record"
  | "join"
  | "decode"
  | "echo"
  | "conference"
  | "muted";

export type Order = { open: string[] } | { mode: Mode } | { stream: string } | { close: true };
/** The answers to the offers, for `open`. */
export type Answer = { sdps?: string[]; error?: string };

const SECOND = 8_000;

const INVITE = [
  "INVITE sip:bob@sip.test SIP/2.0",
  "Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK74bf9;rport",
  "Max-Forwards: 70",
  'From: "Alice" <sip:alice@sip.test>;tag=9fxced76sl',
  "To: <sip:bob@sip.test>",
  "Call-ID: 3848276298220188511@192.0.2.1",
  "CSeq: 1 INVITE",
  "Contact: <sip:alice@192.0.2.1:5060>",
  "Content-Length: 0",
  "\r\n",
].join("\r\n");

const bindAddress = "127.0.0.1";
const places: MediaPlaces = {
  rtp: { bindAddress, host: bindAddress, ports: { first: 0, last: 0 } },
  webrtc: { bindAddress },
};

async function openEngine(): Promise<MediaEngine> {
  const log = () => {};
  if (Deno.env.get("WORKER") !== "0") {
    const reach = { mayReachPrivate: true };
    return startMediaWorker({ places, ...reach, log, onEnd: () => Deno.exit(1) });
  }
  return mediaEngine({ transports: await openTransports(places, log), log });
}

/** Keeps the main thread busy with messages for BUSY ms of each 100. */
function keepBusy(): void {
  const busyMs = Number(Deno.env.get("BUSY") ?? 0);
  if (busyMs === 0) return;
  setInterval(() => {
    const until = performance.now() + busyMs;
    while (performance.now() < until) parseMessage(INVITE);
  }, 100);
}

async function startEngine() {
  const engine = await openEngine();
  keepBusy();
  const { signal } = new AbortController();
  const prompt = tone(440, 5);
  let legs: MediaLeg[] = [];

  const perform: Record<Mode, () => void> = {
    play: () => legs.forEach((leg) => void leg.play(prompt, { loop: 0, signal })),
    record: () => legs.forEach((leg) => record(leg)),
    "play and record"() {
      perform.play();
      perform.record();
    },
    join() {
      for (let i = 0; i + 1 < legs.length; i += 2) legs[i]!.join(legs[i + 1]!);
    },
    echo: () => legs.forEach((leg) => leg.echo()),
    conference: () => confer(engine.conference(), legs, () => false),
    muted: () => confer(engine.conference(), legs, (at) => at >= 2),
    decode() {
      for (let i = 0; i + 1 < legs.length; i += 2) {
        confer(engine.conference(), legs.slice(i, i + 2), () => false);
      }
    },
  };
  return async (order: Order): Promise<Answer> => {
    if ("open" in order) {
      const opened = await Promise.all(order.open.map((offer) => engine.answer(offer)));
      legs = [...legs, ...opened];
      return { sdps: opened.map(({ localSdp }) => localSdp) };
    }
    if ("stream" in order) legs.forEach((leg, at) => stream(leg, `${order.stream}/${at}`));
    else if ("mode" in order) perform[order.mode]();
    else {
      legs.forEach((leg) => leg.close());
      legs = [];
    }
    return {};
  };
}

function confer(
  conference: MediaConference,
  legs: MediaLeg[],
  isMuted: (at: number) => boolean,
): void {
  legs.forEach((leg, at) => {
    const participant = conference.enter(leg);
    participant.setMuted(isMuted(at));
    participant.setPresent(true);
  });
}

/** Opens a stream of both ways. */
function stream(leg: MediaLeg, url: string): void {
  const sid = (prefix: string) => prefix + "0".repeat(32);
  leg.stream({
    url,
    headers: {},
    streamSid: sid("MZ"),
    accountSid: sid("AC"),
    callSid: sid("CA"),
    tracks: ["inbound"],
    isBidirectional: true,
    encoding: "audio/x-mulaw",
    parameters: {},
    queueS: 120,
  }, {
    onOpen() {},
    onProblem() {},
    onLost() {},
    onEnd() {},
  });
}

/** Keeps the last second of what a peer says. */
function record(leg: MediaLeg): void {
  const kept: Pcm = new Int16Array(SECOND);
  let at = 0;
  leg.listen((frame) => {
    kept.set(frame, at);
    at = (at + frame.length) % SECOND;
  });
}

async function main(): Promise<void> {
  const follow = await startEngine();
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  let text = "";
  for await (const part of lines) {
    text += part;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      const answer = await follow(JSON.parse(text.slice(0, end)))
        .catch((error): Answer => ({ error: String(error) }));
      text = text.slice(end + 1);
      await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(answer) + "\n"));
    }
  }
  Deno.exit();
}

if (import.meta.main) await main();

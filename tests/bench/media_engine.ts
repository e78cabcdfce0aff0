import { mediaEngine } from "../../sip/media/engine.ts";
import { webrtcTransport } from "../../sip/media/peer.ts";
import { rtpTransport } from "../../sip/media/plain_rtp.ts";
import type { MediaLeg, MediaRoom, Pcm } from "../../sip/media/port.ts";
import { rtpengineTransport } from "../../sip/media/rtpengine.ts";
import { systemClock } from "../../sip/media/ticker.ts";
import { tone } from "../support/tone.ts";

/**
 * The engine that `media.ts` measures: takes orders as lines of JSON, and answers each with one. Its
 * argument is the port of an rtpengine that does WebRTC; without one it does that itself.
 */

/**
 * What legs do. `decode` has each two legs in a room. `record`
 * keeps what peers say; legs that are not joined send silence beside. In a conference all are in one
 * room; in a `muted` one all but two are.
 */
export type Mode =
  | "play"
  | "record"
  | "play and record"
  | "join"
  | "decode"
  | "conference"
  | "muted";

export type Order = { open: string[] } | { mode: Mode } | { close: true };
/** The answers to the offers, for `open`. */
export type Answer = { sdps?: string[]; error?: string };

const SECOND = 8_000;

function startEngine() {
  const bindAddress = "127.0.0.1";
  const ports = { first: 0, last: 0 };
  const { now } = systemClock;
  const plain = { bindAddress, host: bindAddress, ports, now };
  const [port] = Deno.args;
  const webrtc = port === undefined ? webrtcTransport({ bindAddress }) : rtpengineTransport({
    servers: [{ host: bindAddress, port: Number(port) }],
    plain: rtpTransport({ ...plain, mux: true }),
    log: () => {},
  });
  const engine = mediaEngine({ transports: [webrtc, rtpTransport(plain)], log: () => {} });
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
    conference: () => confer(engine.room(), legs, () => false),
    muted: () => confer(engine.room(), legs, (at) => at >= 2),
    decode() {
      for (let i = 0; i + 1 < legs.length; i += 2) {
        confer(engine.room(), legs.slice(i, i + 2), () => false);
      }
    },
  };
  return async (order: Order): Promise<Answer> => {
    if ("open" in order) {
      const opened = await Promise.all(order.open.map((offer) => engine.answer(offer)));
      legs = [...legs, ...opened];
      return { sdps: opened.map(({ localSdp }) => localSdp) };
    }
    if ("mode" in order) perform[order.mode]();
    else {
      legs.forEach((leg) => leg.close());
      legs = [];
    }
    return {};
  };
}

function confer(room: MediaRoom, legs: MediaLeg[], isMuted: (at: number) => boolean): void {
  legs.forEach((leg, at) => {
    const seat = room.enter(leg);
    seat.setMuted(isMuted(at));
    seat.setPresent(true);
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
  const follow = startEngine();
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

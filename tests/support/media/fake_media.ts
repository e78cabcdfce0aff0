import { createListeners } from "../../../sip/media/base/listeners.ts";
import { echo } from "../../../sip/media/engine/echo.ts";
import { record } from "../../../sip/media/engine/record_sources.ts";
import { monitor } from "../../../sip/media/engine/monitor.ts";
import { createMixer, type MixedMedia } from "../../../sip/media/engine/mixer.ts";
import {
  type MediaConference,
  type MediaEngine,
  type MediaKind,
  type MediaLeg,
  NoCommonCodec,
  type Pcm,
  SILENCE,
} from "../../../sip/media/base/port.ts";
import type { StreamEvents, StreamSettings } from "../../../sip/media/base/stream_port.ts";
import { createTicker, systemClock } from "../../../sip/media/base/ticker.ts";
import { plainOffer } from "../sip/plain_peer.ts";

/** A media leg that only records its orders. */
export interface FakeMediaLeg extends MediaLeg, Pick<MixedMedia, "feed" | "turn"> {
  /** Kind of media in our offer; undefined if the peer made the offer. */
  readonly kind: MediaKind | undefined;
  /** Our address for the peer, if not the usual one. */
  readonly host: string | undefined;
  readonly remoteSdp: string;
  readonly joined: FakeMediaLeg | undefined;
  readonly closed: boolean;
  readonly played: { samples: number; loop: number }[];
  /** Digits sent to its peer by `sendDigits`. */
  readonly sentDigits: string[];
  /** Source of its audio. */
  readonly source: (() => Pcm | undefined) | undefined;
  /** Number of listeners. */
  readonly listeners: number;
  /** The audio streams that were opened; the test says what becomes of them. */
  readonly streams: { settings: StreamSettings; events: StreamEvents }[];
  /** Simulates audio of its peer: listeners hear it, or silence when muted. */
  hear(frame: Pcm): void;
  /** As if its peer pressed a digit. */
  press(digit: string): void;
  /** True while a sound is played. */
  readonly playing: boolean;
  /** Ends the sound that plays. */
  finishPlaying(): void;
  /** As if RTP came from an address that signalling does not know. */
  hearUnknown(address: string): void;
  /** As if the peer had sent nothing for so long, in ms. */
  beQuiet(ms: number): void;
  /** As if the transport went away. */
  lose(): void;
}

export interface FakeMedia extends MediaEngine {
  readonly legs: FakeMediaLeg[];
}

/** An SDP that every fake leg refuses for its codecs. */
export const foreignSdp = "v=0\r\nm=audio 9 RTP/AVP 99\r\n";

/** An SDP with which every fake leg fails to connect. */
export const brokenSdp = "v=0\r\nm=audio 0 RTP/AVP 0\r\n";

/** Media that connect at once; sounds last until `finishPlaying` when `slow`, else no time. */
export function fakeMedia({ slow = false } = {}): FakeMedia {
  const legs: FakeMediaLeg[] = [];
  const make = (remote: string, host?: string, kind?: MediaKind): FakeMediaLeg => {
    if (remote === foreignSdp) throw new NoCommonCodec("Cannot answer: no common codec");
    const leg = fakeLeg({ slow, number: legs.length, remote, kind, host });
    legs.push(leg);
    return leg;
  };
  return {
    legs,
    answer: (offer, options) => Promise.try(() => make(offer, options?.host)),
    offer: (kind = "webrtc", options) => Promise.try(() => make("", options?.host, kind)),
    conference: fakeConference,
    close: () => Promise.resolve(legs.forEach((leg) => leg.close())),
  };
}

/** A conference that works, for legs that are fake. */
function fakeConference(): MediaConference {
  const conference = createMixer();
  return {
    enter: (leg) => conference.enter(leg as FakeMediaLeg),
    announce: conference.announce,
    record: (write) => record([conference.listen], write),
    monitor: (leg) => monitor(leg as FakeMediaLeg, [conference.listen]),
  };
}

/** As this file sees it. */
type OpenLeg = Omit<FakeMediaLeg, "joined" | "source"> & {
  joined: FakeMediaLeg | undefined;
  source: FakeMediaLeg["source"];
};

function fakeLeg(
  options: Pick<FakeMediaLeg, "kind" | "host"> & { slow: boolean; number: number; remote: string },
): FakeMediaLeg {
  const lost = Promise.withResolvers<string>();
  const unknown = Promise.withResolvers<string>();
  const quiet = createListeners<number>();
  const played: FakeMediaLeg["played"] = [];
  const streams: FakeMediaLeg["streams"] = [];
  let remoteSdp = options.remote;
  let joined: FakeMediaLeg | undefined;
  let closed = false;
  let playing = false;
  let finish = () => {};

  const sound = fakeSound();
  const leg: OpenLeg = {
    ...sound,
    get listeners() {
      return sound.listeners;
    },
    localSdp: `v=0\r\no=- ${options.number} 1 IN IP4 127.0.0.1\r\ns=fake\r\nt=0 0\r\n`,
    kind: options.kind,
    host: options.host,
    connected: Promise.resolve(),
    lost: lost.promise,
    unknownSource: unknown.promise,
    onQuiet: quiet.add,
    beQuiet: quiet.call,
    played,
    streams,
    get playing() {
      return playing;
    },
    get remoteSdp() {
      return remoteSdp;
    },
    get joined() {
      return joined;
    },
    set joined(other) {
      joined = other;
    },
    get closed() {
      return closed;
    },
    accept(answer) {
      if (answer === foreignSdp) return Promise.reject(new NoCommonCodec("Cannot accept"));
      if (answer === brokenSdp) return Promise.reject(new Error("Cannot connect"));
      remoteSdp = answer;
      return Promise.resolve();
    },
    play(pcm: Pcm, { loop, signal }) {
      played.push({ samples: pcm.length, loop });
      if (!options.slow || signal.aborted) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      playing = true;
      finish = () => {
        playing = false;
        resolve();
      };
      signal.addEventListener("abort", finish, { once: true });
      return promise;
    },
    join(other) {
      const peer = other as typeof leg;
      for (const one of [leg, peer]) {
        one.leave();
        one.source = undefined;
        one.finishPlaying();
      }
      leg.joined = peer;
      peer.joined = leg;
    },
    echo: () => echo(leg),
    stream(settings, events) {
      const stop = () => events.onEnd({ how: "stopped", lostFrames: 0 });
      streams.push({ settings, events });
      return { stop };
    },
    recordLeg: (write) => record([leg.listen, () => () => {}], write),
    monitor: (other) => monitor(leg, [other.listen]),
    recordWith: (other, write) => record([leg.listen, other.listen], write),
    feed(source) {
      leg.leave();
      return sound.feed.call(leg, source);
    },
    leave(from) {
      const peer = leg.joined as typeof leg | undefined;
      if (from !== undefined && from !== peer) return;
      leg.joined = undefined;
      if (peer !== undefined) peer.joined = undefined;
    },
    reanswer(offer) {
      if (offer === foreignSdp) return Promise.reject(new Error("Cannot change the media"));
      return Promise.resolve(leg.localSdp);
    },
    reoffer: (isHolding) =>
      Promise.resolve(plainOffer(9, { lines: [`a=${isHolding ? "sendonly" : "sendrecv"}`] })),
    reaccept(answer) {
      if (answer === foreignSdp) return Promise.reject(new Error("Cannot change the media"));
      return Promise.resolve();
    },
    close() {
      closed = true;
      leg.leave();
      finish();
    },
    finishPlaying: () => finish(),
    hearUnknown: unknown.resolve,
    lose: () => lost.resolve("its peer is gone"),
  };
  return leg;
}

/** Listening, feeding and keys of a fake leg. */
function fakeSound() {
  const listeners = createListeners<Pcm>();
  const digitListeners = createListeners<string>();
  const sound = {
    turn: createTicker(systemClock).turn(),
    isMuted: false,
    sentDigits: [] as string[],
    source: undefined as (() => Pcm | undefined) | undefined,
    get listeners() {
      return listeners.size;
    },
    hear(frame: Pcm) {
      listeners.call(this.isMuted ? SILENCE : frame);
    },
    press: digitListeners.call,
    takeDigit: digitListeners.call,
    listen: listeners.add,
    onDigits: digitListeners.add,
    feed(source: () => Pcm | undefined) {
      this.source = source;
      return () => {
        if (this.source === source) this.source = undefined;
      };
    },
    setMuted(muted: boolean) {
      this.isMuted = muted;
    },
    sendDigits(digits: string) {
      this.sentDigits.push(digits);
      return Promise.resolve();
    },
  };
  return sound;
}

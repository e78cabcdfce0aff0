import { type AudioLeg, createAudioLeg } from "./audio_leg.ts";
import { listens, negotiate, type Negotiation } from "./negotiation.ts";
import { parseSdp } from "../sdp/parse_sdp.ts";
import { openOpus, type OpusCodec } from "../codecs/opus.ts";
import { opusEdge } from "./opus_edge.ts";
import { echo } from "./echo.ts";
import type {
  LegOptions,
  MediaConference,
  MediaEngine,
  MediaKind,
  MediaLeg,
} from "../base/port.ts";
import { record } from "./record_sources.ts";
import { createMixer } from "./mixer.ts";
import { createRtpSession, type RtpSession } from "./rtp_session.ts";
import { type AudioSection, refusal, type Session } from "../sdp/sdp.ts";
import { type Clock, createTicker, systemClock, type Ticker } from "../base/ticker.ts";
import type { Peer, Transport } from "../sdp/transport.ts";

export interface MediaEngineOptions {
  /** The kinds of leg that there are. */
  transports: Transport[];
  log: (line: string, fields?: Record<string, unknown>) => void;
  /** The time of the machine unless given. */
  clock?: Clock;
}

/** What all legs of an engine share. */
interface Engine {
  clock: Clock;
  ticker: Ticker;
  /** Legs not closed yet, and how each is. */
  open: Map<MediaLeg, () => Promise<void>>;
  /** A leg's sound, for `join`. */
  sounds: WeakMap<MediaLeg, AudioLeg>;
  closed: boolean;
}

/** The media engine in this process: legs of G.711 and telephone events over some transports. */
export function mediaEngine(options: MediaEngineOptions): MediaEngine {
  const { transports, log, clock = systemClock } = options;
  const engine: Engine = {
    clock,
    ticker: createTicker(clock, (error) => {
      log("Cannot forward audio", { error: error instanceof Error ? error.stack : String(error) });
    }),
    open: new Map(),
    sounds: new WeakMap(),
    closed: false,
  };
  const assertOpen = () => {
    if (engine.closed) throw new Error("Cannot open a leg: the media engine is closed");
  };
  const open = async (transport: Transport, options?: LegOptions, offer?: Session) => {
    assertOpen();
    const peer = await transport.open(offer, options);
    try {
      const opus = offer?.audio.opus ? await openOpus() : undefined;
      if (engine.closed) opus?.close();
      assertOpen();
      return createLeg(engine, { peer, offer, opus });
    } catch (error) {
      await peer.close();
      throw error;
    }
  };
  const transportOf = (kind: MediaKind) => transports.find((each) => each.kind === kind);
  return {
    async answer(sdp, options) {
      const offer = parseSdp(sdp);
      const transport = transportOf(offer.audio.kind);
      if (transport === undefined) {
        throw refusal(`its transport is "${offer.protocol}"`, "transport");
      }
      return await open(transport, options, offer);
    },
    async offer(kind = "webrtc", options) {
      const transport = transportOf(kind);
      if (transport === undefined) throw new Error(`Cannot offer "${kind}": there is no transport`);
      return await open(transport, options);
    },
    conference: () => conferenceOf(engine),
    async close() {
      engine.closed = true;
      await Promise.all([...engine.open.values()].map((close) => close()));
      await Promise.all(transports.map((transport) => transport.close?.()));
    },
  };
}

/** The parts of one leg. */
interface Parts {
  engine: Engine;
  peer: Peer;
  negotiation: Negotiation;
  session: RtpSession;
  sound: AudioLeg;
  opus: OpusCodec | undefined;
}

interface Opening {
  peer: Peer;
  offer: Session | undefined;
  /** For a peer that has no G.711. */
  opus: OpusCodec | undefined;
}

function createLeg(engine: Engine, { peer, offer, opus }: Opening): MediaLeg {
  const { ticker, clock } = engine;
  const session = createRtpSession({
    peer,
    clock,
    samplesPerMs: opus === undefined ? 8 : 48,
    onPacket: (packet, at) => edge === undefined ? receive(packet, at) : edge.receive(packet),
  });
  const edge = opus && opusEdge({
    codec: opus,
    formats: offer!.audio.formats,
    onPacket: (packet) => sound.receive(packet),
    send: session.send,
  });
  const sound = createAudioLeg({
    turn: ticker.turn(),
    ssrc: peer.stream.ssrc,
    now: clock.now,
    send: edge?.send ?? session.send,
  });
  const { receive } = sound;
  const { local, stream, change } = peer;
  const negotiation = negotiate({ local, stream, offer, change });
  const parts = { engine, peer, negotiation, session, sound, opus };
  const leg = legOf(parts);
  if (offer !== undefined) heed(parts, offer.audio);
  engine.sounds.set(leg, sound);
  return leg;
}

function legOf(parts: Parts): MediaLeg {
  const { engine, peer, negotiation, session, sound, opus } = parts;
  const accept = (sdp: string, isEarly?: boolean) => {
    const answer = parseSdp(sdp);
    if (answer.audio.opus) throw refusal("it has none of the codecs that were offered", "codec");
    const agree = () => {
      negotiation.accept(answer);
      heed(parts, answer.audio);
      // The peer that answers may be another than the one that was heard early (RFC 3261 §13.2.2.4).
      sound.change(negotiation.agreed()!);
    };
    // A peer that takes it at once may be connected before anything that waits goes on.
    const taken = peer.accept(answer, isEarly);
    return taken === undefined ? agree() : taken.then(agree);
  };
  const reanswer = async (sdp: string) => {
    const { sdp: answer, offer } = await negotiation.reanswer(sdp);
    heed(parts, offer.audio);
    sound.change(negotiation.agreed()!);
    return answer;
  };
  const reaccept = async (sdp: string) => {
    const answer = parseSdp(sdp);
    await negotiation.reaccept(answer);
    heed(parts, answer.audio);
    sound.change(negotiation.agreed()!);
  };
  const close = async () => {
    sound.close();
    session.close();
    opus?.close();
    await peer.close();
    engine.open.delete(leg);
  };
  const leg: MediaLeg = {
    localSdp: negotiation.localSdp,
    connected: peer.connected,
    lost: watch(parts),
    unknownSource: peer.unknownSource ?? new Promise(() => {}),
    accept: (sdp, isEarly) => Promise.try(accept, sdp, isEarly),
    play: sound.play,
    echo: () => echo(sound),
    listen: sound.listen,
    recordWith: (other, write) => record([sound.listen, soundOf(engine, other).listen], write),
    join: (other) => sound.join(soundOf(engine, other)),
    leave: (from) => sound.leave(from && soundOf(engine, from)),
    setMuted: sound.setMuted,
    get isMuted() {
      return sound.isMuted;
    },
    onDigits: sound.onDigits,
    takeDigit: sound.takeDigit,
    sendDigits: sound.sendDigits,
    reanswer,
    reoffer: (isHolding) => Promise.try(negotiation.reoffer, isHolding),
    reaccept,
    close: () => void close(),
  };
  engine.open.set(leg, close);
  return leg;
}

/** Does as the peer's direction says. */
function heed({ peer, session, sound }: Parts, audio: AudioSection): void {
  sound.setListening(listens(audio));
  sound.setSpeaking(audio.direction === "sendrecv");
  session.expectPeer(peer.vanishesSilently && audio.direction === "sendrecv");
}

/** Starts the sound when packets can flow; resolves with the reason when they no longer do. */
function watch({ peer, negotiation, session, sound }: Parts): Promise<string> {
  peer.connected.then(() => {
    sound.start(negotiation.agreed()!);
    session.start();
  }, () => {});
  const lose = (why: string) => {
    sound.close();
    return why;
  };
  return Promise.race([
    peer.lost.then(lose),
    session.silent.then(() => lose("the peer sends nothing")),
  ]);
}

function conferenceOf(engine: Engine): MediaConference {
  const conference = createMixer();
  return {
    enter: (leg) => conference.enter(soundOf(engine, leg)),
    announce: conference.announce,
    record: (write) => record([conference.listen], write),
  };
}

function soundOf(engine: Engine, leg: MediaLeg): AudioLeg {
  const sound = engine.sounds.get(leg);
  if (sound === undefined) {
    throw new Error("Cannot bring legs together: they are of different engines");
  }
  return sound;
}

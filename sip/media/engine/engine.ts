import { type AudioLeg, createAudioLeg } from "./audio_leg.ts";
import type { Agreed } from "./audio_leg_state.ts";
import { listens, negotiate, type Negotiation } from "./negotiation.ts";
import { parseSdp } from "../sdp/parse_sdp.ts";
import { openOpus, type OpusCodec } from "../codecs/opus.ts";
import { type OpusEdge, opusEdge } from "./opus_edge.ts";
import { echo } from "./echo.ts";
import type {
  LegOptions,
  MediaConference,
  MediaEngine,
  MediaKind,
  MediaLeg,
  Received,
} from "../base/port.ts";
import { createListeners, type Listeners } from "../base/listeners.ts";
import { createShortLivedSet, type ShortLivedSet } from "../../../core/base/short_lived_map.ts";
import { isPublicAddress } from "../../../core/base/public_address.ts";
import type { MediaStream, StreamEnd, StreamEvents, StreamSettings } from "../base/stream_port.ts";
import type { Reach } from "../server_socket/connect.ts";
import { ownSockets, type ServerSockets } from "../server_socket/server_sockets.ts";
import { readMessage, type ServerMessage } from "../streams/messages.ts";
import { streamedLeg } from "./streamed_leg.ts";
import { openStream } from "../streams/open_stream.ts";
import { bothSides, record } from "./record_sources.ts";
import { monitor } from "./monitor.ts";
import { createMixer } from "./mixer.ts";
import { createRtpSession, type RtpSession } from "./rtp_session.ts";
import { type AudioSection, refusal, type Session } from "../sdp/sdp.ts";
import { type Clock, createTicker, systemClock, type Ticker } from "../base/ticker.ts";
import type { Peer, Transport } from "../sdp/transport.ts";

export interface MediaEngineOptions {
  /** One for each kind of leg. */
  transports: Transport[];
  log: (line: string, fields?: Record<string, unknown>) => void;
  /** Called with what came in a leg, at each of its RTCP reports. */
  onReceived?: ((received: Received) => void) | undefined;
  /** By default the clock of the machine. */
  clock?: Clock;
  /** Servers of audio streams that may be connected to; by default those at public addresses. */
  reach?: Reach;
  /** WebSockets to those servers; of this thread unless given. */
  sockets?: ServerSockets<ServerMessage>;
}

/** State that all legs of an engine share. */
interface Engine extends Pick<MediaEngineOptions, "onReceived"> {
  clock: Clock;
  ticker: Ticker;
  sockets: ServerSockets<ServerMessage>;
  /** Closers of the open legs. */
  open: ShortLivedSet<() => Promise<void>>;
  closed: boolean;
}

/** Inside of a leg of an engine: a WeakMap would outlive each call. */
const inside = Symbol("inside");

interface EngineLeg extends MediaLeg {
  readonly [inside]: { engine: Engine; sound: AudioLeg };
}

/** The media engine in this process: legs of G.711 and telephone events over the transports. */
export function mediaEngine(options: MediaEngineOptions): MediaEngine {
  const { transports, log, onReceived, clock = systemClock } = options;
  const { reach = { mayReach: isPublicAddress }, sockets = ownSockets(readMessage, reach) } =
    options;
  const engine: Engine = {
    onReceived,
    clock,
    sockets,
    ticker: createTicker(clock, (error) => {
      log("Cannot forward audio", { error: error instanceof Error ? error.stack : String(error) });
    }),
    open: createShortLivedSet(),
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
      await Promise.all([...engine.open].map((close) => close()));
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
  /** Hear of a peer that sends nothing. */
  quiet: Listeners<number>;
  sound: AudioLeg;
  opus: OpusCodec | undefined;
  edge: OpusEdge | undefined;
}

interface Opening {
  peer: Peer;
  offer: Session | undefined;
  /** For a peer that has no G.711. */
  opus: OpusCodec | undefined;
}

function createLeg(engine: Engine, { peer, offer, opus }: Opening): MediaLeg {
  const { ticker, clock, onReceived } = engine;
  const quiet = createListeners<number>();
  const session = createRtpSession({
    peer,
    onQuiet: quiet.call,
    clock,
    samplesPerMs: opus === undefined ? 8 : 48,
    onPacket: (packet, at) => edge === undefined ? receive(packet, at) : edge.receive(packet),
    onTaken: onReceived && ((taken) => onReceived({ ...taken, late: sound.takeLate() })),
  });
  const edge = opus && opusEdge({
    codec: opus,
    formats: offer!.audio.formats, // Opus is spoken only where an offer named it.
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
  const parts = { engine, peer, negotiation, session, quiet, sound, opus, edge };
  const leg = legOf(parts);
  if (offer !== undefined) heed(parts, offer.audio);
  return leg;
}

function legOf(parts: Parts): MediaLeg {
  const { engine, peer, negotiation, session, sound, opus } = parts;
  const streams = new Set<MediaStream>();
  const close = async () => {
    for (const stream of streams) stream.stop();
    sound.close();
    session.close();
    parts.quiet.clear();
    opus?.close();
    await peer.close();
    forget();
  };
  const forget = engine.open.add(close);
  const leg: EngineLeg = {
    [inside]: { engine, sound },
    localSdp: negotiation.localSdp,
    connected: peer.connected,
    lost: watch(parts),
    onQuiet: parts.quiet.add,
    unknownSource: peer.unknownSource ?? new Promise(() => {}),
    accept: (sdp, isEarly) => Promise.try(accept, parts, sdp, isEarly),
    play: sound.play,
    echo: () => echo(sound),
    listen: sound.listen,
    recordWith: (other, write) => record([sound.listen, soundOf(engine, other).listen], write),
    recordLeg: (write) => record(bothSides(sound), write),
    monitor: (other) => monitor(sound, bothSides(soundOf(engine, other))),
    join: (other) => sound.join(soundOf(engine, other)),
    leave: (from) => sound.leave(from && soundOf(engine, from)),
    setMuted(muted) {
      leg.isMuted = muted;
      sound.setMuted(muted);
    },
    isMuted: false,
    onDigits: sound.onDigits,
    takeDigit: sound.takeDigit,
    sendDigits: sound.sendDigits,
    stream: (settings, events) => startStream(parts, streams, { settings, events }),
    reanswer: (sdp) => reanswer(parts, sdp),
    reoffer: (isHolding) => Promise.try(negotiation.reoffer, isHolding),
    reaccept: (sdp) => reaccept(parts, sdp),
    close: () => void close(),
  };
  return leg;
}

/** Opens a stream of the leg, and keeps it among those that are open until it ends. */
function startStream(
  { engine: { ticker, clock, sockets }, sound, opus, edge }: Parts,
  streams: Set<MediaStream>,
  { settings, events }: { settings: StreamSettings; events: StreamEvents },
): MediaStream {
  const parts = { sound, ticker, now: clock.now, opus: opus && edge && { codec: opus, edge } };
  const streamed = streamedLeg(parts, settings.encoding);
  let hasEnded = false;
  const onEnd = (end: StreamEnd) => {
    hasEnded = true;
    streamed.close();
    streams.delete(stream);
    events.onEnd(end);
  };
  const stream = openStream(streamed, { settings, events: { ...events, onEnd }, sockets });
  if (!hasEnded) streams.add(stream);
  return stream;
}

function accept(parts: Parts, sdp: string, isEarly?: boolean): void | Promise<void> {
  const answer = parseSdp(sdp);
  if (answer.audio.opus) throw refusal("it has none of the codecs that were offered", "codec");
  const agree = () => {
    parts.negotiation.accept(answer);
    // The answer may be of another fork than the early one (RFC 3261 §13.2.2.4).
    adopt(parts, answer);
  };
  // Without a promise the leg may be connected before any other microtask runs.
  const taken = parts.peer.accept(answer, isEarly);
  return taken === undefined ? agree() : taken.then(agree);
}

async function reanswer(parts: Parts, sdp: string): Promise<string> {
  const { sdp: answer, offer } = await parts.negotiation.reanswer(sdp);
  adopt(parts, offer);
  return answer;
}

async function reaccept(parts: Parts, sdp: string): Promise<void> {
  const answer = parseSdp(sdp);
  await parts.negotiation.reaccept(answer);
  adopt(parts, answer);
}

/** Applies a session of the peer that negotiation took: its directions and the codecs. */
function adopt(parts: Parts, { audio }: Session): void {
  heed(parts, audio);
  parts.edge?.setFormats(audio.formats);
  parts.sound.change(agreedOf(parts));
}

/** The agreed codecs, once an offer was answered. */
const agreedOf = ({ negotiation }: Parts): Agreed => negotiation.agreed()!; // A peer is connected, and offers anew, only after an answer.

/** Applies the peer's direction. */
function heed({ peer, session, sound }: Parts, audio: AudioSection): void {
  sound.setListening(listens(audio));
  sound.setSpeaking(audio.direction === "sendrecv");
  session.expectPeer(peer.vanishesSilently && audio.direction === "sendrecv");
}

/**
 * Starts the audio when packets can flow; resolves with the reason when they no longer can. What
 * plays goes on until the leg is closed: a peer that hangs up may close its media before its BYE comes.
 */
function watch(parts: Parts): Promise<string> {
  const { peer, session, sound } = parts;
  peer.connected.then(() => {
    sound.start(agreedOf(parts));
    session.start();
  }, () => {});
  return peer.lost;
}

function conferenceOf(engine: Engine): MediaConference {
  const conference = createMixer();
  return {
    enter: (leg) => conference.enter(soundOf(engine, leg)),
    announce: conference.announce,
    record: (write) => record([conference.listen], write),
    monitor: (leg) => monitor(soundOf(engine, leg), [conference.listen]),
  };
}

function soundOf(engine: Engine, leg: MediaLeg): AudioLeg {
  const known = (leg as Partial<EngineLeg>)[inside];
  if (known?.engine === engine) return known.sound;
  throw new Error("Cannot bring legs together: they are of different engines");
}

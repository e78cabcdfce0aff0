import { type AudioLeg, createAudioLeg } from "./audio_leg.ts";
import { listens, negotiate } from "./negotiation.ts";
import { openPeer, type Peer } from "./peer.ts";
import type { MediaEngine, MediaLeg } from "./port.ts";
import { type Encoding, type Formats, parseSdp, type Session } from "./sdp.ts";
import { createTicker, systemClock, type Ticker } from "./ticker.ts";

export interface WebrtcOptions {
  /** The address that media sockets are bound to; 0.0.0.0 offers every address of the machine. */
  bindAddress: string;
  log: (line: string, fields?: Record<string, unknown>) => void;
}

/** What our offers offer: RFC 7874 §3 asks every WebRTC peer for these. */
const OUR_FORMATS: Formats = new Map<Encoding, number>([
  ["PCMU", 0],
  ["PCMA", 8],
  ["telephone-event", 101],
]);
const OUR_MID = "0";

/** What all legs of an engine share. */
interface Engine {
  ticker: Ticker;
  log: WebrtcOptions["log"];
  /** Open legs, and how each is closed. */
  open: Map<MediaLeg, () => Promise<void>>;
  /** A leg's sound, for `join`. */
  sounds: WeakMap<MediaLeg, AudioLeg>;
  closed: boolean;
}

/** The media engine in this process: WebRTC legs of G.711 and telephone events. */
export function webrtcEngine({ bindAddress, log }: WebrtcOptions): MediaEngine {
  const engine: Engine = {
    ticker: createTicker(systemClock),
    log,
    open: new Map(),
    sounds: new WeakMap(),
    closed: false,
  };
  const open = async (formats: Formats, offer?: Session) => {
    const mid = offer?.audio.mid ?? OUR_MID;
    const peer = await openPeer({ bindAddress, mid, formats, ...(offer && { offer }) });
    if (!engine.closed) return createLeg(engine, peer, offer);
    await peer.close();
    throw new Error("Cannot open a leg: the media engine is closed");
  };
  return {
    answer: async (sdp) => {
      const offer = parseSdp(sdp);
      return await open(offer.audio.formats, offer);
    },
    offer: () => open(OUR_FORMATS),
    async close() {
      engine.closed = true;
      await Promise.all([...engine.open.values()].map((close) => close()));
    },
  };
}

function createLeg(engine: Engine, peer: Peer, offer?: Session): MediaLeg {
  const negotiation = negotiate({ local: peer.local, ssrc: peer.ssrc, offer });
  const { ticker } = engine;
  const sound = createAudioLeg({
    ticker,
    ssrc: peer.ssrc,
    now: systemClock.now,
    send: peer.send,
    onDigit: (digit) => leg.onDigit?.(digit),
  });
  const accept = (sdp: string) => {
    const answer = parseSdp(sdp);
    peer.accept(answer);
    negotiation.accept(answer);
    sound.setListening(listens(answer.audio));
  };
  const reanswer = (offer: string) => {
    const { sdp, listening } = negotiation.reanswer(offer);
    sound.setListening(listening);
    return sdp;
  };
  const close = () => {
    engine.open.delete(leg);
    sound.close();
    return peer.close();
  };
  const leg: MediaLeg = {
    localSdp: negotiation.localSdp,
    connected: peer.connected,
    lost: peer.lost,
    onDigit: undefined,
    accept: (sdp) => Promise.try(accept, sdp),
    play: sound.play,
    join: (other) => sound.join(soundOf(engine, other)),
    leave: sound.leave,
    reanswer: (sdp) => Promise.try(reanswer, sdp),
    close: () => void close(),
  };
  if (offer !== undefined) sound.setListening(listens(offer.audio));
  peer.onPacket = sound.receive;
  watch(engine, peer, () => sound.start(negotiation.agreed()!));
  void peer.lost.then(sound.close);
  engine.sounds.set(leg, sound);
  engine.open.set(leg, close);
  return leg;
}

function watch({ log }: Engine, peer: Peer, onConnected: () => void): void {
  peer.connected.then(onConnected, () => {});
  void peer.lost.then(() => log("Media of a leg was lost: ICE or DTLS failed"));
}

function soundOf(engine: Engine, leg: MediaLeg): AudioLeg {
  const sound = engine.sounds.get(leg);
  if (sound === undefined) throw new Error("Cannot join legs: they are of different engines");
  return sound;
}

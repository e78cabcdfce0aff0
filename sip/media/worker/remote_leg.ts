import type { EngineLink } from "./engine_link.ts";
import { createListeners, type Listeners } from "../base/listeners.ts";
import { LEG_CLOSED, type MediaLeg, type Pcm } from "../base/port.ts";

/** Inside of a leg: a WeakMap would outlive each call. */
const inside = Symbol("inside");

interface RemoteLeg extends MediaLeg {
  readonly [inside]: { link: EngineLink; id: number };
}

/** The number of a leg at the other end of a link; throws for a leg of another engine. */
export function idOf(link: EngineLink, leg: MediaLeg): number {
  const known = (leg as Partial<RemoteLeg>)[inside];
  if (known?.link === link) return known.id;
  throw new Error("Cannot bring legs together: they are of different engines");
}

/** State of a leg; the functions below are its only users. */
interface State {
  link: EngineLink;
  id: number;
  connected: PromiseWithResolvers<void>;
  lost: PromiseWithResolvers<string>;
  unknownSource: PromiseWithResolvers<string>;
  digits: Listeners<string>;
  quiet: Listeners<number>;
  taps: Set<number>;
  closed: boolean;
}

/**
 * A leg that `open` opens at the other end of a link, with the number it is given; `open` resolves
 * with its SDP.
 */
export async function createRemoteLeg(
  link: EngineLink,
  open: (leg: number) => Promise<string>,
): Promise<MediaLeg> {
  const state: State = {
    link,
    id: link.next(),
    connected: Promise.withResolvers(),
    lost: Promise.withResolvers(),
    unknownSource: Promise.withResolvers(),
    digits: createListeners(),
    quiet: createListeners(),
    taps: new Set(),
    closed: false,
  };
  state.connected.promise.catch(() => {});
  // Known from now on: what happens to it may be told right behind the answer.
  link.legs.set(state.id, {
    connected: state.connected.resolve,
    unconnected: state.connected.reject,
    lost: state.lost.resolve,
    quiet: state.quiet.call,
    unknownSource: state.unknownSource.resolve,
    digit: state.digits.call,
  });
  try {
    return legOf(state, await open(state.id));
  } catch (error) {
    link.legs.delete(state.id);
    throw error;
  }
}

function legOf(state: State, localSdp: string): MediaLeg {
  const { link, id: leg } = state;
  const media: RemoteLeg = {
    [inside]: state,
    localSdp,
    connected: state.connected.promise,
    lost: state.lost.promise,
    onQuiet: state.quiet.add,
    unknownSource: state.unknownSource.promise,
    accept: async (sdp, isEarly = false) =>
      void await link.request({ type: "accept", leg, sdp, isEarly }),
    reanswer: (sdp) => link.request({ type: "reanswer", leg, sdp }),
    reoffer: (isHolding) =>
      link.request({ type: "reoffer", leg, ...isHolding !== undefined && { isHolding } }),
    reaccept: async (sdp) => void await link.request({ type: "reaccept", leg, sdp }),
    play: (pcm, { loop, signal }) =>
      link.perform({ type: "play", leg, sound: link.sound(pcm), loop }, signal),
    sendDigits: (digits, signal) => link.perform({ type: "sendDigits", leg, digits }, signal),
    echo() {
      const stop = link.begin({ type: "echo", leg });
      return () => void stop();
    },
    listen: (onFrame) => listen(state, onFrame),
    recordWith: (other, write) =>
      link.begin({ type: "recordLegs", leg, other: idOf(link, other) }, write),
    recordLeg: (write) => link.begin({ type: "recordLeg", leg }, write),
    monitor(other) {
      const stop = link.begin({ type: "monitor", leg, other: idOf(link, other) });
      return () => void stop();
    },
    join: (other) => link.post({ type: "join", leg, other: idOf(link, other) }),
    leave: (from) => link.post({ type: "leave", leg, ...from && { from: idOf(link, from) } }),
    setMuted(muted) {
      media.isMuted = muted;
      link.post({ type: "mute", leg, muted });
    },
    isMuted: false,
    onDigits: state.digits.add,
    takeDigit: (digit) => link.post({ type: "takeDigit", leg, digit }),
    stream(settings, events) {
      const stream = link.next();
      link.streams.set(stream, events);
      link.post({ type: "stream", stream, leg, settings });
      return { stop: () => link.post({ type: "stopStream", stream }) };
    },
    close: () => close(state),
  };
  return media;
}

function listen({ link, id, taps, closed }: State, onFrame: (frame: Pcm) => void): () => void {
  if (closed) return () => {};
  const tap = link.next();
  taps.add(tap);
  link.taps.set(tap, onFrame);
  link.post({ type: "listen", tap, leg: id });
  return () => {
    if (!taps.delete(tap)) return;
    link.taps.delete(tap);
    link.post({ type: "unlisten", tap });
  };
}

function close(state: State): void {
  if (state.closed) return;
  state.closed = true;
  const { link, id, taps } = state;
  link.legs.delete(id);
  state.digits.clear();
  state.quiet.clear();
  for (const tap of taps) link.taps.delete(tap);
  state.connected.reject(LEG_CLOSED);
  link.post({ type: "closeLeg", leg: id });
}

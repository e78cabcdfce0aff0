/**
 * Ticks of 20 ms in four moments, 5 ms apart. A new leg takes the moment with the fewest legs; ten moments
 * showed no gain over four. Participants of a conference share the moment of its first one, so that a mix
 * is made once and delays nothing. A leg that enters a conference may send its next frame up to 20 ms
 * sooner or later.
 */
import { awakeNow } from "../../../core/base/steady_clock.ts";
import { mediaLimits } from "./limits.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** One frame of audio: what every leg sends at each tick. */
export const FRAME_MS = 20;

/** The time that a ticker runs on; a test moves it by hand. */
export interface Clock {
  /** Monotonic, in ms; it stands while the process does. */
  now(): number;
  /** Calls back once; the result forgets it. */
  after(ms: number, callback: () => void): () => void;
}

/** At each tick all that was heard is handed on before anything is sent. */
export type Phase = "hear" | "send";

/** Calls legs back every 20 ms on average while they listen; idle, it holds no timer. */
export interface Ticker {
  /** For one leg, or for whatever else ticks as one. */
  turn(): Turn;
}

/**
 * When in each 20 ms a leg has its turn: of several moments the one that the fewest have, that not all
 * packets leave at once, from when it begins to listen until its last listener stops.
 */
export interface Turn {
  /** The result ends the calls. */
  listen(phase: Phase, onFrame: () => void): () => void;
  /** Index of its moment, while it has one. */
  readonly moment: number | undefined;
  /**
   * From now on it is another one. Those at one moment are all heard before any of them sends. The
   * frame after comes up to 20 ms sooner or later, and none is left out.
   */
  moveTo(moment: number): void;
}

export const systemClock: Clock = {
  now: awakeNow,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

interface Moment {
  hear: Set<() => void>;
  send: Set<() => void>;
}

interface Listener {
  phase: Phase;
  onFrame: () => void;
}

interface State {
  clock: Clock;
  onError: (error: unknown) => void;
  moments: Moment[];
  /** Moments are counted from there, in their order again and again; `next` comes next. */
  start: number;
  next: number;
  /** The one that the timer waits for. */
  awaited: number;
  running: boolean;
  cancel: () => void;
}

const { turns, catchUpFrames } = mediaLimits;
const STEP_MS = FRAME_MS / turns;

/**
 * A timer fires late, never early: each frame is therefore due 20 ms after the one before was due,
 * not after it happened, and frames missed are made up for at once. One timer serves all legs, and
 * goes on for the others when one of them throws.
 */
export function createTicker(clock: Clock, onError = rethrow): Ticker {
  const state: State = {
    clock,
    onError,
    moments: Array.from({ length: turns }, () => ({ hear: new Set(), send: new Set() })),
    start: 0,
    next: 0,
    awaited: 0,
    running: false,
    cancel: () => {},
  };
  return { turn: () => createTurn(state) };
}

function createTurn(state: State): Turn {
  const listeners = new Set<Listener>();
  const turn = {
    moment: undefined as number | undefined,
    listen(phase: Phase, onFrame: () => void) {
      const listener = { phase, onFrame: () => onFrame() };
      turn.moment ??= emptiest(state);
      listeners.add(listener);
      add(state, turn.moment, listener);
      return () => {
        if (!listeners.delete(listener)) return;
        remove(state, turn.moment!, listener); // It had a listener, and so a moment.
        if (listeners.size === 0) turn.moment = undefined;
      };
    },
    moveTo(other: number) {
      if (turn.moment === other) return;
      for (const listener of listeners) {
        // First there, that the ticker is never idle in between.
        add(state, other, listener);
        remove(state, turn.moment!, listener);
      }
      turn.moment = other;
    },
  };
  return turn;
}

const sizeOf = ({ hear, send }: Moment) => hear.size + send.size;
const isIdle = ({ moments }: State) => moments.every((each) => sizeOf(each) === 0);
const isEmptyAt = ({ moments }: State, step: number) => sizeOf(moments[step % turns]!) === 0;

function emptiest({ moments }: State): number {
  const sizes = moments.map(sizeOf);
  return sizes.indexOf(Math.min(...sizes));
}

function add(state: State, moment: number, { phase, onFrame }: Listener): void {
  const { clock, moments, running } = state;
  if (!running && isIdle(state)) {
    state.start = clock.now();
    // The first moment comes after a whole frame.
    state.next = 1;
  }
  // Past moments without a listener are skipped; a new listener does not make up for them.
  const now = clock.now() - state.start;
  while (!running && isEmptyAt(state, state.next) && state.next * STEP_MS <= now) state.next++;
  const isNew = isEmptyAt(state, moment);
  moments[moment]![phase].add(onFrame);
  if (isNew && !running) schedule(state);
}

function remove(state: State, moment: number, { phase, onFrame }: Listener): void {
  state.moments[moment]![phase].delete(onFrame);
  if (isIdle(state)) state.cancel();
}

/** Waits for the next moment that has listeners. */
function schedule(state: State): void {
  const { clock, start, cancel } = state;
  cancel();
  state.awaited = state.next;
  while (isEmptyAt(state, state.awaited)) state.awaited++;
  const due = start + state.awaited * STEP_MS;
  state.cancel = clock.after(Math.max(0, due - clock.now()), () => run(state));
}

function run(state: State): void {
  const { clock, moments, onError } = state;
  const last = Math.max(state.awaited, Math.floor((clock.now() - state.start) / STEP_MS));
  state.next = Math.max(state.next, last + 1 - turns * (1 + catchUpFrames));
  state.running = true;
  try {
    while (state.next <= last) {
      const { hear, send } = moments[state.next++ % turns]!;
      callAll(hear, onError);
      callAll(send, onError);
    }
  } finally {
    state.running = false;
    if (!isIdle(state)) schedule(state);
  }
}

/** Those who come while it goes on are called at the next tick. */
function callAll(listeners: Set<() => void>, onError: (error: unknown) => void): void {
  for (const onFrame of [...listeners]) {
    if (!listeners.has(onFrame)) continue;
    try {
      onFrame();
    } catch (error) {
      onError(error);
    }
  }
}

function rethrow(error: unknown): void {
  throw error;
}

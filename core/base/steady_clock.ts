/**
 * The clocks of Switchboard.
 *
 * The wall clock (`now`) is for what people read and for what is agreed with others by date: dates of
 * records, signatures, signed URLs, TOTP, certificates. It may be set forward and back at any time.
 *
 * The steady clock (`steadyNow`) is for spans: time limits, back-off, leases, rates, ages. It is the
 * monotonic clock of the machine (CLOCK_MONOTONIC), counted on from the wall clock at the start of the
 * process. It goes on while the process is stopped (SIGSTOP), and stands while the machine is suspended.
 * Timers of the runtime follow it.
 *
 * The awake clock (`createAwakeClock`) is the steady clock without the spans in which this process did
 * not run. It measures the silence of others: what a stopped process did not hear was no silence.
 * Heartbeats, RTP, pings and the timers of SIP are judged by it. By the wall clock, a step of 20 s ended
 * every live call, and one of -1 h stopped retries and the detection of lost companions.
 *
 * Signatures between service and companion go by the wall clock, 30 s either way: processes on one machine
 * step together, and a request that meets the step is sent again. Their nonces go by the wall clock too, so
 * that a step back lets no old request be sent again. TOTP, signed URLs and credentials of TURN servers go
 * by it, as others check them. After a step back no TOTP code is accepted of a time before the last one. A
 * signed URL that was made while the clock was ahead lasts longer by as much.
 *
 * Due times in a store go by the store's own clock: `kv/store/store_clock.ts`. The time of a call:
 * `core/calls/call_time.ts`. Lost companions: `core/reports/heartbeats.ts`.
 */

/** The wall clock and the steady clock, in ms. */
export interface Clocks {
  /** In ms since the epoch. */
  now(): number;
  /** In ms; differences are spans of time. */
  steadyNow(): number;
}

let awake: AwakeClock | undefined;

/** Milliseconds by the awake clock of this thread; by the steady clock before it has one. */
export const awakeNow = (): number => awake?.now() ?? performance.timeOrigin + performance.now();

/**
 * Starts the awake clock of this thread, until it is disposed of; `every` calls back again and again.
 * A clock without its looks would take each pause for a stop.
 */
export function startAwakeClock(every: (ms: number, look: () => void) => () => void): AwakeClock {
  const clock = createAwakeClock(() => performance.timeOrigin + performance.now(), every);
  awake = clock;
  return {
    now: awakeNow,
    [Symbol.dispose]() {
      if (awake === clock) awake = undefined;
      clock[Symbol.dispose]();
    },
  };
}

/**
 * Calls back once, when this process has run for so many ms. A timer of the runtime that is due at the
 * end of a stop fires before anything is read that has come meanwhile.
 */
export function awakeTimer(ms: number, callback: () => void): () => void {
  const dueAt = awakeNow() + ms;
  const look = () => {
    const leftMs = dueAt - awakeNow();
    if (leftMs > 0) timer = setTimeout(look, Math.ceil(leftMs));
    else callback();
  };
  let timer = setTimeout(look, ms);
  return () => clearTimeout(timer);
}

/** Whole milliseconds by the steady clock of this process; no step of the wall clock moves it. */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());

/**
 * The earlier of both clocks, in ms: what is old by it is old by both. A wall clock that is set
 * ahead ages nothing.
 */
export const earlierNow = ({ now, steadyNow }: Clocks): number => Math.min(now(), steadyNow());

/** A point of the wall clock as one of the steady clock, as the two stand at present. */
export const steadyFrom = (wallAt: number, { now, steadyNow }: Clocks): number =>
  wallAt - now() + steadyNow();

/** A point of the steady clock as one of the wall clock, as the two stand at present. */
export const wallFrom = (steadyAt: number, { now, steadyNow }: Clocks): number =>
  steadyAt - steadyNow() + now();

/** A process that runs looks at its awake clock so often, in ms. */
const lookMs = 250;

/** A pause between two looks that is longer than this, in ms, is a span in which the process stood. */
const standsMs = 2_000;

/** The steady clock without the spans in which the process stood. */
export interface AwakeClock extends Disposable {
  /** In ms. */
  now(): number;
}

/**
 * Starts an awake clock. Its first reading after a pause leaves the pause out, also by timers that
 * are due at once after it.
 */
export function createAwakeClock(
  read: () => number,
  every: (ms: number, look: () => void) => () => void,
): AwakeClock {
  let last = read();
  let stoodMs = 0;
  const now = () => {
    const at = read();
    if (at - last > standsMs) stoodMs += at - last - lookMs;
    last = at;
    return at - stoodMs;
  };
  const stop = every(lookMs, now);
  return { now, [Symbol.dispose]: stop };
}

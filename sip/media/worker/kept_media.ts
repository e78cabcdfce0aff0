/**
 * Replacement of the media Worker. Before it, a Worker that ended, or gave no sign of life for 10 s, ended
 * the companion with all registrations and calls. Refused:
 *
 * - Several Workers with the calls of a tenant in one: legs of two Workers cannot be joined.
 * - The engine in a process that can be killed: each frame for speech and recordings would cross
 *   processes.
 *
 * The companion ends at the first moment without calls where the thread has not come back within a minute.
 * It ends at once where no Worker starts within 10 s, when a fourth Worker ends within ten minutes, or
 * when a second one hangs beside the first.
 *
 * The next Worker takes MEDIA_PORT over (SO_REUSEADDR: Linux hands datagrams to the socket that was bound
 * last). The first Worker binds without that option, so that another process on the port is noticed.
 */
import { mediaLimits } from "../base/limits.ts";
import type { MediaConference, MediaEngine } from "../base/port.ts";
import { type MediaWorkerOptions, startMediaWorker } from "./media_worker.ts";

/**
 * The media engine in a Worker that is replaced when it ends or hangs. Its legs are lost: their sockets,
 * keys and jitter buffers are in that thread. All else goes on: registrations, calls whose audio passes
 * the companion by, and new calls, which get the next Worker.
 *
 * Deno cannot end a thread that hangs (`terminate` waits for the event loop), so it keeps a core busy
 * and its ports. It closes them when it comes back. Where it does not, the process has to be started
 * again, which `onStuck` may put off until nobody is in a call.
 */
export interface KeptMediaOptions extends Omit<MediaWorkerOptions, "onEnd"> {
  /** A Worker, or one of its own, has hung for `workerStuckMs`: its thread may go on for ever. */
  onStuck(): void;
  /** There will be no engine any more: Workers end again and again, or none starts. */
  onOver(): void;
  /** Starts a Worker; others are for tests. */
  start?: typeof startMediaWorker;
}

interface State {
  options: KeptMediaOptions;
  engine: MediaEngine;
  /** Resolves when there is an engine again, or none will be. */
  ready: Promise<void>;
  /** Times at which Workers ended lately, and how many hang. */
  ends: number[];
  hanging: number;
  isClosed: boolean;
}

/** Starts the first Worker; rejects when it cannot start. */
export async function keepMedia(options: KeptMediaOptions): Promise<MediaEngine> {
  const state: State = {
    options,
    engine: undefined as unknown as MediaEngine, // Set below, before anybody has this.
    ready: Promise.resolve(),
    ends: [],
    hanging: 0,
    isClosed: false,
  };
  state.engine = await startOne(state);
  return {
    async answer(offer, legOptions) {
      await state.ready;
      return await state.engine.answer(offer, legOptions);
    },
    async offer(kind, legOptions) {
      await state.ready;
      return await state.engine.offer(kind, legOptions);
    },
    conference: (): MediaConference => state.engine.conference(),
    async close() {
      state.isClosed = true;
      await state.engine.close();
    },
  };
}

function startOne(state: State): Promise<MediaEngine> {
  const { start = startMediaWorker, onOver: _over, ...options } = state.options;
  const { webrtc } = options.places;
  const places = state.ends.length > 0 && webrtc !== undefined
    ? { ...options.places, webrtc: { ...webrtc, takesOver: true } }
    : options.places;
  return start({ ...options, places, onEnd: (freed) => replace(state, freed) });
}

function replace(state: State, freed: Promise<void>): void {
  const { options: { onStuck, onOver }, ends } = state;
  if (state.isClosed) return;
  const now = performance.now();
  const { workerEnds, workerEndsMs, workerStuckMs } = mediaLimits;
  state.ends = [...ends.filter((at) => now - at < workerEndsMs), now];
  state.hanging++;
  const stuck = setTimeout(onStuck, workerStuckMs);
  void freed.then(() => {
    state.hanging--;
    clearTimeout(stuck);
  });
  const isOver = state.ends.length > workerEnds || state.hanging > 1;
  if (isOver) return onOver();
  state.ready = startAgain(state).catch(onOver);
}

/** Tries again for some seconds. */
async function startAgain(state: State): Promise<void> {
  const { log } = state.options;
  for (let tries = 1;; tries++) {
    try {
      const engine = await startOne(state);
      state.engine = engine;
      if (state.isClosed) await engine.close();
      log("The media worker was replaced");
      return;
    } catch (error) {
      if (tries === mediaLimits.workerStarts) {
        log("Cannot replace the media worker", { error: String(error) });
        throw error;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, mediaLimits.workerStartMs);
      await promise;
    }
  }
}

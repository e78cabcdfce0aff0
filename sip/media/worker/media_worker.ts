/**
 * The engine runs in one Worker of the companion. With the main thread busy for a second, nearly all
 * frames left late, from a Worker none. With 30 ms of SIP in each 100 on the same core, 75 to 92 % of
 * packets were over 5 ms late in the main thread, 4 to 8 % in a Worker. The CPU time of a leg is the same
 * within noise.
 *
 * Conferences, echo and wait music stay in the Worker. Recordings leave it in pieces of 0.5 s; frames for
 * speech recognition, detection and Record leave in pieces of 0.1 s.
 */
import { batchedEnd, type MessageEnd } from "../base/batched_end.ts";
import { createEngineLink, type EngineLink, type Hearers } from "./engine_link.ts";
import { mediaLimits } from "../base/limits.ts";
import type { MediaEngine } from "../base/port.ts";
import { remoteEngine } from "./remote_engine.ts";
import type { Order, Report, Start } from "./wire.ts";
import type { MediaPlaces } from "../transports/transports.ts";

/** Options of a media Worker. */
export interface MediaWorkerOptions extends Hearers {
  places: MediaPlaces;
  /** True where audio streams may go to servers at private addresses; not unless given. */
  mayReachPrivate?: boolean;
  /**
   * Called once, when the Worker ends by itself or hangs. Every leg is lost then, and none opens.
   * Nothing can end a thread that hangs: `freed` resolves when it has come back by itself and has closed
   * its sockets, at once where the Worker has ended.
   */
  onEnd(freed: Promise<void>): void;
  /** Script of the Worker, and time between checks of it. */
  script?: URL;
  checkMs?: number;
  /** Reads what servers of streams send; others are for tests. */
  socketScript?: URL;
}

/**
 * The media engine in a Worker: what else this process does delays no audio. Rejects when it cannot
 * start.
 */
export async function startMediaWorker(
  {
    places,
    mayReachPrivate = false,
    log,
    onReceived,
    onStuck,
    onEnd,
    socketScript,
    script = new URL("./worker.ts", import.meta.url),
    checkMs = mediaLimits.workerCheckMs,
  }: MediaWorkerOptions,
): Promise<MediaEngine> {
  const worker = new Worker(script, { type: "module" });
  const end = batchedEnd<Order | Start, Report>(worker);
  const link = createEngineLink(end, { log, onReceived, onStuck });
  let stopWatch: (() => void) | undefined;
  const ended = (why: string, isHanging = false) => {
    link.end(`Cannot use media: the media Worker ${why}`);
    if (stopWatch === undefined) return;
    stopWatch();
    stopWatch = undefined;
    log("The media worker stopped", { why });
    onEnd(isHanging ? closeWhenBack(end, worker) : Promise.resolve(worker.terminate()));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    ended(`ended: ${event.message}`);
  };
  try {
    const scripts = socketScript && { socketScript: socketScript.href };
    await link.request({ type: "start", places, mayReachPrivate, ...scripts });
    stopWatch = watch(link, checkMs, () => ended("hangs", true));
  } catch (error) {
    worker.terminate();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot start the media Worker: ${why}`, { cause: error });
  }
  const engine = remoteEngine(link);
  let closed: Promise<void> | undefined;
  return {
    ...engine,
    close() {
      stopWatch?.();
      return closed ??= engine.close().then(() => worker.terminate());
    },
  };
}

/** Has a Worker that hangs close all, once it comes back. */
function closeWhenBack(
  end: MessageEnd<Order | Start, Report>,
  worker: Worker,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const task = -1; // None of the link's.
  end.onmessage = ({ data }) => {
    if (data.type !== "done" || data.task !== task) return;
    worker.terminate();
    resolve();
  };
  end.postMessage({ type: "close", task }, []);
  return promise;
}

/** Asks for a sign of life; several checks in a row without one are a Worker that hangs. */
function watch(link: EngineLink, checkMs: number, onHang: () => void): () => void {
  let missed = 0;
  const timer = setInterval(() => {
    if (missed++ === 0) void link.request({ type: "ping" }).then(() => missed = 0, () => {});
    // Counted by ticks, not by the clock: a process that slept finds one tick due, not many.
    else if (missed > mediaLimits.workerChecks) onHang();
  }, checkMs);
  return () => clearInterval(timer);
}

import { createEngineLink, type Log } from "./engine_link.ts";
import type { MediaEngine } from "./port.ts";
import { remoteEngine } from "./remote_engine.ts";
import type { MediaPlaces } from "./transports.ts";

/** What a media Worker is started with. */
export interface MediaWorkerOptions {
  places: MediaPlaces;
  log: Log;
  /** Called when the Worker ended by itself. Every leg is lost then, and none opens any more. */
  onEnd(): void;
}

/**
 * The media engine in a Worker: what else this process does delays no audio. Rejects when it cannot
 * start. Only one may have WebRTC by the native library in the life of a process, with which a second
 * one ends it.
 */
export async function startMediaWorker(
  { places, log, onEnd }: MediaWorkerOptions,
): Promise<MediaEngine> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const link = createEngineLink(worker, log);
  let isStarted = false;
  worker.onerror = (event) => {
    event.preventDefault();
    link.end(`Cannot use media: the media Worker ended: ${event.message}`);
    if (!isStarted) return;
    log("The media Worker ended", { error: event.message });
    onEnd();
  };
  try {
    await link.ask({ type: "start", places });
    isStarted = true;
  } catch (error) {
    worker.terminate();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot start the media Worker: ${why}`, { cause: error });
  }
  const engine = remoteEngine(link);
  let closed: Promise<void> | undefined;
  return {
    ...engine,
    close: () => closed ??= engine.close().then(() => worker.terminate()),
  };
}

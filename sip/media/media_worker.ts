import { createEngineLink, type Log } from "./engine_link.ts";
import type { MediaEngine } from "./port.ts";
import { remoteEngine } from "./remote_engine.ts";
import type { MediaPlaces } from "./transports.ts";

export interface MediaWorkerOptions {
  places: MediaPlaces;
  log: Log;
  /** Called once when the Worker ended by itself. Every leg is lost then, and none opens any more. */
  onEnd(): void;
}

/**
 * The media engine in a Worker: what else this process does delays no audio. Only one may have WebRTC
 * by the native library in the life of a process, with which a second one ends it.
 */
export function startMediaWorker({ places, log, onEnd }: MediaWorkerOptions): MediaEngine {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const link = createEngineLink(worker, log);
  worker.onerror = (event) => {
    event.preventDefault();
    log("The media Worker ended", { error: event.message });
    link.end("Cannot use media: the media Worker ended");
    onEnd();
  };
  worker.postMessage(places);
  const engine = remoteEngine(link);
  let closed: Promise<void> | undefined;
  return {
    ...engine,
    close: () => closed ??= engine.close().then(() => worker.terminate()),
  };
}

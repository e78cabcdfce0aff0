import { createEngineLink } from "../../../sip/media/worker/engine_link.ts";
import type { MediaEngine, MediaLeg } from "../../../sip/media/base/port.ts";
import { remoteEngine } from "../../../sip/media/worker/remote_engine.ts";
import { serveEngine } from "../../../sip/media/worker/serve_engine.ts";

/** An engine of this thread as the main thread sees the one in its Worker: by messages alone. */
export function steeredByMessages(
  engine: MediaEngine,
): { engine: MediaEngine; close(): Promise<void> } {
  const { port1, port2 } = new MessageChannel();
  serveEngine(engine, port2);
  const steered = remoteEngine(createEngineLink(port1, { log: () => {} }));
  const close = async () => {
    await steered.close();
    port1.close();
    port2.close();
  };
  return { engine: steered, close };
}

/** Resolves when the engine, wherever it is, has followed the orders that the leg was given so far. */
export const followed = (leg: MediaLeg): Promise<void> =>
  leg.sendDigits("", new AbortController().signal);

import { mediaEngine } from "./engine.ts";
import { serveEngine } from "./serve_engine.ts";
import { type MediaPlaces, openTransports } from "./transports.ts";
import { type MessageEnd, type Order, type Report, sentError } from "./wire.ts";

/**
 * The inside of the Worker that has the media engine. The first message says where media travel, all
 * others are orders. What fails before the engine is there ends the Worker.
 */

const end = globalThis as unknown as MessageEnd<Report, MediaPlaces | Order>;

const log = (line: string, fields: Record<string, unknown> = {}) =>
  end.postMessage({ type: "log", line, fields }, []);

/** As in the main thread: one bad packet must not end the calls of others. */
function surviveBugs(): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log("Unhandled rejection in the media engine", { error: describe(event.reason) });
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log("Uncaught error in the media engine", { error: describe(event.error) });
  });
}

const describe = (error: unknown): string =>
  error instanceof Error && error.stack !== undefined ? error.stack : sentError(error).message;

end.onmessage = async ({ data: places }) => {
  const early: MessageEvent[] = [];
  end.onmessage = (event) => early.push(event);
  const transports = await openTransports(places as MediaPlaces, log);
  surviveBugs();
  serveEngine(mediaEngine({ transports, log }), end as MessageEnd<Report, Order>);
  for (const event of early) end.onmessage(event);
};

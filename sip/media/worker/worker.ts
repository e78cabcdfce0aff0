import { startAwakeClock } from "../../../core/base/steady_clock.ts";
import { batchedEnd, type MessageEnd } from "../base/batched_end.ts";
import { socketWorkers } from "../server_socket/socket_workers.ts";
import { unpackMessage } from "../streams/messages.ts";
import { mediaEngine } from "../engine/engine.ts";
import type { Received } from "../base/port.ts";
import { serveEngine } from "./serve_engine.ts";
import { openTransports } from "../transports/transports.ts";
import { type Order, type Report, sentError, type Start } from "./wire.ts";

/** The inside of the Worker that has the media engine: after the start it takes orders. */

// The types of this program have no global scope of a worker.
const scope = globalThis as unknown as MessageEnd<Report[], (Start | Order)[]>;
const end = batchedEnd(scope);

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

end.onmessage = async ({ data }) => {
  const { task, places, mayReachPrivate, socketScript } = data as Start;
  try {
    startAwakeClock((ms, look) => {
      const timer = setInterval(look, ms);
      return () => clearInterval(timer);
    });
    const transports = await openTransports(places, log);
    surviveBugs();
    const onReceived = (received: Received) => end.postMessage({ type: "received", received }, []);
    const sockets = socketWorkers({
      script: new URL(socketScript ?? "../streams/socket_worker.ts", import.meta.url),
      unpack: unpackMessage,
      mayReachPrivate,
      log,
      onStuck: () => end.postMessage({ type: "stuck" }, []),
    });
    const engine = mediaEngine({ transports, log, onReceived, sockets });
    const close = () => engine.close().then(sockets.close);
    serveEngine({ ...engine, close }, end as MessageEnd<Report, Order>);
    end.postMessage({ type: "done", task }, []);
  } catch (error) {
    end.postMessage({ type: "failed", task, error: sentError(error) }, []);
  }
};

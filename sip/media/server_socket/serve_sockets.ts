import { isPublicAddress } from "../../../core/machine/net/public_address.ts";
import { batchedEnd, type MessageEnd } from "../../base/batched_end.ts";
import { mediaLimits } from "../base/limits.ts";
import { ownSockets, type ReadMessage } from "./server_sockets.ts";
import type { ServerSocket } from "./socket.ts";
import { type Meter, meterAt, type SocketOrder, type SocketReport } from "./socket_wire.ts";

interface Served {
  socket: ServerSocket;
  meter: Meter;
}

/** The inside of a Worker that has WebSockets: `socketWorkers` is outside. */
export function serveSockets<M>(read: ReadMessage<M>): void {
  // The types of this program have no global scope of a worker.
  const scope = globalThis as unknown as MessageEnd<SocketReport<M>[], SocketOrder[]>;
  const end = batchedEnd(scope, mediaLimits.socketBatchMs);
  const report = (report: SocketReport<M>) => end.postMessage(report, []);
  surviveBugs((line, error) => report({ type: "log", line, fields: { error } }));
  end.onmessage = ({ data }) => {
    if (data.type !== "start") return;
    const { mayReachPrivate, atWork } = data;
    const mayReach = mayReachPrivate ? () => true : isPublicAddress;
    const serve = serverOf({ sockets: ownSockets(read, { mayReach }), report, atWork });
    end.onmessage = ({ data }) => serve(data);
  };
}

function serverOf<M>({ sockets, report, atWork }: {
  sockets: ReturnType<typeof ownSockets<M>>;
  report(report: SocketReport<M>): void;
  atWork: Int32Array;
}): (order: SocketOrder) => void {
  const served = new Map<number, Served>();
  let metering: ReturnType<typeof setInterval> | undefined;
  const open = ({ id, target, meter }: Extract<SocketOrder, { type: "open" }>) => {
    const socket = sockets.open(target, {
      onOpen: () => report({ type: "opened", id }),
      onMessage: (message) => report({ type: "message", id, message }),
      onBadMessage: (why, shown) => report({ type: "bad", id, why, shown }),
      onPong: () => report({ type: "pong", id }),
      onClose(closing) {
        served.delete(id);
        if (served.size === 0) clearInterval(metering);
        report({ type: "closed", id, closing });
      },
    }, (work) => {
      Atomics.store(atWork, 0, id);
      try {
        work();
      } finally {
        Atomics.store(atWork, 0, 0);
      }
    });
    if (served.size === 0) metering = setInterval(measureAll, mediaLimits.socketMeterMs);
    served.set(id, { socket, meter });
  };
  const measureAll = () => served.forEach(measure);
  return (order) => {
    if (order.type === "look") return report({ type: "alive" });
    if (order.type === "open") return open(order);
    if (order.type === "start") return;
    const known = served.get(order.id);
    if (known === undefined) return; // It has closed meanwhile.
    if (order.type !== "send") return known.socket[order.type]();
    known.socket.send(order.text);
    Atomics.add(known.meter, meterAt.taken, order.text.length);
    measure(known);
  };
}

function measure({ socket, meter }: Served): void {
  Atomics.store(meter, meterAt.unsentBytes, socket.unsentBytes);
  Atomics.store(meter, meterAt.heldMs, socket.heldMs);
}

/** As in the main thread: one bad message must not end the streams of others. */
function surviveBugs(log: (line: string, error: string) => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log("Unhandled rejection in a Worker of streams", describe(event.reason));
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log("Uncaught error in a Worker of streams", describe(event.error));
  });
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.stack ?? error.message : String(error);

import { isPublicAddress } from "../../../core/base/public_address.ts";
import { batchedEnd, type MessageEnd } from "../base/batched_end.ts";
import { ringReader, ringWriter } from "../base/shared_ring.ts";
import { mediaLimits } from "../base/limits.ts";
import { ownSockets, type ReadMessage } from "./server_sockets.ts";
import type { ServerSocket } from "./socket.ts";
import {
  atWorkAt,
  type Meter,
  meterAt,
  type SocketOrder,
  type SocketReport,
} from "./socket_wire.ts";

interface Served {
  socket: ServerSocket;
  meter: Meter;
  /** Messages that passed the ring by. */
  past: number;
}

/** The bytes of a message that comes often, which its user makes a message again; none for others. */
export type PackMessage<M> = (message: M) => Uint8Array | undefined;

/** The inside of a Worker that has WebSockets: `socketWorkers` is outside. */
export function serveSockets<M>(
  read: ReadMessage<M>,
  pack: PackMessage<M> = () => undefined,
): void {
  // The types of this program have no global scope of a worker.
  const scope = globalThis as unknown as MessageEnd<SocketReport<M>[], SocketOrder[]>;
  const end = batchedEnd(scope, mediaLimits.socketBatchMs);
  const report = (report: SocketReport<M>) => end.postMessage(report, []);
  surviveBugs((line, error) => report({ type: "log", line, fields: { error } }));
  end.onmessage = ({ data }) => {
    if (data.type !== "start") return;
    scope.postMessage([{ type: "alive" }], []); // At once: the first server may hang it.
    const { mayReachPrivate, atWork, rings } = data;
    const mayReach = mayReachPrivate ? () => true : isPublicAddress;
    const sockets = ownSockets(read, { mayReach });
    const serve = serverOf({ sockets, pack, report, atWork, rings });
    end.onmessage = ({ data }) => serve(data);
  };
}

function serverOf<M>({ sockets, pack, report, atWork, rings }: {
  sockets: ReturnType<typeof ownSockets<M>>;
  pack: PackMessage<M>;
  report(report: SocketReport<M>): void;
  atWork: Int32Array;
  rings: Extract<SocketOrder, { type: "start" }>["rings"];
}): (order: SocketOrder) => void {
  const served = new Map<number, Served>();
  let looks = 0;
  let looking: ReturnType<typeof setInterval> | undefined;
  const write = ringWriter(rings.reports);
  const readTexts = ringReader(rings.orders, (id, text) => send(served.get(id), text));
  const look = () => {
    readTexts();
    if (++looks % mediaLimits.socketMeterLooks === 0) served.forEach(measure);
  };
  const tell = (id: number, message: M) => {
    const known = served.get(id);
    if (known === undefined) return;
    const bytes = pack(message);
    const isNext = known.past === Atomics.load(known.meter, meterAt.messagesPast);
    if (isNext && bytes !== undefined && bytes.length > 0) {
      if (write(id, bytes.length, (ring, at) => ring.set(bytes, at))) return;
    }
    known.past = (known.past + 1) | 0;
    report({ type: "message", id, message });
  };
  const open = ({ id, target, meter }: Extract<SocketOrder, { type: "open" }>) => {
    const socket = sockets.open(target, {
      onOpen: () => report({ type: "opened", id }),
      onMessage: (message) => tell(id, message),
      onBadMessage: (why, shown) => report({ type: "bad", id, why, shown }),
      onPong: () => report({ type: "pong", id }),
      onClose(closing) {
        served.delete(id);
        if (served.size === 0) clearInterval(looking);
        report({ type: "closed", id, closing });
      },
    }, (work) => {
      const before = Atomics.exchange(atWork, atWorkAt.id, id); // A piece may be within another.
      Atomics.add(atWork, atWorkAt.piece, 1);
      try {
        work();
      } finally {
        Atomics.store(atWork, atWorkAt.id, before);
      }
    });
    if (served.size === 0) looking = setInterval(look, mediaLimits.socketBatchMs);
    served.set(id, { socket, meter, past: 0 });
  };
  return (order) => {
    readTexts();
    if (order.type === "look") return report({ type: "alive" });
    if (order.type === "open") return open(order);
    if (order.type === "start") return;
    const known = served.get(order.id);
    if (known === undefined) return; // It has closed meanwhile.
    if (order.type !== "send") return known.socket[order.type]();
    send(known, order.text);
    Atomics.add(known.meter, meterAt.textsPast, 1);
  };
}

function send(known: Served | undefined, text: string | Uint8Array): void {
  if (known === undefined) return;
  known.socket.send(text);
  Atomics.add(known.meter, meterAt.taken, text.length);
  measure(known);
}

function measure({ socket, meter }: Pick<Served, "socket" | "meter">): void {
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

import { atWorkAt, type SocketOrder } from "../../../sip/media/server_socket/socket_wire.ts";

/**
 * Stands in for a Worker of streams: sockets open at once, and lead nowhere. It hangs for 4 s once it has
 * answered a look with a socket of one of these Sids open: `throws` in one piece of work, after which the
 * thread ends by an error; `busy` in many pieces.
 */
const hangMs = 4_000;

interface Scope {
  postMessage(reports: unknown[]): void;
  onmessage: (event: { data: SocketOrder[] }) => void;
}

const scope = globalThis as unknown as Scope;
let atWork: Int32Array = new Int32Array(2);
let hang: { id: number; how: string } | undefined;

scope.onmessage = ({ data }) => data.forEach(serve);

function serve(order: SocketOrder): void {
  if (order.type === "start") atWork = order.atWork;
  if (order.type === "look") {
    scope.postMessage([{ type: "alive" }]);
    if (hang !== undefined) work(hang);
  }
  if (order.type !== "open") return;
  const { id, target: { sid } } = order;
  scope.postMessage([{ type: "opened", id }]);
  if (sid === "throws" || sid === "busy") hang = { id, how: sid };
}

function work({ id, how }: { id: number; how: string }): void {
  Atomics.store(atWork, atWorkAt.id, id);
  for (const until = performance.now() + hangMs; performance.now() < until;) {
    if (how === "busy") Atomics.add(atWork, atWorkAt.piece, 1);
  }
  Atomics.store(atWork, atWorkAt.id, 0);
  hang = undefined;
  if (how === "throws") throw new Error("no more");
}

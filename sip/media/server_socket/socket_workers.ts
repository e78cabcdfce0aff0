import { batchedEnd, type MessageEnd } from "../base/batched_end.ts";
import { ringMemory, ringReader, ringWriter, type WriteRecord } from "../base/shared_ring.ts";
import { mediaLimits } from "../base/limits.ts";
import type { MessageEvents, ServerSockets, ServerTarget } from "./server_sockets.ts";
import type { Closing, ServerSocket } from "./socket.ts";
import {
  type Meter,
  meterAt,
  newMeter,
  type SocketOrder,
  type SocketReport,
} from "./socket_wire.ts";

/**
 * WebSockets to servers of customers in Workers of their own. TLS, frames, JSON and base64 of a server are
 * read there, and nowhere else: the thread that uses a socket, which may be that of all calls' audio, gets
 * messages that were read and are bounded.
 *
 * A Worker that hangs loses its sockets, and no others. It has written whose bytes it works on, so that
 * one is told the true reason. Tenants have a Worker each as far as there are enough; from then on the
 * tenant whose server has hung one shares none with tenants whose servers did not.
 *
 * Deno cannot end a thread that hangs, so it keeps a core busy until it comes back, and `onStuck` tells of
 * one that may never do so.
 *
 * A message between threads wakes one, and costs more than all else of a frame of audio. So frames go
 * through shared memory: the Worker looks every `socketBatchMs`, its user when it needs a frame. By messages
 * alone, in batches of 4 ms, 40 streams took a quarter more CPU time. With the ring in shared memory
 * (`sip/media/base/shared_ring.ts`) 40 took as much as before (43 µs a frame), 20 about a fifth more. A frame leaves
 * up to 5 ms later. Each Worker that was needed has about 33 MB; the first stream waits for its start.
 *
 * Refused: a watch dog that moves all other legs out of a media Worker that hangs, since their sockets, SRTP
 * and jitter buffers are in that thread; and a Worker that reads each text and sends it back, since frames
 * and the handshake would still be read beside the audio, and each message would cross twice.
 */
export interface SocketWorkersOptions<M> {
  /** Runs `serveSockets`. */
  script: URL;
  /** Makes messages of the bytes that its `PackMessage` made; for a script that has one. */
  unpack?: (bytes: Uint8Array<ArrayBuffer>) => M;
  /** True where servers may be at private addresses. */
  mayReachPrivate: boolean;
  log: (line: string, fields?: Record<string, unknown>) => void;
  /** A Worker has hung for `workerStuckMs`: its thread may go on for ever. */
  onStuck(): void;
  /** Time between checks of a Worker; `mediaLimits.socketCheckMs` unless given. */
  checkMs?: number;
}

export interface SocketWorkers<M> extends ServerSockets<M> {
  /** Ends all, once what was sent is on its way. */
  close(): Promise<void>;
}

interface Opened<M> {
  target: ServerTarget;
  events: MessageEvents<M>;
  meter: Meter;
}

interface SocketWorker<M> {
  end: MessageEnd<SocketOrder, SocketReport<M>>;
  terminate(): void;
  sockets: Map<number, Opened<M>>;
  /** Serves tenants whose servers have hung a Worker, and no others. */
  isForSuspects: boolean;
  atWork: Int32Array;
  write: WriteRecord;
  /** Hands on what is in the ring. */
  receive(): void;
  /** Looks that it did not answer. */
  missed: number;
  stopWatch(): void;
  onAlive(): void;
}

interface State<M> {
  options: SocketWorkersOptions<M>;
  workers: SocketWorker<M>[];
  hanging: Set<SocketWorker<M>>;
  /** Tenants whose servers have hung a Worker. */
  suspects: Set<string>;
  last: number;
}

/** Workers that start when they are needed. */
export function socketWorkers<M>(options: SocketWorkersOptions<M>): SocketWorkers<M> {
  const state: State<M> = {
    options,
    workers: [],
    hanging: new Set(),
    suspects: new Set(),
    last: 0,
  };
  return {
    open(target, events) {
      const worker = workerFor(state, target.tenant);
      if (worker !== undefined) return openAt(state, worker, { target, events, meter: newMeter() });
      queueMicrotask(() => events.onClose({ isGoodbye: false, why: hangingMessage }));
      return noSocket;
    },
    close: () => close(state),
  };
}

/** The Worker of a tenant; undefined where too many hang for another one. */
function workerFor<M>(state: State<M>, tenant: string): SocketWorker<M> | undefined {
  const { workers, hanging, suspects } = state;
  const isSuspect = suspects.has(tenant);
  const alike = workers.filter(({ isForSuspects }) => isForSuspects === isSuspect);
  const own = alike.find(({ sockets }) =>
    sockets.values().some(({ target }) => target.tenant === tenant)
  );
  if (own !== undefined) return own;
  const fewest = alike.toSorted((one, other) => one.sockets.size - other.sockets.size)[0];
  if (fewest?.sockets.size === 0) return fewest;
  const mayStart = isSuspect
    ? alike.length === 0 && hanging.size === 0
    : alike.length < mediaLimits.socketWorkers && hanging.size < mediaLimits.socketWorkersHanging;
  return mayStart ? start(state, isSuspect) : fewest;
}

function start<M>(state: State<M>, isForSuspects: boolean): SocketWorker<M> {
  const { script, unpack, mayReachPrivate, checkMs = mediaLimits.socketCheckMs } = state.options;
  const thread = new Worker(script, { type: "module" });
  const end = batchedEnd<SocketOrder, SocketReport<M>>(thread, mediaLimits.socketBatchMs);
  const atWork = new Int32Array(new SharedArrayBuffer(4));
  const rings = {
    orders: ringMemory(mediaLimits.socketRingBytes),
    reports: ringMemory(mediaLimits.socketRingBytes),
  };
  const watch = setInterval(() => look(state, worker), checkMs);
  const worker: SocketWorker<M> = {
    end,
    terminate: () => thread.terminate(),
    sockets: new Map(),
    isForSuspects,
    atWork,
    write: ringWriter(rings.orders),
    receive: ringReader(rings.reports, (id, bytes) => {
      const events = worker.sockets.get(id)?.events;
      if (unpack !== undefined) events?.onMessage(unpack(bytes));
    }),
    missed: -mediaLimits.socketStartChecks,
    stopWatch: () => clearInterval(watch),
    onAlive: () => worker.missed = 0,
  };
  end.onmessage = ({ data }) => heed(state, worker, data);
  thread.onerror = (event) => {
    event.preventDefault();
    lose(state, worker, { why: `the thread that reads streams ended: ${event.message}` });
    thread.terminate();
  };
  end.postMessage({ type: "start", mayReachPrivate, atWork, rings }, []);
  state.workers.push(worker);
  return worker;
}

function openAt<M>(state: State<M>, worker: SocketWorker<M>, opened: Opened<M>): ServerSocket {
  const id = ++state.last;
  const { target, meter } = opened;
  /** Characters, and texts that passed the ring by. */
  let [posted, past] = [0, 0];
  worker.sockets.set(id, opened);
  const post = (order: SocketOrder) => {
    if (worker.sockets.has(id)) worker.end.postMessage(order, []);
  };
  post({ type: "open", id, target, meter });
  return {
    send(text) {
      if (!worker.sockets.has(id)) return;
      posted = (posted + text.length) | 0;
      if (past === Atomics.load(meter, meterAt.textsPast) && writeText(worker, id, text)) return;
      past = (past + 1) | 0;
      post({ type: "send", id, text });
    },
    receive: worker.receive,
    ping: () => post({ type: "ping", id }),
    get unsentBytes() {
      const onTheirWay = (posted - Atomics.load(meter, meterAt.taken)) | 0;
      return onTheirWay + Atomics.load(meter, meterAt.unsentBytes);
    },
    get heldMs() {
      return Atomics.load(meter, meterAt.heldMs);
    },
    close: () => post({ type: "close", id }),
    destroy: () => post({ type: "destroy", id }),
  };
}

/** Writes a short text of ASCII into the ring; false where it is none, or there is no room. */
function writeText<M>({ write }: SocketWorker<M>, id: number, text: string | Uint8Array): boolean {
  const { length } = text;
  if (typeof text !== "string" || length === 0 || length > mediaLimits.socketRingText) return false;
  return write(id, length, (bytes, at) => {
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[at + i] = code;
    }
  });
}

function heed<M>({ options }: State<M>, worker: SocketWorker<M>, report: SocketReport<M>): void {
  if (report.type === "alive") return worker.onAlive();
  if (report.type === "log") return options.log(report.line, report.fields);
  worker.receive();
  const known = worker.sockets.get(report.id);
  const events = known?.events;
  switch (report.type) {
    case "opened":
      return events?.onOpen();
    case "message":
      if (known !== undefined) Atomics.add(known.meter, meterAt.messagesPast, 1);
      return events?.onMessage(report.message);
    case "bad":
      return events?.onBadMessage(report.why, report.shown);
    case "pong":
      return events?.onPong();
    case "closed":
      worker.sockets.delete(report.id);
      return events?.onClose(report.closing);
  }
}

/** Asks for a sign of life; several looks in a row without one are a Worker that hangs. */
function look<M>(state: State<M>, worker: SocketWorker<M>): void {
  // Counted by ticks, not by the clock: a process that slept finds one tick due, not many.
  if (worker.missed++ <= 0) return worker.end.postMessage({ type: "look" }, []);
  if (worker.missed <= mediaLimits.socketChecks) return;
  const blamed = Atomics.load(worker.atWork, 0);
  const { target } = worker.sockets.get(blamed) ?? {};
  if (target !== undefined) state.suspects.add(target.tenant);
  const sockets = worker.sockets.size;
  state.options.log("A Worker of streams hangs", { sockets, ...target && { sid: target.sid } });
  awaitReturn(state, worker);
  lose(state, worker, { why: hangingMessage, blamed });
}

const hangingMessage =
  "the thread that reads what its server sends hangs, and another stream hung it";
const blamedMessage = "the thread that reads what its server sends hung on a message";

/** Ends a Worker that hangs when it comes back. */
function awaitReturn<M>({ options, hanging }: State<M>, worker: SocketWorker<M>): void {
  hanging.add(worker);
  const stuck = setTimeout(options.onStuck, mediaLimits.workerStuckMs);
  worker.onAlive = () => {
    hanging.delete(worker);
    clearTimeout(stuck);
    worker.terminate();
  };
}

/** Ends the sockets of a Worker. */
function lose<M>(
  state: State<M>,
  worker: SocketWorker<M>,
  { why, blamed = 0 }: { why: string; blamed?: number },
): void {
  worker.stopWatch();
  state.workers = state.workers.filter((each) => each !== worker);
  const lost = [...worker.sockets];
  worker.sockets.clear();
  for (const [id, { events }] of lost) {
    const closing: Closing = id === blamed
      ? { isGoodbye: false, why: blamedMessage, fault: "messages" }
      : { isGoodbye: false, why };
    events.onClose(closing);
  }
}

async function close<M>({ workers, hanging }: State<M>): Promise<void> {
  await Promise.all(workers.map(async (worker) => {
    worker.stopWatch();
    const answered = Promise.withResolvers<void>();
    const late = setTimeout(answered.resolve, mediaLimits.socketCheckMs);
    worker.onAlive = answered.resolve;
    worker.end.postMessage({ type: "look" }, []); // Comes behind what was sent before.
    await answered.promise;
    clearTimeout(late);
    worker.terminate();
  }));
  for (const worker of hanging) worker.terminate();
}

/** The socket of nobody. */
const noSocket: ServerSocket = {
  send() {},
  receive() {},
  ping() {},
  unsentBytes: 0,
  heldMs: 0,
  close() {},
  destroy() {},
};

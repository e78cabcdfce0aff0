import { batchedEnd, type MessageEnd } from "../base/batched_end.ts";
import { ringMemory, ringReader, ringWriter, type WriteRecord } from "../base/shared_ring.ts";
import { mediaLimits } from "../base/limits.ts";
import type { MessageEvents, ServerSockets, ServerTarget } from "./server_sockets.ts";
import type { Closing, ServerSocket } from "./socket.ts";
import {
  atWorkAt,
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
 * tenant whose server has hung one shares none with tenants whose servers did not, for an hour.
 *
 * On a starved machine a Worker says nothing either, and some tenant is always the one at work. So a Worker
 * is judged by a thread that is itself on time, and a tenant is blamed only for one piece of work that two
 * looks in turn have found under way. Else the Worker is given up, and nobody is blamed.
 *
 * A tenant is refused while a Worker that it hung has not come back, and after `socketHangs` of them within
 * an hour. So no tenant takes more than one of the threads that may hang, nor the Workers of other suspects
 * again and again.
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
  /** Clock of this thread in ms, by which it sees that it was late; `performance.now()` unless given. */
  now?: () => number;
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
  /** Late looks since its last sign of life. */
  late: number;
  lookedAt: number;
  /** The work that the last look found under way. */
  seen: Work;
  stopWatch(): void;
  onAlive(): void;
}

/** Piece of work of a Worker; `id` is its socket, 0: none. */
interface Work {
  id: number;
  piece: number;
}

interface State<M> {
  options: SocketWorkersOptions<M>;
  now: () => number;
  workers: SocketWorker<M>[];
  /** Workers that hang, each with the tenant that is blamed. */
  hanging: Map<SocketWorker<M>, string | undefined>;
  /** Tenants whose servers have hung Workers within an hour: how many, and when the last one. */
  suspects: Map<string, { hangs: number; at: number }>;
  last: number;
}

/** Workers that start when they are needed. */
export function socketWorkers<M>(options: SocketWorkersOptions<M>): SocketWorkers<M> {
  const state: State<M> = {
    options,
    now: options.now ?? (() => performance.now()),
    workers: [],
    hanging: new Map(),
    suspects: new Map(),
    last: 0,
  };
  return {
    open(target, events) {
      const why = refusalOf(state, target.tenant);
      const worker = why === undefined ? workerFor(state, target.tenant) : undefined;
      if (worker !== undefined) return openAt(state, worker, { target, events, meter: newMeter() });
      queueMicrotask(() => events.onClose({ isGoodbye: false, why: why ?? fullMessage }));
      return noSocket;
    },
    close: () => close(state),
  };
}

/** Reason why a tenant gets no socket for what its servers did; undefined without one. */
function refusalOf<M>(state: State<M>, tenant: string): string | undefined {
  if (state.hanging.values().some((blamed) => blamed === tenant)) return ownHangMessage;
  const { hangs = 0 } = suspectOf(state, tenant) ?? {};
  return hangs < mediaLimits.socketHangs ? undefined : manyHangsMessage;
}

/** The record of a tenant whose servers have hung a Worker within an hour; forgets those of others. */
function suspectOf<M>({ suspects, now }: State<M>, tenant: string) {
  const since = now() - mediaLimits.socketSuspectMs;
  for (const [each, { at }] of suspects) if (at <= since) suspects.delete(each);
  return suspects.get(tenant);
}

function blame<M>(state: State<M>, tenant: string): void {
  const { hangs = 0 } = suspectOf(state, tenant) ?? {};
  state.suspects.set(tenant, { hangs: hangs + 1, at: state.now() });
}

/** The Worker of a tenant; undefined where too many hang for another one. */
function workerFor<M>(state: State<M>, tenant: string): SocketWorker<M> | undefined {
  const { workers, hanging } = state;
  const isSuspect = suspectOf(state, tenant) !== undefined;
  const alike = workers.filter(({ isForSuspects }) => isForSuspects === isSuspect);
  const own = alike.find(({ sockets }) =>
    sockets.values().some(({ target }) => target.tenant === tenant)
  );
  if (own !== undefined) return own;
  const fewest = alike.toSorted((one, other) => one.sockets.size - other.sockets.size)[0];
  if (fewest?.sockets.size === 0) return fewest;
  // The last thread that may hang is for tenants whose servers have hung none.
  const mayHang = mediaLimits.socketWorkersHanging - (isSuspect ? 1 : 0);
  const mayStart = alike.length < mediaLimits.socketWorkers && hanging.size < mayHang;
  return mayStart ? start(state, isSuspect) : fewest;
}

function start<M>(state: State<M>, isForSuspects: boolean): SocketWorker<M> {
  const { script, unpack, mayReachPrivate, checkMs = mediaLimits.socketCheckMs } = state.options;
  const thread = new Worker(script, { type: "module" });
  const end = batchedEnd<SocketOrder, SocketReport<M>>(thread, mediaLimits.socketBatchMs);
  const atWork = new Int32Array(new SharedArrayBuffer(8));
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
    late: 0,
    lookedAt: state.now(),
    seen: { id: 0, piece: 0 },
    stopWatch: () => clearInterval(watch),
    onAlive: () => worker.missed = worker.late = 0,
  };
  end.onmessage = ({ data }) => heed(state, worker, data);
  thread.onerror = (event) => {
    event.preventDefault();
    if (state.hanging.has(worker)) return worker.onAlive(); // It hangs no longer.
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
  worker.missed = Math.max(worker.missed, 0); // It has started.
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
  const { isOnTime, blamed } = notice(state, worker);
  // A thread that is late judges nobody, so such a look does not count, unless all are late.
  if (!isOnTime && ++worker.late <= mediaLimits.socketStartChecks) return;
  // Counted by ticks, not by the clock: a process that slept finds one tick due, not many.
  if (worker.missed++ <= 0) return worker.end.postMessage({ type: "look" }, []);
  if (worker.missed <= mediaLimits.socketChecks) return;
  const { target } = worker.sockets.get(blamed) ?? {};
  if (target !== undefined) blame(state, target.tenant);
  const sockets = worker.sockets.size;
  state.options.log("A Worker of streams hangs", { sockets, ...target && { sid: target.sid } });
  awaitReturn(state, worker, target?.tenant);
  const why = target === undefined ? hangingMessage : otherHangMessage;
  lose(state, worker, { why, blamed });
}

/** Compares a look with the one before: whether it is on time, and whose work both found under way; 0: nobody's. */
function notice<M>(
  { now, options: { checkMs = mediaLimits.socketCheckMs } }: State<M>,
  worker: SocketWorker<M>,
): { isOnTime: boolean; blamed: number } {
  const { seen, lookedAt, atWork } = worker;
  const [id, piece] = [Atomics.load(atWork, atWorkAt.id), Atomics.load(atWork, atWorkAt.piece)];
  Object.assign(worker, { lookedAt: now(), seen: { id, piece } });
  const isOnTime = worker.lookedAt - lookedAt < 2 * checkMs;
  const isSame = id === seen.id && piece === seen.piece;
  return { isOnTime, blamed: isOnTime && isSame ? id : 0 };
}

const hangingMessage = "the thread that reads what its server sends hangs";
const otherHangMessage = `${hangingMessage}, and another stream hung it`;
const blamedMessage = "the thread that reads what its server sends hung on a message";
const fullMessage = "too many threads that read what servers send hang";
const ownHangMessage = "a thread hangs on what a server of this account sent before";
const manyHangsMessage = "servers of this account have hung too many threads within an hour";

/** Ends a Worker that hangs when it comes back. */
function awaitReturn<M>(
  { options, hanging }: State<M>,
  worker: SocketWorker<M>,
  tenant: string | undefined,
): void {
  hanging.set(worker, tenant);
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
  for (const worker of hanging.keys()) worker.onAlive();
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

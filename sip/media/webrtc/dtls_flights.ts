import { FATAL, WARNING } from "./dtls_alerts.ts";
import { type Bytes, concat, number, vector } from "./dtls_bytes.ts";
import { createReassembly, type Message, type Reassembly } from "./dtls_reassembly.ts";
import {
  BODY_BYTES,
  CONTENT,
  type DtlsRecord,
  openRecord,
  readRecords,
  type RecordKeys,
  sealRecord,
  writeRecord,
} from "./dtls_record.ts";
import { mediaLimits } from "../base/limits.ts";
import { isFresh, newReplayWindow, type ReplayWindow, take } from "../srtp/replay_window.ts";
import type { Clock } from "../base/ticker.ts";

export interface FlightsOptions {
  send(datagram: Bytes): void;
  clock: Clock;
  /** True where a message is due. One that is not is dropped, and another can take its place. */
  isDue(message: Message): boolean;
  /** Called with each message of the peer that is due, in order. */
  onMessage(message: Message): void;
  /** Called with each alert. Only a sealed alert is certainly of the peer. */
  onAlert(alert: Alert): void;
}

export interface Alert {
  level: number;
  description: number;
  sealed: boolean;
}

/**
 * The transport of a handshake. Messages are sent in flights, and a flight is repeated until the next
 * one of the peer arrives (RFC 6347 §4.2.4). Invalid records are dropped silently (§4.1.2.7).
 */
export interface Flights {
  /** All messages so far, as they are signed; `before` omits the last one of the peer. */
  transcript(before?: "before"): Bytes;
  /** Empties the transcript, as a cookie request of the server requires (RFC 6347 §4.2.1). */
  forget(): void;
  /** Adds a message to the next flight. */
  write(type: number, body: Uint8Array): void;
  /** Sets the keys, which sealed records need. */
  secure(keys: { ours: RecordKeys; theirs: RecordKeys }): void;
  /** Adds a change of cipher to the next flight. Messages added after it are sealed. */
  changeCipher(): void;
  /** Sends the next flight. The last one is repeated only when the peer repeats its own. */
  launch(isLast?: boolean): void;
  /** Ends the handshake: no timed repeats, and records in the clear are dropped. */
  finish(): void;
  receive(datagram: Uint8Array): void;
  alert(level: number, description: number): void;
  close(): void;
}

/** A record without its sequence number, which is new each time it is sent. */
interface Outgoing {
  type: number;
  epoch: 0 | 1;
  body: Uint8Array;
}

const HEADER_BYTES = 13 + 8 + 16;

interface State {
  readonly options: FlightsOptions;
  readonly reassembly: Reassembly;
  /** Sequence numbers of sealed records that were received. */
  readonly window: ReplayWindow;
  /** The next sequence number of our records, by epoch. */
  readonly sequences: [clear: number, sealed: number];
  /** The messages of both sides, in order. */
  messages: Bytes[];
  written: number;
  received: number;
  /** Of our next records: 0 in the clear, 1 sealed. */
  epoch: 0 | 1;
  keys: { ours: RecordKeys; theirs: RecordKeys } | undefined;
  /** The flight being made, and the one sent last. */
  making: Outgoing[];
  flight: Outgoing[];
  isLastFlight: boolean;
  /**
   * True once the peer changed its cipher; until then its sealed records are dropped (RFC 5246
   * §7.4.9).
   */
  hasChanged: boolean;
  finished: boolean;
  closed: boolean;
  cancelRepeat(): void;
}

export function createFlights(options: FlightsOptions): Flights {
  const state: State = {
    options,
    reassembly: createReassembly(),
    window: newReplayWindow(),
    sequences: [0, 0],
    messages: [],
    written: 0,
    received: 0,
    epoch: 0,
    keys: undefined,
    making: [],
    flight: [],
    isLastFlight: false,
    hasChanged: false,
    finished: false,
    closed: false,
    cancelRepeat() {},
  };
  return {
    transcript: (before) => concat(...(before ? state.messages.slice(0, -1) : state.messages)),
    forget: () => void (state.messages = []),
    write: (type, body) => write(state, type, body),
    secure: (keys) => void (state.keys = keys),
    changeCipher: () => changeCipher(state),
    launch: (isLast = false) => launch(state, isLast),
    finish() {
      state.finished = true;
      state.cancelRepeat();
    },
    receive(datagram) {
      for (const record of readRecords(datagram)) {
        if (state.closed) return;
        takeRecord(state, record);
      }
    },
    alert(level, description) {
      const body = Uint8Array.of(level, description);
      options.send(recordOf(state, { type: CONTENT.alert, epoch: state.epoch, body }));
    },
    close() {
      state.closed = true;
      state.cancelRepeat();
    },
  };
}

function write(state: State, type: number, body: Uint8Array): void {
  const message = messageOf(type, body, state.written++);
  state.messages.push(message);
  state.making.push({ type: CONTENT.handshake, epoch: state.epoch, body: message });
}

function changeCipher(state: State): void {
  const body = Uint8Array.of(1);
  state.making.push({ type: CONTENT.changeCipherSpec, epoch: state.epoch, body });
  state.epoch = 1;
}

function launch(state: State, isLast: boolean): void {
  state.cancelRepeat();
  state.flight = state.making;
  state.making = [];
  state.isLastFlight = isLast;
  transmit(state);
  if (!isLast) repeat(state, mediaLimits.handshakeRepeatMs);
}

/** Sends the flight again after a pause, and after pauses twice as long each (RFC 6347 §4.2.4.1). */
function repeat(state: State, waitMs: number): void {
  state.cancelRepeat = state.options.clock.after(waitMs, () => {
    transmit(state);
    repeat(state, Math.min(2 * waitMs, mediaLimits.handshakeRepeatMaxMs));
  });
}

/** Sends the flight in datagrams of at most `handshakeDatagramBytes`, or of one record. */
function transmit(state: State): void {
  const { options, flight } = state;
  let datagram: Bytes[] = [];
  let size = 0;
  for (const outgoing of flight) {
    const length = outgoing.body.length + HEADER_BYTES;
    if (size > 0 && size + length > mediaLimits.handshakeDatagramBytes) {
      options.send(concat(...datagram));
      [datagram, size] = [[], 0];
    }
    datagram.push(recordOf(state, outgoing));
    size += length;
  }
  options.send(concat(...datagram));
}

/** A record for the wire, with the next sequence number of its epoch. */
function recordOf({ sequences, keys }: State, outgoing: Outgoing): Bytes {
  const record = { ...outgoing, sequence: sequences[outgoing.epoch]++ };
  if (record.epoch === 0) return writeRecord(record);
  if (keys === undefined) throw new Error("Cannot seal a record: there are no keys yet");
  return writeRecord(sealRecord(keys.ours, record));
}

function takeRecord(state: State, record: DtlsRecord): void {
  const sealed = record.epoch === 1;
  if (record.epoch > 1 || state.finished && !sealed) return;
  const body = sealed ? open(state, record) : record.body;
  if (body === undefined || body.length > BODY_BYTES) return;
  const [first, second] = body;
  if (record.type === CONTENT.handshake) takeHandshake(state, body, sealed);
  else if (record.type === CONTENT.alert && body.length === 2) {
    if (second !== undefined && (first === WARNING || first === FATAL)) {
      state.options.onAlert({ level: first, description: second, sealed });
    }
  } else if (record.type === CONTENT.changeCipherSpec && body.length === 1 && first === 1) {
    state.hasChanged = true;
  }
}

/** The body of a sealed record, if the peer sealed it and it is no replay (RFC 6347 §4.1.2.6). */
function open({ keys, hasChanged, window }: State, record: DtlsRecord): Uint8Array | undefined {
  if (keys === undefined || !hasChanged || !isFresh(window, record.sequence)) return undefined;
  const body = openRecord(keys.theirs, record);
  if (body !== undefined) take(window, record.sequence);
  return body;
}

function takeHandshake(state: State, record: Uint8Array, sealed: boolean): void {
  const { reassembly, options } = state;
  const isOld = reassembly.take(record, sealed);
  if (state.finished) {
    // The peer repeats its flight, so it lacks our last one. Only the peer can seal.
    if (isOld && state.isLastFlight && sealed) transmit(state);
    return;
  }
  while (!state.closed && !state.finished) {
    const message = reassembly.next(options.isDue);
    if (message === undefined) return;
    state.messages.push(messageOf(message.type, message.body, state.received++));
    options.onMessage(message);
  }
}

/** A message in one fragment, as it is sent and as the transcript has it (RFC 6347 §4.2.6). */
const messageOf = (type: number, body: Uint8Array, sequence: number): Bytes =>
  concat(
    number(1, type),
    number(3, body.length),
    number(2, sequence),
    number(3, 0),
    vector(3, body),
  );

import { FATAL, WARNING } from "./dtls_alerts.ts";
import { type Bytes, concat, number, vector } from "./dtls_bytes.ts";
import { createReassembly, type Message } from "./dtls_reassembly.ts";
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
import { isFresh, newReplayWindow, take } from "../srtp/replay_window.ts";
import type { Clock } from "../base/ticker.ts";

export interface FlightsOptions {
  send(datagram: Bytes): void;
  clock: Clock;
  /** Whether a message may come now; one that may not is dropped, and another may come in its place. */
  isDue(message: Message): boolean;
  /** Called with each message of the peer that is due, in their order. */
  onMessage(message: Message): void;
  /** Called with an alert; who has sent it is known when it was sealed. */
  onAlert(alert: Alert): void;
}

export interface Alert {
  level: number;
  description: number;
  sealed: boolean;
}

/**
 * What lies below a handshake: its messages travel in flights, each sent again until the peer's next
 * one comes (RFC 6347 §4.2.4). Invalid records are dropped, and the handshake goes on (§4.1.2.7).
 */
export interface Flights {
  /** Every message till now, as it is signed; `before` leaves out the peer's last one. */
  transcript(before?: "before"): Bytes;
  /** Forgets them, as a server asks that wants its cookie. */
  forget(): void;
  /** Adds a message to the flight that is being made. */
  write(type: number, body: Uint8Array): void;
  /** From now on sealed records can be read. */
  secure(keys: { ours: RecordKeys; theirs: RecordKeys }): void;
  /** Adds the change of cipher to the flight: what is added after it is sealed. */
  changeCipher(): void;
  /** Sends the flight; the last one of a handshake is sent again when the peer asks by its own. */
  launch(isLast?: boolean): void;
  /** The handshake is done: nothing is sent again by the clock, and nothing in the clear is heard. */
  finish(): void;
  receive(datagram: Uint8Array): void;
  alert(level: number, description: number): void;
  close(): void;
}

/** What one record is made of whenever it is sent. */
interface Outgoing {
  type: number;
  epoch: number;
  body: Uint8Array;
}

const HEADER_BYTES = 13 + 8 + 16;

export function createFlights(options: FlightsOptions): Flights {
  const { clock } = options;
  const reassembly = createReassembly();
  const sequences = [0, 0];
  let messages: Bytes[] = [];
  let written = 0;
  let epoch = 0;
  let keys: { ours: RecordKeys; theirs: RecordKeys } | undefined;
  let making: Outgoing[] = [];
  let flight: Outgoing[] = [];
  let isLastFlight = false;
  const taken = newReplayWindow();
  /** Whether the peer changed its cipher, without which nothing sealed counts (RFC 5246 §7.4.9). */
  let hasChanged = false;
  let finished = false;
  let closed = false;
  let cancel = () => {};

  const recordOf = (outgoing: Outgoing): Bytes => {
    const record = { ...outgoing, sequence: sequences[outgoing.epoch]!++ };
    return writeRecord(record.epoch === 0 ? record : sealRecord(keys!.ours, record));
  };
  const transmit = () => {
    let datagram: Bytes[] = [];
    let size = 0;
    for (const outgoing of flight) {
      const length = outgoing.body.length + HEADER_BYTES;
      if (size > 0 && size + length > mediaLimits.handshakeDatagramBytes) {
        options.send(concat(...datagram));
        [datagram, size] = [[], 0];
      }
      datagram.push(recordOf(outgoing));
      size += length;
    }
    options.send(concat(...datagram));
  };
  const repeat = (waitMs: number) => {
    cancel = clock.after(waitMs, () => {
      transmit();
      repeat(Math.min(2 * waitMs, mediaLimits.handshakeRepeatMaxMs));
    });
  };
  const takeHandshake = (body: Uint8Array, sealed: boolean) => {
    const isOld = reassembly.take(body, sealed);
    // The peer has not heard our last flight. Nobody else can seal.
    if (finished) return void (isOld && isLastFlight && sealed && transmit());
    for (;;) {
      const next = closed || finished ? undefined : reassembly.next(options.isDue);
      if (next === undefined) return;
      const { type, body } = next;
      messages.push(messageOf(type, body, received++));
      options.onMessage(next);
    }
  };
  let received = 0;
  /** The body of a sealed record that is the peer's and did not come before (RFC 6347 §4.1.2.6). */
  const open = (record: DtlsRecord): Uint8Array | undefined => {
    if (keys === undefined || !hasChanged || !isFresh(taken, record.sequence)) return undefined;
    const body = openRecord(keys.theirs, record);
    if (body !== undefined) take(taken, record.sequence);
    return body;
  };
  const takeRecord = (record: DtlsRecord) => {
    const sealed = record.epoch === 1;
    if (record.epoch > 1 || finished && !sealed) return;
    const body = sealed ? open(record) : record.body;
    if (body === undefined || body.length > BODY_BYTES) return;
    const [first, second] = body;
    if (record.type === CONTENT.handshake) takeHandshake(body, sealed);
    else if (record.type === CONTENT.alert && body.length === 2) {
      if (first === WARNING || first === FATAL) {
        options.onAlert({ level: first, description: second!, sealed });
      }
    } else if (record.type === CONTENT.changeCipherSpec && body.length === 1 && first === 1) {
      hasChanged = true;
    }
  };

  return {
    transcript: (before) => concat(...(before ? messages.slice(0, -1) : messages)),
    forget: () => void (messages = []),
    write(type, body) {
      const message = messageOf(type, body, written++);
      messages.push(message);
      making.push({ type: CONTENT.handshake, epoch, body: message });
    },
    secure: (made) => void (keys = made),
    changeCipher() {
      making.push({ type: CONTENT.changeCipherSpec, epoch, body: Uint8Array.of(1) });
      epoch = 1;
    },
    launch(isLast = false) {
      cancel();
      [flight, making, isLastFlight] = [making, [], isLast];
      transmit();
      if (!isLast) repeat(mediaLimits.handshakeRepeatMs);
    },
    finish() {
      finished = true;
      cancel();
    },
    receive(datagram) {
      for (const record of readRecords(datagram)) {
        if (closed) return;
        takeRecord(record);
      }
    },
    alert(level, description) {
      const body = Uint8Array.of(level, description);
      options.send(recordOf({ type: CONTENT.alert, epoch, body }));
    },
    close() {
      closed = true;
      cancel();
    },
  };
}

/** A message in one piece, as it is sent and as it stands in the transcript (RFC 6347 §4.2.6). */
const messageOf = (type: number, body: Uint8Array, sequence: number): Bytes =>
  concat(
    number(1, type),
    number(3, body.length),
    number(2, sequence),
    number(3, 0),
    vector(3, body),
  );

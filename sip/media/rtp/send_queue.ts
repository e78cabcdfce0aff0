import { type Libc, MSG_DONTWAIT, NAME_BYTES } from "./libc.ts";
import { mediaLimits } from "../base/limits.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/** A queued packet: its buffer, length, socket and destination. */
interface Waiting {
  readonly bytes: Uint8Array<ArrayBuffer>;
  length: bigint;
  fd: number;
  to: Uint8Array<ArrayBuffer> | null;
}

const { datagramBytes, queuedPackets } = mediaLimits;
const queue = Array.from({ length: queuedPackets }, (): Waiting => ({
  bytes: new Uint8Array(datagramBytes),
  length: 0n,
  fd: -1,
  to: null,
}));
/** Lengths as the library takes them, which are not made for each packet. */
const sizes = Array.from({ length: datagramBytes + 1 }, (_, bytes) => BigInt(bytes));
/** Packets in the queue; it is shared by all sockets of the process. */
let waiting = 0;
/** Of any library that is open, since all are the same. */
let sendto: Libc["symbols"]["sendto"];

/**
 * Queues a packet for a socket and an address; the bytes are copied. All packets of the current task
 * of the event loop are sent by system calls in a row when it ends, which keeps code and data of the
 * system in the processor's caches. A packet that is too long, or that the system does not take at
 * once, is lost.
 */
export function send(
  symbols: Libc["symbols"],
  fd: number,
  bytes: Uint8Array,
  to: Uint8Array<ArrayBuffer>,
): void {
  if (bytes.length > datagramBytes) return;
  if (waiting === queuedPackets) flush();
  if (waiting === 0) queueMicrotask(flush);
  ({ sendto } = symbols);
  const packet = queue[waiting++]!;
  packet.bytes.set(bytes);
  packet.length = sizes[bytes.length]!;
  packet.fd = fd;
  packet.to = to;
}

/** Sends what waits now, as before a socket of it is closed. */
export function flush(): void {
  for (let i = 0; i < waiting; i++) {
    const { fd, bytes, length, to } = queue[i]!;
    sendto(fd, bytes, length, MSG_DONTWAIT, to, NAME_BYTES);
  }
  waiting = 0;
}

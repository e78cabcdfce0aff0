import { type Libc, MSG_DONTWAIT, NAME_BYTES } from "../../base/libc.ts";
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
let waiting = 0;
/** Of any library that is open, since all are the same. */
let sendto: Libc["symbols"]["sendto"];

/**
 * Sends a packet, whose bytes are lent until it returns, by a socket to an address. It leaves with all
 * others that are sent before the present task of the event loop ends: were the system's part of each
 * packet to follow ours, they would push each other out of the processor's caches. What is longer than
 * a packet may be, and what cannot be sent at once, is lost.
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

import { type Libc, MSG_DONTWAIT, NAME_BYTES, type Place, placeFor } from "./libc.ts";
import { mediaLimits } from "./limits.ts";

/** A packet that waits: its socket, its length, and to whom it goes. */
interface Waiting {
  readonly at: Deno.PointerValue;
  fd: number;
  bytes: bigint;
  to: Place | undefined;
}

const { datagramBytes, queuedPackets } = mediaLimits;
const packets = placeFor(queuedPackets * datagramBytes);
const queue = Array.from({ length: queuedPackets }, (_, i): Waiting => ({
  at: Deno.UnsafePointer.create(Deno.UnsafePointer.value(packets.at) + BigInt(i * datagramBytes)),
  fd: -1,
  bytes: 0n,
  to: undefined,
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
export function send(symbols: Libc["symbols"], fd: number, bytes: Uint8Array, to: Place): void {
  if (bytes.length > datagramBytes) return;
  if (waiting === queuedPackets) flush();
  if (waiting === 0) queueMicrotask(flush);
  ({ sendto } = symbols);
  const packet = queue[waiting]!;
  packets.bytes.set(bytes, waiting++ * datagramBytes);
  packet.fd = fd;
  packet.bytes = sizes[bytes.length]!;
  packet.to = to;
}

/** Sends what waits now, as before a socket of it is closed. */
export function flush(): void {
  for (let i = 0; i < waiting; i++) {
    const { fd, at, bytes, to } = queue[i]!;
    sendto(fd, at, bytes, MSG_DONTWAIT, to!.at, NAME_BYTES);
  }
  waiting = 0;
}

import type { Endpoint } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import {
  AF_INET,
  type Libc,
  MSG_DONTWAIT,
  NAME_BYTES,
  openLibc,
  SO_RCVBUF,
  SO_TYPE,
  SOCK_DGRAM,
  socketName,
  SOL_SOCKET,
} from "../base/libc.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * What a socket of Deno can do at once, by calls of the C library: datagrams that wait already, and
 * those that the system takes without waiting, cost no promise and no turn of the event loop.
 */
export interface DirectUdp {
  /** The next datagram that waits, lent until the next call; undefined when none does. */
  receive(): { data: Uint8Array; from: Endpoint } | undefined;
  /** Whether the system took it. */
  send(data: Uint8Array<ArrayBuffer>, to: Uint8Array<ArrayBuffer>): boolean;
  /** To be called before the socket is closed, whose descriptor may be another's then. */
  close(): void;
}

/**
 * Has the kernel hold more than the hundred datagrams or so that it does unless asked, since a run of
 * the garbage collector is long enough for more to come in. It takes as much of it as it may.
 */
function holdMore({ symbols }: Libc, fd: number): void {
  const bytes = Uint32Array.of(sipLimits.udpBufferBytes);
  symbols.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, bytes, bytes.byteLength);
}

/** Descriptors below this are looked at; the socket is among the first that a process opens. */
const descriptors = 4_096;

/** Undefined where the library is not to be had, or the socket is none of IPv4. */
export function directUdp(socket: Deno.DatagramConn): DirectUdp | undefined {
  const { hostname, port } = socket.addr as Deno.NetAddr;
  const own = socketName(hostname, port);
  const libc = own && openLibc();
  if (libc === undefined || own === undefined) return undefined;
  const fd = descriptorOf(libc, own);
  if (fd === undefined) return void libc.close();
  const { recvfrom, sendto } = libc.symbols;
  holdMore(libc, fd);
  const buffer = new Uint8Array(sipLimits.messageBytes);
  const bufferSize = BigInt(buffer.length);
  const name = new Uint8Array(NAME_BYTES);
  const nameLength = new Uint32Array(1);
  const senders = createSenders(name);
  let open = true;
  return {
    receive() {
      if (!open) return undefined;
      nameLength[0] = NAME_BYTES;
      const length = recvfrom(fd, buffer, bufferSize, MSG_DONTWAIT, name, nameLength);
      return length < 0 ? undefined : { data: buffer.subarray(0, length), from: senders() };
    },
    send: (data, to) =>
      open && sendto(fd, data, BigInt(data.length), MSG_DONTWAIT, to, NAME_BYTES) >= 0,
    close() {
      if (open) libc.close();
      open = false;
    },
  };
}

/** Deno does not tell the descriptor of a socket, but no other datagrams come to the same address. */
function descriptorOf({ symbols }: Libc, own: Uint8Array): number | undefined {
  const name = new Uint8Array(NAME_BYTES);
  const type = new Uint32Array(1);
  const length = new Uint32Array(1);
  for (let fd = 0; fd < descriptors; fd++) {
    length[0] = NAME_BYTES;
    if (symbols.getsockname(fd, name, length) !== 0) continue;
    if (name[0] !== AF_INET || own.some((byte, at) => name[at] !== byte)) continue;
    length[0] = type.byteLength;
    const isKnown = symbols.getsockopt(fd, SOL_SOCKET, SO_TYPE, type, length) === 0;
    if (isKnown && type[0] === SOCK_DGRAM) return fd;
  }
  return undefined;
}

/** Tells whose name was written; those seen lately are not put together again. */
function createSenders(name: Uint8Array<ArrayBuffer>): () => Endpoint {
  const words = new Uint32Array(name.buffer);
  const known = new Map<number, Endpoint>();
  return () => {
    // The port and the address.
    const key = words[1]! * 0x10000 + (words[0]! >>> 16);
    let sender = known.get(key);
    if (sender === undefined) {
      sender = { host: name.subarray(4, 8).join("."), port: (name[2]! << 8) | name[3]! };
      if (known.size === sipLimits.knownSenders) known.clear();
      known.set(key, sender);
    }
    return sender;
  };
}

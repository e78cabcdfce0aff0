import type { Address } from "./latch.ts";
import {
  addressIn,
  AF_INET,
  EPOLL_CLOEXEC,
  EPOLL_CTL_ADD,
  EPOLLIN,
  EVENT,
  type Libc,
  MSG_DONTWAIT,
  NAME_BYTES,
  openLibc,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  socketName,
} from "./libc.ts";
import { mediaLimits } from "./limits.ts";
import { bindDatagrams, type Datagrams, type Udp } from "./rtp_sockets.ts";

/** A socket by its descriptor. Addresses seen last are kept, since they are hardly ever others. */
interface Socket {
  fd: number;
  datagrams: Datagrams;
  from: Address;
  to: Address;
  toName: Uint8Array<ArrayBuffer> | undefined;
  /** The two words of it that tell senders apart. */
  fromWords: [number, number];
}

interface Poller {
  libc: Libc;
  epoll: number;
  sockets: Map<number, Socket>;
  timer: ReturnType<typeof setInterval> | undefined;
  closed: boolean;
}

/** What the library writes into; each is read before the next call. */
const events = new Uint32Array(mediaLimits.polledEvents * EVENT.words);
const eventBytes = new Uint8Array(events.buffer);
const buffer = new Uint8Array(mediaLimits.datagramBytes);
/** Its beginnings, and lengths as the library takes them, neither of which is made for each packet. */
const beginnings: Uint8Array<ArrayBuffer>[] = [];
const sizes = Array.from({ length: buffer.length + 1 }, (_, bytes) => BigInt(bytes));
const name = new Uint8Array(NAME_BYTES);
const nameWords = new Uint32Array(name.buffer);
const nameLength = new Uint32Array(1);

/**
 * Sockets of IPv4 on Linux that are looked at together every 2 ms, by calls of the C library: many of
 * them take less than half the CPU time of `bindDatagrams`, which is told of each packet by itself.
 * Packets come 1 ms later on average. While none is open, nothing runs. Undefined where the library
 * cannot be used. Addresses that are none of IPv4 are bound by `bindDatagrams`.
 */
export function polledUdp(): Udp | undefined {
  const libc = openLibc();
  if (libc === undefined) return undefined;
  const epoll = libc.symbols.epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return void libc.close();
  const poller: Poller = { libc, epoll, sockets: new Map(), timer: undefined, closed: false };
  return {
    async bind(address, port) {
      const bound = bind(poller, address, port);
      // The other way also tells why it cannot be had.
      return bound ?? await bindDatagrams(address, port);
    },
    close() {
      if (poller.closed) return;
      poller.closed = true;
      for (const socket of [...poller.sockets.values()]) release(poller, socket);
      libc.symbols.close(epoll);
      libc.close();
    },
  };
}

function bind(poller: Poller, address: string, port: number): Datagrams | undefined {
  const own = socketName(address, port);
  if (own === undefined || poller.closed) return undefined;
  const { libc: { symbols }, epoll } = poller;
  const fd = symbols.socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return undefined;
  nameLength[0] = NAME_BYTES;
  const event = new Uint32Array(EVENT.words);
  event[0] = EPOLLIN;
  event[EVENT.data] = fd;
  const isBound = symbols.bind(fd, own, NAME_BYTES) === 0 &&
    symbols.getsockname(fd, own, nameLength) === 0 &&
    symbols.epoll_ctl(epoll, EPOLL_CTL_ADD, fd, new Uint8Array(event.buffer)) === 0;
  if (!isBound) {
    symbols.close(fd);
    return undefined;
  }
  const datagrams: Datagrams = {
    port: addressIn(own).port,
    onMessage: () => {},
    send: (bytes, to) => send(poller, socket, bytes, to),
    close: () => Promise.resolve(release(poller, socket)),
  };
  const nobody: Address = { address: "", port: 0 };
  const socket: Socket = {
    fd,
    datagrams,
    from: nobody,
    fromWords: [0, 0],
    to: nobody,
    toName: undefined,
  };
  poller.sockets.set(fd, socket);
  poller.timer ??= setInterval(poll, mediaLimits.pollMs, poller);
  return datagrams;
}

/** A descriptor that was closed may be another socket's by now. */
const isOpen = ({ sockets }: Poller, socket: Socket) => sockets.get(socket.fd) === socket;

function release(poller: Poller, socket: Socket): void {
  if (!isOpen(poller, socket)) return;
  poller.sockets.delete(socket.fd);
  poller.libc.symbols.close(socket.fd);
  if (poller.sockets.size > 0) return;
  clearInterval(poller.timer);
  poller.timer = undefined;
}

/** What cannot be sent at once is lost. */
function send(poller: Poller, socket: Socket, bytes: Uint8Array, to: Address): void {
  if (!isOpen(poller, socket)) return;
  if (to.address !== socket.to.address || to.port !== socket.to.port) {
    socket.to = { address: to.address, port: to.port };
    socket.toName = socketName(to.address, to.port);
  }
  if (socket.toName === undefined) return;
  const { sendto } = poller.libc.symbols;
  // No memory is shared with another thread here.
  const own = bytes as Uint8Array<ArrayBuffer>;
  sendto(
    socket.fd,
    own,
    sizes[own.length] ?? BigInt(own.length),
    MSG_DONTWAIT,
    socket.toName,
    NAME_BYTES,
  );
}

/**
 * Takes a packet of each socket that has one, again and again, so that none waits behind a flood to
 * another; what is beyond the bound waits for the next time.
 */
function poll({ libc: { symbols }, epoll, sockets }: Poller): void {
  for (let round = 0; round < mediaLimits.polledRounds; round++) {
    const ready = symbols.epoll_wait(epoll, eventBytes, mediaLimits.polledEvents, 0);
    if (ready <= 0) return;
    for (let i = 0; i < ready; i++) {
      const socket = sockets.get(events[i * EVENT.words + EVENT.data]!);
      if (socket !== undefined) receive(symbols, socket);
    }
    // Whoever was called may have closed all.
    if (sockets.size === 0) return;
  }
}

function receive({ recvfrom }: Libc["symbols"], socket: Socket): void {
  nameLength[0] = NAME_BYTES;
  const { fd, datagrams } = socket;
  const length = recvfrom(fd, buffer, sizes[buffer.length]!, MSG_DONTWAIT, name, nameLength);
  // One that fills the buffer may have been cut off.
  if (length < 0 || length >= buffer.length) return;
  datagrams.onMessage(beginnings[length] ??= buffer.subarray(0, length), senderOf(socket));
}

function senderOf(socket: Socket): Address {
  const { fromWords } = socket;
  if (nameWords[0] !== fromWords[0] || nameWords[1] !== fromWords[1]) {
    socket.from = addressIn(name);
    socket.fromWords = [nameWords[0]!, nameWords[1]!];
  }
  return socket.from;
}

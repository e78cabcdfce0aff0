/**
 * UDP by calls of the C library (Linux, IPv4). Deno wakes up for each packet and sends each by a promise,
 * which took twice the CPU time of a join. Here all sockets are polled together every 2 ms while a leg is
 * open, and the packets of one turn are sent at its end. Packets pass about 1 ms later; a single call
 * costs 1.3 % of a core.
 *
 * Sockets without traffic for 100 ms are polled every 10 ms: a ringing leg took 4.5 % of a core on a busy
 * machine. The first packet after a silence waits for 5 ms on average. Without the library Deno's sockets
 * serve (`rtp_sockets.ts`).
 */
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
  SO_REUSEADDR,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  socketName,
  SOL_SOCKET,
} from "./libc.ts";
import { mediaLimits } from "../base/limits.ts";
import { bindDatagrams, type Datagrams, type Udp } from "./rtp_sockets.ts";
import { flush, send } from "./send_queue.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

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
  /** By their descriptors. */
  sockets: (Socket | undefined)[];
  opened: number;
  timer: ReturnType<typeof setInterval> | undefined;
  /** Present pace of polls, and polls without a packet since the last packet in or out. */
  everyMs: number;
  emptyPolls: number;
  closed: boolean;
}

/** Buffers that the library writes into; each is read before the next call. */
const events = new Uint32Array(mediaLimits.polledEvents * EVENT.words);
const eventBytes = new Uint8Array(events.buffer);
const buffer = new Uint8Array(mediaLimits.datagramBytes);
const bufferSize = BigInt(buffer.length);
/** Its beginnings, which are not made for each packet. */
const beginnings: Uint8Array<ArrayBuffer>[] = [];
const name = new Uint8Array(NAME_BYTES);
const nameWords = new Uint32Array(name.buffer);
const nameLength = new Uint32Array(1);

/**
 * Sockets of IPv4 on Linux that are looked at together every 2 ms, or 10 while none is used, by calls of the C library: many of
 * them take less than half the CPU time of `bindDatagrams`, which gets an event for each packet.
 * Packets come 1 ms later on average. While none is open, nothing runs. Undefined where the library
 * cannot be used. Addresses that are none of IPv4 are bound by `bindDatagrams`.
 */
export function polledUdp(libc: Libc | undefined = openLibc()): Udp | undefined {
  if (libc === undefined) return undefined;
  const epoll = libc.symbols.epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return void libc.close();
  const poller: Poller = {
    libc,
    epoll,
    sockets: [],
    opened: 0,
    timer: undefined,
    everyMs: mediaLimits.pollMs,
    emptyPolls: 0,
    closed: false,
  };
  return {
    async bind(address, port, options = {}) {
      const bound = bind(poller, address, port, options.takesOver);
      // Deno's socket also gives the reason where the address cannot be bound.
      return bound ?? await bindDatagrams(address, port, options);
    },
    close() {
      if (poller.closed) return;
      poller.closed = true;
      for (const socket of poller.sockets) if (socket !== undefined) release(poller, socket);
      libc.symbols.close(epoll);
      libc.close();
    },
  };
}

function bind(
  poller: Poller,
  address: string,
  port: number,
  takesOver = false,
): Datagrams | undefined {
  const own = socketName(address, port);
  if (own === undefined || poller.closed) return undefined;
  const { libc: { symbols }, epoll } = poller;
  const fd = symbols.socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return undefined;
  nameLength[0] = NAME_BYTES;
  const event = new Uint32Array(EVENT.words);
  event[0] = EPOLLIN;
  event[EVENT.data] = fd;
  const reuse = new Uint8Array(new Int32Array([Number(takesOver)]).buffer);
  symbols.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, reuse, reuse.length);
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
    send: (bytes, to) => sendBy(poller, socket, bytes, to),
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
  poller.sockets[fd] = socket;
  poller.opened++;
  poller.timer ??= setInterval(poll, poller.everyMs, poller);
  return datagrams;
}

/** A descriptor that was closed may be another socket's by now. */
const isOpen = ({ sockets }: Poller, socket: Socket) => sockets[socket.fd] === socket;

function release(poller: Poller, socket: Socket): void {
  if (!isOpen(poller, socket)) return;
  poller.sockets[socket.fd] = undefined;
  poller.opened--;
  flush();
  poller.libc.symbols.close(socket.fd);
  if (poller.opened > 0) return;
  clearInterval(poller.timer);
  poller.timer = undefined;
}

function sendBy(poller: Poller, socket: Socket, bytes: Uint8Array, to: Address): void {
  if (!isOpen(poller, socket)) return;
  if (to.address !== socket.to.address || to.port !== socket.to.port) {
    socket.to = { address: to.address, port: to.port };
    socket.toName = socketName(to.address, to.port);
  }
  setPace(poller, 0); // An answer to our packet may follow.
  if (socket.toName !== undefined) send(poller.libc.symbols, socket.fd, bytes, socket.toName);
}

/** Polls as often as the number of polls that found nothing in a row asks for. */
function setPace(poller: Poller, emptyPolls: number): void {
  poller.emptyPolls = emptyPolls;
  const { pollMs, idlePollMs, idlePolls } = mediaLimits;
  const everyMs = emptyPolls < idlePolls ? pollMs : idlePollMs;
  if (everyMs === poller.everyMs) return;
  poller.everyMs = everyMs;
  if (poller.timer === undefined) return;
  clearInterval(poller.timer);
  poller.timer = setInterval(poll, everyMs, poller);
}

/**
 * Takes a packet of each socket that has one, again and again, so that none waits behind a flood to
 * another; what is beyond the bound waits for the next time.
 */
function poll(poller: Poller): void {
  const { libc: { symbols }, epoll, sockets } = poller;
  for (let round = 0; round < mediaLimits.polledRounds; round++) {
    const ready = symbols.epoll_wait(epoll, eventBytes, mediaLimits.polledEvents, 0);
    if (ready <= 0) return setPace(poller, round === 0 ? poller.emptyPolls + 1 : 0);
    for (let i = 0; i < ready; i++) {
      const socket = sockets[events[i * EVENT.words + EVENT.data]!];
      if (socket !== undefined) receive(symbols, socket);
    }
    // The handler may have closed all.
    if (poller.opened === 0) return;
  }
}

function receive({ recvfrom }: Libc["symbols"], socket: Socket): void {
  nameLength[0] = NAME_BYTES;
  const { fd, datagrams } = socket;
  const length = recvfrom(fd, buffer, bufferSize, MSG_DONTWAIT, name, nameLength);
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

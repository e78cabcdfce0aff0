/**
 * Accepts connections within two bounds: by address, then by process (`places.ts`).
 *
 * The bound of an address is checked first. In the other order an address at its bound could still
 * end silent connections of others. TLS counts from the TCP connection on, not from the end of its
 * handshake: else one address that sends a byte on each connection takes all places. Connections of
 * TRUSTED_PROXIES do not count, since all their clients share one address.
 */
import { steadyNow } from "../../base/steady_clock.ts";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type ListenAddress, listenError } from "../../base/listen_error.ts";
import { netLimits } from "./limits.ts";
import { plainAddress } from "../../base/networks.ts";
import type { Places } from "./places.ts";

export interface AcceptOptions {
  /**
   * Counts a connection for its address; the result undoes that, undefined is an address at its bound.
   * It is called before a place is looked for, so that such an address ends no connection of others.
   */
  takeAddress?: ((host: string) => (() => void) | undefined) | undefined;
  /**
   * Ends a connection whose address is at its bound, by default without a word. It is called only
   * while a place is left for that connection too.
   */
  refuse?: ((socket: Socket) => void) | undefined;
  /**
   * Bounds the connections. When no place is left, the listener ends the oldest connection that has
   * sent no byte, and gives its place to the new one. When every connection has sent something, it
   * closes the new one. So a flood of silent connections shuts no client out.
   */
  places?: Places | undefined;
  /** A peer that sends no more may still receive. */
  allowHalfOpen?: boolean;
  onConnection(socket: Socket): void;
  /** Called once, when connections can be accepted no more. */
  onOver?: ((error: Error) => void) | undefined;
  log?: ((line: string, fields?: Record<string, unknown>) => void) | undefined;
}

export interface Acceptor {
  readonly address: { readonly host: string; readonly port: number };
  /** Accepts no more; connections that are open stay so. */
  close(): Promise<void>;
}

/**
 * Listens for TCP connections, and keeps doing so; rejects when the address cannot be had.
 *
 * Node's listener stops for good, without an event, when a connection comes while the process has no
 * descriptor left (EMFILE, ENFILE). So an idle listener is connected to now and then; one that does
 * not accept is opened again. Connections that are open notice nothing.
 */
export async function acceptConnections(
  address: ListenAddress,
  options: AcceptOptions,
): Promise<Acceptor> {
  const intake = createIntake(options);
  const open = (host: string, port: number) =>
    listenOn(createServer(intake.options, intake.take), host, port);
  let server = await open(address.hostname, address.port).catch((error) => {
    throw listenError(address, error);
  });
  const bound = server.address() as { address: string; port: number };
  let failingSince: number | undefined;
  let isClosed = false;

  const reopen = async () => {
    const since = failingSince ?? steadyNow();
    if (failingSince === undefined) {
      failingSince = since;
      options.log?.("Cannot accept connections; listening again", { name: address.name });
    }
    server.close();
    try {
      server = await open(bound.address, bound.port);
      failingSince = undefined;
      if (isClosed) server.close();
    } catch (error) {
      // Such as no descriptor for the listener itself.
      if (steadyNow() - since <= netLimits.reopenMs) return;
      isClosed = true;
      options.onOver?.(listenError({ ...address, port: bound.port }, error));
    }
  };
  const look = async () => {
    if (!server.listening || await intake.isStuck(bound)) await reopen();
    if (!isClosed) timer = setTimeout(look, netLimits.acceptLookMs);
  };
  let timer = setTimeout(look, netLimits.acceptLookMs);
  return {
    address: { host: bound.address, port: bound.port },
    close() {
      isClosed = true;
      clearTimeout(timer);
      const closed = Promise.withResolvers<void>();
      if (server.listening) server.close(() => closed.resolve());
      else closed.resolve();
      return Promise.race([closed.promise, stopped(server)]);
    },
  };
}

/** Resolves when a server listens no more; `close` alone would wait for its connections. */
async function stopped(server: Server): Promise<void> {
  while (server.listening) await new Promise((wake) => setTimeout(wake, 10));
}

async function listenOn(server: Server, host: string, port: number): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host, port }, resolve);
  await promise;
  server.on("error", () => {}); // Such as a connection that was gone before it was accepted.
  return server;
}

/** Handling of accepted connections, and of our own ones that only check that the listener accepts. */
function createIntake(options: AcceptOptions) {
  const { takeAddress = () => () => {}, refuse = (socket) => socket.destroy() } = options;
  const { places, onConnection, allowHalfOpen = false, log } = options;
  let accepted = 0;
  let acceptedBefore = 0;
  let fullAt = -Infinity;
  /** The port of the connection by which we look, until it is accepted. */
  let looking: Promise<number | undefined> | undefined;

  const takePlace = (socket: Socket) => places === undefined || places.take(socket);
  const enter = (socket: Socket) => {
    const leave = takeAddress(plainAddress(socket.remoteAddress ?? ""));
    if (leave === undefined) return takePlace(socket) ? refuse(socket) : void socket.destroy();
    socket.on("close", leave);
    if (takePlace(socket)) return onConnection(socket);
    noteFull();
    if (places?.endSilent() && takePlace(socket)) onConnection(socket);
    else socket.destroy();
  };
  const noteFull = () => {
    if (steadyNow() - fullAt < netLimits.fullLogMs) return;
    fullAt = steadyNow();
    log?.("No place is left for connections: raise MAX_CONNECTIONS and the descriptor limit");
  };
  const take = (socket: Socket) => {
    accepted++;
    socket.on("error", () => {});
    if (looking === undefined) return enter(socket);
    void looking.then((ownPort) => {
      if (ownPort === socket.remotePort) socket.destroy();
      else if (!socket.destroyed) enter(socket);
    });
  };
  return {
    options: { allowHalfOpen, noDelay: true },
    take,
    /** True when a connection of our own is not accepted; false where we cannot connect. */
    async isStuck({ address, port }: { address: string; port: number }): Promise<boolean> {
      const isBusy = accepted !== acceptedBefore;
      acceptedBefore = accepted;
      if (isBusy) return false;
      const { outcome, socket } = connectTo(reachable(address), port);
      looking = outcome.then((result) => typeof result === "number" ? result : undefined);
      const result = await outcome;
      const until = steadyNow() + netLimits.acceptMs;
      while (accepted === acceptedBefore && result !== "failed" && steadyNow() < until) {
        // A pause, and not a wait for the end: this process may itself have been busy for so long.
        await new Promise((wake) => setTimeout(wake, 20));
      }
      looking = undefined;
      socket.destroy();
      const isMissed = accepted === acceptedBefore;
      acceptedBefore = accepted;
      return isMissed && result !== "failed";
    },
  };
}

/** Connects: the local port, or why there is none; "failed" where this process has no descriptor. */
function connectTo(host: string, port: number) {
  const { promise, resolve } = Promise.withResolvers<number | "refused" | "late" | "failed">();
  const socket = connect({ host, port });
  const timer = setTimeout(() => resolve("late"), netLimits.acceptMs);
  socket.on("connect", () => resolve(socket.localPort ?? "failed"));
  socket.on("error", ({ code }: Error & { code?: string }) => {
    resolve(code === "ECONNREFUSED" ? "refused" : "failed");
  });
  return { socket, outcome: promise.finally(() => clearTimeout(timer)) };
}

/** Address at which this machine reaches a listener on every address. */
const reachable = (address: string): string =>
  address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;

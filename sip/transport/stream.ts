import type { Socket } from "node:net";
import {
  createFlow,
  type Flow,
  type FlowEvents,
  type LocalName,
  type Protocol,
} from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";
import { createDeadline } from "../base/deadline.ts";
import { createFramer } from "./framing.ts";
import { plainAddress } from "../../core/base/networks.ts";

export interface StreamOptions {
  protocol: Protocol;
  local: LocalName;
  clock: Clock;
  events: FlowEvents;
  /** Takes a response whose connection is gone (RFC 3261 §18.2.2). */
  respondElsewhere(flow: Flow, response: string): Promise<void>;
  /** True when we connected: a silent peer then keeps its connection. */
  outgoing?: boolean;
  /** True when the peer is authenticated by its address, such as a trunk's; by default by a login alone. */
  isKnown?: ((flow: Flow) => boolean) | undefined;
}

/** A flow over a connected TCP or TLS socket; it closes a peer that is idle, slow or unreadable. */
export function openStream(socket: Socket, options: StreamOptions): Flow {
  const { protocol, local, events, clock, respondElsewhere } = options;
  const flow = createFlow({
    protocol,
    local,
    remote: { host: plainAddress(socket.remoteAddress ?? ""), port: socket.remotePort ?? 0 },
    get closed() {
      return socket.destroyed || socket.writableEnded;
    },
    send: (message) =>
      flow.closed && message.startsWith("SIP/2.0 ")
        ? respondElsewhere(flow, message)
        : writeTo(socket, message),
    close: () => socket.end(),
  }, events);
  const stopWatching = watchSilence(socket, flow, options);
  const slow = createDeadline(clock, sipLimits.messageCompleteMs, () => socket.destroy());
  const framer = createFramer();
  socket.setNoDelay(true);
  socket.setKeepAlive(true, sipLimits.socketIdleS * 1000);
  // The close that follows says it all.
  socket.on("error", () => {});
  socket.on("data", (chunk: Uint8Array) => {
    try {
      let isPinged = false;
      for (const frame of framer.push(chunk)) {
        slow.stop();
        if (frame === "ping") isPinged = true;
        else events.onMessage(flow, frame.message);
      }
      // One pong for all (RFC 5626 §3.5.1), though 16,000 pings may come at once.
      if (isPinged) void writeTo(socket, "\r\n").catch(() => {});
    } catch {
      socket.destroy();
    }
    if (framer.partial && !socket.destroyed) slow.start();
    else slow.stop();
  });
  // Nothing can be sent after the peer has ended the stream.
  socket.on("end", () => socket.end());
  socket.on("close", () => {
    stopWatching();
    slow.stop();
    events.onClose(flow);
  });
  return flow;
}

/** Resolves when the system has taken the message. */
function writeTo(socket: Socket, message: string): Promise<void> {
  const problem = whyUnwritable(socket);
  if (problem !== undefined) return Promise.reject(problem);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.write(message, (error) => error ? reject(error) : resolve());
  return promise;
}

/** Why nothing can be sent on a stream, if so; a peer that does not read is cut off. */
export function whyUnwritable(socket: Socket): Error | undefined {
  if (socket.destroyed || socket.writableEnded) {
    return new Error("Cannot send: the connection is closed");
  }
  if (socket.writableLength <= sipLimits.unsentBytes) return undefined;
  socket.destroy();
  return new Error("Cannot send: the peer does not read");
}

/**
 * Ends a stream that nothing came by for long; the result stops the watch. A stream with a live call
 * stays: a call may have nothing to say by SIP for hours (RFC 3261 §12.2 asks for no connection, but a
 * peer behind a firewall has no other). TCP itself finds out that such a peer is gone.
 */
function watchSilence(socket: Socket, flow: Flow, options: StreamOptions): () => void {
  const { clock, outgoing, isKnown = () => false } = options;
  const { unauthenticatedIdleMs: strangerIdleMs, streamIdleMs } = sipLimits;
  let heardAt = clock.now();
  let stop = () => {};
  const look = () => {
    const hasProof = outgoing || flow.logins.size > 0 || flow.proven.size > 0 || isKnown(flow);
    const leftMs = heardAt + (hasProof ? streamIdleMs : strangerIdleMs) - clock.now();
    if (leftMs <= 0 && flow.dialogs === 0) return void socket.destroy();
    // A flow that is authenticated now may not be then, and the other way round.
    stop = clock.after(leftMs <= 0 ? strangerIdleMs : Math.min(leftMs, strangerIdleMs), look);
  };
  look();
  socket.on("data", () => heardAt = clock.now());
  return () => stop();
}

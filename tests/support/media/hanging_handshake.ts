import { EventEmitter } from "node:events";
import { serveSockets } from "../../../sip/media/server_socket/serve_sockets.ts";
import { packMessage, readMessage } from "../../../sip/media/streams/messages.ts";

/** A Worker of streams that hangs for 4 s in the response to each handshake. */
const { emit } = EventEmitter.prototype;
EventEmitter.prototype.emit = function (name: string | symbol, ...args: unknown[]) {
  if (name === "upgrade") {
    for (const until = performance.now() + 4_000; performance.now() < until;);
  }
  return emit.call(this, name, ...args);
};
serveSockets(readMessage, packMessage);

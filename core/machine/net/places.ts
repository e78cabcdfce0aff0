/**
 * Places for connections (`MAX_CONNECTIONS`). A client that opened all of them from several
 * addresses and sent nothing kept customers, phones and the service's own companion out for 15 s.
 *
 * At the limit the oldest connection that has sent no byte is closed, as nginx does; if each has
 * sent something, the new one is refused. Refused: closing each new connection. Listeners for SIP
 * share their places; control, metrics and the speech process have 64 each. Clients that send a
 * byte on each connection are bounded by address and by time. A connection that a program opened in
 * reserve may be closed at the limit.
 */
import type { Socket } from "node:net";
import { netLimits } from "./limits.ts";
import { networkOf } from "../../base/networks.ts";

/** Places for connections; listeners may share them. */
export interface Places {
  /** Takes a place for a connection until that is closed; false where none is left. */
  take(connection: Socket): boolean;
  /**
   * Ends the oldest connection that has sent no byte, whose place is free at once; false where each
   * one has sent something. By TLS, the first byte is that of the handshake.
   */
  endSilent(): boolean;
}

/** So many places. */
export function createPlaces(most: number): Places {
  const taken = new Set<Socket>();
  /** Those that had sent nothing when they were last looked at, the oldest first. */
  const silent = new Set<Socket>();
  const leave = (connection: Socket) => {
    taken.delete(connection);
    silent.delete(connection);
  };
  return {
    take(connection) {
      if (taken.size >= most) return false;
      taken.add(connection);
      silent.add(connection);
      connection.on("close", () => leave(connection));
      return true;
    },
    endSilent() {
      for (const connection of silent) {
        silent.delete(connection);
        if (connection.bytesRead > 0) continue;
        leave(connection);
        connection.destroy();
        return true;
      }
      return false;
    },
  };
}

/** So many places for each address, or /64 network of IPv6; 0 is no bound. */
export function createAddressPlaces(most: number): (host: string) => (() => void) | undefined {
  const taken = new Map<string, number>();
  return (host) => {
    const network = networkOf(host);
    const count = taken.get(network) ?? 0;
    if (most > 0 && count >= most) return undefined;
    taken.set(network, count + 1);
    return once(() => {
      const left = (taken.get(network) ?? 0) - 1;
      if (left > 0) taken.set(network, left);
      else taken.delete(network);
    });
  };
}

/** Connections that one address may have, so that it never takes all places; 0 is no bound. */
export const boundOfAddress = (wanted: number, places: number): number =>
  wanted === 0 ? 0 : Math.min(wanted, Math.ceil(places * netLimits.addressPart));

function once(callback: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    callback();
  };
}

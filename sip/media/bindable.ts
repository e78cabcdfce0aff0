import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";

/**
 * Rejects unless a UDP socket can be bound to an address just now. The native transport ends the
 * whole process when it cannot bind, so every leg asks here first: a wrong address or a process out
 * of file descriptors costs one call and not all of them.
 */
export async function assertBindable(address: string): Promise<void> {
  const version = isIP(address);
  if (version === 0) throw unbindable(address, "it is not an IP address");
  const socket = createSocket(version === 4 ? "udp4" : "udp6");
  try {
    const listening = once(socket, "listening");
    socket.bind(0, address);
    await listening;
  } catch (cause) {
    throw unbindable(address, cause instanceof Error ? cause.message : String(cause));
  } finally {
    await new Promise<void>((resolve) => socket.close(resolve));
  }
}

const unbindable = (address: string, why: string) =>
  new Error(`Cannot bind media sockets to "${address}": ${why}`);

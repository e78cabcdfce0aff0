import { randomPort } from "../process/system.ts";

/** A free UDP port of the loopback. */
export function freeUdpPort(): number {
  for (;;) {
    const port = randomPort();
    try {
      Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

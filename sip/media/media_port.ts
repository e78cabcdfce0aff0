import { Audio, PeerConnection } from "node-datachannel";
import { listening } from "../../core/listen_error.ts";
import { mediaLimits } from "./limits.ts";

/** How all connections of the native side share one UDP port, told apart by ICE (RFC 8445). */
export const sharing = (port: number) => ({
  enableIceUdpMux: true,
  portRangeBegin: port,
  portRangeEnd: port,
});

/**
 * Takes a UDP port for connections to share, and keeps it when there are none; throws when it is not
 * to be had. The result frees it, when the connections are closed.
 */
export function openMediaPort(bindAddress: string, port: number): () => Promise<void> {
  // The native side would end the process. Its own listener (IceUdpMuxListener), which throws, is no
  // help: it cannot be stopped, and a stranger's STUN reaches it when it is no more.
  listening(
    { hostname: bindAddress, port, name: "MEDIA_PORT" },
    () => assertFree(bindAddress, port),
  );
  const release = keep(bindAddress, port);
  return async () => {
    await release();
    await freed(bindAddress, port);
  };
}

const assertFree = (hostname: string, port: number) =>
  Deno.listenDatagram({ transport: "udp", hostname, port }).close();

/** Resolves when the native side has let go of a port, which is a moment after it says so. */
async function freed(bindAddress: string, port: number): Promise<void> {
  for (let tries = 0; tries < mediaLimits.portFreedTries; tries++) {
    try {
      return assertFree(bindAddress, port);
    } catch {
      await new Promise((wake) => setTimeout(wake, mediaLimits.portFreedPauseMs));
    }
  }
}

/** A connection to nobody, which holds the port until it is closed. */
function keep(bindAddress: string, port: number): () => Promise<void> {
  const keeper = new PeerConnection("switchboard", {
    iceServers: [],
    bindAddress,
    disableAutoNegotiation: true,
    forceMediaTransport: true,
    ...sharing(port),
  });
  const closed = Promise.withResolvers<void>();
  keeper.onStateChange((state) => {
    if (state === "closed") closed.resolve();
  });
  const track = keeper.addTrack(new Audio("0", "Inactive"));
  // Without this callback the native track keeps the process alive after its end.
  track.onClosed(() => {});
  keeper.setLocalDescription("offer", {});
  return () => {
    track.close();
    keeper.close();
    return closed.promise;
  };
}

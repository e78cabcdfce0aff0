import { isIPv6 } from "node:net";
import type { MediaEngineOptions } from "../engine/engine.ts";
import { webrtcTransport } from "../webrtc/peer.ts";
import { type RtpOptions, rtpTransport } from "./plain_rtp.ts";
import { polledUdp } from "../rtp/polled_udp.ts";
import { type PublicAddress, publicAddress } from "./public_address.ts";
import type { Udp } from "../rtp/rtp_sockets.ts";
import { systemClock } from "../base/ticker.ts";
import type { Transport } from "../sdp/transport.ts";
import { type WebrtcPlace, webrtcSockets } from "../webrtc/sockets.ts";

/** Its host may be a name. */
type RtpPlace = Omit<RtpOptions, "now" | "udp">;

/** Addresses and ports of the transports, as they are sent to a Worker. */
export interface MediaPlaces {
  /** Plain RTP. */
  rtp: RtpPlace;
  /** WebRTC in this process. */
  webrtc?: WebrtcPlace;
}

/** The transports of an engine; rejects when a port or an address of theirs is not to be had. */
export async function openTransports(
  { rtp, webrtc }: MediaPlaces,
  log: MediaEngineOptions["log"],
): Promise<Transport[]> {
  const { now } = systemClock;
  // One for all: two would be looked at in turn, and calls of two libraries are compiled as slow ones.
  const udp = polledUdp();
  // Sockets of plain RTP reach peers of their own family alone.
  const family = isIPv6(rtp.bindAddress) ? 6 : 4;
  const host = await publicAddress({ host: rtp.host, family, log });
  const options = { ...rtp, now, ...udp && { udp } };
  const transports = [closing(rtpTransport(withGetter(options, "host", () => host.address)), host)];
  if (webrtc !== undefined) transports.push(await webrtcAt(webrtc, udp, log));
  return transports;
}

async function webrtcAt(
  place: WebrtcPlace,
  udp: Udp | undefined,
  log: MediaEngineOptions["log"],
): Promise<Transport> {
  const sockets = await webrtcSockets(place, udp);
  if (place.publicHost === undefined) return webrtcTransport(sockets);
  const family = isIPv6(place.bindAddress) ? 0 : 4;
  const host = await publicAddress({ host: place.publicHost, family, log });
  return closing(webrtcTransport(withGetter(sockets, "publicAddress", () => host.address)), host);
}

/** A copy of an object with a property that is read anew each time. */
const withGetter = <T extends object, K extends keyof T>(of: T, key: K, get: () => T[K]): T =>
  Object.defineProperty({ ...of }, key, { get, enumerable: true });

/** A transport that lets go of its address as well when it is closed. */
const closing = (transport: Transport, address: PublicAddress): Transport => ({
  ...transport,
  async close() {
    address.close();
    await transport.close?.();
  },
});

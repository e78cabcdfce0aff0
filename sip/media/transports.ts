import type { MediaEngineOptions } from "./engine.ts";
import type { NgAddress } from "./ng.ts";
import { webrtcTransport } from "./webrtc/peer.ts";
import { type RtpOptions, rtpTransport } from "./plain_rtp.ts";
import { polledUdp } from "./polled_udp.ts";
import { rtpengineTransport } from "./rtpengine.ts";
import { systemClock } from "./ticker.ts";
import type { Transport } from "./transport.ts";
import { type WebrtcPlace, webrtcSockets } from "./webrtc/sockets.ts";

type RtpPlace = Omit<RtpOptions, "now" | "udp">;

/** How media travel, in words that go to a Worker. */
export interface MediaPlaces {
  /** Plain RTP. */
  rtp: RtpPlace;
  /** WebRTC in this process. */
  webrtc?: WebrtcPlace;
  /** WebRTC by rtpengines, and where they send plain RTP, in place of that. */
  rtpengine?: { servers: NgAddress[]; plain: RtpPlace };
}

/** The transports of an engine; rejects when a port of theirs is not to be had. */
export async function openTransports(
  { rtp, webrtc, rtpengine }: MediaPlaces,
  log: MediaEngineOptions["log"],
): Promise<Transport[]> {
  const { now } = systemClock;
  // One for all: two would be looked at in turn, and calls of two libraries are compiled as slow ones.
  const udp = polledUdp();
  const plainRtp = (place: RtpPlace) => rtpTransport({ ...place, now, ...udp && { udp } });
  const transports = [plainRtp(rtp)];
  if (rtpengine !== undefined) {
    const plain = plainRtp(rtpengine.plain);
    transports.push(rtpengineTransport({ servers: rtpengine.servers, plain, log }));
  } else if (webrtc !== undefined) {
    transports.push(webrtcTransport(await webrtcSockets(webrtc, udp)));
  }
  return transports;
}

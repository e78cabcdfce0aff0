import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { webrtcTransport } from "../../../sip/media/webrtc/peer.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import type { MediaEngine } from "../../../sip/media/base/port.ts";
import { type Clock, systemClock } from "../../../sip/media/base/ticker.ts";
import type { Transport } from "../../../sip/media/sdp/transport.ts";
import { ownSockets, webrtcSockets } from "../../../sip/media/webrtc/sockets.ts";
import { freeUdpPort } from "./free_udp_port.ts";
import { steeredByMessages } from "./steered_engine.ts";

/** An engine with WebRTC, and plain RTP beside it. */
export interface WebrtcEngine {
  engine: MediaEngine;
  /** Engine whose legs may be its peers: itself, unless one UDP port prevents that. */
  other: MediaEngine;
  /** Ends its legs, and what it was started with. */
  close(): Promise<void>;
}

/** One of the ways in which WebRTC is done. */
export interface WebrtcKind {
  name: string;
  open(options?: { clock?: Clock }): Promise<WebrtcEngine>;
}

const host = "127.0.0.1";
const ports = { first: 0, last: 0 };
const { now } = systemClock;

const engineOf = (webrtc: Transport, clock: Clock = systemClock): MediaEngine => {
  const rtp = rtpTransport({ bindAddress: host, host, ports, now });
  return mediaEngine({ transports: [webrtc, rtp], log: () => {}, clock });
};

/** WebRTC in this process. */
export const embedded: WebrtcKind = {
  name: "this process",
  open({ clock } = {}) {
    const engine = engineOf(webrtcTransport(ownSockets(host)), clock);
    return Promise.resolve({ engine, other: engine, close: () => engine.close() });
  },
};

/** WebRTC in this process, all of it by one UDP port. */
export const onOnePort: WebrtcKind = {
  name: "one port",
  async open(options = {}) {
    const webrtc = webrtcTransport(
      await webrtcSockets({ bindAddress: host, port: freeUdpPort() }),
    );
    const engine = engineOf(webrtc, options.clock);
    const { engine: other } = await embedded.open(options);
    const close = async () => void await Promise.all([engine.close(), other.close()]);
    return { engine, other, close };
  },
};

/** WebRTC in this process, steered by messages, as that of the companion is in its Worker. */
export const steered: WebrtcKind = {
  name: "this process, by messages",
  open({ clock } = {}) {
    const { engine, close } = steeredByMessages(
      engineOf(webrtcTransport(ownSockets(host)), clock),
    );
    return Promise.resolve({ engine, other: engine, close });
  },
};

/** All of them, of which one contract is true. */
export const webrtcKinds: WebrtcKind[] = [embedded, onOnePort, steered];

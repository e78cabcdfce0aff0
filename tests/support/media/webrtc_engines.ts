import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import type { NgAddress } from "../../../sip/media/transports/ng.ts";
import { webrtcTransport } from "../../../sip/media/webrtc/peer.ts";
import { rtpTransport } from "../../../sip/media/transports/plain_rtp.ts";
import type { MediaEngine } from "../../../sip/media/base/port.ts";
import { rtpengineTransport } from "../../../sip/media/transports/rtpengine.ts";
import { type Clock, systemClock } from "../../../sip/media/base/ticker.ts";
import type { Transport } from "../../../sip/media/sdp/transport.ts";
import { ownSockets, webrtcSockets } from "../../../sip/media/webrtc/sockets.ts";
import { freeUdpPort, rtpengineSkipped, startRtpengine } from "./rtpengine.ts";
import { steeredByMessages } from "./steered_engine.ts";

/** An engine with WebRTC, and plain RTP beside it. */
export interface WebrtcEngine {
  engine: MediaEngine;
  /** Whose legs may be peers of its own: itself, where one UDP port does not stand between. */
  other: MediaEngine;
  /** Ends its legs, and what it was started with. */
  close(): Promise<void>;
}

/** One of the ways in which WebRTC is done. */
export interface WebrtcKind {
  name: string;
  /** Why its tests are skipped; empty where they are not. */
  skipped: string;
  open(options?: { clock?: Clock }): Promise<WebrtcEngine>;
}

const host = "127.0.0.1";
const ports = { first: 0, last: 0 };
const { now } = systemClock;

const engineOf = (webrtc: Transport, clock: Clock = systemClock): MediaEngine => {
  const rtp = rtpTransport({ bindAddress: host, host, ports, now });
  return mediaEngine({ transports: [webrtc, rtp], log: () => {}, clock });
};

/** WebRTC by rtpengines; a connection that does not come is given up after 15 s. */
export function relayedBy(
  servers: NgAddress[],
  { clock = systemClock, connectMs = 15_000 }: { clock?: Clock; connectMs?: number } = {},
): Transport {
  const plain = rtpTransport({ bindAddress: host, host, ports, mux: true, now });
  return rtpengineTransport({ servers, plain, log: () => {}, clock, connectMs });
}

/** WebRTC in this process. */
export const embedded: WebrtcKind = {
  name: "this process",
  skipped: "",
  open({ clock } = {}) {
    const engine = engineOf(webrtcTransport(ownSockets(host)), clock);
    return Promise.resolve({ engine, other: engine, close: () => engine.close() });
  },
};

/** WebRTC in this process, all of it by one UDP port. */
export const onOnePort: WebrtcKind = {
  name: "one port",
  skipped: "",
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

/** WebRTC by rtpengine. Without one its tests are skipped, but fail where `CI` is set. */
export const relayed: WebrtcKind = {
  name: "rtpengine",
  skipped: rtpengineSkipped,
  async open({ clock } = {}) {
    const server = await startRtpengine();
    const engine = engineOf(relayedBy([server.address]), clock);
    const close = async () => {
      await engine.close();
      await server.kill();
    };
    return { engine, other: engine, close };
  },
};

/** WebRTC in this process, steered by messages, as that of the companion is in its Worker. */
export const steered: WebrtcKind = {
  name: "this process, by messages",
  skipped: "",
  open({ clock } = {}) {
    const { engine, close } = steeredByMessages(
      engineOf(webrtcTransport(ownSockets(host)), clock),
    );
    return Promise.resolve({ engine, other: engine, close });
  },
};

/** All of them, of which one contract is true. */
export const webrtcKinds: WebrtcKind[] = [embedded, onOnePort, steered, relayed];

import type { Flow } from "./flow.ts";
import type { MediaKind } from "./media/port.ts";

/** How media travel to whoever is at a flow: to browsers by WebRTC, to all others as plain RTP. */
export const mediaKindOver = ({ transport: { protocol } }: Flow): MediaKind =>
  protocol === "WS" || protocol === "WSS" ? "webrtc" : "rtp";

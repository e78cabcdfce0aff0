import type { Flow } from "../flow.ts";
import { type Binding, targetOf } from "../registrar/location.ts";
import type { MediaKind } from "../media/port.ts";

/** How media travel to whoever is at a flow: to browsers by WebRTC, to all others as plain RTP. */
export const mediaKindOver = ({ transport: { protocol } }: Flow): MediaKind =>
  protocol === "WS" || protocol === "WSS" ? "webrtc" : "rtp";

/** What a device takes: whoever comes by WebSocket, also to a proxy of its own, is a browser. */
export function mediaKindOf(binding: Binding): MediaKind {
  // As every browser says it: nothing has to be taken apart for that.
  if (/^<[^>";?]+;transport=wss?>/i.test(binding.contact)) return "webrtc";
  const transport = targetOf(binding).getParam("transport");
  if (transport === undefined || transport === null) return mediaKindOver(binding.flow);
  return /^wss?$/i.test(transport) ? "webrtc" : "rtp";
}

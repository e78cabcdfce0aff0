import type { Flow } from "../base/flow.ts";
import { type Binding, targetOf } from "../text/location.ts";
import type { MediaKind } from "../media/mod.ts";

const isWebSocket = ({ transport: { protocol } }: Flow): boolean =>
  protocol === "WS" || protocol === "WSS";

/**
 * The media of a flow: WebRTC for browsers, plain RTP for all others. A peer on WebSocket is a browser
 * until it offers or accepts plain RTP.
 */
export const mediaKindOver = (flow: Flow): MediaKind =>
  flow.mediaKind ?? (isWebSocket(flow) ? "webrtc" : "rtp");

/** Learns from an offer what a phone speaks that comes by WebSocket. */
export function learnMediaKind(flow: Flow, sdp: string): void {
  if (!isWebSocket(flow)) return;
  const [, transport = ""] = /^m=audio \d+ (\S+) /m.exec(sdp) ?? [];
  if (/^RTP\/AVPF?$/.test(transport)) flow.mediaKind = "rtp";
  else if (transport.startsWith("UDP/TLS/") && /^a=ice-ufrag:/m.test(sdp)) {
    flow.mediaKind = "webrtc";
  }
}

/** The kind of media to offer next to a device that refused one; undefined where there is no other. */
export function otherKind({ flow, path }: Binding, refused: MediaKind): MediaKind | undefined {
  if (!isWebSocket(flow) || path.length > 0) return undefined;
  return refused === "webrtc" ? "rtp" : "webrtc";
}

/** The media of a device: one on WebSocket, also behind its own proxy, is a browser. */
export function mediaKindOf(binding: Binding): MediaKind {
  const { flow, path } = binding;
  if (path.length === 0 && flow.mediaKind !== undefined) return flow.mediaKind;
  // As every browser says it: nothing has to be taken apart for that.
  if (/^<[^>";?]+;transport=wss?>/i.test(binding.contact)) return "webrtc";
  const transport = targetOf(binding).getParam("transport");
  if (transport === undefined || transport === null) return mediaKindOver(binding.flow);
  return /^wss?$/i.test(transport) ? "webrtc" : "rtp";
}

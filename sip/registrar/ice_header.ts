import type { Flow } from "../base/flow.ts";
import type { Reply } from "../stack/reply.ts";
import type { IceServersOf } from "../contracts/signalling.ts";

/**
 * Adds a Client's ICE servers to the response that it is registered by, which is the first that only
 * somebody with its password gets: as base64 of the JSON that RTCPeerConnection takes. Phones over
 * other transports than WebSocket have no use for them.
 */
export function withIceServers(
  response: Reply,
  { flow, login }: { flow: Flow; login: string },
  iceServersOf: IceServersOf,
): Reply {
  const isBrowser = ["WS", "WSS"].includes(flow.transport.protocol);
  const servers = isBrowser && response.statusCode === 200 ? iceServersOf(login) : [];
  if (servers.length === 0) return response;
  const header = `X-Ice-Servers: ${btoa(JSON.stringify(servers))}`;
  return { ...response, extraHeaders: [...response.extraHeaders ?? [], header] };
}

import type { Flow } from "../base/flow.ts";
import type { Reply } from "../stack/reply.ts";
import type { IceServersOf } from "../contracts/signalling.ts";

/**
 * Adds a Client's ICE servers to the 200 of its REGISTER, the first response that needs its password:
 * as base64 of the JSON that RTCPeerConnection takes. Only phones over WebSocket get it.
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

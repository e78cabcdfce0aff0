/**
 * `sips:` and TLS. `sips:` demands TLS at every hop: such a request is accepted by TLS and WSS alone, and
 * the legs of its call leave by them, else it gets 480. A contact that is registered as `sip:` counts if
 * it came by TLS. Its dialogs move to no connection without TLS, where every request but BYE gets 403. A
 * MESSAGE gets 416, since a text may go on by other ways.
 */
import type { IncomingRequestMessage } from "../base/sip_js.ts";
import type { Flow, Protocol } from "../base/flow.ts";
import type { Binding, Flows } from "./location.ts";
import type { Refusal } from "../base/refusal.ts";

/** True when a transport is encrypted. */
export const isSecure = (protocol: Protocol): boolean => protocol === "TLS" || protocol === "WSS";

/** True when requests of a dialog may go by a flow. */
export const mayGoBy = (
  dialog: { isSecure: boolean },
  { transport: { protocol } }: Flow,
): boolean => !dialog.isSecure || isSecure(protocol);

/** True when a Request-URI asks for TLS at every hop (RFC 3261 §26.2.2). */
export const isSips = (target: string): boolean => /^sips:/i.test(target);

const notAllowed = { extraHeaders: ['Warning: 380 switchboard "SIPS Not Allowed"'] };

/**
 * A `sips:` request has to have come by TLS already (RFC 5630 §4). A text is passed on by ways that
 * may have none.
 */
export function refuseSips(
  { method, toTag }: IncomingRequestMessage,
  target: string,
  protocol: Protocol,
): Refusal | undefined {
  if (!isSips(target) || toTag || method === "ACK" || method === "CANCEL") return undefined;
  if (method === "MESSAGE") return { statusCode: 416 };
  return isSecure(protocol) ? undefined : { statusCode: 480, ...notAllowed };
}

/**
 * Refuses requests without TLS in a dialog that demands it (RFC 3261 §12.1.1); the call goes on. BYE
 * alone is accepted, since it would come by no other way.
 */
export const refuseInsecure = ({ method }: IncomingRequestMessage): Refusal | undefined =>
  method === "BYE" || method === "ACK" ? undefined : { statusCode: 403, ...notAllowed };

/** True when a SIP URI demands TLS. */
export const isSecureUri = (uri: string): boolean =>
  isSips(uri) || /;transport=(?:tls|wss)\b/i.test(uri);

/** The devices, or those that can be reached securely, by the ways that are. */
export function securedDevices(devices: Flows[], isWanted: boolean): Flows[] {
  if (!isWanted) return devices;
  const isFit = ({ flow }: Binding) => isSecure(flow.transport.protocol);
  return devices.map((flows) => flows.filter(isFit)).filter((flows): flows is Flows =>
    flows.length > 0
  );
}

/**
 * A Contact of ours in what is about a `sips:` URI, which has to be one too (RFC 3261 §12.1.1). There
 * `ws` is secure WebSocket (RFC 7118 §5.2.3), and TLS goes without saying.
 */
export const sipsContact = (line: string): string =>
  line.trim().replace(/^(Contact: <)sip:([^;>]*)(?:;transport=tls)?/, "$1sips:$2")
    .replace(/;transport=wss\b/, ";transport=ws");

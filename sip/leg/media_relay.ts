/**
 * MEDIA_RELAY=auto decides by the caller's SDP and the callee's Contact, since the callee's SDP is not
 * known before it rings. A callee whose answer has another address than it signals from gets a re-INVITE
 * with the companion's media, before the caller is answered. If the callee refuses, the call stays as it
 * was.
 */
import type { Flow } from "../base/flow.ts";
import { parseSdp } from "../media/mod.ts";
import type { Said } from "../contracts/calls.ts";
import type { MediaRelay } from "../contracts/signalling.ts";
import { isSecure } from "../text/secure.ts";
import { type Binding, targetOf } from "../text/location.ts";

/**
 * True when a caller's offer may pass to devices, so that phones send their audio to each other. The
 * device has not answered before it rings, so its Contact decides: behind a NAT it has another
 * address than the one that the device signals from. Over TLS the companion relays the audio, so that
 * each side can use the encryption that it supports.
 */
export function passesDirectly(
  relay: MediaRelay,
  { offer, flow }: { offer: string; flow: Flow },
  devices: readonly Binding[],
): boolean {
  if (relay === "never") return !hasKeys(offer) || devices.every(isSecured);
  if (relay === "always") return false;
  return isPlain(flow) && addressIn(offer) === flow.remote.host &&
    devices.every((device) => isPlain(device.flow) && isWhereItSays(device));
}

/**
 * True when audio may go directly between phones with these descriptions. A device may answer with another
 * address than its Contact has.
 */
export const staysDirect = (relay: MediaRelay, sides: readonly Said[]): boolean =>
  relay === "never" ||
  relay === "auto" &&
    sides.every(({ sdp, flow }) => isPlain(flow) && addressIn(sdp) === flow.remote.host);

/** Keys of SDES, which only TLS keeps secret (RFC 4568 §7.1.1). */
const hasKeys = (sdp: string): boolean => /^a=crypto:/m.test(sdp);

const isSecured = ({ flow, path }: Binding): boolean =>
  path.length === 0 && isSecure(flow.transport.protocol);

const isPlain = ({ transport: { protocol } }: Flow) => protocol === "UDP" || protocol === "TCP";

const isWhereItSays = (device: Binding): boolean =>
  device.path.length === 0 &&
  targetOf(device).host.replace(/^\[|\]$/g, "") === device.flow.remote.host;

/** Media address of an SDP; undefined for an unreadable one, which the media engine would refuse. */
function addressIn(sdp: string): string | undefined {
  try {
    const { audio } = parseSdp(sdp);
    return audio.kind === "rtp" && audio.security === undefined ? audio.address : undefined;
  } catch {
    return undefined;
  }
}

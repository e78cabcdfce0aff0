import { SessionDialog, type URI } from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import type { Dialog } from "../contracts/dialog.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { Trunk } from "../contracts/trunk.ts";
import { isSecure } from "../text/secure.ts";
import { parseNameAddr } from "../text/uri.ts";
import type { Target } from "../transport/resolve.ts";

/**
 * The way to a peer whose connection has closed. A dialog is bound to no connection (RFC 3261 §12): a proxy or
 * carrier may close one that is idle while its calls go on. The next request then goes by a new connection to
 * the first proxy of the route set, or to the peer's Contact (§12.2.1.1, §18.1.1). Any peer may write any
 * Contact. So it may lead only to the host that the peer has sent from, to the addresses of its trunk, and to
 * public addresses, for a Client to few of them. A call over TLS never goes on without.
 *
 * Refused: keep-alives of our own on each connection, which a peer may close all the same. Also refused: a new
 * connection to the address that the call came from, whose port is that of a client. A connection of a trunk
 * stays open without a message for about an hour, and any connection while a call is live on it. A phone whose
 * Contact has `;ob` (RFC 5626) or names this server (GRUU) is not connected to: its dialog waits
 * `reconnectGraceMs` for it to come back. A BYE whose connection closes without a response is sent once more.
 */

/** A peer and the connection to it that closed. */
export interface Gone {
  readonly flow: Flow;
  readonly trunk?: Trunk | undefined;
  /** The next hop: a proxy, or the peer's Contact. */
  readonly next: URI | undefined;
}

/** A new flow to the peer of a dialog; rejects when none can be had. */
export async function reachPeer(signalling: Signalling, dialog: Dialog): Promise<Flow> {
  const { hop, trunk, flow } = dialog;
  // The Path of a registration is the way to the Client behind a proxy (RFC 3327).
  if (hop !== undefined && trunk === undefined) return await hop.reach();
  return await reachNext(signalling, { flow, trunk, next: nextHop(dialog) });
}

/** A new flow to a next hop; for a trunk also to where its calls go. Rejects when none can be had. */
export async function reachNext(signalling: Signalling, gone: Gone): Promise<Flow> {
  const { routes } = signalling;
  const { trunk, flow: { remote } } = gone;
  let failure = new Error(`Cannot reach ${remote.host}: it has no address to connect to`);
  for (const target of await targetsOf(signalling, gone)) {
    try {
      return await routes.open(target);
    } catch (error) {
      failure = error as Error;
    }
  }
  if (trunk === undefined) throw failure;
  return await trunk.reach();
}

async function targetsOf(signalling: Signalling, gone: Gone): Promise<Target[]> {
  const { routes, isPublicAddress } = signalling;
  const { trunk, flow: { remote, transport: { protocol } } } = gone;
  const uri = connectable(signalling, gone);
  if (uri === undefined) return [];
  const isPermitted = ({ address }: Target) =>
    address === remote.host || (trunk?.owns(address) ?? false) || isPublicAddress(address);
  const found = await routes.resolve(uri).catch((): Target[] => []);
  const targets = found.filter(isPermitted)
    .filter((target) => !isSecure(protocol) || isSecure(target.protocol));
  if (trunk === undefined) return targets.slice(0, sipLimits.contactTargets);
  if (targets.length > 0 || uri.port === undefined) return targets;
  // A trunk behind a NAT names an address that is its own alone; the port is likely to be forwarded.
  return [{ protocol, address: remote.host, port: uri.port, name: uri.host }];
}

/**
 * The next hop with the transport of the connection that closed, where it names none. Undefined of a
 * peer that accepts no connections: on a WebSocket (RFC 7118 §5), or with `;ob` (RFC 5626 §4.3).
 */
function connectable({ isOwn }: Signalling, { next, trunk, flow }: Gone): URI | undefined {
  const { protocol } = flow.transport;
  if (next === undefined || protocol !== "TCP" && protocol !== "TLS") return undefined;
  // A GRUU of a Client names this server (RFC 5627).
  if (trunk === undefined && (next.hasParam("ob") || isOwn(next, flow))) return undefined;
  const uri = next.clone();
  if (!uri.hasParam("transport")) uri.setParam("transport", protocol.toLowerCase());
  return uri;
}

/** The first proxy of the route set, else the peer's Contact (§12.2.1.1). */
function nextHop({ session }: Dialog): URI | undefined {
  const [first] = session instanceof SessionDialog ? session.routeSet : [];
  return first === undefined ? session.remoteTarget : parseNameAddr(first)?.uri;
}

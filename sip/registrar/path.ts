import type { Flow, Hop } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { parseNameAddr } from "../text/uri.ts";
import type { Binding, Flows } from "../text/location.ts";

/**
 * Bindings with a Path (RFC 3327). Such a binding stays until it expires, though the connection of its
 * proxy closes. The next call connects to the Path, if that leads to the host that the REGISTER came
 * from, or to a public address: no inner host is reached by a Path that a client wrote. Requests of such a
 * call may come from any port of that host.
 */

/** Proxy through which a Client registered, which has the route to it (RFC 3327 §5.3). */
export function hopOf(signalling: Signalling, binding: Binding): Hop | undefined {
  const { path, flow: { remote } } = binding;
  if (path.length === 0) return undefined;
  return {
    owns: (host) => host === remote.host,
    reach: () => reachProxy(signalling, binding),
  };
}

/**
 * The devices of a Client that can be reached now: where the connection of a proxy has closed, by a
 * new one to where its Path says. Who is there already does not wait long for it.
 */
export async function reopened(signalling: Signalling, login: string): Promise<Flows[]> {
  const { location, log, timers } = signalling;
  const known = location.find(login);
  const lost = known.filter(({ flow }) => flow.closed);
  const reopening = Promise.all(lost.map(async (binding) => {
    try {
      location.move(login, binding, await reachProxy(signalling, binding));
    } catch (error) {
      log("Cannot reach a Client by its Path", { login, error: String(error) });
    }
  }));
  if (lost.length === known.length) await reopening;
  else {
    const late = Promise.withResolvers<void>();
    const stop = timers.after(sipLimits.pathWaitMs, late.resolve);
    await Promise.race([reopening, late.promise]);
    stop();
  }
  return location.devices(login)
    .map((flows) => flows.filter(({ flow }) => !flow.closed))
    .filter((flows): flows is Flows => flows.length > 0);
}

/** True when the connection of one of these devices has closed. */
export const someClosed = (devices: Flows[]): boolean =>
  devices.some((flows) => flows.some(({ flow }) => flow.closed));

/**
 * Any client may write any Path, so it leads to where the REGISTER came from, and else to public addresses
 * alone; they are connected to as they were checked.
 */
async function reachProxy(
  { routes, isPublicAddress }: Signalling,
  { path: [nearest = ""], flow: { remote } }: Binding,
): Promise<Flow> {
  const uri = parseNameAddr(nearest)?.uri;
  if (uri === undefined) throw new Error(`Cannot reach ${nearest}: it is no SIP address`);
  const targets = (await routes.resolve(uri))
    .filter(({ address }) => address === remote.host || isPublicAddress(address));
  let failure = new Error(`Cannot reach ${uri.toRaw()}: its address is not public`);
  for (const target of targets) {
    try {
      return await routes.open(target);
    } catch (error) {
      failure = error as Error;
    }
  }
  throw failure;
}

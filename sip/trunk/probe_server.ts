import type { IncomingResponseMessage, UserAgentClient } from "../base/sip_js.ts";
import { withFlow } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { RouteServer } from "../contracts/trunk_holds.ts";
import { locateProxy, type Proxy } from "./proxy.ts";

/**
 * Probes a server of a trunk by OPTIONS (RFC 3261 §11): any response is a sign of life. `holds` keeps the
 * result. Resolves within the time to connect and `sipLimits.trunkProbeAnswerMs`.
 */
export async function answersOptions(
  signalling: Signalling,
  { route, target, proxy }: RouteServer & {
    target: NonNullable<RouteServer["target"]>;
    proxy: Proxy;
  },
): Promise<boolean> {
  const { core, domain, holds, routes, timers, log } = signalling;
  const server = { route, target };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let client: Pick<UserAgentClient, "dispose"> | undefined;
  const stop = timers.after(sipLimits.trunkProbeAnswerMs, () => {
    client?.dispose();
    resolve(false);
  });
  try {
    const flow = await routes.open(target);
    // The library makes a 408 or 503 of its own where none came.
    const final = guard(log, ({ message }: { message: IncomingResponseMessage }) => {
      resolve(message.hasHeader("via"));
    });
    withFlow(flow, () => {
      const { uri } = proxy;
      const called = uri.clone();
      called.clearParams();
      const caller = called.clone();
      caller.host = domain;
      caller.port = undefined;
      const ids = {
        callId: crypto.randomUUID(),
        cseq: 1,
        fromTag: crypto.randomUUID(),
        routeSet: [],
      };
      const request = core.makeOutgoingRequestMessage("OPTIONS", uri, caller, called, ids);
      const delegate = { onAccept: final, onReject: final, onRedirect: final };
      // The library declares an interface that lacks dispose().
      client = core.request(request, delegate) as unknown as UserAgentClient;
    });
  } catch {
    resolve(false);
  }
  const isAlive = await promise.finally(stop);
  if (isAlive) holds.hear(server);
  else holds.miss(server, true);
  return isAlive;
}

/** Probes a silent server where it is due; the caller does not wait for the result. */
export function probeSilent(signalling: Signalling, { route, target }: RouteServer): void {
  const { holds, log } = signalling;
  if (!holds.takeProbe(target === undefined ? { route } : { route, target })) return;
  const ask = async () => {
    const proxy = await locateProxy(signalling, route);
    if (target !== undefined) await answersOptions(signalling, { route, target, proxy });
    else holds.hear({ route });
  };
  ask().catch((error) => log("Cannot ask a trunk", { proxy: route.proxy, error: String(error) }));
}

import { messageLimits, type OutwardOrder } from "../../core/protocol/messages.ts";
import type { TrunkRoute } from "../../core/protocol/trunks.ts";
import type { IncomingResponseMessage, UserAgentClient } from "../stack/library/sip_js.ts";
import { loginWith } from "../auth/client_authentication.ts";
import { type Flow, withFlow } from "../base/flow.ts";
import { callerUser } from "../leg/fork_invite.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { trunkUri, userUri } from "../text/uri.ts";
import { locateProxy, type Proxy } from "../trunk/proxy.ts";

const noAnswer = 408;

/** What a proxy answered. */
interface Final {
  status: number;
  retryAfterS: number;
}

/**
 * Sends a message by one route after the other (RFC 3428 §4), until one has taken or refused it; its
 * final status. Null when none could be reached or all had a failure of their own. A proxy that stays
 * silent may have it, so no other is asked then.
 */
export async function sendOutward(
  signalling: Signalling,
  order: OutwardOrder,
): Promise<number | null> {
  const { log } = signalling;
  for (const route of order.routes) {
    try {
      const status = await sendBy(signalling, order, route);
      if (status !== undefined && (status < 500 || status > 599)) return status;
    } catch (error) {
      const { sid } = order;
      log("Cannot use a trunk for a message", { sid, proxy: route.proxy, error: String(error) });
    }
  }
  return null;
}

/** By the first server of the proxy that can be reached and is not full; undefined for none. */
async function sendBy(
  signalling: Signalling,
  order: OutwardOrder,
  route: TrunkRoute,
): Promise<number | undefined> {
  const { holds, routes } = signalling;
  const proxy = await locateProxy(signalling, route);
  for (const target of proxy.targets) {
    if (holds.heldMs({ route, target }) > 0) continue;
    const flow = await routes.open(target).catch(() => undefined);
    if (flow === undefined) continue;
    const final = await exchange(signalling, { order, route, proxy, flow });
    if (final.status !== 503) return final.status;
    holds.heed({ route, target }, final);
  }
  return undefined;
}

function exchange(
  signalling: Signalling,
  way: { order: OutwardOrder; route: TrunkRoute; proxy: Proxy; flow: Flow },
): Promise<Final> {
  const { core, timers, log } = signalling;
  const { promise, resolve } = Promise.withResolvers<Final>();
  const silent = { status: noAnswer, retryAfterS: 0 };
  let client: Pick<UserAgentClient, "dispose"> | undefined;
  const stop = timers.after(messageLimits.deviceMs, () => {
    client?.dispose();
    resolve(silent);
  });
  const final = guard(log, ({ message }: { message: IncomingResponseMessage }) => {
    resolve({ status: message.statusCode ?? 500, retryAfterS: retryAfterOf(message) });
  });
  withFlow(way.flow, () => {
    const delegate = { onAccept: final, onReject: final, onRedirect: final };
    // The library declares an interface that lacks dispose().
    client = core.message(requestOf(signalling, way), delegate) as unknown as UserAgentClient;
  });
  return promise.finally(stop);
}

/** The sender is one of our domain, and the recipient one of the proxy's. */
function requestOf(
  { core, domain }: Signalling,
  { order, route, proxy }: { order: OutwardOrder; route: TrunkRoute; proxy: Proxy },
) {
  const { sid, from, to, body } = order;
  const target = trunkUri(to, proxy.uri);
  const called = target.clone();
  called.clearParams();
  called.clearHeaders();
  const request = core.makeOutgoingRequestMessage(
    "MESSAGE",
    target,
    userUri(callerUser(from), domain),
    called,
    // A recipient that gets the message twice can tell by its Call-ID.
    { callId: sid, cseq: 1, fromTag: crypto.randomUUID(), routeSet: [] },
    [],
    { contentDisposition: "render", contentType: "text/plain;charset=UTF-8", content: body },
  );
  if (route.credentials !== undefined) loginWith(request, route.credentials);
  return request;
}

function retryAfterOf(message: IncomingResponseMessage): number {
  const digits = /^\s*(\d{1,9})(?!\d)/.exec(message.getHeader("retry-after") ?? "")?.[1];
  return digits === undefined ? 0 : Number(digits);
}

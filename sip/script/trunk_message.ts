/**
 * A text to a number, by the routes of a trunk, delivered once at most while its companion lives. Refused: twice rather than never, as
 * where the next route gets a text that a silent proxy has taken. So another server gets it only where no
 * connection to the former one could be made, where the request could not be written, or after 5xx but 504. A
 * server that sent nothing, 408 or 504 may have the text. The record of the Message names it, and later
 * attempts of all companions go to it alone, by the same Call-ID. Over UDP nothing is certain once a text was
 * written. A text whose server stays silent fails after a quarter of an hour; the Notification says that it
 * may have been sent.
 *
 * "Once at most" does not hold for a companion that dies, or whose connection to the service breaks, in the
 * middle of a send. The service gets no outcome then, and so knows no server that may have the text. The next
 * attempt has the same Call-ID and tries the routes in their order, but no server alone: where the former one
 * is silent or refuses by 5xx, the next one gets the text as well. Refused: a report of each server before the text
 * is written, which would be a commit more for every text.
 */
import { awakeNow } from "../../core/base/steady_clock.ts";
import {
  messageLimits,
  type OutwardOrder,
  type OutwardOutcome,
} from "../../core/protocol/messages.ts";
import type { TrunkRoute } from "../../core/protocol/trunks.ts";
import type { IncomingResponseMessage, UserAgentClient } from "../base/sip_js.ts";
import { loginWith } from "../auth/client_authentication.ts";
import { type Flow, withFlow } from "../base/flow.ts";
import { callerUser } from "../leg/fork_invite.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { trunkUri, userUri } from "../text/uri.ts";
import { locateProxy, type Proxy } from "../trunk/proxy.ts";
import { answersOptions, probeSilent } from "../trunk/probe_server.ts";
import type { Target } from "../transport/resolve.ts";

const noAnswer = 408;

/** Final response of a proxy. */
interface Final {
  status: number;
  /** True where no response came: the status is ours. */
  isSilent: boolean;
  retryAfterS: number;
}

/** One server that a message may be sent to. */
interface Way {
  route: TrunkRoute;
  proxy: Proxy;
  target: Target;
}

/** The look for a server that takes one message. */
interface Search {
  readonly order: OutwardOrder;
  /** The server that may have it. */
  heldBy: string | undefined;
  /** Servers that are silent, to be tried last. */
  readonly silent: (() => Promise<number | undefined>)[];
  /** False once no further server may get it. */
  hasTime(): boolean;
}

/**
 * Sends a message by one route after the other (RFC 3428 §4), until one has taken or refused it; its
 * final status. Null when none could be reached or all had a failure of their own.
 *
 * Another server gets the message only where surely none has it. It has none where no connection to it
 * could be made, the request could not be written, or it answered 5xx but 504. It may have it where it
 * said nothing, or says that somebody behind it kept silent (408, 504). Then it alone gets the message
 * again, by the same Call-ID, also by other companions and later attempts (`heldBy`). So that this is
 * rare, a server without an entry is probed by OPTIONS first, and those that are silent come last.
 *
 * The search is over before the service stops waiting for its outcome: else the next attempt would run
 * beside it, and pick another server. `now` is the awake clock unless given.
 */
export async function sendOutward(
  signalling: Signalling,
  order: OutwardOrder,
  now: () => number = awakeNow,
): Promise<OutwardOutcome> {
  const until = now() + messageLimits.outwardSearchMs;
  const hasTime = () => now() < until;
  const search: Search = { order, heldBy: order.heldBy, silent: [], hasTime };
  const ways = order.routes.map((route) => () => sendBy(signalling, search, route));
  for (const way of [...ways, () => sendBySilent(search)]) {
    const status = await way();
    if (status !== undefined && isAnswer(status)) return { status };
    if (isOver(search)) return { status: status ?? noAnswer, heldBy: search.heldBy };
  }
  return search.heldBy === undefined
    ? { status: null }
    : { status: noAnswer, heldBy: search.heldBy };
}

/** Statuses that leave open whether the recipient has the message. */
const isOpen = (status: number): boolean => status === noAnswer || status === 504;

/** True when a status decides about the message. */
const isAnswer = (status: number): boolean => !isOpen(status) && (status < 500 || status > 599);

/** True when a server has it now that did not before. */
const isOver = ({ heldBy, order }: Search): boolean => heldBy !== order.heldBy;

async function sendBySilent(search: Search): Promise<number | undefined> {
  for (const way of search.silent) {
    const status = await way();
    if (status !== undefined && isAnswer(status) || isOver(search)) return status;
  }
  return undefined;
}

/** By the first server of the proxy that can be reached and is not full; undefined for none. */
async function sendBy(
  signalling: Signalling,
  search: Search,
  route: TrunkRoute,
): Promise<number | undefined> {
  const { holds, log } = signalling;
  if (holds.isSilent({ route }) && search.heldBy === undefined) {
    probeSilent(signalling, { route });
    search.silent.push(() => {
      holds.hear({ route });
      return sendBy(signalling, search, route);
    });
    return undefined;
  }
  try {
    const proxy = await locateProxy(signalling, route).catch((error) => {
      holds.miss({ route });
      throw error;
    });
    for (const target of proxy.targets) {
      if (!search.hasTime()) return undefined;
      const way = { route, proxy, target };
      if (search.heldBy !== undefined && search.heldBy !== nameOf(way)) continue;
      if (holds.heldMs(way) > 0) continue;
      if (search.heldBy === undefined && await isDoubtful(signalling, search, way)) {
        probeSilent(signalling, way);
        search.silent.push(() => sendTo(signalling, search, way));
        continue;
      }
      const status = await sendTo(signalling, search, way);
      if (status !== undefined || isOver(search)) return status;
    }
  } catch (error) {
    const { sid } = search.order;
    log("Cannot use a trunk for a message", { sid, proxy: route.proxy, error: String(error) });
  }
  return undefined;
}

/** True when another server is to be tried first; a single server is not probed. */
async function isDoubtful(signalling: Signalling, search: Search, way: Way): Promise<boolean> {
  const { holds } = signalling;
  if (holds.isSilent(way)) return !holds.takeTrial(way);
  const hasOthers = search.order.routes.length > 1 || way.proxy.targets.length > 1;
  return hasOthers && holds.isUnknown(way) && !await answersOptions(signalling, way);
}

/** The final status of a server; undefined of one that surely does not have the message. */
async function sendTo(
  signalling: Signalling,
  search: Search,
  way: Way,
): Promise<number | undefined> {
  const { holds, routes } = signalling;
  if (!search.hasTime()) return undefined;
  const flow = await routes.open(way.target).catch(() => undefined);
  if (flow === undefined) return void holds.miss(way);
  const final = await exchange(signalling, { ...way, order: search.order, flow });
  if (final.isSilent) holds.miss(way);
  else holds.hear(way);
  holds.heed(way, final);
  if (isOpen(final.status)) search.heldBy = nameOf(way);
  return final.status === 503 ? undefined : final.status;
}

/** A server of a route, in every companion. */
const nameOf = ({ route: { gatewaySid, proxy }, target: { protocol, address, port } }: Way) =>
  JSON.stringify([gatewaySid, proxy, protocol, address, port]);

function exchange(
  signalling: Signalling,
  way: { order: OutwardOrder; route: TrunkRoute; proxy: Proxy; flow: Flow },
): Promise<Final> {
  const { core, timers, log } = signalling;
  const { promise, resolve } = Promise.withResolvers<Final>();
  const silent = { status: noAnswer, retryAfterS: 0, isSilent: true };
  let client: Pick<UserAgentClient, "dispose"> | undefined;
  const stop = timers.after(messageLimits.deviceMs, () => {
    client?.dispose();
    resolve(silent);
  });
  const final = guard(log, ({ message }: { message: IncomingResponseMessage }) => {
    const isSilent = !message.hasHeader("via"); // The library made the response itself.
    resolve({ status: message.statusCode ?? 500, retryAfterS: retryAfterOf(message), isSilent });
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
    // A recipient recognises a repeated message by its Call-ID.
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

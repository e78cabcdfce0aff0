import type { TrunkRoute, TrunkTarget } from "../../core/protocol/trunks.ts";
import type { Flow } from "../base/flow.ts";
import { createFork } from "./create_fork.ts";
import type { Fork } from "../contracts/fork.ts";
import { byService, type Ending } from "../contracts/outcome.ts";
import { callerUser, forkInvite, secured } from "./fork_invite.ts";
import { MediaShortage } from "../media/base/port.ts";
import { knownSources } from "../dialog/known_sources.ts";
import { sipLimits } from "../base/limits.ts";
import { finish, type OutboundCall, type OutboundState } from "./outbound_state.ts";
import { offerTo, onAnswer, onProgress, onRefused, refuseAnswer } from "./ring.ts";
import { locateProxy, type Proxy, trunkAt } from "../trunk/proxy.ts";
import type { Target } from "../transport/resolve.ts";
import { isSecure } from "../identity/secure.ts";
import { parseSipUri, trunkUri, userUri } from "../text/uri.ts";

/** Why a proxy was of no use. */
interface Failure {
  status: number;
  /** It answered, so its other servers would say the same, but where one says that it is full (503). */
  answered: boolean;
}

const noRoute: Ending = {
  outcome: "failed",
  sipStatus: 404,
  reason: "no-route",
  ...byService("unreachable"),
};

/** One address of a proxy. */
interface Way {
  route: TrunkRoute;
  proxy: Proxy;
  target: Target;
}

/** Sends the INVITE by one route after the other, until one says what the callee said. */
export async function ringTrunk(state: OutboundState, target: TrunkTarget): Promise<void> {
  const { call, callId, over } = state;
  const { routes } = target;
  if (call.isChild || routes.length > 0) call.onInviting(callId);
  if (routes.length === 0) return finish(state, noRoute);
  let status = 503;
  for (const route of routes) {
    const failure = await tryRoute(state, target, route);
    if (failure === undefined || over.signal.aborted) return;
    status = failure;
  }
  const why = byService("unreachable");
  finish(state, { outcome: "failed", sipStatus: status, reason: "no-trunk", ...why });
}

/** The status by which all servers of the proxy failed; undefined once the call has its answer. */
async function tryRoute(
  state: OutboundState,
  called: TrunkTarget,
  route: TrunkRoute,
): Promise<number | undefined> {
  const { signalling } = state;
  const { isSecure: isSecureWanted } = state.call.demands;
  let status = isSecureWanted ? 480 : 503;
  try {
    const proxy = await locateProxy(signalling, route);
    for (const target of proxy.targets) {
      if (isSecureWanted && !isSecure(target.protocol)) continue;
      if (state.over.signal.aborted) return undefined;
      if (signalling.holds.heldMs({ route, target }) > 0) continue;
      const failure = await tryWay(state, called, { route, proxy, target });
      if (failure === undefined) return undefined;
      status = failure.status;
      if (failure.answered) break;
    }
  } catch (error) {
    if (error instanceof MediaShortage) throw error; // No other trunk has more room.
    const { leg } = state.call.invitation;
    signalling.log("Cannot use a trunk", { leg, proxy: route.proxy, error: String(error) });
  }
  return status;
}

async function tryWay(
  state: OutboundState,
  called: TrunkTarget,
  way: Way,
): Promise<Failure | undefined> {
  const { signalling, over } = state;
  let flow: Flow;
  try {
    flow = await signalling.routes.open(way.target);
  } catch {
    return { status: 503, answered: false };
  }
  if (over.signal.aborted) return undefined;
  const trunk = trunkAt(signalling, way.proxy, {
    target: way.target,
    login: way.route.credentials,
    accountSid: way.route.accountSid,
  });
  const ours = await offerTo(state.call, "rtp", { sources: knownSources([flow], trunk) });
  const fork = createFork(signalling, inviteFor(state, called, way), {
    flow,
    uri: secured(requestUri(called, way), state.call.demands),
    routeSet: [],
    trunk,
    ...ours,
  });
  if (over.signal.aborted) return void ours.media?.close();
  return await send(state, fork, way);
}

/** Sends the INVITE, and follows what the proxy says as long as it is of the callee. */
async function send(
  state: OutboundState,
  fork: Fork,
  way: Way,
): Promise<Failure | undefined> {
  const { signalling: { timers, holds }, over } = state;
  const { promise, resolve } = Promise.withResolvers<Failure | undefined>();
  let isGivenUp = false;
  const fail = (failure: Failure) => {
    fork.media?.close();
    resolve(failure);
  };
  const stopWaiting = timers.after(sipLimits.trunkAnswerMs, () => {
    isGivenUp = true;
    fork.cancel();
    fail({ status: 408, answered: false });
  });
  state.forks = [fork];
  state.early = undefined;
  void over.ended.then(() => {
    stopWaiting();
    resolve(undefined);
  });
  fork.send({
    onTrying: stopWaiting,
    onProgress(status, sdp) {
      stopWaiting();
      if (!isGivenUp) onProgress(state, fork, { status, sdp });
    },
    onAnswer(answer) {
      stopWaiting();
      resolve(undefined);
      if (isGivenUp) refuseAnswer(state, fork, answer);
      else onAnswer(state, fork, answer);
    },
    onRefused(refusal) {
      const { status, retryAfterS } = refusal;
      stopWaiting();
      if (isGivenUp) return;
      holds.heed(way, { status, retryAfterS });
      // A 503 is of this server alone (RFC 3263 §4.3).
      const answered = status !== 503 && !fork.flow.closed;
      if (hasFailed(fork, status)) return fail({ status, answered });
      resolve(undefined);
      state.responseHeaders = refusal.headers;
      onRefused(state, fork, refusal);
    },
  });
  return await promise;
}

/** What another proxy may do better; a lost connection shows as 480. */
const hasFailed = ({ flow }: Fork, status: number): boolean =>
  status >= 500 && status < 600 || status === 480 && flow.closed;

/** The caller is one of our domain, and the callee one of the proxy's. */
function inviteFor(state: OutboundState, called: TrunkTarget, way: Way) {
  const { signalling: { domain }, call, callId } = state;
  const headers = [...call.headers, ...assertedCaller(call, called, domain)];
  const invite = forkInvite(domain, { ...call, headers }, callId);
  const to = requestUri(called, way);
  to.clearParams();
  to.clearHeaders();
  return { ...invite, to };
}

/**
 * A trunk gets the caller's identity even where the callee does not (RFC 3325 §9.1), but not the
 * server of a `sip:` address that the caller dialled.
 */
function assertedCaller(
  { demands: { isHidden }, invitation: { from } }: OutboundCall,
  { dialled }: TrunkTarget,
  domain: string,
): string[] {
  const caller = callerUser(from);
  const isTold = isHidden && parseSipUri(dialled) === undefined &&
    !/^(?:anonymous)?$/i.test(caller);
  return isTold ? [`P-Asserted-Identity: <${userUri(caller, domain).toRaw()}>`] : [];
}

/** `sip:DIALLED@PROXY`, or what was dialled where that is an address. */
const requestUri = ({ dialled }: TrunkTarget, { proxy: { uri } }: Way) =>
  parseSipUri(dialled) ?? trunkUri(dialled, uri);

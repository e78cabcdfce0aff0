/**
 * A call by the routes of a trunk. A server that sends nothing within 5 s, not even 100, is left for the next
 * one. So is, at once, a server whose connection closes before it has sent anything (RFC 3263 §4.3). Timer B
 * (32 s, RFC 3261 §17.1.1.2) would be too long for a caller, who waits at most 5 s for each dead server. After
 * a second without an answer the caller hears ringing. A call looks for a trunk for 30 s. `timeout` and
 * `DialRingDuration` begin with the INVITE that a server answers. Gateways whose registration fails come after
 * the operator's proxy.
 */
import type { TrunkRoute, TrunkTarget } from "../../core/protocol/trunks.ts";
import type { Flow } from "../base/flow.ts";
import { createFork } from "./create_fork.ts";
import type { Fork } from "../contracts/fork.ts";
import { byService, type Ending } from "../contracts/outcome.ts";
import { callerUser, forkInvite, secured } from "./fork_invite.ts";
import { MediaShortage } from "../media/mod.ts";
import { knownSources } from "./known_sources.ts";
import { sipLimits } from "../base/limits.ts";
import { steadyNow } from "../../core/base/steady_clock.ts";
import { finish, type OutboundCall, type OutboundState, startTimeout } from "./outbound_state.ts";
import { adoptEarly, offerTo, onAnswer, onProgress, onRefused, refuseAnswer } from "./ring.ts";
import { locateProxy, type Proxy, trunkAt } from "../trunk/proxy.ts";
import { probeSilent } from "../trunk/probe_server.ts";
import type { Target } from "../transport/resolve.ts";
import { isSecure } from "../text/secure.ts";
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

/** The look for a trunk that takes one call. */
interface Search {
  readonly called: TrunkTarget;
  readonly until: number;
  /** Servers that were silent before, to be tried last. */
  readonly silent: (() => Promise<Failure | undefined>)[];
}

/**
 * Sends the INVITE by one route after the other, until one says what the callee said; servers that were
 * silent before come last. The callee's time to answer begins with the INVITE that is answered.
 */
export async function ringTrunk(state: OutboundState, called: TrunkTarget): Promise<void> {
  const { call, callId, over, signalling: { timers } } = state;
  const { routes } = called;
  if (call.isChild || routes.length > 0) call.onInviting(callId);
  if (routes.length === 0) return finish(state, noRoute);
  const search: Search = { called, until: steadyNow() + sipLimits.trunkSearchMs, silent: [] };
  const stopWaiting = timers.after(sipLimits.trunkSilentMs, () => {
    const isAnswered = state.ringing || state.invitedAt !== undefined;
    if (!isAnswered && !over.signal.aborted) call.onSearching?.();
  });
  state.stopTimeout();
  const status = await trySearch(state, search).finally(stopWaiting);
  if (status === undefined || over.signal.aborted) return;
  const why = byService("unreachable");
  finish(state, { outcome: "failed", sipStatus: status, reason: "no-trunk", ...why });
}

/** The status of the last failure; undefined once the call has its answer. */
async function trySearch(state: OutboundState, search: Search): Promise<number | undefined> {
  let status = 503;
  for (const route of search.called.routes) {
    const failure = await tryRoute(state, search, route);
    if (failure === undefined || state.over.signal.aborted) return undefined;
    status = failure;
  }
  for (const tryAgain of search.silent) {
    if (steadyNow() >= search.until) break;
    const failure = await tryAgain();
    if (failure === undefined || state.over.signal.aborted) return undefined;
    status = failure.status;
  }
  return status;
}

/** The status by which all servers of the proxy failed; undefined once the call has its answer. */
async function tryRoute(
  state: OutboundState,
  search: Search,
  route: TrunkRoute,
): Promise<number | undefined> {
  const { signalling, signalling: { holds } } = state;
  const isSecureWanted = state.call.demands.isSecure;
  const failed = isSecureWanted ? 480 : 503;
  if (holds.isSilent({ route })) {
    probeSilent(signalling, { route });
    search.silent.push(async () => {
      holds.hear({ route });
      const status = await tryRoute(state, search, route);
      return status === undefined ? undefined : { status, answered: false };
    });
    return failed;
  }
  let status = failed;
  noteGateway(state, route);
  try {
    const proxy = await locateProxy(signalling, route).catch((error) => {
      holds.miss({ route });
      throw error;
    });
    for (const target of proxy.targets) {
      if (isSecureWanted && !isSecure(target.protocol)) continue;
      if (state.over.signal.aborted) return undefined;
      if (steadyNow() >= search.until || holds.heldMs({ route, target }) > 0) continue;
      const way = { route, proxy, target };
      if (holds.isSilentToCalls(way) && !holds.takeTrial(way)) {
        probeSilent(signalling, way);
        search.silent.push(() => tryWay(state, search.called, way));
        continue;
      }
      const failure = await tryWay(state, search.called, way);
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

/** Notes the Gateway of the route that is tried: the end of the leg names it. */
function noteGateway(
  state: OutboundState,
  { gatewaySid: sid, gatewayName: name }: TrunkRoute,
): void {
  if (sid === null) delete state.gateway;
  else state.gateway = { sid, ...name !== undefined && { name } };
}

async function tryWay(
  state: OutboundState,
  called: TrunkTarget,
  way: Way,
): Promise<Failure | undefined> {
  noteGateway(state, way.route);
  const { signalling, over } = state;
  let flow: Flow;
  try {
    flow = await signalling.routes.open(way.target);
  } catch {
    signalling.holds.miss(way);
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
  const hasOthers = called.routes.length > 1 || way.proxy.targets.length > 1;
  return await send(state, fork, { ...way, hasOthers });
}

/** Sends the INVITE, and follows what the proxy says as long as it is of the callee. */
async function send(
  state: OutboundState,
  fork: Fork,
  { hasOthers, ...way }: Way & { hasOthers: boolean },
): Promise<Failure | undefined> {
  const { signalling: { timers, holds, closeWatchers }, over } = state;
  const { promise, resolve } = Promise.withResolvers<Failure | undefined>();
  let isGivenUp = false;
  const fail = (failure: Failure) => {
    state.stopTimeout();
    state.invitedAt = undefined;
    fork.media?.close();
    resolve(failure);
  };
  const giveUp = (status: number) => {
    stopWatching();
    isGivenUp = true;
    holds.miss(way);
    fork.cancel();
    fail({ status, answered: false });
  };
  const stopTimer = timers.after(sipLimits.trunkAnswerMs, () => giveUp(408));
  // Without a sign of life, a connection that closes is a failure of its server (RFC 3263 §4.3).
  const stopHearing = closeWatchers.add((closed) => {
    if (hasOthers && closed === fork.flow) giveUp(503);
  });
  const stopWatching = () => {
    stopTimer();
    stopHearing();
  };
  const sentAt = steadyNow();
  let isHeard = false;
  /** Takes the first sign of life. */
  const stopWaiting = () => {
    stopWatching();
    if (isHeard) return;
    isHeard = true;
    holds.hear(way);
    if (isGivenUp) return;
    state.invitedAt = sentAt;
    startTimeout(state, sentAt);
  };
  state.forks = [fork];
  state.early = undefined;
  void over.ended.then(() => {
    stopWatching();
    resolve(undefined);
  });
  fork.send({
    onTrying: stopWaiting,
    onEarly: (early) => adoptEarly(state, fork, early),
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
      const { status, retryAfterS, isUnanswered = false } = refusal;
      if (isUnanswered) {
        stopWatching();
        holds.miss(way);
      } else stopWaiting();
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

/** True for a failure after which another proxy may succeed; a lost connection shows as 480. */
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

import { learnedTenant, learnTenant } from "../../core/base/learned_tenants.ts";
import { lookingFor } from "../../core/machine/net/names.ts";
import { steadyNow } from "../../core/base/steady_clock.ts";
import type { Registration } from "../../core/protocol/trunks.ts";
import type { Flow } from "../base/flow.ts";
import { type RegisterAnswer, type Registering, sendRegister } from "./gateway_register.ts";
import type { GatewayReports } from "./gateway_reports.ts";
import { sipLimits } from "../base/limits.ts";
import type { Signalling } from "../contracts/signalling.ts";
import type { Target } from "../transport/resolve.ts";
import { locateProxy, type Proxy, trunkAt } from "./proxy.ts";
import type { Trunk } from "../contracts/trunk.ts";

/** Keeps one Gateway registered, for as long as it is wanted. */
export interface GatewayKeeper {
  readonly registration: Registration;
  /** The user part of the Contact that it is registered by. */
  readonly contactUser: string;
  /** The proxy; undefined while the Gateway is not registered. */
  trunk(): Trunk | undefined;
  /** Reports the present state to the service once more. */
  repeat(): void;
  /** Unregisters; resolves when the service has the report. */
  stop(): Promise<void>;
}

/** Flow and proxy of a registration, and the time of its expiry. */
interface Place {
  flow: Flow;
  proxy: Proxy;
  trunk: Trunk;
  until: number;
}

interface State extends Registering {
  readonly signalling: Signalling;
  readonly reports: GatewayReports;
  readonly stopping: AbortController;
  /** Expires that is requested, in s; more once the registrar demanded it. */
  expiresS: number;
  place: Place | undefined;
}

class RegistrationFailure extends Error {
  override readonly name = "RegistrationFailure";
  /** `isQuiet`: no server got a REGISTER, since all sent Retry-After. */
  constructor(why: string, readonly retryAfterS = 0, readonly isQuiet = false) {
    super(`Cannot register: ${why}`);
  }
}

export function createGatewayKeeper(
  signalling: Signalling,
  registration: Registration,
  reports: GatewayReports,
): GatewayKeeper {
  const state: State = {
    signalling,
    registration,
    reports,
    callId: crypto.randomUUID(),
    fromTag: crypto.randomUUID().slice(0, 8),
    contactUser: `gw${crypto.getRandomValues(new Uint8Array(16)).toHex()}`,
    cseq: 1,
    stopping: new AbortController(),
    expiresS: registration.ttlS,
    place: undefined,
  };
  learnTenant(registration);
  const kept = lookingFor(learnedTenant(registration.accountSid), () => keep(state));
  return {
    registration,
    contactUser: state.contactUser,
    trunk: () => state.place && state.place.until > steadyNow() ? state.place.trunk : undefined,
    repeat: reports.repeat,
    async stop() {
      state.stopping.abort();
      await kept;
      await unregister(state);
      reports.report({ status: "unregistered" });
      await reports.drained();
    },
  };
}

async function keep(state: State): Promise<void> {
  const { signalling: { timers }, reports, stopping: { signal } } = state;
  for (let failures = 0; !signal.aborted;) {
    try {
      const { flow, refreshMs } = await register(state);
      if (signal.aborted) return;
      reports.report({ status: "registered" });
      failures = 0;
      await stay(state, flow, refreshMs);
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = backOffMs(failures++, error);
      if (!outlasts(state, waitMs, error)) {
        reports.report({ status: "failed", reason: (error as Error).message.slice(0, 255) });
      }
      await timers.pause(waitMs, signal);
    }
  }
}

/** True when the registration lasts until the end of the proxy's Retry-After. */
const outlasts = ({ place }: State, waitMs: number, error: unknown): boolean =>
  error instanceof RegistrationFailure && error.isQuiet &&
  place !== undefined && place.until > steadyNow() + waitMs;

/** Twice as long after each failure, and by chance, so that not all come back at once. */
function backOffMs(failures: number, error: unknown): number {
  const { gatewayRetryMinMs, gatewayRetryMaxMs } = sipLimits;
  const longestMs = Math.min(gatewayRetryMinMs * 2 ** failures, gatewayRetryMaxMs);
  const askedS = error instanceof RegistrationFailure ? error.retryAfterS : 0;
  const askedMs = Math.min(askedS * 1000, gatewayRetryMaxMs);
  return Math.max(longestMs * (0.5 + Math.random() / 2), askedMs);
}

/** Registers at the first server of the proxy that answers and is not full; rejects with why not. */
async function register(state: State): Promise<{ flow: Flow; refreshMs: number }> {
  const { signalling, registration, stopping: { signal } } = state;
  const { holds } = signalling;
  const proxy = await locateProxy(signalling, registration);
  const route = routeOf(registration);
  const quietMs = () => Math.min(...proxy.targets.map((target) => holds.heldMs({ route, target })));
  let failure: Error = quietMs() > 0
    ? new RegistrationFailure("the proxy asked to be left alone", quietMs() / 1000, true)
    : new RegistrationFailure("the proxy does not answer");
  for (const target of proxy.targets) {
    if (holds.heldMs({ route, target }) > 0) continue;
    let flow: Flow;
    try {
      flow = await signalling.routes.open(target);
    } catch (error) {
      failure = error as Error;
      holds.miss({ route, target });
      continue;
    }
    const answer = await ask(state, { flow, proxy, signal });
    if (answer === undefined) {
      if (!signal.aborted) holds.miss({ route, target });
      continue;
    }
    holds.hear({ route, target });
    holds.heed({ route, target }, answer);
    if (answer.status !== 503) {
      return { flow, refreshMs: take(state, answer, { flow, proxy, target }) };
    }
    failure = refusedWith(answer, quietMs() / 1000);
  }
  throw failure;
}

/** The target of calls by the Gateway, which shares the servers' Retry-After with it. */
const routeOf = ({ gatewaySid, proxy, publicOnly, userName, password }: Registration) => ({
  gatewaySid,
  proxy,
  publicOnly,
  credentials: { userName, password },
});

const refusedWith = ({ status, phrase }: RegisterAnswer, retryAfterS: number) =>
  new RegistrationFailure(`the proxy answered ${status} ${phrase}`.trim(), retryAfterS);

/** Sends REGISTER, and once more with the interval that a 423 demands (RFC 3261 §10.2.8). */
async function ask(
  state: State,
  way: { flow: Flow; proxy: Proxy; signal: AbortSignal },
): Promise<RegisterAnswer | undefined> {
  const { signalling, expiresS } = state;
  const answer = await sendRegister(signalling, state, { ...way, expiresS });
  const demandedS = answer?.status === 423 ? answer.minExpiresS : 0;
  if (demandedS <= expiresS || demandedS > sipLimits.gatewayExpiresMaxS) return answer;
  state.expiresS = demandedS;
  return await sendRegister(signalling, state, { ...way, expiresS: demandedS });
}

/** Keeps what was granted; how long to wait until the next one, in ms. */
function take(
  state: State,
  answer: RegisterAnswer,
  { flow, proxy, target }: { flow: Flow; proxy: Proxy; target: Target },
): number {
  const { signalling, registration: { accountSid, userName, password } } = state;
  const { status, expiresS, retryAfterS } = answer;
  if (status >= 300) throw refusedWith(answer, retryAfterS);
  if (expiresS === 0) throw new RegistrationFailure("the proxy granted 0 s", retryAfterS);
  const trunk = trunkAt(signalling, proxy, {
    target,
    accountSid,
    login: { userName, password },
  });
  state.place = { flow, proxy, trunk, until: steadyNow() + expiresS * 1000 };
  return expiresS * 1000 * (0.6 + Math.random() * 0.2);
}

/**
 * Waits until the registration is to be refreshed, or its connection is lost. The line ends that keep
 * a connection open (RFC 5626 §3.5.1) also show that it is gone.
 */
async function stay(state: State, flow: Flow, refreshMs: number): Promise<void> {
  const { signalling: { timers, flowWatchers }, stopping } = state;
  const lost = new AbortController();
  const watch = (gone: Flow) => void (gone === flow && lost.abort());
  const signal = AbortSignal.any([stopping.signal, lost.signal]);
  const isStream = flow.transport.protocol !== "UDP";
  const stopWatching = flowWatchers.add(watch);
  try {
    // The wall clock goes on while the machine is suspended: then it is late already.
    const [until, date] = [steadyNow() + refreshMs, Date.now() + refreshMs];
    const left = () => Math.min(until - steadyNow(), date - Date.now());
    for (let leftMs = refreshMs; leftMs > 0 && !signal.aborted; leftMs = left()) {
      await timers.pause(Math.min(leftMs, sipLimits.keepAliveMs), signal);
      if (isStream && !signal.aborted) {
        await flow.transport.send("\r\n\r\n").catch(() => lost.abort());
      }
    }
  } finally {
    stopWatching();
  }
}

/** Unregisters at the proxy, where it answered before. */
async function unregister(state: State): Promise<void> {
  const { signalling, place } = state;
  state.place = undefined;
  if (place === undefined || place.until <= steadyNow()) return;
  const { proxy, trunk } = place;
  const { signal } = new AbortController();
  const flow = place.flow.closed ? await trunk.reach().catch(() => undefined) : place.flow;
  if (flow !== undefined) {
    await sendRegister(signalling, state, { flow, proxy, expiresS: 0, signal });
  }
}

import { learnTenants } from "../core/base/learned_tenants.ts";
import { steadyNow } from "../core/base/steady_clock.ts";
import { plainReason } from "../core/base/plain_reason.ts";
import { type Heartbeat, mostFullTenants, protocolLimits } from "../core/protocol/companion.ts";
import type { Authenticator } from "./auth/authenticate.ts";
import { sipLimits } from "./base/limits.ts";
import type { Calls } from "./contracts/calls.ts";
import type { Signalling } from "./contracts/signalling.ts";
import { invalidateAll } from "./registrar/registrar.ts";
import type { Presence } from "./registrar/presence.ts";
import type { SharedMedia } from "./media_shares.ts";
import type { ServiceLink } from "./service/service_link.ts";
import type { Gateways } from "./trunk/gateways.ts";

/** Sources of a heartbeat, and the reports that its response may request. */
export interface HeartbeatParts {
  signalling: Pick<Signalling, "timers" | "log" | "location" | "shortages">;
  link: Pick<ServiceLink, "heartbeat">;
  calls: Pick<Calls, "unsettled">;
  media: Pick<SharedMedia, "fullTenants" | "learnOperator">;
  presence: Pick<Presence, "reportAll">;
  gateways: Pick<Gateways, "reportAll">;
  authenticator: Pick<Authenticator, "credentials">;
  /** True while new calls are accepted. */
  accepting(): boolean;
}

/** Resolves when all calls have ended, after `mostMs`, or when `hurry` aborts. */
export async function settled(
  parts: HeartbeatParts,
  self: Self,
  { mostMs, hurry }: { mostMs: number; hurry: AbortSignal },
): Promise<void> {
  const { calls, signalling: { timers } } = parts;
  const until = steadyNow() + mostMs;
  const isOver = () => calls.unsettled().length === 0 || steadyNow() >= until || hurry.aborted;
  if (!isOver()) await sendHeartbeat(parts, self);
  while (!isOver()) await timers.pause(sipLimits.drainLookMs);
}

/** Identity of this companion in each heartbeat. */
export type Self = Pick<Heartbeat, "companion" | "bridgeUrl" | "sipUri" | "isLast">;

/** Beats until we stop; sooner again where the service does not hear. */
export function keepBeating(parts: HeartbeatParts, self: Self, stopping: AbortSignal): void {
  const { timers, log } = parts.signalling;
  let unheard = 0;
  const beat = async () => {
    if (stopping.aborted) return;
    const problem = await sendHeartbeat(parts, self);
    unheard = problem === null ? 0 : unheard + 1;
    // The service may start a moment after us. A problem that stays is logged again now and then.
    const { heartbeatMisses, heartbeatMissesLogged } = sipLimits;
    if (unheard % heartbeatMissesLogged === heartbeatMisses) {
      log("The service does not accept the heartbeats of this companion", { problem });
    }
    const pauseMs = unheard === 0 ? protocolLimits.heartbeatMs : sipLimits.heartbeatRetryMs;
    timers.after(pauseMs, beat);
  };
  void beat();
}

/** Sends the heartbeat with the companion's state; resolves with the error, or null. */
export async function sendHeartbeat(
  {
    link,
    calls,
    presence,
    gateways,
    authenticator,
    accepting,
    media,
    signalling: { location, shortages },
  }: HeartbeatParts,
  self: Self,
): Promise<string | null> {
  location.sweep();
  const shortage = shortages.current();
  const fullTenants = media.fullTenants().slice(0, mostFullTenants);
  const short = { ...shortage && { shortage }, ...fullTenants.length > 0 && { fullTenants } };
  const state = { ...!accepting() && { isDraining: true }, ...short };
  const legs = calls.unsettled().map(({ id, accountSid }) => ({ leg: id, accountSid }));
  try {
    const registered = location.registered();
    const beat = { ...self, ...state, legs, registered };
    const { wantsPresence, tenants = {}, operator } = await link.heartbeat(beat);
    learnTenants(tenants);
    if (operator !== undefined) media.learnOperator(operator);
    if (wantsPresence) {
      // It had lost us: orders that it gave did not come.
      presence.reportAll();
      gateways.reportAll();
      void invalidateAll(location, authenticator.credentials);
    }
    return null;
  } catch (error) {
    return plainReason(error);
  }
}

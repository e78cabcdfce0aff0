import type { Companion } from "../../core/protocol/companion.ts";
import { type PresenceChanges, registrationLimits } from "../../core/protocol/registrations.ts";
import { sipLimits } from "../base/limits.ts";
import type { Location } from "../text/location.ts";
import { ServiceError, type ServiceLink } from "../service/service_link.ts";
import type { Log } from "../base/log.ts";
import type { Timers } from "../base/timers.ts";

/**
 * Reports to the service which Clients have a device here. Nothing waits for it, least of all a
 * REGISTER.
 */
export interface Presence {
  /** A login's first device came, or its last one went. */
  changed(login: string): void;
  /** Reports all Clients: the service does not know them. */
  reportAll(): void;
}

export interface PresenceOptions {
  companion: Companion;
  link: Pick<ServiceLink, "presence">;
  location: Location;
  timers: Timers;
  log: Log;
  stopped: AbortSignal;
}

/** Collects changes while earlier reports are being sent; each report has the state at its sending. */
export function createPresence(options: PresenceOptions): Presence {
  const { companion, location, stopped } = options;
  const changed = new Set<string>();
  let seq = 0;
  let isWhole = true;
  let telling = false;

  const nextNews = (): PresenceChanges => {
    if (isWhole) { for (const login of location.logins()) changed.add(login); }
    const batch = changed.values().take(registrationLimits.loginsAtOnce).toArray();
    for (const login of batch) changed.delete(login);
    const { true: came = [], false: went = [] } = Object.groupBy(
      batch,
      (login) => `${location.has(login)}`,
    );
    const registered = location.registered();
    const news = { companion, seq: seq++, whole: isWhole, came, went, registered };
    isWhole = false;
    return news;
  };

  const tell = async () => {
    if (telling) return;
    telling = true;
    while ((isWhole || changed.size > 0) && !stopped.aborted) {
      if (await deliver(options, nextNews()) === "lost") isWhole = true;
    }
    telling = false;
  };

  return {
    changed(login) {
      changed.add(login);
      void tell();
    },
    reportAll() {
      isWhole = true;
      void tell();
    },
  };
}

/** Sends the same changes until the service has them; "lost" when it lacks earlier ones. */
async function deliver(
  { link, timers, log, stopped }: PresenceOptions,
  news: PresenceChanges,
): Promise<"taken" | "lost"> {
  for (let attempt = 0; !stopped.aborted; attempt++) {
    try {
      if ((await link.presence(news)).isKnown) return "taken";
      if (!news.whole) return "lost";
    } catch (error) {
      const isOutage = !(error instanceof ServiceError) || error.failure === "outage";
      if (!isOutage) {
        log("Cannot report the registrations to the service", { error: String(error) });
      }
    }
    const ms = Math.min(sipLimits.retryMinMs * 2 ** attempt, sipLimits.retryMaxMs);
    await timers.pause(ms * (0.75 + Math.random() / 2), stopped);
  }
  return "taken";
}

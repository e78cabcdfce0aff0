import { type Registration, trunkLimits } from "../../core/protocol/trunks.ts";
import { createGatewayKeeper, type GatewayKeeper } from "./gateway_keeper.ts";
import { createGatewayReports, type GatewayReportOptions } from "./gateway_reports.ts";
import { sipLimits } from "../base/limits.ts";
import type { ServiceLink } from "../service/service_link.ts";
import type { Signalling } from "../contracts/signalling.ts";

/** The Gateways that this companion keeps registered, as the service says. */
export interface Gateways {
  /** Requests the list from the service, now and every `gatewaysMs`. */
  start(): void;
  /** The answer of the service may have changed. */
  changed(): void;
  /** Reports the state of each, where the service has lost it. */
  reportAll(): void;
  all(): MapIterator<GatewayKeeper>;
  /** The one whose Contact has this user part. */
  find(contactUser: string): GatewayKeeper | undefined;
  /** Unregisters all of them. */
  stop(): Promise<void>;
}

export interface GatewaysOptions extends Omit<GatewayReportOptions, "link" | "timers" | "log"> {
  link: Pick<ServiceLink, "gateway" | "gateways">;
}

/** The keepers of the Gateways that are registered, and of those that are being unregistered. */
interface Keepers {
  readonly all: Map<string, GatewayKeeper>;
  /**
   * Makes the keepers those of these registrations; `onEnded` is called after each that was
   * replaced.
   */
  apply(wanted: Registration[], onEnded: () => void): void;
  /** Unregisters all, for good. */
  stop(): Promise<void>;
}

function createKeepers(signalling: Signalling, options: GatewaysOptions): Keepers {
  const { timers, log } = signalling;
  const all = new Map<string, GatewayKeeper>();
  /** Unregistrations under way, by Sid: the next registration of a Gateway waits for its own. */
  const endings = new Map<string, Promise<void>>();
  let isStopping = false;

  const end = (keeper: GatewayKeeper) => {
    const { gatewaySid } = keeper.registration;
    all.delete(gatewaySid);
    const ended = keeper.stop().finally(() => {
      if (endings.get(gatewaySid) === ended) endings.delete(gatewaySid);
    });
    endings.set(gatewaySid, ended);
  };
  const begin = (registration: Registration) => {
    const { gatewaySid } = registration;
    // Its former registration has not ended: `onEnded` requests the list again.
    if (isStopping || all.has(gatewaySid) || endings.has(gatewaySid)) return;
    const reports = createGatewayReports({ ...options, timers, log }, registration);
    all.set(gatewaySid, createGatewayKeeper(signalling, registration, reports));
  };
  return {
    all,
    apply(wanted, onEnded) {
      const versions = new Map(wanted.map(({ gatewaySid, version }) => [gatewaySid, version]));
      for (const keeper of [...all.values()]) {
        const { gatewaySid, version } = keeper.registration;
        if (versions.get(gatewaySid) !== version) end(keeper);
      }
      wanted.forEach(begin);
      for (const ended of endings.values()) void ended.then(onEnded);
    },
    async stop() {
      isStopping = true;
      [...all.values()].forEach(end);
      await Promise.all(endings.values());
    },
  };
}

export function createGateways(signalling: Signalling, options: GatewaysOptions): Gateways {
  const { timers, log } = signalling;
  const { link, companionId } = options;
  const keepers = createKeepers(signalling, options);
  let isStopping = false;
  let isDue = false;
  let isAnswered = false;
  let stopRetrying = () => {};
  let last = Promise.resolve();

  const request = async () => {
    isDue = false;
    if (isStopping) return;
    try {
      keepers.apply((await link.gateways({ companionId })).gateways, changed);
      isAnswered = true;
    } catch (error) {
      // The service may start a moment after the companion, and may be away for long.
      if (isAnswered) log("Cannot fetch the Gateways from the service", { error: String(error) });
      isAnswered = false;
      stopRetrying();
      stopRetrying = timers.after(sipLimits.retryMaxMs, changed);
    }
  };
  /** One request at a time, so that no older answer comes after a newer one. */
  const changed = () => {
    if (isDue || isStopping) return;
    isDue = true;
    last = last.then(request);
  };
  const start = () => {
    changed();
    timers.after(trunkLimits.gatewaysMs, start);
  };

  return {
    start,
    changed,
    reportAll: () => keepers.all.forEach((keeper) => keeper.repeat()),
    all: () => keepers.all.values(),
    find: (user) => keepers.all.values().find(({ contactUser }) => contactUser === user),
    async stop() {
      isStopping = true;
      await keepers.stop();
    },
  };
}

import { type Registration, trunkLimits } from "../../core/protocol/trunks.ts";
import { createGatewayKeeper, type GatewayKeeper } from "./gateway_keeper.ts";
import { createGatewayReports, type GatewayReportOptions } from "./gateway_reports.ts";
import { sipLimits } from "../base/limits.ts";
import type { ServiceLink } from "../service/service_link.ts";
import type { Signalling } from "../contracts/signalling.ts";

/** The Gateways that this companion keeps registered, as the service says. */
export interface Gateways {
  /** Asks the service which they are: now, and again and again. */
  start(): void;
  /** The answer of the service may have changed. */
  changed(): void;
  /** The service does not know how they are. */
  reportAll(): void;
  all(): MapIterator<GatewayKeeper>;
  /** By the user part of the Contact that a Gateway is registered by. */
  find(contactUser: string): GatewayKeeper | undefined;
  /** Unregisters all of them. */
  stop(): Promise<void>;
}

export interface GatewaysOptions extends Omit<GatewayReportOptions, "link" | "timers" | "log"> {
  link: Pick<ServiceLink, "gateway" | "gateways">;
}

export function createGateways(signalling: Signalling, options: GatewaysOptions): Gateways {
  const { timers, log } = signalling;
  const { link, companionId } = options;
  const keepers = new Map<string, GatewayKeeper>();
  /** What is being unregistered, by Sid: the next registration of a Gateway waits for it. */
  const endings = new Map<string, Promise<void>>();
  let isStopping = false;
  let isDue = false;
  let isAnswered = false;
  let stopRetrying = () => {};
  let asked = Promise.resolve();

  const end = (keeper: GatewayKeeper) => {
    const { gatewaySid } = keeper.registration;
    keepers.delete(gatewaySid);
    const ended = keeper.stop().finally(() => {
      if (endings.get(gatewaySid) === ended) endings.delete(gatewaySid);
    });
    endings.set(gatewaySid, ended);
  };
  const begin = (registration: Registration) => {
    const { gatewaySid } = registration;
    // Its answer came before it ended; another one is on its way.
    if (isStopping || keepers.has(gatewaySid) || endings.has(gatewaySid)) return;
    const reports = createGatewayReports({ ...options, timers, log }, registration);
    keepers.set(gatewaySid, createGatewayKeeper(signalling, registration, reports));
  };
  const apply = (wanted: Registration[]) => {
    const versions = new Map(wanted.map(({ gatewaySid, version }) => [gatewaySid, version]));
    for (const keeper of [...keepers.values()]) {
      const { gatewaySid, version } = keeper.registration;
      if (versions.get(gatewaySid) !== version) end(keeper);
    }
    wanted.forEach(begin);
    // What waits for its former self is asked for anew, as it may have changed by then.
    for (const ended of endings.values()) void ended.then(changed);
  };
  const ask = async () => {
    isDue = false;
    if (isStopping) return;
    try {
      apply((await link.gateways({ companionId })).gateways);
      isAnswered = true;
    } catch (error) {
      // The service may start a moment after us, and may be away for long.
      if (isAnswered) log("Cannot ask for the Gateways", { error: String(error) });
      isAnswered = false;
      stopRetrying();
      stopRetrying = timers.after(sipLimits.retryMaxMs, changed);
    }
  };
  /** One question at a time, so that no older answer comes after a newer one. */
  const changed = () => {
    if (isDue || isStopping) return;
    isDue = true;
    asked = asked.then(ask);
  };
  const start = () => {
    changed();
    timers.after(trunkLimits.gatewaysMs, start);
  };

  return {
    start,
    changed,
    reportAll: () => keepers.forEach((keeper) => keeper.repeat()),
    all: () => keepers.values(),
    find: (contactUser) => keepers.values().find((keeper) => keeper.contactUser === contactUser),
    async stop() {
      isStopping = true;
      [...keepers.values()].forEach(end);
      await Promise.all(endings.values());
    },
  };
}

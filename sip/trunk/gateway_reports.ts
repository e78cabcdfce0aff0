import type { GatewayReport, Registration } from "../../core/protocol/trunks.ts";
import { sipLimits } from "../base/limits.ts";
import { ServiceError, type ServiceLink } from "../service/service_link.ts";
import type { Log } from "../base/log.ts";
import type { Timers } from "../base/timers.ts";

export interface GatewayReportOptions {
  companionId: string;
  link: Pick<ServiceLink, "gateway">;
  timers: Timers;
  log: Log;
  /** Aborts at the stop; undelivered reports are dropped then. */
  stopped: AbortSignal;
}

/** Result of a registration. */
export type GatewayState = Pick<GatewayReport, "status" | "reason">;

/** The reports of one registration: one at a time, in order, each until the service has taken it. */
export interface GatewayReports {
  /** Reports a state that differs from the last. */
  report(state: GatewayState): void;
  /** Reports the last state once more. */
  repeat(): void;
  drained(): Promise<void>;
}

export function createGatewayReports(
  options: GatewayReportOptions,
  { gatewaySid, accountSid, version }: Registration,
): GatewayReports {
  const { companionId } = options;
  let told: GatewayState | undefined;
  let last = Promise.resolve();
  const send = (state: GatewayState) => {
    const report = { companionId, gatewaySid, accountSid, version, ...state };
    last = last.then(() => deliver(options, report));
  };
  return {
    report(state) {
      if (told?.status === state.status && told.reason === state.reason) return;
      told = state;
      send(state);
    },
    repeat() {
      if (told !== undefined) send(told);
    },
    drained: () => last,
  };
}

async function deliver(options: GatewayReportOptions, report: GatewayReport): Promise<void> {
  const { link, timers, log, stopped } = options;
  let pauseMs: number = sipLimits.retryMinMs;
  let defects = 0;
  while (!stopped.aborted) {
    try {
      return void await link.gateway(report);
    } catch (error) {
      const failure = error instanceof ServiceError ? error.failure : "outage";
      if (failure === "defect") defects++;
      if (failure === "refusal" || defects === sipLimits.reportDefects) {
        const { gatewaySid } = report;
        return log("Cannot report a Gateway", { gatewaySid, error: String(error) });
      }
      await timers.pause(pauseMs, stopped);
      pauseMs = Math.min(pauseMs * 2, sipLimits.retryMaxMs);
    }
  }
}

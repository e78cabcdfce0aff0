import {
  apart,
  type EventsAnswer,
  type ScriptAnswer,
  type SentReport,
} from "../protocol/companion.ts";
import { withOrigin } from "../base/origin.ts";
import { traced } from "../base/tracing.ts";
import { Fault } from "../base/faults.ts";
import { createTenants, type Tenants } from "../accounts/tenant.ts";
import { withinShare } from "../base/loop_work.ts";
import { ShortLivedMap } from "../base/short_lived_map.ts";
import type { Ports } from "../model/ports/ports.ts";
import { handleReport } from "./handle_report.ts";

type Taken = Omit<ScriptAnswer, "at">;

/** Takes reports of several legs concurrently. A failure concerns its own report only. */
export interface Reports {
  /** The outcome of each report, once all are taken. */
  events(reports: SentReport[], signal: AbortSignal): Promise<EventsAnswer["outcomes"]>;
  /**
   * Passes the script for each report to `send`, as soon as it is ready. A later report of the same leg
   * cancels the earlier request: the companion does not wait for it any more.
   */
  scripts(
    reports: SentReport[],
    signal: AbortSignal,
    send: (answer: ScriptAnswer) => void,
  ): Promise<void>;
}

export function createReports(ports: Ports): Reports {
  const tenants = createTenants(ports.accounts);
  const taken = (sent: SentReport, signal: AbortSignal) => take(sent, { ports, tenants, signal });
  const open = new ShortLivedMap<string, AbortController>();

  async function answer(report: SentReport, whole: AbortSignal): Promise<Taken> {
    const search = new AbortController();
    open.get(report.leg)?.abort();
    open.set(report.leg, search);
    try {
      return await taken(report, AbortSignal.any([whole, search.signal]));
    } finally {
      if (open.get(report.leg) === search) open.delete(report.leg);
    }
  }

  return {
    events: (reports, signal) =>
      Promise.all(reports.map(async (report) => {
        open.get(report.leg)?.abort();
        return (await taken(report, signal)).outcome;
      })),
    async scripts(reports, signal, send) {
      await Promise.all(
        reports.map(async (report, at) => send({ at, ...await answer(report, signal) })),
      );
    },
  };
}

async function take(
  sent: SentReport,
  { ports, tenants, signal }: { ports: Ports; tenants: Tenants; signal: AbortSignal },
): Promise<Taken> {
  const report = apart(sent);
  try {
    const { origin, leg, event, accountSid } = report;
    const attributes = { "switchboard.call_sid": leg };
    const kind = `report ${event.type}`;
    const asking = { tenant: await tenants.find(accountSid), kind, isOfCall: true };
    const handle = () => withinShare(ports.loop, asking, () => handleReport(report, ports, signal));
    const script = await withOrigin(
      origin,
      () => traced(kind, { kind: "internal", attributes }, handle),
    );
    return { outcome: "taken", script };
  } catch (error) {
    if (signal.aborted) return { outcome: "taken", script: [] }; // Its leg has ended.
    if (error instanceof Fault && error.kind !== "internal") {
      return { outcome: error.kind === "unavailable" ? "outage" : "refused", script: [] };
    }
    ports.log("Cannot process a report of the companion", {
      leg: report.leg,
      event: report.event.type,
      error,
    });
    return { outcome: "defect", script: [] };
  }
}

import type { NewsAnswer, Report } from "../bridge.ts";
import { Fault } from "../faults.ts";
import type { Ports } from "../ports.ts";
import { handleReport } from "./handle_report.ts";

type TakenNews = NewsAnswer["outcomes"][number];

/** Takes reports of several legs side by side; what goes wrong with one is told of that one alone. */
export function takeNews(
  reports: Report[],
  ports: Ports,
  signal: AbortSignal,
): Promise<TakenNews[]> {
  return Promise.all(reports.map(async (report): Promise<TakenNews> => {
    try {
      await handleReport(report, ports, signal);
      return "taken";
    } catch (error) {
      if (error instanceof Fault && error.kind !== "internal") {
        return error.kind === "unavailable" ? "outage" : "refused";
      }
      ports.log("Cannot take a report", { leg: report.leg, event: report.event.type, error });
      return "defect";
    }
  }));
}

import type { Companion } from "../../core/protocol/companion.ts";
import type { EndReason, Outcome } from "../../core/protocol/events.ts";
import type { CallTraces } from "../base/call_traces.ts";
import { sipLimits } from "../base/limits.ts";
import type { Log } from "../base/log.ts";
import type { ServiceLink } from "./service_link.ts";

/** Sends the trace of a leg by how it ended; resolves when the service has it or it is given up. */
export type SendTrace = (
  leg: { id: string; accountSid: string },
  ending: { outcome: Outcome; reason?: EndReason | undefined },
) => Promise<void>;

const failed: readonly Outcome[] = ["failed", "busy", "no-answer"];

/**
 * Sends the traces of calls that failed. Each is tried once: the report of the end that waits for it is
 * worth more.
 */
export function createTraceSender(
  companion: Companion,
  link: Pick<ServiceLink, "trace">,
  { traces, log }: { traces: CallTraces; log: Log },
): SendTrace {
  let underWay = 0;
  return async ({ id: leg, accountSid }, { outcome, reason }) => {
    if (!failed.includes(outcome) && reason === undefined) return;
    const trace = traces.read(leg);
    if (trace === undefined || underWay >= sipLimits.tracesSent) return;
    underWay++;
    try {
      await link.trace({ companion, leg, accountSid, trace });
    } catch (error) {
      log("Cannot send the SIP trace of a call", { leg, error: String(error) });
    } finally {
      underWay--;
    }
  };
}

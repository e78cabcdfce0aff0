import type { EndReason, Outcome } from "../../core/bridge_events.ts";
import { NoCommonCodec } from "../media/port.ts";

/** How a leg ended. */
export interface Ending {
  outcome: Outcome;
  sipStatus?: number;
  reason?: EndReason;
}

/** Final statuses that say more than that the call failed; `DialCallStatus` and Call Status. */
const outcomes: Readonly<Record<number, Outcome>> = {
  408: "no-answer",
  486: "busy",
  487: "canceled",
  600: "busy",
  603: "busy",
};

/** The outcome of an INVITE refused with a status. */
export const outcomeOf = (status: number): Outcome => outcomes[status] ?? "failed";

/** How an INVITE ends that everybody refused; 488 and 606 are about the session that was offered. */
export function refusedEnding(sipStatus: number): Ending {
  const reason = sipStatus === 488 || sipStatus === 606 ? { reason: "no-codec" } as const : {};
  return { outcome: outcomeOf(sipStatus), sipStatus, ...reason };
}

/** Why a call ends whose SDP answer our media cannot follow. */
export const unfollowedReason = (error: unknown): EndReason =>
  error instanceof NoCommonCodec ? "no-codec" : "media-lost";

/** What its BYE says (RFC 3326). */
export const unfollowedWords = { reason: 'SIP;cause=488;text="Not Acceptable Here"' };

/** How much a refusal says about the person called rather than about one device. */
function weight(status: number): number {
  if (status >= 600) return 3;
  if (status === 486) return 2;
  return status >= 400 && status < 500 && status !== 408 ? 1 : 0;
}

/** The refusal to believe when every device refused (RFC 3261 §16.7 step 6). */
export function bestStatus(statuses: readonly number[]): number {
  const best = [...statuses].sort((a, b) => weight(b) - weight(a) || a - b)[0];
  return best ?? 480;
}

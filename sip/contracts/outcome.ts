import type {
  Disconnection,
  RemoteCause,
  ServiceCause,
} from "../../core/protocol/disconnection.ts";
import { type EndReason, eventLimits, type Outcome } from "../../core/protocol/events.ts";
import { MediaShortage, NoCommonCodec } from "../media/mod.ts";
import type { Shortages } from "../base/shortages.ts";

/** End of a leg. */
export interface Ending {
  outcome: Outcome;
  sipStatus?: number;
  reason?: EndReason;
  /** Text about the fault for the customer. */
  detail?: string;
  disconnection?: Disconnection;
  /** The Gateway that its last INVITE left by. */
  gateway?: { sid: string; name?: string };
}

/** Characters of a Reason header, or of words in its place, that are reported. */
const textLength = 200;

const saying = (text = "") => text === "" ? {} : { text: text.slice(0, textLength) };

/** The peer ended the leg; `text` is the value of its Reason header. */
export const byRemote = (cause: RemoteCause, text?: string): Pick<Ending, "disconnection"> => ({
  disconnection: { by: "remote", cause, ...saying(text) },
});

/** The companion ended the leg, by itself or since the service said so. */
export const byService = (
  cause: ServiceCause,
  text?: string,
): Required<Pick<Ending, "disconnection">> => ({
  disconnection: { by: "service", cause, ...saying(text) },
});

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

/** True when a refusal is about the session that was offered (RFC 3261 §21.4.26, §21.6.4). */
export const refusesMedia = (sipStatus: number): boolean => sipStatus === 488 || sipStatus === 606;

/**
 * The ending of an INVITE that all devices refused; `words` are those of the refusal, and `unwanted`
 * describes media that were refused. An INVITE to which no response came `isUnanswered`.
 */
export function refusedEnding(
  sipStatus: number,
  { words = "", isUnanswered = false, unwanted }: {
    words?: string;
    isUnanswered?: boolean;
    unwanted?: string | undefined;
  } = {},
): Ending {
  // 487 answers a CANCEL, and we sent none.
  const outcome = sipStatus === 487 ? "failed" : outcomeOf(sipStatus);
  const isMedia = refusesMedia(sipStatus);
  const said = outcome === "failed" ? words.slice(0, eventLimits.endDetailLength) : "";
  const detail = isMedia ? unwanted : said;
  return {
    outcome,
    sipStatus,
    ...isMedia && { reason: "no-codec" },
    ...detail && { detail },
    ...isUnanswered ? byService("unreachable", words) : byRemote("refused", words),
  };
}

/** Ending of a call whose SDP our media cannot follow, without its status. */
export const unfollowed = (error: unknown): Pick<Ending, "reason" | "detail" | "disconnection"> =>
  error instanceof NoCommonCodec
    ? {
      reason: "no-codec",
      detail: error.message.slice(0, eventLimits.endDetailLength),
      ...byService("no-codec"),
    }
    : { reason: "media-lost", ...byService("media-lost", String(error)) };

/**
 * Ending of a leg that failed in this companion, before its INVITE was sent or answered: by a shortage
 * of this machine (503), or by a defect (500).
 */
export function failedHere(
  error: unknown,
  shortages: Shortages,
): Required<Pick<Ending, "sipStatus" | "detail" | "disconnection">> {
  if (!(error instanceof MediaShortage)) {
    return { sipStatus: 500, detail: "see the log of the companion", ...byService("error") };
  }
  if (error.of === "share") shortages.count(error.of); // Others have room.
  else shortages.note(error.of, error.message);
  const detail = error.message.slice(0, eventLimits.endDetailLength);
  return { sipStatus: 503, detail, ...byService("exhausted", detail) };
}

/** Reason of its BYE (RFC 3326). */
export const unfollowedWords = { reason: 'SIP;cause=488;text="Not Acceptable Here"' };

/** Weight of a refusal: greater where it is about the person called rather than one device. */
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

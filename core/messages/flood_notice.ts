import type { Notice } from "../notifications/notify.ts";
import { windowMs } from "../values/pair_cap.ts";

/** Told once of the messages between two that are too many in their minute. */
export function floodNotice(
  { from, to, accountSid, retryAfterS }: {
    from: string;
    to: string;
    accountSid: string;
    retryAfterS: number;
  },
  now: number,
): Notice {
  const detail = `${from} to ${to}: further messages are refused for ${retryAfterS} s`;
  // Each instance counts, and tells of it: in one minute that is once.
  const cause = { at: Math.floor(now / windowMs) * windowMs, id: `${from} ${to}` };
  return { accountSid, callSid: null, fault: "messageFlood", detail, cause, level: "error" };
}

import type { Notice } from "../webhooks/notify.ts";
import { windowMs } from "../model/values/pair_cap.ts";

/** One Notification of each minute in which two addresses exchange too many messages. */
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
  // Each instance counts and notifies; the cause makes that one Notification a minute.
  const cause = { at: Math.floor(now / windowMs) * windowMs, id: `${from} ${to}` };
  return { accountSid, callSid: null, fault: "messageFlood", detail, cause, level: "error" };
}

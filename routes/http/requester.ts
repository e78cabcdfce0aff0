import { limits } from "../../core/base/limits.ts";
import type { Requester } from "../../core/model/resources/internal/call_end.ts";
import type { Ctx } from "./env.ts";
import { ownRequests } from "./own_requests.ts";

/**
 * The credentials of a request to a resource of an account, and how it came: the end of a call names
 * them. The account may be that of another customer than the one above it that acts for it.
 */
export function requesterOf(c: Ctx, accountSid: string): Requester {
  const { caller, key } = c.var;
  const { sid, name } = key === undefined
    ? { sid: caller.sid, name: caller.emailAddress }
    : { sid: key.sid, name: key.friendlyName };
  return { sid, name: caller.sid === accountSid ? name : null, path: pathOf(c) };
}

function pathOf({ req }: Ctx): Requester["path"] {
  if (ownRequests.has(req.raw)) return "console";
  return req.path.startsWith(`/${limits.twilioApiVersion}/`) ? "twilio-interface" : "interface";
}
